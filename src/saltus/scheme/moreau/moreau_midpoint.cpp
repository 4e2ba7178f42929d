#include "saltus/scheme/moreau/moreau_midpoint_stepper.hpp"

namespace saltus {

MoreauMidpointStepper::MoreauMidpointStepper(const System& system, const MoreauMidpoint&,
                                             const SolverSpec& solver)
    : step_(system, solver, faults()) {
  for (Vec* x : {&half_, &force_, &v_}) x->setZero(step_.shape().nu);
  q_mid_.setZero(step_.shape().nq);
}

StepReport MoreauMidpointStepper::take_step(const State& x0, double h, State& x1) {
  StepReport report;
  const CheckedSystem& system = step_.system();
  const double t_mid = x0.t + h / 2;
  half_ = h / 2 * x0.u;
  system.retract(x0.q, half_, q_mid_);
  step_.look(t_mid, q_mid_, x0.u, {.lead = 0, .end = {0, h / 2}, .to_end = h / 2}, h, x0.contacts, report);
  step_.bend(t_mid, q_mid_, x0.u);
  v_ = x0.u;
  if (step_.factor_mass(t_mid, q_mid_, report) && report.status == StepStatus::ok) {
    system.force(t_mid, q_mid_, x0.u, force_);
    report.force_evaluations = 1;
    force_ *= h;
    step_.factor().solve(force_);
    v_ += force_;
    report.status = step_.solve(x0.contacts, h, v_, report);
  }
  x1.t = x0.t + h;
  half_ = h / 2 * v_;
  if (x1.q.size() != step_.shape().nq) x1.q.resize(step_.shape().nq);
  system.retract(q_mid_, half_, x1.q);
  x1.u = v_;
  step_.finish(x0, h, x1, report);
  return report;
}

std::unique_ptr<Stepper> build_stepper(const MoreauMidpoint& options, const DynamicSystem& system,
                                       const SolverSpec& solver) {
  return std::make_unique<MoreauMidpointStepper>(mechanical(system), options, solver);
}

}  // namespace saltus
