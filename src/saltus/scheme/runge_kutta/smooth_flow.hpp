// Runge–Kutta on smooth motion with a frozen contact set (Acary 2012, (64), corrected), any tableau:
//
//     V_i = v + h Σ a_ij K_j,  Q_i = q + h Σ a_ij V_j,  K_i = a(t + c_i h, Q_i, V_i)
//     v₁ = v + h Σ b_i K_i,    q₁ = q + h Σ b_i V_i
//
// Explicit tableaus need one linear solve per stage (half-explicit methods); the others a Newton iteration
// over all stages together, with ∂a/∂q and ∂a/∂u frozen at the start of the step. Where nothing is closed and
// the masses are diagonal its matrix has the pattern of ∂F (stage_matrix.hpp); constraints make it dense.
#pragma once
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/scheme/runge_kutta/stage_matrix.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

class SmoothFlow {
 public:
  SmoothFlow(const System& system, const Tableau& tableau, Faults& faults);

  void freeze(std::span<const FrozenContact> closed) { dynamics_.freeze(closed); }
  /// One step from (t, q, u); on success end_acceleration() and the multipliers of `dynamics()` are those of
  /// the end.
  StepStatus step(double t, const Vec& q, const Vec& u, double h, Vec& q1, Vec& u1);

  ClosedDynamics& dynamics() { return dynamics_; }
  const ClosedDynamics& dynamics() const { return dynamics_; }
  int order() const { return order_; }
  std::int64_t newton_iterations() const { return newton_iterations_; }

 private:
  StepStatus evaluate(double t, const Vec& q, const Vec& u, Vec& a);
  void stage(int i, const Vec& q, const Vec& u, double h, int known);
  StepStatus explicit_stages(double t, const Vec& q, const Vec& u, double h);
  StepStatus implicit_stages(double t, const Vec& q, const Vec& u, double h);
  bool factor_iteration_matrix(double t, const Vec& q, const Vec& u, double h);
  bool factor_dense(double t, const Vec& q, const Vec& u, double h);
  void solve_iteration_matrix();

  Tableau tableau_;
  bool explicit_, structured_ = false, sparse_now_ = false;  // the pattern allows it; it is used in this step
  int order_, n_;
  Eigen::MatrixXd A2_;  // A·A
  ClosedDynamics dynamics_;
  std::vector<Vec> K_, V_;
  Vec Q_, a_, start_;
  Eigen::MatrixXd by_q_, by_u_;
  std::vector<double> J_, residual_;
  std::vector<int> pivot_;
  StageMatrix matrix_;
  std::vector<double> inverse_mass_;
  std::int64_t newton_iterations_ = 0;
};

}  // namespace saltus
