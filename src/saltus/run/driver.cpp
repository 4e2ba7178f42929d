#include "saltus/run/driver.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// Which quantity turned non-finite after x0? The force is the usual culprit.
std::string name_the_culprit(const System& system, const State& x0, double h) {
  Vec force(system.shape().nu);
  for (double t : {x0.t, x0.t + h / 2, x0.t + h}) {
    system.force(t, x0.q, x0.u, force);
    for (int i = 0; i < force.size(); ++i)
      if (!std::isfinite(force[i])) return fmt::format("force[{}] = {} at t = {:.6g}", i, force[i], t);
  }
  return "velocities or positions overflowed; try a smaller step";
}

}  // namespace

std::string failure_message(const System& system, const Method& method, const State& x0, double h,
                            const StepReport& report) {
  const std::string where = fmt::format("step from t = {:.9g} with h = {:.3g}", x0.t, h);
  switch (report.status) {
    case StepStatus::contact_unsolved:
      return fmt::format(
          "{}: contact {}: {} reached residual {:.1e} after {} iterations, above its tolerance; "
          "try another --solver, a smaller step or a larger tolerance",
          where, system.contact_name(report.bad_contact),
          std::visit([](const auto& s) { return s.name; }, method.solver), report.contact_residual,
          report.contact_iterations);
    case StepStatus::not_finite:
      return fmt::format("{}: {}: {}", where, to_string(report.status), name_the_culprit(system, x0, h));
    case StepStatus::gap_not_finite:
      return fmt::format("{}: contact {}: {}", where, system.contact_name(report.bad_contact),
                         to_string(report.status));
    case StepStatus::newton_diverged:
      return fmt::format("{}: {}{} after {} iterations; try a smaller step{}", where,
                         report.bad_is_contact
                             ? fmt::format("contact {}: ", system.contact_name(report.bad_contact))
                             : std::string(),
                         to_string(report.status), report.newton_iterations,
                         std::holds_alternative<MoreauJean>(method.scheme)
                             ? ", or scheme moreau-midpoint, which solves each step once"
                             : "");
    default:
      return fmt::format("{}: {}", where, to_string(report.status));
  }
}

bool went_through(const System& system, double t0, const Vec& q0, double t1, const Vec& q1, std::string& why,
                  double share) {
  Passage found;
  if (!system.passes(t0, q0, t1, q1, share, found)) return false;
  const double h = t1 - t0;
  why = fmt::format(
      "step from t = {:.9g} with h = {:.3g}: {} went through each other: they moved {:.3g} in one step, and "
      "are {:.3g} thick; try steps below {:.1e}, or stepping adaptive or event-capturing",
      t0, h, found.bodies, found.travel, found.width, equal_steps_see * h * found.width / found.travel);
  return true;
}

void count_work(RunResult& result, const StepReport& r) {
  auto& s = result.stats;
  s.force_evaluations += r.force_evaluations;
  s.newton_iterations += r.newton_iterations;
  s.contact_iterations += r.contact_iterations;
  s.newton_max = std::max(s.newton_max, r.newton_iterations);
}

void accumulate(RunResult& result, const StepReport& r) {
  auto& m = result.residuals;
  m.contact = std::max(m.contact, r.contact_residual);
  m.gap = std::max(m.gap, -r.min_gap);
  m.position = std::max(m.position, r.joint_position);
  m.velocity = std::max(m.velocity, r.joint_velocity);
  m.acceleration = std::max(m.acceleration, r.joint_acceleration);
  m.contact_position = std::max(m.contact_position, r.contact_position);
  m.contact_velocity = std::max(m.contact_velocity, r.contact_velocity);
  m.contact_acceleration = std::max(m.contact_acceleration, r.contact_acceleration);
  result.stats.contact_loss += r.contact_loss;
  result.stats.wall_work += r.wall_work;
}

bool stop_requested(const RunControl& control, double t, RunResult& result) {
  if (!control.interrupt || !control.interrupt->load(std::memory_order_relaxed)) return false;
  result.status = RunStatus::interrupted;
  result.message = fmt::format("interrupted at t = {:.9g}; what was computed so far is kept", t);
  return true;
}

}  // namespace saltus
