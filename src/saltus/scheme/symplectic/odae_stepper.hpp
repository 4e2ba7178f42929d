// What steppers of ODAEs share: consistent starts, the closed contacts of a state, ψ from the hidden
// constraint.
//
// A state's aux holds ψ, then as many vectors of guesses for multipliers as the method needs.
#pragma once
#include "saltus/odae/checked_odae.hpp"
#include "saltus/odae/hidden_constraint.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

class OdaeStepper : public Stepper {
 public:
  /// Throws Error for an inconsistent start (unless it may be projected), and where g_y v_z r_ψ is singular.
  State start(double t, In q, In u) override;
  /// A step with the closed contacts of x0, for drivers that locate events.
  StepReport locked_step(const State& x0, double h, State& x1) {
    const std::int64_t count = faults().begin();
    StepReport report = take_locked_step(x0, h, x1);
    if (faults().since(count)) note_fault(report);
    return report;
  }

  const OdaeSystem& system() const { return *system_; }
  HiddenConstraint& hidden() { return hidden_; }
  /// These constraints are closed from now on; all guesses begin anew from ψ.
  void restart(State& x, std::span<const int> closed);
  /// Adds a closed contact with its impulse.
  void note_contact(State& x, int constraint, double impulse, bool resting);
  /// The constraints that act in a state: bilateral ones and contacts at rest. Valid until the next call.
  std::span<const int> active(const State& x);

 protected:
  virtual StepReport take_locked_step(const State& x0, double h, State& x1) = 0;
  OdaeStepper(std::shared_ptr<const OdaeSystem> system, int guesses, bool project);
  void finish(const State& x0, double h, State& x1, StepReport& report);
  void finish_locked(const State& x0, double h, State& x1, StepReport& report);

  std::shared_ptr<const OdaeSystem> system_;
  CheckedOdae checked_;  // the same
  HiddenConstraint hidden_;
  int guesses_;
  bool project_;
  std::vector<int> active_;
  std::vector<double> u_minus_, u_plus_;
  Vec g_, rate_, psi_;
};

}  // namespace saltus
