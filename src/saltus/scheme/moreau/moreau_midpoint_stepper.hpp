// The stepper of moreau_midpoint.hpp, whose comment has the formulas.
#pragma once
#include "saltus/scheme/kit/contact_step.hpp"
#include "saltus/scheme/moreau/moreau_midpoint.hpp"

namespace saltus {

class MoreauMidpointStepper final : public Stepper {
 public:
  MoreauMidpointStepper(const System& system, const MoreauMidpoint&, const SolverSpec& solver);
  int order() const override { return 1; }
  State start(double t, In q, In u) override { return ContactStep::start(t, q, u); }
  StepReport take_step(const State& x0, double h, State& x1) override;
  bool set_closed_rule(const ClosedRule& rule) override { return step_.stage().set_closed_rule(rule); }
  const ContactProblem* contact_problem() const override { return step_.stage().problem(); }
  std::span<const double> contact_impulses() const override { return step_.stage().impulses(); }

 private:
  ContactStep step_;
  Vec q_mid_, half_, force_, v_;
};

}  // namespace saltus
