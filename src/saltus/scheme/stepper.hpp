// A scheme is options (a plain struct), a Stepper made from it (owns every buffer) and a State (a value).
// step() reads x0 and writes x1: to reject a step is to drop x1. In steady state it neither allocates nor
// throws.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/contact/solver.hpp"
#include "saltus/core/fault.hpp"
#include "saltus/system/state.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

enum class StepStatus : std::uint8_t {
  ok,
  not_finite,
  newton_diverged,
  singular,
  contact_unsolved,
  gap_not_finite,
  redundant_contacts,
  not_unique
};
std::string_view to_string(StepStatus status);

struct StepReport {
  // Not defaulted: compilers would clear the whole report with a string instruction, which takes longer than
  // the equations of a small system.
  StepReport() {}  // NOLINT(modernize-use-equals-default)

  StepStatus status = StepStatus::ok;
  /// No contact and no joint acted: what is told of them is zero but for min_gap, and need not be read.
  bool apart = false;
  int force_evaluations = 0, newton_iterations = 0, contact_iterations = 0;
  double min_gap = infinity;      ///< smallest gap where the step looked: its start, or the midpoint
  double contact_residual = 0;    ///< natural residual of the step's contact problem
  double contact_violation = 0;   ///< its numerator: the largest violation of a law, as a velocity
  double joint_position = 0;      ///< largest |g| of the joints where the step looked
  double joint_velocity = 0;      ///< largest |γ| of the joints at its end
  double joint_acceleration = 0;  ///< largest |γ̇| there; schemes with accelerations only
  /// the same of closed contacts: |g|, |γ⁺ + e γ⁻| and, where they hold on that level, |γ̇|
  double contact_position = 0, contact_velocity = 0, contact_acceleration = 0;
  double stage_residual = 0;  ///< first-order systems: the last change of the stages
  double error = 0;           ///< of the step over the tolerance, where estimate_error() asked for it
  /// Energy: what contacts, joints and friction took, −½ P·(γ⁻ + γ⁺) over all rows, and what walls that move
  /// did on the system, −P·χ. With forces that are exact in a step these two are all that changes it.
  double contact_loss = 0, wall_work = 0;
  /// Parts of contact_loss: of rows with friction, and of rows that ideally take nothing (joints,
  /// pre-stressed springs). What is left is that of normal rows: impacts.
  double friction_loss = 0, ideal_loss = 0;
  /// γ before and after, row by row as in x1.contacts.impulse; valid until the next step
  std::span<const double> u_minus, u_plus;
  int order = 0;  ///< extrapolated steps: rows of the tableau that was used

  // of a step that failed
  int bad_component = -1;  ///< where stage_residual is largest
  std::uint64_t bad_contact =
      0;  ///< contact_unsolved: where the violation is largest; or whose gap is not finite
  bool bad_is_contact = false;  ///< newton_diverged: the largest residual is that of bad_contact
  /// contact_unsolved: bad_contact contradicts others, rival_contact first of all where has_rival; or nothing
  /// can move its bodies
  bool contradictory = false, has_rival = false, immovable = false;
  std::uint64_t rival_contact = 0;
  Fault fault;  ///< not_finite, gap_not_finite: the first value that was not, if one was seen
};
/// Why the step failed.
std::string_view what_failed(const StepReport& report);

/// How a step treats contacts that its start remembers as closed. Restitution is for impacts: applied again
/// and again to a contact that stays closed it maps γ to −e γ, whatever the step, which no extrapolation can
/// digest. And a contact that closed once may drift off by the errors of the positions without opening. Both
/// exceptions are for contacts that stay closed, which shows in γ⁻: it is no more than what the forces of the
/// step itself make. A remembered contact with a larger γ⁻ has just been hit, parts or comes back: it keeps
/// its restitution, and its gap decides. Contacts that stay closed without restitution meet their law at the
/// end of the step (ContactRule::to_end).
struct ClosedRule {
  bool restitution = true;   ///< false: none while a contact stays closed, or a law is in constraint mode
  double gap_tolerance = 0;  ///< a contact that stays closed is active up to this gap
  double speed = 0;          ///< of contacts at rest: a γ⁻ up to this is an error of the velocities
  double full_step = 0;      ///< e holds in steps of this length, e^(h/full_step) in others; 0: e in all
};

class Stepper {
 public:
  /// A stepper inside another, or inside a driver, shares the record of that one.
  explicit Stepper(Faults* shared = nullptr) : faults_(shared ? shared : &own_) {}
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;
  virtual ~Stepper() = default;
  virtual int order() const = 0;
  virtual State start(double t, In q, In u) = 0;
  /// One step. A value of the system that is not finite makes it fail, whatever the scheme made of it.
  StepReport step(const State& x0, double h, State& x1) {
    const std::int64_t count = faults_->begin();
    StepReport report = take_step(x0, h, x1);
    if (faults_->since(count)) note_fault(report);
    return report;
  }
  /// The record that all which evaluates the system for this stepper shares.
  Faults& faults() { return *faults_; }
  /// From now on reports carry the error of a step over atol + rtol |y|. Returns the power of h it goes with,
  /// or 0: this scheme has no estimate.
  virtual int estimate_error(double /*atol*/, double /*rtol*/) { return 0; }
  /// False: this scheme has no such rule, and switching steps cannot drive it.
  virtual bool set_closed_rule(const ClosedRule&) { return false; }
  /// On: the steps that follow are equal and continue each other, and Newton's method may keep its matrix
  /// from one to the next while it converges fast. Off, as at first: every iteration has its own.
  virtual void share_matrix(bool /*on*/) {}
  /// The contact problem that the last step solved last; null when no contact was active, or the scheme has
  /// none.
  virtual const ContactProblem* contact_problem() const { return nullptr; }
  /// The impulses it found for that problem, row by row.
  virtual std::span<const double> contact_impulses() const { return {}; }
  /// What it keeps of all steps so far beside the state, nonnegative numbers (how far coordinates have come,
  /// by which the rounding of gaps is measured): checkpoints hold it. Sizes never change.
  virtual std::vector<Vec*> kept() { return {}; }
  /// Whether a step can begin at a state with so many numbers in aux; start() gave `at_start` of them.
  virtual bool takes_aux(Eigen::Index size, Eigen::Index at_start) const { return size == at_start; }

 protected:
  virtual StepReport take_step(const State& x0, double h, State& x1) = 0;
  void note_fault(StepReport& report);

 private:
  Faults own_;
  Faults* faults_;  // own_, or that of others
};

}  // namespace saltus
