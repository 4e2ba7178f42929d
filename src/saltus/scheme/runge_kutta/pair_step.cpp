#include "saltus/scheme/runge_kutta/pair_step.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

// out = base + factor Σ weight_j slopes_j. With N, the length of a block, known the sums stay in registers.
template <int N>
void add_up(const StageSum& sum, double factor, const double* base, const double* slopes, double* out) {
  double x[N];
  for (int k = 0; k < N; ++k) x[k] = base[k];
  for (const auto& [stage, weight] : sum.terms) {
    const double a = factor * weight, *f = slopes + stage * N;
#pragma GCC unroll 6
    for (int k = 0; k < N; ++k) x[k] += a * f[k];
  }
  for (int k = 0; k < N; ++k) out[k] = x[k];
}

void add_up(const StageSum& sum, double factor, const double* base, const double* slopes, double* out,
            int n) {
  switch (n) {
    case 2:
      return add_up<2>(sum, factor, base, slopes, out);
    case 4:
      return add_up<4>(sum, factor, base, slopes, out);
    case 6:
      return add_up<6>(sum, factor, base, slopes, out);
    default:
      break;
  }
  for (int k = 0; k < n; ++k) out[k] = base[k];
  for (const auto& [stage, weight] : sum.terms) {
    const double a = factor * weight, *f = slopes + stage * n;
    for (int k = 0; k < n; ++k) out[k] += a * f[k];
  }
}

}  // namespace

PairStep::PairStep(ClosedDynamics& dynamics, const DensePair& pair, int n)
    : DenseStep(dynamics), pair_(pair), n_(n), chart_(dynamics.system()) {
  slopes_.assign(static_cast<std::size_t>(pair.all_stages()) * 2 * n, 0.0);
  zero_.assign(static_cast<std::size_t>(2) * n, 0.0);
  start_ = end_ = sum_ = zero_;
  stage_q_ = stage_u_ = stage_v_ = rate_ = a_ = Vec::Zero(n);
  piece_.resize(n_, n_, 4 + static_cast<int>(pair.D.rows()));
}

// Q_i and V_i from the stages before, and K_i. V_i and K_i are the slope of the stage.
template <class Evaluate>
StepStatus PairStep::stage(int i, double* y, Evaluate&& evaluate) {
  add_up(pair_.stage_sums[i], h_, start_.data(), slopes_.data(), y, 2 * n_);
  double *q = stage_q_.data(), *v = stage_u_.data(), *slope = slopes_.data() + 2 * n_ * i;
  if (chart_.flat()) {
    for (int k = 0; k < n_; ++k) q[k] = y[k], v[k] = slope[k] = y[n_ + k];
  } else {
    for (int k = 0; k < n_; ++k) stage_v_[k] = y[k], v[k] = y[n_ + k];
    chart_.place(stage_v_, stage_q_);
    chart_.rate(stage_v_, stage_u_, rate_);
    for (int k = 0; k < n_; ++k) slope[k] = rate_[k];
  }
  const StepStatus status = evaluate(t_ + pair_.c[i] * h_);
  for (int k = 0; k < n_; ++k) slope[n_ + k] = a_.data()[k];
  return status;
}

StepStatus PairStep::attempt(double t, const Vec& q, const Vec& u, double h, const ErrorScales& /*scales*/) {
  t_ = t, h_ = h, dense_ready_ = false;
  const double* first = q.data();
  if (!chart_.flat()) chart_.begin(q, stage_v_), first = stage_v_.data();
  for (int k = 0; k < n_; ++k) start_[k] = first[k], start_[n_ + k] = u.data()[k];
  dynamics_.begin_step();
  dynamics_.renew_slip(false);
  const auto at_end = [this](double now) { return evaluate(time(now), stage_q_, stage_u_, a_); };
  const auto inside = [this](double now) { return evaluate_inner(time(now), stage_q_, stage_u_, a_); };
  StepStatus status = stage(0, sum_.data(), at_end);
  for (int i = 1; i < pair_.stages && status == StepStatus::ok; ++i) status = stage(i, sum_.data(), inside);
  if (status == StepStatus::ok) status = stage(pair_.stages, end_.data(), at_end);
  if (status != StepStatus::ok) return status;
  return all_finite(end_.data(), 2 * n_) ? StepStatus::ok : StepStatus::not_finite;
}

