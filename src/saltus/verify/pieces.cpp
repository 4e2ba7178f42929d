// Between events: the defect of the polynomials in the equations of motion, gaps and joints.
#include <cmath>

#include "saltus/verify/verifier.hpp"

namespace saltus {
namespace {

constexpr double rounding_unit = std::numeric_limits<double>::epsilon();
// Gauss–Legendre on [0, 1]
constexpr int gauss_points = 5;
constexpr double gauss_x[gauss_points] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052841,
                                          0.953089922969332};
constexpr double gauss_w[gauss_points] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                          0.239314335249683, 0.118463442528095};

}  // namespace

void Verifier::at(const Piece& p, double t, Point& out) const {
  const double x = (t - p.start) / p.length;
  const int nq = x_.nq(), nu = x_.nu();
  out.q.resize(nq), out.u.resize(nu), out.q_rate.resize(nq), out.u_rate.resize(nu);
  dense_value(x_.q_terms(p), nq, p.terms, x, out.q.data());
  dense_value(x_.u_terms(p), nu, p.terms, x, out.u.data());
  dense_slope(x_.q_terms(p), nq, p.terms, x, out.q_rate.data());
  dense_slope(x_.u_terms(p), nu, p.terms, x, out.u_rate.data());
  out.q_rate /= p.length, out.u_rate /= p.length;
}

// What the coefficients of one component are known to.
double Verifier::rounding(const double* terms, int n, int count, int component) const {
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += std::abs(terms[k * n + component]);
  return 16 * rounding_unit * sum;
}

// Of M u̇ − f at the state that was evaluated.
Vec Verifier::load_rounding(const Piece& p) const {
  const int n = x_.nu();
  Vec out = Vec::Zero(n), inertia = Vec::Zero(n);
  now_.mass().multiply_add(1, point_.u_rate, inertia);
  Vec noise(n);
  for (int i = 0; i < n; ++i) noise[i] = rounding(x_.u_terms(p), n, p.terms, i) / p.length;
  now_.mass().for_each([&](int i, int j, double m) { out[i] += std::abs(m) * noise[j]; });
  return out + 16 * rounding_unit * inertia.cwiseAbs().cwiseMax(now_.force().cwiseAbs());
}

// q̇ less what it is where q moves with u, beyond rounding, as a velocity.
void Verifier::rate_misfit(const Piece& p, double t) {
  const double length = p.end - p.start;
  double lost = 0;
  rest_ = point_.q_rate - places_.rates(point_.q, point_.u, lost);
  for (Eigen::Index i = 0; i < rest_.size(); ++i) {
    const double slack = lost + rounding(x_.q_terms(p), x_.nq(), p.terms, static_cast<int>(i)) / p.length;
    rest_[i] = std::copysign(beyond(std::abs(rest_[i]), slack), rest_[i]);
  }
  if (!places_.flat()) rest_ = (places_.difference(point_.q, point_.q + length * rest_) / length).eval();
  const double off = now_.velocity_norm(rest_) * length;
  out_.rate.take(rest_.lpNorm<Eigen::Infinity>(), off > 0 ? off / scales_.displacement : off, t);
}

void Verifier::smooth_point(const Piece& p, double t, double weight) {
  at(p, t, point_);
  if (!now_.evaluate(t, point_.q, point_.u)) {
    find(fmt::format("the equations have no finite values at t = {:.9g}", t));
    return;
  }
  ++out_.points;
  const int n = x_.nu();
  rate_misfit(p, t);
  // M u̇ − f − W λ
  rest_ = -now_.force();
  now_.mass().multiply_add(1, point_.u_rate, rest_);
  now_.subtract_reactions(Equations::Level::force, 1, {}, rest_);
  const Vec rounded = load_rounding(p);
  for (int i = 0; i < n; ++i) rest_[i] = beyond(std::abs(rest_[i]), rounded[i]);
  out_.load.value = std::max(out_.load.value, rest_.lpNorm<Eigen::Infinity>());
  const double push = now_.force_norm(rest_) * (p.end - p.start);
  out_.load.take(out_.load.value, push > 0 ? push / scales_.velocity : push, t);
  gaps(t, out_);
  power(t, point_, weight);
}

void Verifier::gaps(double t, Misfits& out) {
  const ContactSet& set = now_.contacts();
  for (const Contact& c : set.contacts) {
    const Law& law = now_.law(c);
    const double g = set.gap[c.row], scale = now_.gap_scale(c.row);
    if (needs_closed_gap(law) && g < 0) out.penetration.take(-g, -g / scale, t, system_.contact_name(c.id));
    if (!std::holds_alternative<Equality>(law)) continue;
    for (int r = c.row; r < c.row + rows(law); ++r)
      out.joint.take(std::abs(set.gap[r]),
                     set.gap[r] == 0 ? 0 : std::abs(set.gap[r]) / std::max(now_.gap_scale(r), scale), t,
                     system_.contact_name(c.id));
  }
}

// Rates of energy at the state that was evaluated, with the reactions found there.
void Verifier::power(double t, const Point& x, double weight) {
  if (system_.powers() == Powers::known) {
    const Power p = system_.power(t, x.q, x.u, *work_);
    work_done_ += weight * p.work, damped_ += weight * p.damping, rubbed_ += weight * p.friction;
  }
  const ContactSet& set = now_.contacts();
  for (const Contact& c : set.contacts) {
    const Law& law = now_.law(c);
    for (int r = 0; r < rows(law); ++r) {
      const double force = now_.lambda()[c.row + r];
      work_done_ -= weight * force * set.drift[c.row + r];
      if (!is_lossless(law) && (r > 0 || !needs_closed_gap(law)))
        rubbed_ -= weight * force * now_.gamma(c.row + r);
    }
  }
  kinetic_ = std::max(kinetic_, 0.5 * now_.velocity_norm(x.u) * now_.velocity_norm(x.u));
}

void Verifier::pieces() {
  for (const Piece& p : x_.pieces()) {
    const double h = p.end - p.start;
    for (int k = 0; k < gauss_points; ++k) smooth_point(p, p.start + gauss_x[k] * h, gauss_w[k] * h);
  }
  out_.pieces = std::ssize(x_.pieces());
}

}  // namespace saltus
