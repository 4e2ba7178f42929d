// Smooth motion with a frozen contact set, step by step: what event capturing asks of the method it
// integrates with between events.
#pragma once
#include "saltus/scheme/dense_piece.hpp"
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

/// What an evaluation of the dynamics means for the step that asked for it.
inline StepStatus step_status(ClosedDynamics::Status status) {
  switch (status) {
    case ClosedDynamics::Status::ok:
      return StepStatus::ok;
    case ClosedDynamics::Status::contradictory:
      return StepStatus::redundant_contacts;
    case ClosedDynamics::Status::singular_mass:
      return StepStatus::singular;
    case ClosedDynamics::Status::not_finite:
      break;
  }
  return StepStatus::not_finite;
}

class Flow {
 public:
  Flow(const System& system, Faults& faults) : dynamics_(system, faults) {}
  virtual ~Flow() = default;

  void freeze(std::span<const FrozenContact> closed) { dynamics_.freeze(closed); }
  /// The state a time h after (t, q, u).
  virtual StepStatus step(double t, const Vec& q, const Vec& u, double h, Vec& q1, Vec& u1) = 0;
  /// The polynomials of the last step, from its start; false when the method has none.
  virtual bool dense(DensePiece& /*out*/) { return false; }
  virtual int order() const = 0;
  virtual std::int64_t newton_iterations() const { return 0; }
  /// Where an explicit step ended as not finite because it was too long: shorter ones are stable. Else 0.
  virtual double stable_step() const { return 0; }

  ClosedDynamics& dynamics() { return dynamics_; }
  const ClosedDynamics& dynamics() const { return dynamics_; }

 protected:
  /// a(t, q, u), multipliers aside
  StepStatus evaluate(double t, const Vec& q, const Vec& u, Vec& a) {
    return step_status(dynamics_.stage_acceleration(t, q, u, a));
  }

  ClosedDynamics dynamics_;
};

}  // namespace saltus
