// What every scheme with contacts does in a step, once: gaps and directions where it looks (with a look-ahead
// where the list of contacts changes), the active set, mass and factor, Delassus' operator and the solve,
// memory and report. A scheme chooses where to look and its ContactRule (scheme/kit/contact_stage.hpp), and
// keeps its own positions and velocities.
#pragma once
#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/kit/contact_stage.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class ContactStep {
 public:
  ContactStep(const System& system, const SolverSpec& solver, Faults& faults);

  const CheckedSystem& system() const { return system_; }
  const Shape& shape() const { return shape_; }
  /// For schemes that locate events.
  void sharpen() { set_.sharp = true; }
  static State start(double t, In q, In u);

  /// Gaps at (t, q), and directions unless they are known for good; then the active contacts by the rule,
  /// seen from the velocity u. Contacts that close within rule.lead are listed.
  [[gnu::always_inline]] void look(double t, const Vec& q, const Vec& u, const ContactRule& rule, double h,
                                   const ContactMemory& memory, StepReport& report) {
    if (directions_known_) {  // and the list: only gaps change. Those of contacts that are far are finite.
      system_->gaps(t, VectorArgument(q), set_, system_.workspace());
      if (!stage_.survey(set_, u, rule, h, memory, report) && !all_finite(set_.gap.data(), set_.rows()))
        system_.gaps(t, q, set_);  // once more, checked: to have it recorded
      return;
    }
    look_anew(t, q, u, rule, h, memory, report);
  }
  /// F(t, q, u), checked as by CheckedSystem.
  [[gnu::always_inline]] void force(double t, const Vec& q, const Vec& u, Vec& F) const {
    force_unchecked(t, q, u, F);
    check_force(t, F);
  }
  /// For schemes that see in their result whether all was finite, and check the force where it was not.
  [[gnu::always_inline]] void force_unchecked(double t, const Vec& q, const Vec& u, Vec& F) const {
    system_->force(t, VectorArgument(q), VectorArgument(u), F, system_.workspace());
  }
  void check_force(double t, const Vec& F) const {
    if (!finite(F)) note_fault(system_.workspace().faults(), "force", t, F.data(), F.size());
  }
  /// Directions of the same contacts at another place.
  void move_directions(double t, const Vec& q) {
    system_.directions(t, q, set_);
    fresh_ = true;
  }
  /// Where the directions are: how they turn, if contacts are to be held at the end of the step.
  void bend(double t, const Vec& q, const Vec& u) {
    const bool needed = !shape_.constant_directions && stage_.needs_bias();
    if (needed) system_.bias(t, q, u, set_);
    stage_.set_bias_known(needed);
  }

  /// M(t, q) and its factor, once where the mass is constant; false: singular, and the report has the row.
  bool factor_mass(double t, const Vec& q, StepReport& report);
  /// The factor of another iteration matrix.
  bool factorize(const Matrix& A, StepReport& report);
  const Factor& factor() const { return factor_; }

  bool any_active() const { return stage_.any_active(); }
  std::size_t active() const { return stage_.active(); }
  /// v ← v + A⁻¹ W P with the impulses of the active contacts.
  StepStatus solve(const ContactMemory& memory, double dt, Vec& v, StepReport& report) {
    return any_active() ? solve_active(memory, dt, v, report) : StepStatus::ok;
  }
  /// After x1.t, q and u are set: impulses, modes and residuals, and whether all is finite.
  void finish(const State& x0, double dt, State& x1, StepReport& report) {
    finish(x0, dt, x1, finite(x1.u) && finite(x1.q), report);
  }
  void finish(const State& x0, double dt, State& x1, bool all_finite, StepReport& report) {
    stage_.finish(set_, x0.u, x1.u, dt, x0.contacts, x1.contacts, report);
    if (!all_finite) report.status = StepStatus::not_finite;
  }

  const ContactSet& set() const { return set_; }
  ContactStage& stage() { return stage_; }
  const ContactStage& stage() const { return stage_; }

 private:
  void look_anew(double t, const Vec& q, const Vec& u, const ContactRule& rule, double h,
                 const ContactMemory& memory, StepReport& report);
  StepStatus solve_active(const ContactMemory& memory, double dt, Vec& v, StepReport& report);

  CheckedSystem system_;
  Shape shape_;
  ContactStage stage_;
  ContactSet set_;
  Matrix M_;
  Factor factor_;
  bool listed_ = false, directions_known_ = false, mass_known_ = false;  // for good
  bool fresh_ = true;  // matrix or directions changed since the contact operator was built
};

}  // namespace saltus
