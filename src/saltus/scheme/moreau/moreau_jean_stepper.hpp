// The stepper of moreau_jean.hpp, whose comment has the formulas.
#pragma once
#include <utility>

#include "saltus/scheme/kit/contact_step.hpp"
#include "saltus/scheme/moreau/moreau_jean.hpp"
#include "saltus/scheme/moreau/rest.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

class MoreauJeanStepper final : public Stepper {
 public:
  MoreauJeanStepper(const System& system, const MoreauJean& options, const SolverSpec& solver,
                    Faults* shared = nullptr);
  int order() const override { return 1; }
  State start(double t, In q, In u) override { return ContactStep::start(t, q, u); }
  using Stepper::step;
  /// With q_{k+θ} displaced by `shift` (may be null): the monolithic projected scheme needs it.
  StepReport step(const State& x0, double h, const Vec* shift, State& x1) {
    shift_ = shift;
    StepReport report = take_step(x0, h, x1);
    shift_ = nullptr;
    return report;
  }
  bool set_closed_rule(const ClosedRule& rule) override { return step_.stage().set_closed_rule(rule); }
  void share_matrix(bool on) override { shared_matrix_ = on, kept_ = false; }
  /// See ContactStage::set_touch.
  void set_touch(const GapRounding* rounding) { step_.stage().set_touch(rounding); }
  /// The step is one over an event that was located.
  void sharpen() { step_.sharpen(); }
  /// See ContactStage::force.
  void force(std::span<const std::uint64_t> contacts, std::span<const std::uint64_t> parting = {}) {
    step_.stage().force(contacts, parting);
  }
  const ContactProblem* contact_problem() const override { return step_.stage().problem(); }
  std::span<const double> contact_impulses() const override { return step_.stage().impulses(); }

 private:
  StepReport take_step(const State& x0, double h, State& x1) override;
  bool prepare_matrix(double h, bool jacobians, StepReport& report);
  void prepare_rule(double h);
  bool advance(const State& x0, State& x1);
  bool prepare_linear(double t, double h, const Vec& u, StepReport& report);
  bool solve_linear(const State& x0, double h, State& x1, StepReport& report);
  bool renew_matrix(double t, double h, StepReport& report);
  void go_to_theta(const State& x0, double h);
  void move_freely(const State& x0, double h, bool moved);
  std::pair<double, double> compare() const;
  StepStatus iterate(const State& x0, double h, StepReport& report);
  bool stays_at_rest(const State& x0, double h, State& x1, StepReport& report);
  void look_for_rest(const State& x0, double h, const State& x1, const StepReport& report);

  ContactStep step_;
  MoreauJean options_;
  Shape shape_;
  bool linear_;  // mass, force and directions have constant coefficients
  Matrix M_, A_, dq_, du_;
  Vec v_, v_new_, v_theta_, q_theta_, force_, displacement_, difference_;
  ContactRule rule_;
  double rule_h_ = -1;          // the step that rule_ is for
  double prepared_h_ = -1;      // linear systems: the step the stored factor belongs to
  const Vec* shift_ = nullptr;  // of q_{k+θ}
  bool shared_matrix_ = false;  // by equal steps
  Rest rest_;                   // of bodies in space
  bool kept_ = false;           // A⁻¹ is of one of them, and Newton's method converges fast with it
};

}  // namespace saltus
