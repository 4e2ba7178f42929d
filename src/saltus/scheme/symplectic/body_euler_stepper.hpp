// symplectic-euler for mechanical systems. Without contacts a step is a composition of the maps of
// body_map.hpp. With contacts, of order 1 and without located events:
//
//   1. positions: the first stage of true, in which joints and contacts at rest are constraints, friction
//   that
//      sticks as well; what then penetrates is moved onto the constraints (kit/position_projection.hpp);
//   2. velocities: u₁ = M₁⁻¹(M₀U + (W₀ − W₁)Λ₀ + W₁P) with the laws of all contacts that touch there, a
//   contact
//      problem like Moreau's: impacts, friction, redundant contacts are decided by the contact solver.
//
// P is the total impulse of the step. Only its sign means something, not that of Λ₀: so a contact at rest
// stays closed in 1. whatever Λ₀ is, and 2. decides whether it opens. Friction that slides needs no part
// in 1., where it would change positions by O(h²).
#pragma once
#include "saltus/scheme/kit/contact_step.hpp"
#include "saltus/scheme/kit/position_projection.hpp"
#include "saltus/scheme/symplectic/body_map.hpp"
#include "saltus/scheme/symplectic/symplectic_euler.hpp"

namespace saltus {

/// How many multipliers states have in aux: of ODAEs all; of mechanical systems one for every row of a joint
/// and every normal, where the list of contacts does not change; else none.
int multipliers_of(const DynamicSystem& system);

class BodyEulerStepper final : public Stepper {
 public:
  BodyEulerStepper(const System& system, const SymplecticEuler& options, const SolverSpec& solver);

  int order() const override;
  /// Throws Error where joints are violated, unless the start may be projected.
  State start(double t, In q, In u) override;
  /// A step with the contacts that rest in x0, and their friction; for drivers that locate events.
  StepReport locked_step(const State& x0, double h, State& x1);
  /// λ of what rests in x, by rows of contacts(), which are listed `h` ahead. find_multipliers() computes
  /// them, keep_multipliers() writes them into aux.
  StepStatus find_multipliers(const State& x, double h);
  void keep_multipliers(State& x) const;
  const std::vector<double>& multipliers() const { return lambda_; }
  const ContactSet& contacts() const { return map_.contacts(); }
  const CheckedSystem& system() const { return map_.system(); }
  /// See BodyMap.
  void freeze_directions(const State& x, double h) {
    hold_resting(x.contacts, true);
    map_.freeze_directions(x.t, x.q, h, x.u);
  }
  void release_directions() { map_.release_directions(); }
  /// u to the nearest velocity that joints and the contacts at rest in x allow.
  bool project_velocity(State& x, double h) {
    hold_resting(x.contacts, false);
    return map_.project_velocity(x.t, x.q, h, x.u);
  }
  const ContactProblem* contact_problem() const override { return step_.stage().problem(); }
  std::span<const double> contact_impulses() const override { return step_.stage().impulses(); }
  std::vector<Vec*> kept() override { return {&map_.reach(), &projection_.reach()}; }

 private:
  StepStatus remember_multipliers(State& x, double h);
  StepReport take_step(const State& x0, double h, State& x1) override;
  StepReport contact_step(const State& x0, double h, State& x1);
  StepStatus place(const State& x0, double h, StepReport& report);
  StepStatus compose(const State& x0, double h, StepReport& report);
  void hold_resting(const ContactMemory& memory, bool friction);
  bool anything_touches(StepReport& report) const;
  void book_part(const BodyMap::Start& x0, const Vec& u1, StepReport& report);
  void note_joints(const State& x0, double h, State& x1, StepReport& report);

  SymplecticEuler options_;
  std::vector<EulerPart> parts_;
  Shape shape_;
  bool has_contacts_;  // laws other than joints
  int multipliers_;
  BodyMap map_;
  ContactStep step_;
  PositionProjection projection_;
  std::vector<HeldContact> held_;
  std::vector<std::uint64_t> closed_;
  std::vector<double> lambda_, by_row_, part_, u_minus_, u_plus_;
  std::vector<int> held_rows_;  // the constraint of a row; −1: none
  Vec q_, u_, v_;
};

}  // namespace saltus