// Two estimates e₁, e₂ give |e₁|²/√(|e₁|² + 0.01 |e₂|²): of the order of the first times its distance to the
// second.
double PairStep::error(const ErrorScales& scales) {
  const auto size_of = [&](const StageSum& estimate) {
    const auto square = [](double x) { return x * x; };
    add_up(estimate, 1, zero_.data(), slopes_.data(), sum_.data(), 2 * n_);
    double size = 0;
    for (int k = 0; k < n_; ++k) size += square(sum_[k] / scales.q[k]) + square(sum_[n_ + k] / scales.u[k]);
    return size;
  };
  const double first = size_of(pair_.error_sum);
  if (!(first > 0)) return first == 0 ? 0 : infinity;
  const double size = h_ * std::sqrt(1.0 / (2 * n_));
  if (pair_.second.size() == 0) return size * std::sqrt(first);
  return size * first / std::sqrt(first + 0.01 * size_of(pair_.second_sum));
}

// The terms of scheme/dense_piece.hpp: y₀, y₁ − y₀, then what slopes at the ends and the rows of D add.
void PairStep::set_dense_term(int term, const double* y) {
  double *q = piece_.q.data() + term * n_, *u = piece_.u.data() + term * n_;
  for (int k = 0; k < n_; ++k) q[k] = y[k], u[k] = y[n_ + k];
}

void PairStep::set_dense_terms() {
  const double *first = slopes_.data(), *last = first + 2 * n_ * pair_.stages;
  set_dense_term(0, start_.data());
  for (int k = 0; k < 2 * n_; ++k) sum_[k] = end_[k] - start_[k];
  set_dense_term(1, sum_.data());
  for (int k = 0; k < 2 * n_; ++k) sum_[k] = h_ * first[k] - sum_[k];
  set_dense_term(2, sum_.data());
  for (int k = 0; k < 2 * n_; ++k) sum_[k] = (end_[k] - start_[k]) - h_ * last[k] - sum_[k];
  set_dense_term(3, sum_.data());
  int term = 4;
  for (const StageSum& sum : pair_.dense_sums) {
    add_up(sum, h_, zero_.data(), slopes_.data(), sum_.data(), 2 * n_);
    set_dense_term(term++, sum_.data());
  }
}

StepStatus PairStep::prepare_dense() {
  if (dense_ready_) return StepStatus::ok;
  for (int i = pair_.stages + 1; i < pair_.all_stages(); ++i) {
    const StepStatus status =
        stage(i, sum_.data(), [this](double now) { return evaluate_inner(now, stage_q_, stage_u_, a_); });
    if (status != StepStatus::ok) return status;
  }
  set_dense_terms();
  piece_.start = t_, piece_.length = h_;
  dense_ready_ = true;
  return StepStatus::ok;
}

bool PairStep::dense(DensePiece& out) {
  if (prepare_dense() != StepStatus::ok) return false;
  out = piece_;
  chart_.spread(out);
  return true;
}

StepStatus PairStep::inside(double s, Vec& q, Vec& u) {
  if (!chart_.flat()) {
    const StepStatus status = s == h_ ? StepStatus::ok : prepare_dense();
    if (status != StepStatus::ok) return status;
    if (u.size() != n_) u.resize(n_);
    if (s == h_) {
      for (int k = 0; k < n_; ++k) stage_v_[k] = end_[k], u[k] = end_[n_ + k];
    } else {
      dense_value(piece_.q.data(), n_, piece_.terms, s / h_, stage_v_.data());
      dense_value(piece_.u.data(), n_, piece_.terms, s / h_, u.data());
    }
    chart_.place(stage_v_, q);
    return StepStatus::ok;
  }
  if (q.size() != n_) q.resize(n_), u.resize(n_);
  if (s == h_) {
    for (int k = 0; k < n_; ++k) q.data()[k] = end_[k], u.data()[k] = end_[n_ + k];
    return StepStatus::ok;
  }
  if (const StepStatus status = prepare_dense(); status != StepStatus::ok) return status;
  dense_value(piece_.q.data(), n_, piece_.terms, s / h_, q.data());
  dense_value(piece_.u.data(), n_, piece_.terms, s / h_, u.data());
  return StepStatus::ok;
}

double PairStep::growth(double error) const {
  constexpr double safety = 0.8;  // at 0.9 up to a third of the steps are tried in vain
  return safety * std::pow(error, -1.0 / pair_.error_order);
}

}  // namespace saltus
