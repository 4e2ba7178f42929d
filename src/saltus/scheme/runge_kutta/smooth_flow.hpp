// Runge–Kutta on smooth motion with a frozen contact set (Acary 2012, (64), corrected), any tableau:
//
//     V_i = v + h Σ a_ij K_j,  Q_i = q + h Σ a_ij V_j,  K_i = a(t + c_i h, Q_i, V_i)
//     v₁ = v + h Σ b_i K_i,    q₁ = q + h Σ b_i V_i
//
// Explicit tableaus need one linear solve per stage (half-explicit methods); the others a Newton iteration
// over all stages together, linearised about the start of the step and, where that converges badly, about a
// later state. Its equations separate into one sparse solve per eigenvalue of A (stage_solver.hpp); systems
// of one or two coordinates are solved as one dense system, which is less work there.
#pragma once
#include "saltus/scheme/runge_kutta/chart.hpp"
#include "saltus/scheme/runge_kutta/flow.hpp"
#include "saltus/scheme/runge_kutta/stage_solver.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"

namespace saltus {

class SmoothFlow final : public Flow {
 public:
  SmoothFlow(const System& system, const Tableau& tableau, Faults& faults);

  /// One step from (t, q, u), in halves of halves where Newton's iteration does not converge.
  StepStatus step(double t, const Vec& q, const Vec& u, double h, Vec& q1, Vec& u1) override;
  int order() const override { return order_; }
  double stable_step() const override;
  std::int64_t newton_iterations() const override { return newton_iterations_; }

 private:
  StepStatus cover(double t, const Vec& q, const Vec& u, double h, Vec& q1, Vec& u1, int depth);
  double stage_time(int i, double t, double h) const;
  void stage(int i, const Vec& q, const Vec& u, double h, int known);
  void stage_in_chart(int i, double h, int known);
  StepStatus explicit_stages(double t, const Vec& q, const Vec& u, double h);
  bool is_unstable(double h);
  StepStatus implicit_stages(double t, const Vec& q, const Vec& u, double h);
  bool factorize(double t, const Vec& q, const Vec& u, const Vec& a, double h);
  void predict(const Vec& u, double h);
  bool factor_dense(double t, const Vec& q, const Vec& u, double h);
  void solve_dense();

  Tableau tableau_;
  bool explicit_, dense_;
  int order_, n_;
  Eigen::MatrixXd A2_;  // A·A
  Chart chart_;
  std::vector<Vec> K_, V_, R_;
  std::vector<Vec> phi_, rate_;  // stages in the chart and their rates, where that is not flat
  Vec origin_;
  std::vector<ClosedDynamics::Stage> stages_;
  Vec Q_, a_, start_, before_;  // before_: Q of the last stage but one
  static constexpr int patience = 3;
  int growing_ = 0;       // explicit steps with ever larger accelerations along a stiff direction
  double record_ = -1;    // the largest acceleration so far
  double frequency_ = 0;  // of that direction, when it began to grow
  static constexpr int most_halvings = 5;
  std::vector<Vec> middle_q_, middle_u_;  // where a step was cut
  Eigen::MatrixXd by_q_, by_u_;
  std::vector<double> J_, residual_;
  std::vector<int> pivot_;
  StageSolver solver_;
  std::int64_t newton_iterations_ = 0;
};

}  // namespace saltus
