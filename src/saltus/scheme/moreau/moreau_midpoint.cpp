#include "saltus/scheme/moreau/moreau_midpoint_stepper.hpp"

namespace saltus {

MoreauMidpointStepper::MoreauMidpointStepper(const System& system, const MoreauMidpoint&,
                                             const SolverSpec& solver)
    : system_(system), shape_(system.shape()), stage_(system, solver), M_(shape_.nu, shape_.mass) {
  for (Vec* x : {&half_, &force_, &v_}) x->setZero(shape_.nu);
  q_mid_.setZero(shape_.nq);
}

State MoreauMidpointStepper::start(double t, In q, In u) {
  State x;
  x.t = t, x.q = q, x.u = u;
  return x;
}

StepReport MoreauMidpointStepper::take_step(const State& x0, double h, State& x1) {
  StepReport report;
  const double t_mid = x0.t + h / 2;
  half_ = h / 2 * x0.u;
  system_.retract(x0.q, half_, q_mid_);

  system_.gaps(t_mid, q_mid_, set_);
  const bool fresh_directions = !directions_known_;
  if (fresh_directions) {
    system_.directions(t_mid, q_mid_, set_);
    directions_known_ = shape_.constant_directions;
  }
  stage_.survey(set_, x0.u, 0, h, {0, h / 2}, x0.contacts, report);

  const bool fresh_mass = !factored_;
  if (fresh_mass) {
    system_.mass(t_mid, q_mid_, M_);
    if (!factor_.factorize(M_))
      report.status = StepStatus::singular, report.bad_component = factor_.bad_row();
    factored_ = shape_.constant_mass;
  }
  if (report.status == StepStatus::ok) {
    system_.force(t_mid, q_mid_, x0.u, force_);
    report.force_evaluations = 1;
    force_ *= h;
    factor_.solve(force_);
    v_ = x0.u + force_;
    const SolveReport solved =
        stage_.solve(set_, factor_, fresh_directions || fresh_mass, h, x0.contacts, v_);
    report.contact_iterations = solved.iterations;
    report.contact_residual = solved.residual;
    report.contact_violation = stage_.violation();
    if (!solved.solved) {
      report.status = StepStatus::contact_unsolved;
      stage_.blame(set_, solved, report);
    }
  }
  x1.t = x0.t + h;
  half_ = h / 2 * v_;
  if (x1.q.size() != shape_.nq) x1.q.resize(shape_.nq);
  system_.retract(q_mid_, half_, x1.q);
  x1.u = v_;
  stage_.finish(set_, x0.u, v_, h, x0.contacts, x1.contacts, report);
  if (!x1.u.allFinite() || !x1.q.allFinite()) report.status = StepStatus::not_finite;
  return report;
}

std::unique_ptr<Stepper> make_stepper(const MoreauMidpoint& options, const DynamicSystem& system,
                                      const SolverSpec& solver) {
  return std::make_unique<MoreauMidpointStepper>(mechanical(system), options, solver);
}

}  // namespace saltus
