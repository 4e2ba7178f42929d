#include "saltus/scheme/runge_kutta/flow.hpp"

namespace saltus {

StepStatus step_status(ClosedDynamics::Status status) {
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

StepStatus Flow::evaluate(double t, const Vec& q, const Vec& u, Vec& a) {
  return step_status(dynamics_.stage_acceleration(t, q, u, a));
}

}  // namespace saltus
