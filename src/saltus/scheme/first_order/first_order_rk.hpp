// Runge–Kutta with any tableau on ẏ = f(t, y):
//
//     Z_i = h Σ a_ij f(t + c_j h, y + Z_j),    y₁ = y + h Σ b_i f(t + c_i h, y + Z_i)
//
// Newton's matrix I − h A ∘ J keeps the pattern of J (stage_matrix.hpp). Explicit tableaus need no solve. The
// order is the tableau's where f is smooth enough.
#pragma once
#include "saltus/scheme/first_order/first_order_schemes.hpp"
#include "saltus/scheme/runge_kutta/stage_matrix.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/checked_first_order.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus {

class FirstOrderRk final : public Stepper {
 public:
  FirstOrderRk(const FirstOrderSystem& system, Tableau tableau, const Rk& options);

  int order() const override { return order_; }
  State start(double t, In q, In u) override;  ///< aux is y
  StepReport take_step(const State& x0, double h, State& x1) override;
  /// By the embedded method of an explicit tableau.
  int estimate_error(double atol, double rtol) override;

 private:
  double error_of_step(const State& x0, double h, const State& x1);
  void explicit_stages(const State& x0, double h);
  StepStatus implicit_stages(const State& x0, double h, StepReport& report);
  void residual(const State& x0, double h);
  bool factorize(const State& x0, double h, bool all_stages);

  CheckedFirstOrder system_;
  Tableau tableau_;
  Rk options_;
  bool explicit_, stiffly_accurate_;
  int n_, order_;
  double atol_ = 0, rtol_ = 0;
  std::vector<Vec> f_;  // per stage
  Vec Y_, Z_, R_;       // a stage; increments and residuals, interleaved
  std::vector<Matrix> J_;
  StageMatrix matrix_;
};

}  // namespace saltus
