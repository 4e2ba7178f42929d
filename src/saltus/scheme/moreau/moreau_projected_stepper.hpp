// The stepper of moreau_projected.hpp, whose comment has the formulas.
#pragma once
#include "saltus/scheme/kit/position_projection.hpp"
#include "saltus/scheme/moreau/moreau_jean_stepper.hpp"
#include "saltus/scheme/moreau/moreau_projected.hpp"

namespace saltus {

class MoreauProjectedStepper final : public Stepper {
 public:
  MoreauProjectedStepper(const System& system, const MoreauProjected& options, const SolverSpec& solver);
  int order() const override { return 1; }
  State start(double t, In q, In u) override { return base_.start(t, q, u); }
  StepReport take_step(const State& x0, double h, State& x1) override;
  bool set_closed_rule(const ClosedRule& rule) override { return base_.set_closed_rule(rule); }
  void share_matrix(bool on) override { base_.share_matrix(on); }
  const ContactProblem* contact_problem() const override { return base_.contact_problem(); }
  std::span<const double> contact_impulses() const override { return base_.contact_impulses(); }
  std::vector<Vec*> kept() override { return {&projection_.reach()}; }
  double tau(int row) const { return projection_.tau(row); }

 private:
  bool project(const State& x0, State& x1);

  MoreauProjected options_;
  bool curved_;  // directions change with q
  MoreauJeanStepper base_;
  PositionProjection projection_;
  Vec shift_, unprojected_;
  std::vector<std::uint64_t> persisting_;
};

}  // namespace saltus
