// The stepper of moreau_midpoint.hpp, whose comment has the formulas.
#pragma once
#include "saltus/scheme/kit/contact_stage.hpp"
#include "saltus/scheme/moreau/moreau_midpoint.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class MoreauMidpointStepper final : public Stepper {
 public:
  MoreauMidpointStepper(const System& system, const MoreauMidpoint&, const SolverSpec& solver);
  int order() const override { return 1; }
  State start(double t, In q, In u) override;
  StepReport take_step(const State& x0, double h, State& x1) override;
  void set_closed_rule(const ClosedRule& rule) override { stage_.set_closed_rule(rule); }
  const ContactProblem* contact_problem() const override { return stage_.problem(); }
  std::span<const double> contact_impulses() const override { return stage_.impulses(); }

 private:
  CheckedSystem system_;
  Shape shape_;
  ContactStage stage_;
  ContactSet set_;
  Matrix M_;
  Factor factor_;
  Vec q_mid_, half_, force_, v_;
  bool factored_ = false, directions_known_ = false;
};

}  // namespace saltus
