#include "saltus/scheme/first_order/first_order_rk.hpp"

#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {
FirstOrderRk::FirstOrderRk(const FirstOrderSystem& system, Tableau tableau, const Rk& options)
    : system_(system, faults()),
      tableau_(std::move(tableau)),
      options_(options),
      explicit_(is_explicit(tableau_)),
      stiffly_accurate_(is_stiffly_accurate(tableau_)),
      n_(system.size()),
      order_(saltus::order(tableau_)) {
  const int s = tableau_.stages();
  f_.assign(s, Vec::Zero(n_));
  Y_ = Vec::Zero(n_);
  if (explicit_) return;
  Z_ = R_ = Vec::Zero(s * n_);
  J_.assign(s, Matrix(n_, system.pattern()));
  matrix_ = StageMatrix(system.pattern(), n_, s);
}

State FirstOrderRk::start(double t, In q, In u) {
  State x;
  x.t = t, x.q = q, x.u = u;
  x.aux.resize(n_);
  system_.pack(t, q, u, x.aux);
  return x;
}

void FirstOrderRk::explicit_stages(const State& x0, double h) {
  for (int i = 0; i < tableau_.stages(); ++i) {
    assign(x0.aux, Y_);
    for (int j = 0; j < i; ++j)
      if (tableau_.A(i, j) != 0) combine(1, Y_, h * tableau_.A(i, j), f_[j], Y_);
    system_.rhs(x0.t + tableau_.c[i] * h, Y_, f_[i]);
  }
}

// R = h Σ a_ij f(y + Z_j) − Z_i
void FirstOrderRk::residual(const State& x0, double h) {
  const int s = tableau_.stages();
  for (int j = 0; j < s; ++j) {
    for (int k = 0; k < n_; ++k) Y_[k] = x0.aux[k] + Z_[k * s + j];
    system_.rhs(x0.t + tableau_.c[j] * h, Y_, f_[j]);
  }
  for (int k = 0; k < n_; ++k)
    for (int i = 0; i < s; ++i) {
      double sum = 0;
      for (int j = 0; j < s; ++j) sum += tableau_.A(i, j) * f_[j][k];
      R_[k * s + i] = h * sum - Z_[k * s + i];
    }
}

bool FirstOrderRk::factorize(const State& x0, double h, bool all_stages) {
  const int s = tableau_.stages();
  for (int j = 0; j < (all_stages ? s : 1); ++j) {
    if (all_stages)
      for (int k = 0; k < n_; ++k) Y_[k] = x0.aux[k] + Z_[k * s + j];
    else
      assign(x0.aux, Y_);
    J_[j].set_zero();
    system_.jacobian(x0.t + (all_stages ? tableau_.c[j] * h : 0.0), Y_, J_[j]);
  }
  matrix_.set_identity();
  matrix_.subtract(h, tableau_.A, std::span(J_).first(all_stages ? s : 1));
  return matrix_.factorize();
}

StepStatus FirstOrderRk::implicit_stages(const State& x0, double h, StepReport& report) {
  const int s = tableau_.stages();
  const bool full = options_.newton != Rk::Newton::simplified;
  const int most = full ? 25 : 80;
  system_.rhs(x0.t, x0.aux, f_[0]);  // start: the stages of constant rate
  for (int k = 0; k < n_; ++k)
    for (int i = 0; i < s; ++i) Z_[k * s + i] = h * tableau_.c[i] * f_[0][k];
  report.force_evaluations += 1;
  const double rounding = 4e-16 * largest(x0.aux);
  double last = infinity;
  for (int it = 0; it < most; ++it) {
    ++report.newton_iterations;
    residual(x0, h);
    report.force_evaluations += s;
    if (full || it == 0)
      if (!factorize(x0, h, full)) {
        report.bad_component = matrix_.bad_component();
        return StepStatus::singular;
      }
    matrix_.solve(R_.data());
    double change = 0, size = 0;
    for (int i = 0; i < s * n_; ++i) {
      Z_[i] += R_[i];
      if (std::abs(R_[i]) > change) change = std::abs(R_[i]), report.bad_component = i / s;
      size = std::max(size, std::abs(Z_[i]));
    }
    if (!std::isfinite(change) || !finite(R_)) return StepStatus::not_finite;
    report.stage_residual = change;
    const double goal = options_.tolerance * size + rounding;
    // simplified Newton is linear: what is left is change · rate/(1 − rate)
    const double rate = it > 0 && last > 0 ? change / last : 1;
    const double left = full || rate >= 1 ? change : change * rate / (1 - rate);
    if (change <= rounding || left <= goal) return StepStatus::ok;
    if (it > 3 && change <= 1e3 * rounding && change >= 0.5 * last) return StepStatus::ok;
    last = change;
  }
  return StepStatus::newton_diverged;
}

int FirstOrderRk::estimate_error(double atol, double rtol) {
  if (!explicit_ || tableau_.embedded.size() == 0) return 0;
  atol_ = atol, rtol_ = rtol;
  return std::min(order_, embedded_order(tableau_)) + 1;
}

// h Σ (b_i − b̂_i) f_i over the tolerance; the last stage is the end of the step.
double FirstOrderRk::error_of_step(const State& x0, double h, const State& x1) {
  const int s = tableau_.stages();
  system_.rhs(x0.t + h, x1.aux, Y_);
  double most = 0;
  for (int k = 0; k < n_; ++k) {
    double sum = -tableau_.embedded[s] * Y_[k];
    for (int i = 0; i < s; ++i) sum += (tableau_.b[i] - tableau_.embedded[i]) * f_[i][k];
    most = std::max(most, std::abs(h * sum) / (atol_ + rtol_ * std::abs(x1.aux[k])));
  }
  return most;
}

StepReport FirstOrderRk::take_step(const State& x0, double h, State& x1) {
  StepReport report;
  const int s = tableau_.stages();
  x1.t = x0.t + h;
  if (explicit_) {
    explicit_stages(x0, h);
    report.force_evaluations = s;
  } else {
    report.status = implicit_stages(x0, h, report);
    if (report.status != StepStatus::ok) return report;
  }
  if (stiffly_accurate_ && !explicit_) {
    for (int k = 0; k < n_; ++k) x1.aux[k] = x0.aux[k] + Z_[k * s + s - 1];
  } else {
    if (!explicit_) residual(x0, h);  // f at the solution
    assign(x0.aux, x1.aux);
    for (int i = 0; i < s; ++i) combine(1, x1.aux, h * tableau_.b[i], f_[i], x1.aux);
  }
  if (!finite(x1.aux)) {
    report.status = StepStatus::not_finite;
    for (int k = n_ - 1; k >= 0; --k)
      if (!std::isfinite(x1.aux[k])) report.bad_component = k;
    return report;
  }
  report.bad_component = -1;
  if (explicit_ && (atol_ != 0 || rtol_ != 0))
    report.error = error_of_step(x0, h, x1), ++report.force_evaluations;
  system_.unpack(x1.t, x1.aux, x1.q, x1.u);
  return report;
}

}  // namespace saltus
