// Fixed steps of Moreau's scheme: its own equations are put in again step by step, the balance of momentum
// with the recorded impulses, the laws of contact between impulses and velocities, and which contacts act.
#include <algorithm>
#include <cmath>

#include "saltus/verify/verifier.hpp"

namespace saltus {

// Contacts act where their predicted gap is closed, and only there; the margin is for gaps that are rounding.
void Verifier::check_activity(const Contact& c, double h, double minus, double plus, bool acts, double t) {
  constexpr double margin = 1e-6;
  const Law& law = now_.law(c);
  if (!needs_closed_gap(law)) return;
  const MoreauSteps& m = *claims_.moreau;
  const double g = now_.contacts().gap[c.row], ahead = g + m.ahead * h * minus;
  const double reach = margin * now_.gap_scale(c.row);
  if (acts && ahead > reach && g > reach)
    find(fmt::format("{} acts in the step to t = {:.12g}, at a gap of {:.3g}", system_.contact_name(c.id), t,
                     g));
  Block y = Block::Zero(rows(law)), before = Block::Constant(rows(law), minus);
  restitution(law, before.data(), y.data());
  if (const double left = y[0] + plus; !acts && ahead < -reach && left < -part_ * now_.rate_scale(c.row))
    find(fmt::format(
        "{} goes on closing with {:.3g} in the step to t = {:.12g}, at a gap of {:.3g}, without an impulse",
        system_.contact_name(c.id), left, t, g));
}

// −y ∈ N_C(P): what is off, as a velocity.
void Verifier::check_law(const Contact& c, const Block& P, const Block& minus, const Block& plus, double h,
                         double t) {
  const Law& law = now_.law(c);
  if (on_position_level(law)) return;
  constexpr double hit = 1e-2;  // of the motion: slower ones have a velocity left, not a rebound
  Block y = Block::Zero(P.size());
  restitution(law, minus.data(), y.data());
  y += plus;
  const double G = now_.compliance(c);
  Block inside = P - y / G;
  prox(law, h, inside.data());
  const Block off = G * (P - inside);
  double speed = 0;
  for (int r = 0; r < P.size(); ++r) speed = std::max(speed, now_.rate_scale(c.row + r));
  const std::string name = system_.contact_name(c.id);
  const bool hits = needs_closed_gap(law) && -minus[0] > hit * now_.rate_scale(c.row);
  if (hits)
    steps_.restitution.take(std::abs(off[0] / minus[0]), std::abs(off[0] / minus[0]), t, name),
        ++out_.impacts;
  for (int r = hits ? 1 : 0; r < P.size(); ++r)
    steps_.closing.take(std::abs(off[r]), std::abs(off[r]) / speed, t, name);
}

// Rates of energy in the middle of a step.
void Verifier::power_in_step(int i) {
  const double t0 = x_.t(i - 1), h = x_.t(i) - t0;
  const Vec u = 0.5 * (x_.u(i - 1) + x_.u(i));
  kinetic_ = std::max(kinetic_, 0.5 * std::pow(now_.velocity_norm(x_.u(i)), 2));
  if (system_.powers() != Powers::known) return;
  const Vec q = places_.moved(x_.q(i - 1), 0.5 * places_.difference(x_.q(i - 1), x_.q(i)));
  const Power p = system_.power(t0 + 0.5 * h, q, u, *work_);
  work_done_ += h * p.work, damped_ += h * p.damping, rubbed_ += h * p.friction;
}

void Verifier::step(int i, std::size_t& atom) {
  const double t0 = x_.t(i - 1), t = x_.t(i), h = t - t0;
  const MoreauSteps& m = *claims_.moreau;
  const Vec q0 = x_.q(i - 1), u0 = x_.u(i - 1), q1 = x_.q(i), u1 = x_.u(i);
  const Vec mean = (1 - m.theta) * u0 + m.theta * u1, middle = m.explicitly ? u0 : mean;
  const Vec place = places_.moved(q0, m.theta * h * middle);
  const double at = t0 + m.theta * h;
  if (!now_.evaluate(at, place, middle)) return;
  ++out_.pieces, ++out_.points;
  rest_ = -h * now_.force();
  now_.mass().multiply_add(1, u1 - u0, rest_);
  if (system_.shape().spins) {  // momenta that turn with the bodies, in the frame of the step
    Vec spin(x_.nu());
    system_.spin_impulse(h, m.theta, u0, u1, spin);
    rest_ -= spin;
  }
  power_in_step(i);
  const Vec off = places_.difference(q0, q1) - h * mean;
  const double jump = now_.velocity_norm(off);
  steps_.jump.take(off.lpNorm<Eigen::Infinity>(), jump > 0 ? jump / scales_.position : 0, t);
  const double look = m.look * h;
  if (!now_.evaluate(t0 + look, places_.moved(q0, look * u0), u0)) return;
  gaps(t0 + look, steps_);
  const ContactSet& set = now_.contacts();
  std::vector<double> minus(set.rows());
  for (int r = 0; r < set.rows(); ++r) minus[r] = now_.gamma(r);
  if (!now_.turn(at, place, u1)) return;
  const auto& atoms = x_.atoms();
  while (atom < atoms.size() && atoms[atom].t <= t0) ++atom;
  const auto begin = atoms.begin() + static_cast<std::ptrdiff_t>(atom);
  while (atom < atoms.size() && atoms[atom].t <= t) ++atom;
  const auto end = atoms.begin() + static_cast<std::ptrdiff_t>(atom);
  std::ptrdiff_t known = 0;
  for (const Contact& c : set.contacts) {
    const auto a = std::find_if(begin, end, [&](const Trajectory::Atom& x) { return x.contact == c.id; });
    const int n = rows(now_.law(c));
    Block P = Block::Zero(n), plus(n);
    const Block before = Eigen::Map<const Vec>(minus.data() + c.row, n);
    for (int r = 0; r < n; ++r) {
      if (a != end && r < a->rows) P[r] = x_.impulse(*a, r);
      plus[r] = now_.gamma(c.row + r);
      set.Wt.add_to(c.row + r, -P[r], rest_.data());
      impacts_ -= 0.5 * P[r] * (before[r] + plus[r]), work_done_ -= P[r] * set.drift[c.row + r];
    }
    known += a != end;
    check_activity(c, h, before[0], plus[0], P[0] > 0, t);
    if (a != end) check_law(c, P, before, plus, h, t);
  }
  if (known != end - begin)
    find(fmt::format("a contact that is not there acts in the step to t = {:.12g}", t));
  steps_.load.value = std::max(steps_.load.value, rest_.lpNorm<Eigen::Infinity>() / h);
  const double push = now_.force_norm(rest_);
  steps_.load.take(steps_.load.value, push > 0 ? push / scales_.velocity : 0, t);
}

void Verifier::steps(double from) {
  std::size_t atom = 0;
  now_.sharpen(false);
  for (int i = 1; i < x_.size(); ++i)
    if (x_.t(i - 1) >= from && x_.t(i) > x_.t(i - 1)) step(i, atom);
}

}  // namespace saltus
