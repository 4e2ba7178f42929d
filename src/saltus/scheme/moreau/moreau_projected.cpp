#include "saltus/scheme/moreau/moreau_projected_stepper.hpp"

#include <cmath>

namespace saltus {

MoreauProjectedStepper::MoreauProjectedStepper(const System& system, const MoreauProjected& options,
                                               const SolverSpec& solver)
    : options_(options),
      curved_(!system.shape().constant_directions),
      base_(system, {options.theta, options.gamma}, solver, &faults()),
      projection_(system, solver, faults()) {
  check(options);
  shift_.setZero(system.shape().nu);
}

// A step along the tangent of a curved surface leaves a gap of O(h²), which is no flight: a contact that
// rested before and carries an impulse after is brought to zero from above too. Otherwise it would open and
// land again every few steps, and an impact elsewhere on the body that falls into such a gap would not feel
// it.
bool MoreauProjectedStepper::project(const State& x0, State& x1) {
  persisting_.clear();
  if (curved_)
    for (const auto& r : x1.contacts.closed) {
      if (!r.has_gap || !r.resting || !(x1.contacts.impulse[r.offset] > 0)) continue;
      const auto* before = x0.contacts.find(r.id);
      if (before && before->resting) persisting_.push_back(r.id);
    }
  if (persisting_.empty()) return projection_.project(x1.t, x1.q);
  unprojected_ = x1.q;
  if (projection_.project(x1.t, x1.q, persisting_)) return true;
  x1.q = unprojected_;  // more contacts than can be closed at once
  return projection_.project(x1.t, x1.q);
}

StepReport MoreauProjectedStepper::take_step(const State& x0, double h, State& x1) {
  const GapRounding& rounding = projection_.rounding(x0.t, x0.q);
  base_.set_touch(&rounding);
  if (options_.coupling == MoreauProjected::Coupling::decoupled) {
    StepReport report = base_.step(x0, h, x1);
    if (report.status == StepStatus::ok && !project(x0, x1)) report.status = StepStatus::newton_diverged;
    return report;
  }
  // Fixed point in the shift θ M⁻¹Wτ; a contraction, since the step's own matrix contains the stiffness.
  constexpr int max_rounds = 200;
  shift_.setZero();
  StepReport total;
  for (int k = 0; k < max_rounds; ++k) {
    const StepReport report = base_.step(x0, h, &shift_, x1);
    const int forces = total.force_evaluations + report.force_evaluations;
    const int newtons = total.newton_iterations + report.newton_iterations;
    const int sweeps = total.contact_iterations + report.contact_iterations;
    total = report;
    total.force_evaluations = forces, total.newton_iterations = newtons, total.contact_iterations = sweeps;
    if (report.status != StepStatus::ok) return total;
    if (!project(x0, x1)) break;
    double change = 0;
    for (int i = 0; i < shift_.size(); ++i) {
      const double s = options_.theta * projection_.displacement()[i];
      change = std::max(change, rounding.root_mass()[i] * std::abs(s - shift_[i]));
      shift_[i] = s;
    }
    if (change <= 1e-15 * rounding.size(x1.q)) return total;
  }
  total.status = StepStatus::newton_diverged;
  return total;
}

std::unique_ptr<Stepper> build_stepper(const MoreauProjected& options, const DynamicSystem& system,
                                       const SolverSpec& solver) {
  return std::make_unique<MoreauProjectedStepper>(mechanical(system), options, solver);
}

}  // namespace saltus
