#include "saltus/scheme/runge_kutta/flow.hpp"

namespace saltus {

StepStatus Flow::evaluate(double t, const Vec& q, const Vec& u, Vec& a) {
  switch (dynamics_.stage_acceleration(t, q, u, a)) {
    case ClosedDynamics::Status::ok:
      return StepStatus::ok;
    case ClosedDynamics::Status::not_finite:
      return StepStatus::not_finite;
    case ClosedDynamics::Status::contradictory:
      return StepStatus::redundant_contacts;
    default:
      return StepStatus::singular;
  }
}

}  // namespace saltus
