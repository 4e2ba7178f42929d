#include "saltus/scheme/runge_kutta/smooth_flow.hpp"

#include <cmath>
#include <limits>

#include "saltus/linalg/loops.hpp"

namespace saltus {

SmoothFlow::SmoothFlow(const System& system, const Tableau& tableau, Faults& faults)
    : tableau_(tableau),
      explicit_(is_explicit(tableau)),
      order_(saltus::order(tableau)),
      n_(system.shape().nu),
      A2_(tableau.A * tableau.A),
      dynamics_(system, faults) {
  const int s = tableau.stages();
  K_.assign(s, Vec::Zero(n_));
  V_.assign(s, Vec::Zero(n_));
  Q_ = a_ = start_ = Vec::Zero(n_);
  if (explicit_) return;
  residual_.resize(static_cast<std::size_t>(s) * n_);
  const Shape& shape = system.shape();
  structured_ = n_ > 2 && shape.mass.kind == Pattern::diagonal && shape.jacobian.kind != Pattern::dense;
  if (structured_) matrix_ = StageMatrix(shape.jacobian, n_, s), inverse_mass_.resize(n_);
}

StepStatus SmoothFlow::evaluate(double t, const Vec& q, const Vec& u, Vec& a) {
  switch (dynamics_.stage_acceleration(t, q, u, a)) {
    case ClosedDynamics::Status::ok:
      return StepStatus::ok;
    case ClosedDynamics::Status::not_finite:
      return StepStatus::not_finite;
    case ClosedDynamics::Status::contradictory:
      return StepStatus::redundant_contacts;
    default:
      return StepStatus::singular;
  }
}

// V_i and Q_i from the first `known` stages.
void SmoothFlow::stage(int i, const Vec& q, const Vec& u, double h, int known) {
  assign(u, V_[i]);
  for (int j = 0; j < known; ++j)
    if (tableau_.A(i, j) != 0) combine(1, V_[i], h * tableau_.A(i, j), K_[j], V_[i]);
  // Q_i = q + h c_i u + h² Σ (A²)_ij K_j
  combine(1, q, h * tableau_.c[i], u, Q_);
  for (int j = 0; j < known; ++j)
    if (A2_(i, j) != 0) combine(1, Q_, h * h * A2_(i, j), K_[j], Q_);
}

StepStatus SmoothFlow::explicit_stages(double t, const Vec& q, const Vec& u, double h) {
  for (int i = 0; i < tableau_.stages(); ++i) {
    stage(i, q, u, h, i);
    const StepStatus status = evaluate(t + tableau_.c[i] * h, Q_, V_[i], K_[i]);
    if (status != StepStatus::ok) return status;
  }
  return StepStatus::ok;
}

// I − h A ⊗ ∂a/∂u − h² A² ⊗ ∂a/∂q, stages innermost
bool SmoothFlow::factor_iteration_matrix(double t, const Vec& q, const Vec& u, double h) {
  sparse_now_ = structured_ && dynamics_.free();
  if (!sparse_now_) return factor_dense(t, q, u, h);
  const auto [by_q, by_u, mass] = dynamics_.force_jacobians(t, q, u);
  for (int k = 0; k < n_; ++k) inverse_mass_[k] = 1 / mass(k, k);
  matrix_.set_identity();
  matrix_.subtract(h, tableau_.A, {&by_u, 1}, inverse_mass_.data());
  matrix_.subtract(h * h, A2_, {&by_q, 1}, inverse_mass_.data());
  return matrix_.factorize();
}

bool SmoothFlow::factor_dense(double t, const Vec& q, const Vec& u, double h) {
  const int s = tableau_.stages(), N = s * n_;
  dynamics_.jacobians(t, q, u, by_q_, by_u_);
  J_.resize(static_cast<std::size_t>(N) * N), pivot_.resize(N);
  for (int l = 0; l < n_; ++l)
    for (int j = 0; j < s; ++j)
      for (int k = 0; k < n_; ++k)
        for (int i = 0; i < s; ++i)
          J_[static_cast<std::size_t>(l * s + j) * N + k * s + i] = (i == j && k == l ? 1.0 : 0.0) -
                                                                    h * tableau_.A(i, j) * by_u_(k, l) -
                                                                    h * h * A2_(i, j) * by_q_(k, l);
  return dense_lu(N, J_.data(), pivot_.data()) < 0;
}

void SmoothFlow::solve_iteration_matrix() {
  if (sparse_now_)
    matrix_.solve(residual_.data());
  else
    dense_lu_solve(tableau_.stages() * n_, J_.data(), pivot_.data(), residual_.data());
}

StepStatus SmoothFlow::implicit_stages(double t, const Vec& q, const Vec& u, double h) {
  constexpr int max_iterations = 60;
  const int s = tableau_.stages();
  StepStatus status = evaluate(t, q, u, start_);
  if (status != StepStatus::ok) return status;
  if (!factor_iteration_matrix(t, q, u, h)) return StepStatus::singular;
  for (Vec& k : K_) assign(start_, k);
  double last = infinity;
  for (int it = 0; it < max_iterations; ++it) {
    ++newton_iterations_;
    for (int i = 0; i < s; ++i) {
      stage(i, q, u, h, s);
      status = evaluate(t + tableau_.c[i] * h, Q_, V_[i], a_);
      if (status != StepStatus::ok) return status;
      for (int k = 0; k < n_; ++k) residual_[k * s + i] = a_[k] - K_[i][k];
    }
    solve_iteration_matrix();
    double change = 0, size = 0;
    for (int i = 0; i < s; ++i)
      for (int k = 0; k < n_; ++k) {
        K_[i][k] += residual_[k * s + i];
        change = std::max(change, std::abs(residual_[k * s + i]));
        size = std::max(size, std::abs(K_[i][k]));
      }
    if (!std::isfinite(change)) return StepStatus::not_finite;
    // what is left matters as h·change in the velocity
    const double floor = 1e-15 * (size + largest(u) / std::abs(h));
    if (change <= floor) return StepStatus::ok;
    // it stands still at rounding: its own, or that of the positions the forces are made of
    const double positions = 8 * std::numeric_limits<double>::epsilon() * largest(q) / (h * h);
    if (change >= 0.5 * last && change <= std::max(1e3 * floor, positions)) return StepStatus::ok;
    last = change;
  }
  return StepStatus::newton_diverged;
}

StepStatus SmoothFlow::step(double t, const Vec& q, const Vec& u, double h, Vec& q1, Vec& u1) {
  dynamics_.begin_step();
  StepStatus status = explicit_ ? explicit_stages(t, q, u, h) : implicit_stages(t, q, u, h);
  if (status != StepStatus::ok) return status;
  assign(u, u1);
  combine(1, q, h, u, Q_);  // q₁ = q + h u + h² Σ (bᵀA)_j K_j
  for (int i = 0; i < tableau_.stages(); ++i) {
    combine(1, u1, h * tableau_.b[i], K_[i], u1);
    const double w = tableau_.b.dot(tableau_.A.col(i));
    if (w != 0) combine(1, Q_, h * h * w, K_[i], Q_);
  }
  assign(Q_, q1);
  return finite(q1) && finite(u1) ? StepStatus::ok : StepStatus::not_finite;
}

}  // namespace saltus
