#include "saltus/run/odae.hpp"

#include "saltus/core/error.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/odae_events.hpp"
#include "saltus/run/odae_landing.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/scheme/symplectic_euler_stepper.hpp"

namespace saltus {
namespace {

void run_fixed(const FixedSteps& stepping, const Problem& problem, SymplecticEulerStepper& stepper,
               const Sink& sink, const RunControl& control, const Checkpoints& points, RunResult& result) {
  const OdaeSystem& system = stepper.system();
  State now = stepper.start(problem.t0, problem.q0, problem.u0), next = now;
  EventDetector detector;
  const System* bodies = as_mechanical(problem.system.get());
  Restart restart(points, result, now, [&](Memory& m) { m(detector); });
  const auto step = [&](const Grid& grid, long k) {
    const StepReport report = stepper.step(now, grid.h, next);
    count_work(result, report);
    if (report.status != StepStatus::ok) {
      result.status = RunStatus::failed;
      result.message = failure_message(system, now, grid.h, report);
      return false;
    }
    next.t = grid.time(k);
    if (bodies && went_through(*bodies, now, next, result.message)) {
      result.status = RunStatus::failed;
      return false;
    }
    if (auto landing = landing_without_friction(system, now, next); !landing.empty()) {
      result.status = RunStatus::failed;
      result.message = std::move(landing);
      return false;
    }
    accumulate(result, report);
    ++result.stats.steps;
    const auto events = detector.detect(now, next, report);
    if (sink) sink({now, next, report, events, true, system.m()});
    std::swap(now, next);
    return true;
  };
  march(
      problem, stepping.h, control, result, restart, [&]() -> const State& { return now; }, step);
  result.final = std::move(now);
}

}  // namespace

std::string failure_message(const OdaeSystem& system, const State& x0, double h, const StepReport& report) {
  std::string text = fmt::format("step from t = {:.9g} with h = {:.3g}: ", x0.t, h);
  if (report.status == StepStatus::contact_unsolved)
    return text + fmt::format("constraint {}: no set of closed contacts fits; try a smaller step (--h)",
                              system.contact_name(report.bad_contact));
  text += to_string(report.status);
  if (report.fault) return text + ": " + fault_message(system, report.fault);
  if (report.status == StepStatus::singular)
    return text +
           ": g_y v_z r_psi is singular or nearly so, the multipliers are not determined here; remove a "
           "constraint "
           "that follows from the others, or try another start, off the place where the constraints "
           "degenerate";
  if (report.status == StepStatus::not_finite || report.status == StepStatus::gap_not_finite)
    return text + "; check that the formulas are finite there, or try a smaller step (--h)";
  return text + fmt::format(
                    " after {} iterations, residual {:.2g} (last change of the states); try a smaller "
                    "step (--h; where friction stops a body, the equations have no solution)",
                    report.newton_iterations, report.stage_residual);
}

RunResult run_odae(const Problem& problem, const Method& method, const Sink& sink, const RunControl& control,
                   const Checkpoints& points) {
  const auto system = as_odae(*problem.system);
  check_sizes(*system, problem.t0, problem.t_end, problem.q0, problem.u0);
  const auto& scheme = std::get<SymplecticEuler>(method.scheme);
  const auto* fixed = std::get_if<FixedSteps>(&method.stepping);
  const auto* located = std::get_if<EventLocation>(&method.stepping);
  if (!fixed && !located)
    fail(
        "stepping {} is not for scheme symplectic-euler; use fixed, or event-location for unilateral "
        "constraints",
        std::visit([](const auto& s) { return s.name; }, method.stepping));
  const bool plain =
      scheme.composition == SymplecticEuler::Composition::none && scheme.variant == EulerVariant::consistent;
  if (fixed && system->has_unilateral() && !plain)
    fail(
        "{}: time stepping with unilateral constraints works with variant true without composition (order "
        "1); for "
        "others locate the events with stepping event-location",
        to_text(scheme));

  RunResult result;
  result.energy_initial = system->energy(problem.t0, problem.q0, problem.u0);
  SymplecticEulerStepper stepper(system, scheme);
  if (fixed)
    run_fixed(*fixed, problem, stepper, sink, control, points, result);
  else
    run_located(*located, problem, stepper, sink, control, points, result);
  const State& x = result.final;
  result.energy_final = system->energy(x.t, x.q, x.u);
  if (result.status == RunStatus::finished && result.message.empty())
    result.message = fmt::format("reached t = {:.9g}", x.t);
  return result;
}

}  // namespace saltus
