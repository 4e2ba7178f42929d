// The driver of runs by tolerance. Where events are so dense that locating them one by one takes too long,
// Moreau's scheme takes over from where the run stands, with steps that are halved until the end stands still
// or the effort is spent (refine.hpp).
#include <algorithm>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/fixed.hpp"
#include "saltus/run/refine.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/run/tolerance.hpp"
#include "saltus/run/tolerance_families.hpp"

namespace saltus {
namespace {

// What a run may cost (ToleranceCapture::work): so much, some ten seconds, and more for every period of its
// motion and every coordinate.
constexpr double free_work = 1e8, work_a_period = 1e4;
// The trials of the scheme that takes over, in evaluations times coordinates.
constexpr double refining_work = 2e6;

const DensePair& pair_of(const Method& method) {
  const Tableau& tableau = std::get<RungeKutta>(method.scheme).table();
  if (const DensePair* pair = dense_pair(tableau.name)) return *pair;
  fail("stepping tolerance needs a tableau with an error estimate and dense output, herk-5 or dop-8, not {}",
       tableau.name);
}

// Steps until the end, or until they cost too much: then false.
bool capture_by_tolerance(ToleranceCapture& capture, const RunContext& context) {
  const Problem& problem = context.problem;
  RunResult& result = context.result;
  Restart restart(context.points, result, capture.state(), [&](Memory& m) { m(capture); });
  Ticker ticker(context.control);
  std::int64_t evaluations = 0, iterations = 0;  // counted so far; checkpoints have them too
  const auto news = [](std::int64_t now, std::int64_t& before) { return now - std::exchange(before, now); };
  for (const double end : stretches(problem))
    while (!capture.reached(end)) {
      if (stop_requested(context.control, capture.state().t, result)) {
        restart.leave(capture.state());
        return true;
      }
      const bool done = capture.guarded_advance(end);
      result.stats.force_evaluations += news(capture.force_evaluations(), evaluations);
      result.stats.newton_iterations += news(capture.newton_iterations(), iterations);
      result.stats.stiff_steps = capture.steps().stiff_steps();
      if (!done || result.status != RunStatus::finished) return true;
      restart.after_step(capture.state());
      ticker.tick(capture.state().t, result.stats.steps);
      const double periods = (capture.state().t - problem.t0) / capture.time_scale();
      if (capture.work() > free_work + work_a_period * periods * static_cast<double>(problem.q0.size()))
        return false;
    }
  restart.finish(capture.state());
  return true;
}

// A vibration that is excited has to be followed: no method may damp it.
void warn_of_vibration(const ControlledFlow& steps, RunResult& result) {
  constexpr std::int64_t many = 5000;
  if (steps.short_steps() < std::max(many, result.stats.steps / 8)) return;
  result.warnings.push_back(fmt::format(
      "a vibration much faster than the rest of the motion (|λ| = {:.2g} 1/s) is excited and keeps the steps "
      "short; damping in the model, or a larger rtol, shortens the run",
      steps.fastest()));
}

// From where the run stands to its end.
void take_over(const ToleranceSteps& stepping, const State& now, double period, const RunContext& context) {
  Problem rest = context.problem;
  RunResult& result = context.result;
  rest.t0 = now.t, rest.q0 = now.q, rest.u0 = now.u, rest.penetration = Penetration::accept;
  Method method{MoreauJean{}, FixedSteps{}, context.method.solver};
  const double first = std::min((rest.t_end - rest.t0) / 16, period / 64);
  const Refined refined = refine(rest, method, {stepping.rtol, stepping.atol, first, refining_work}, context);
  method.stepping = with_step(method.stepping, refined.h);
  const RunContext inner{rest, method, context.rules, context.sink, context.control, {}, result};
  run_fixed(std::get<FixedSteps>(method.stepping), inner);
  result.warnings.push_back(
      fmt::format("from t = {:.6g} on contacts are too dense to be located one by one: Moreau's scheme took "
                  "over with equal "
                  "steps of {:.2g}; {}",
                  now.t, refined.h, digits_text(refined, stepping.rtol)));
}

void run_mechanical_by_tolerance(const ToleranceSteps& stepping, const RunContext& context) {
  const Problem& problem = context.problem;
  const auto& system = static_cast<const System&>(*problem.system);
  RunResult& result = context.result;
  ToleranceCapture capture(system, pair_of(context.method), stepping, context.method.solver,
                           problem.t_end - problem.t0, context.sink, context.control, result);
  const bool resumed = context.points.resume != nullptr;
  if (resumed) capture.state() = {problem.t0, problem.q0, problem.u0, {}, {}, {}};
  if ((resumed || capture.start(problem.t0, problem.q0, problem.u0)) &&
      !capture_by_tolerance(capture, context))
    return take_over(stepping, capture.state(), capture.time_scale(), context);
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
