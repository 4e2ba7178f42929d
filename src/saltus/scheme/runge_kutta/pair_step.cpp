#include "saltus/scheme/runge_kutta/pair_step.hpp"

#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {

PairStep::PairStep(ClosedDynamics& dynamics, const DensePair& pair, int n)
    : DenseStep(dynamics), pair_(pair), n_(n) {
  Q_.assign(pair.all_stages(), Vec::Zero(n_));
  V_ = K_ = Q_;
  piece_.resize(n_, n_, 4 + static_cast<int>(pair.D.rows()));
}

// Q_i and V_i from the stages before.
void PairStep::stage(int i) {
  assign(q_, Q_[i]);
  assign(u_, V_[i]);
  for (int j = 0; j < i; ++j) {
    const double a = h_ * pair_.A(i, j);
    if (a == 0) continue;
    combine(1, V_[i], a, K_[j], V_[i]);
    combine(1, Q_[i], a, V_[j], Q_[i]);
  }
}

StepStatus PairStep::attempt(double t, const Vec& q, const Vec& u, double h, const ErrorScales& /*scales*/) {
  t_ = t, h_ = h, dense_ready_ = false;
  assign(q, q_), assign(u, u_);
  dynamics_.begin_step();
  dynamics_.renew_slip(false);
  for (int i = 0; i <= pair_.stages; ++i) {
    stage(i);
    // a load that jumps at the end of the step counts with its value before
    const double time = pair_.c[i] < 1 ? t + pair_.c[i] * h : std::nextafter(t + h, t);
    const StepStatus status = evaluate(time, Q_[i], V_[i], K_[i]);
    if (status != StepStatus::ok) return status;
  }
  return finite(Q_[pair_.stages]) && finite(V_[pair_.stages]) ? StepStatus::ok : StepStatus::not_finite;
}

// Two estimates e₁, e₂ give |e₁|²/√(|e₁|² + 0.01 |e₂|²): of the order of the first times its distance to the
// second.
double PairStep::error(const ErrorScales& scales) {
  double first = 0, second = 0;
  for (int k = 0; k < n_; ++k) {
    double eq = 0, eu = 0, dq = 0, du = 0;
    for (int i = 0; i <= pair_.stages; ++i) {
      eq += pair_.error[i] * V_[i][k], eu += pair_.error[i] * K_[i][k];
      if (pair_.second.size() > 0) dq += pair_.second[i] * V_[i][k], du += pair_.second[i] * K_[i][k];
    }
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
void PairStep::dense_terms(const Vec& y0, const Vec& y1, const std::vector<Vec>& f, Vec& c) const {
  for (int k = 0; k < n_; ++k) {
    const double rise = y1[k] - y0[k], begin = h_ * f[0][k] - rise;
    c[k] = y0[k], c[n_ + k] = rise, c[2 * n_ + k] = begin;
    c[3 * n_ + k] = rise - h_ * f[pair_.stages][k] - begin;
  }
  for (int r = 0; r < pair_.D.rows(); ++r)
    for (int k = 0; k < n_; ++k) {
      double sum = 0;
      for (int i = 0; i < pair_.all_stages(); ++i)
        if (pair_.D(r, i) != 0) sum += h_ * pair_.D(r, i) * f[i][k];
      c[(4 + r) * n_ + k] = sum;
    }
}

StepStatus PairStep::prepare_dense() {
  if (dense_ready_) return StepStatus::ok;
  for (int i = pair_.stages + 1; i < pair_.all_stages(); ++i) {
    stage(i);
    const StepStatus status = evaluate(t_ + pair_.c[i] * h_, Q_[i], V_[i], K_[i]);
    if (status != StepStatus::ok) return status;
  }
  dense_terms(q_, Q_[pair_.stages], V_, piece_.q);
  dense_terms(u_, V_[pair_.stages], K_, piece_.u);
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
    assign(Q_[pair_.stages], q), assign(V_[pair_.stages], u);
    return StepStatus::ok;
  }
  if (const StepStatus status = prepare_dense(); status != StepStatus::ok) return status;
  q.resize(n_), u.resize(n_);
  dense_value(piece_.q.data(), n_, piece_.terms, s / h_, q.data());
  dense_value(piece_.u.data(), n_, piece_.terms, s / h_, u.data());
  return StepStatus::ok;
}

double PairStep::growth(double error) const {
  return 0.9 * std::pow(error, -1.0 / pair_.error_order);
}

}  // namespace saltus
