// The driver of runs by tolerance. Where events are so dense that locating them one by one takes too long, or
// no accelerations are found, Moreau's scheme takes over from where the run stands (take_over.hpp).
#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/run/take_over.hpp"
#include "saltus/run/tolerance.hpp"
#include "saltus/run/tolerance_families.hpp"

namespace saltus {
namespace {

// What a run may cost (ToleranceCapture::work): so much, some ten seconds, and more for every period of its
// motion and every coordinate.
constexpr double free_work = 1e8, work_a_period = 1e4;
// The same for every period of a fast vibration that it has to follow.
constexpr double work_a_vibration = 1e3;
// Beyond so many velocities of bodies whose contacts come and go nobody waits for that.
constexpr int most_velocities = 150;

const double pi = std::acos(-1.0);

const DensePair& pair_of(const Method& method) {
  const Tableau& tableau = std::get<RungeKutta>(method.scheme).table();
  if (const DensePair* pair = dense_pair(tableau.name)) return *pair;
  fail("stepping tolerance needs a tableau with an error estimate and dense output, herk-5 or dop-8, not {}",
       tableau.name);
}

// Accelerations that no scheme of this kind finds, though the motion may go on: velocities can be found.
bool is_stuck(const ToleranceCapture& capture) {
  return capture.failure() == StepStatus::redundant_contacts ||
         capture.failure() == StepStatus::newton_diverged;
}

// Whether a vibration that is excited kept so many steps short that it is what the run is about.
bool is_vibrating(const ControlledFlow& steps, const RunResult& result) {
  constexpr std::int64_t many = 5000;
  return steps.short_steps() >= std::max(many, result.stats.steps / 8);
}

// Steps until the end. Returns why another scheme has to go on from where they stopped; empty: it need not.
std::string capture_by_tolerance(ToleranceCapture& capture, const RunContext& context) {
  const Problem& problem = context.problem;
  RunResult& result = context.result;
  Restart restart(context.points, result, capture.state(), [&](Memory& m) { m(capture); });
  Ticker ticker(context.control);
  result.stats.stiff_steps = capture.steps().stiff_steps();
  std::int64_t evaluations = 0, iterations = 0;  // counted so far; checkpoints have them too
  const auto news = [](std::int64_t now, std::int64_t& before) { return now - std::exchange(before, now); };
  for (const double end : stretches(problem))
    while (!capture.reached(end)) {
      if (stop_requested(context.control, capture.state().t, result)) {
        restart.leave(capture.state());
        return {};
      }
      const bool done = capture.guarded_advance(end);
      result.stats.force_evaluations += news(capture.force_evaluations(), evaluations);
      result.stats.newton_iterations += news(capture.newton_iterations(), iterations);
      result.stats.stiff_steps = capture.steps().stiff_steps();
      if (!done || result.status != RunStatus::finished)
        return is_stuck(capture) ? result.message : std::string();
      restart.after_step(capture.state());
      ticker.tick(capture.state().t, result.stats.steps);
      const double periods = (capture.state().t - problem.t0) / capture.time_scale();
      const double vibrations = is_vibrating(capture.steps(), result)
                                    ? capture.steps().fastest() * (capture.state().t - problem.t0) / (2 * pi)
                                    : 0;
      const double earned = work_a_period * periods + work_a_vibration * vibrations;
      if (capture.work() > free_work + earned * static_cast<double>(problem.q0.size()))
        return ToleranceCapture::too_dense;
    }
  restart.finish(capture.state());
  return {};
}

// A vibration that is excited has to be followed: no method may damp it.
void warn_of_vibration(const ControlledFlow& steps, RunResult& result) {
  if (!is_vibrating(steps, result)) return;
  result.warnings.push_back(fmt::format(
      "a vibration much faster than the rest of the motion (|λ| = {:.2g} 1/s) is excited and keeps the steps "
      "short; damping in the model, or a larger rtol, shortens the run",
      steps.fastest()));
}

void run_mechanical_by_tolerance(const ToleranceSteps& stepping, const RunContext& context) {
  const Problem& problem = context.problem;
  const auto& system = static_cast<const System&>(*problem.system);
  RunResult& result = context.result;
  ToleranceCapture capture(system, pair_of(context.method), stepping, context.method.solver,
                           problem.t_end - problem.t0, context.sink, context.control, result);
  const bool resumed = context.points.resume != nullptr;
  if (const Shape shape = system.shape();
      !resumed && shape.changing_contacts && shape.nu > most_velocities && problem.t_end > problem.t0)
    return take_over({stepping.rtol, stepping.atol, problem.t_end - problem.t0, stepping.pace},
                     {problem.t0, problem.q0, problem.u0, {}, {}, {}}, ToleranceCapture::too_dense, context);
  if (resumed) capture.state() = {problem.t0, problem.q0, problem.u0, {}, {}, {}};
  if (resumed || capture.start(problem.t0, problem.q0, problem.u0))
    if (const std::string why = capture_by_tolerance(capture, context); !why.empty())
      return take_over({stepping.rtol, stepping.atol, capture.time_scale(), stepping.pace}, capture.state(),
                       why, context);
  warn_of_vibration(capture.steps(), result);
  result.final = capture.state();
  context.rules.judge_end(0, 0, result);
}

}  // namespace

void run_by_tolerance(const ToleranceSteps& stepping, const RunContext& context) {
  switch (family_of(context.method.scheme)) {
    case Family::first_order:
      return run_first_order_by_tolerance(stepping, context);
    case Family::odae:
      return run_odae_by_tolerance(stepping, context);
    case Family::mechanical:
      return run_mechanical_by_tolerance(stepping, context);
  }
}

}  // namespace saltus
