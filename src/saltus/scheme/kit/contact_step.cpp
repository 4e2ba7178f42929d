#include "saltus/scheme/kit/contact_step.hpp"

namespace saltus {

ContactStep::ContactStep(const System& system, const SolverSpec& solver, Faults& faults)
    : system_(system, faults), shape_(system.shape()), stage_(system, solver), M_(shape_.nu, shape_.mass) {}

State ContactStep::start(double t, In q, In u) {
  State x;
  x.t = t, x.q = q, x.u = u;
  return x;
}

// Where the list of contacts or their directions may have changed.
void ContactStep::look_anew(double t, const Vec& q, const Vec& u, const ContactRule& rule, double h,
                            const ContactMemory& memory, StepReport& report) {
  if (shape_.changing_contacts) {
    system_.list_moving(t, q, u, rule.lead, set_);
  } else if (listed_) {
    system_.gaps(t, q, set_);
  } else {
    system_.list(t, q, set_);
    listed_ = true;
  }
  move_directions(t, q);
  directions_known_ = shape_.constant_directions;
  stage_.survey(set_, u, rule, h, memory, report);
}

bool ContactStep::factor_mass(double t, const Vec& q, StepReport& report) {
  if (mass_known_) return true;
  system_.mass(t, q, M_);
  mass_known_ = shape_.constant_mass;
  return factorize(M_, report);
}

bool ContactStep::factorize(const Matrix& A, StepReport& report) {
  fresh_ = true;
  if (factor_.factorize(A)) return true;
  report.status = StepStatus::singular, report.bad_component = factor_.bad_row();
  return false;
}

StepStatus ContactStep::solve_active(const ContactMemory& memory, double dt, Vec& v, StepReport& report) {
  const SolveReport solved = stage_.solve(set_, factor_, fresh_, dt, memory, v);
  fresh_ = false;
  report.contact_iterations += solved.iterations;
  report.contact_residual = solved.residual;
  report.contact_violation = stage_.violation();
  if (solved.solved) return StepStatus::ok;
  stage_.blame(set_, solved, report);
  return finite(v) ? StepStatus::contact_unsolved : StepStatus::not_finite;
}

}  // namespace saltus
