#include "saltus/scheme/runge_kutta/pair_step.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {

PairStep::PairStep(ClosedDynamics& dynamics, const DensePair& pair, int n)
    : DenseStep(dynamics), pair_(pair), n_(n) {
  V_.assign(static_cast<std::size_t>(pair.all_stages()) * n, 0.0);
  K_ = V_;
  q_ = u_ = end_q_ = end_u_ = stage_q_ = stage_u_ = a_ = Vec::Zero(n);
  piece_.resize(n_, n_, 4 + static_cast<int>(pair.D.rows()));
}

// Q_i and V_i from the stages before.
void PairStep::stage(int i, Vec& q, Vec& v) {
  double *Q = q.data(), *V = v.data(), *kept = V_.data() + i * n_;
  for (int k = 0; k < n_; ++k) Q[k] = q_.data()[k], V[k] = u_.data()[k];
  for (const auto& [j, weight] : pair_.stage_sums[i].terms) {
    const double a = h_ * weight, *dq = V_.data() + j * n_, *dv = K_.data() + j * n_;
    for (int k = 0; k < n_; ++k) V[k] += a * dv[k], Q[k] += a * dq[k];
  }
  std::copy_n(V, n_, kept);
}

StepStatus PairStep::attempt(double t, const Vec& q, const Vec& u, double h, const ErrorScales& /*scales*/) {
  t_ = t, h_ = h, dense_ready_ = false;
  assign(q, q_), assign(u, u_);
  dynamics_.begin_step();
  dynamics_.renew_slip(false);
  for (int i = 0; i <= pair_.stages; ++i) {
    const bool end = i == pair_.stages, inner = i > 0 && !end;
    Vec &at = end ? end_q_ : stage_q_, &v = end ? end_u_ : stage_u_;
    stage(i, at, v);
    const double now = time(t + pair_.c[i] * h);
    const StepStatus status = inner ? evaluate_inner(now, at, v, a_) : evaluate(now, at, v, a_);
    if (status != StepStatus::ok) return status;
    std::copy_n(a_.data(), n_, K_.data() + i * n_);
  }
  return finite(end_q_) && finite(end_u_) ? StepStatus::ok : StepStatus::not_finite;
}

// Two estimates e₁, e₂ give |e₁|²/√(|e₁|² + 0.01 |e₂|²): of the order of the first times its distance to the
// second.
double PairStep::error(const ErrorScales& scales) {
  double first = 0, second = 0;
  for (int k = 0; k < n_; ++k) {
    double eq = 0, eu = 0, dq = 0, du = 0;
    for (const auto& [i, weight] : pair_.error_sum.terms)
      eq += weight * V_[i * n_ + k], eu += weight * K_[i * n_ + k];
    for (const auto& [i, weight] : pair_.second_sum.terms)
      dq += weight * V_[i * n_ + k], du += weight * K_[i * n_ + k];
    const auto square = [](double x) { return x * x; };
    first += square(eq / scales.q[k]) + square(eu / scales.u[k]);
    second += square(dq / scales.q[k]) + square(du / scales.u[k]);
  }
  if (!(first > 0)) return first == 0 ? 0 : infinity;
  const double size = h_ * std::sqrt(1.0 / (2 * n_));
  if (pair_.second.size() == 0) return size * std::sqrt(first);
  return size * first / std::sqrt(first + 0.01 * second);
}

// The terms of scheme/dense_piece.hpp: y₀, y₁ − y₀, then what slopes at the ends and the rows of D add.
void PairStep::dense_terms(const Vec& y0, const Vec& y1, const std::vector<double>& f, Vec& c) const {
  for (int k = 0; k < n_; ++k) {
    const double rise = y1[k] - y0[k], begin = h_ * f[k] - rise;
    c[k] = y0[k], c[n_ + k] = rise, c[2 * n_ + k] = begin;
    c[3 * n_ + k] = rise - h_ * f[pair_.stages * n_ + k] - begin;
  }
  double* out = c.data() + 4 * n_;
  for (const StageSum& sum : pair_.dense_sums) {
    for (int k = 0; k < n_; ++k) out[k] = 0;
    for (const auto& [i, weight] : sum.terms) {
      const double a = h_ * weight, *slope = f.data() + i * n_;
      for (int k = 0; k < n_; ++k) out[k] += a * slope[k];
    }
    out += n_;
  }
}

StepStatus PairStep::prepare_dense() {
  if (dense_ready_) return StepStatus::ok;
  for (int i = pair_.stages + 1; i < pair_.all_stages(); ++i) {
    stage(i, stage_q_, stage_u_);
    const StepStatus status = evaluate_inner(t_ + pair_.c[i] * h_, stage_q_, stage_u_, a_);
    if (status != StepStatus::ok) return status;
    std::copy_n(a_.data(), n_, K_.data() + i * n_);
  }
  dense_terms(q_, end_q_, V_, piece_.q);
  dense_terms(u_, end_u_, K_, piece_.u);
  piece_.start = t_, piece_.length = h_;
  dense_ready_ = true;
  return StepStatus::ok;
}

bool PairStep::dense(DensePiece& out) {
  if (prepare_dense() != StepStatus::ok) return false;
  out = piece_;
  return true;
}

StepStatus PairStep::inside(double s, Vec& q, Vec& u) {
  if (s == h_) {
    assign(end_q_, q), assign(end_u_, u);
    return StepStatus::ok;
  }
  if (const StepStatus status = prepare_dense(); status != StepStatus::ok) return status;
  q.resize(n_), u.resize(n_);
  dense_value(piece_.q.data(), n_, piece_.terms, s / h_, q.data());
  dense_value(piece_.u.data(), n_, piece_.terms, s / h_, u.data());
  return StepStatus::ok;
}

double PairStep::growth(double error) const {
  constexpr double safety = 0.8;  // at 0.9 up to a third of the steps are tried in vain
  return safety * std::pow(error, -1.0 / pair_.error_order);
}

}  // namespace saltus
