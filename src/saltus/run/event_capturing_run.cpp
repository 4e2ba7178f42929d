// Event capturing as a run: equal macro steps and, when impacts accumulated on the way, the error of those
// times.
#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/event_capturing.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/run/take_over.hpp"
#include "saltus/scheme/runge_kutta/explicit_steps.hpp"
#include "saltus/scheme/runge_kutta/smooth_flow.hpp"

namespace saltus {
namespace {

// Macro steps of equal length, about h, from breakpoint to breakpoint; `done` may end the run early. False:
// events were too dense.
template <class Done>
bool capture_events(double h, const EventCapturing& stepping, const Problem& problem, const Method& method,
                    const System& system, const Sink& sink, const RunControl& control,
                    const Checkpoints& points, RunResult& result, Done&& done) {
  EventCapturing options = stepping;
  options.h = StepGrid(problem.t0, problem.t_end, h).h;
  const auto flow = [&](Faults& faults) {
    return std::make_unique<SmoothFlow>(system, std::get<RungeKutta>(method.scheme).table(), faults);
  };
  EventCapture capture(system, flow, options, method.solver, sink, control, result);
  std::int64_t evaluations = 0, iterations = 0;
  const auto count = [&] {
    result.stats.force_evaluations +=
        capture.force_evaluations() - std::exchange(evaluations, capture.force_evaluations());
    result.stats.newton_iterations +=
        capture.newton_iterations() - std::exchange(iterations, capture.newton_iterations());
  };
  if (points.resume) capture.state() = {problem.t0, problem.q0, problem.u0, {}, {}, {}};
  if (points.resume || capture.start(problem.t0, problem.q0, problem.u0)) {
    Restart restart(points, result, capture.state(), [&](Memory& m) { m(capture); });
    march(
        problem, h, control, result, restart, [&]() -> const State& { return capture.state(); },
        [&](const StepGrid& grid, std::int64_t k) {
          if (done(capture.state().t) || !capture.guarded_advance(grid.time(k))) return false;
          count();
          return true;
        });
  }
  count();
  result.final = capture.state();
  return !capture.is_crowded();
}

// The same accumulation in another run: of the same contact, the same in number.
const Accumulation* counterpart(const std::vector<Accumulation>& mine, std::size_t k,
                                const std::vector<Accumulation>& theirs) {
  const auto same = [&](const Accumulation& a) { return a.contact == mine[k].contact; };
  auto before = std::count_if(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(k), same);
  for (const Accumulation& a : theirs)
    if (same(a) && before-- == 0) return &a;
  return nullptr;
}

// A companion at twice the step errs about 2^p times as much, so that twice the difference of the two times
// is well above the error here; the room is for errors that are irregular in h.
void bound_accumulations(const EventCapturing& stepping, const Problem& problem, const Method& method,
                         const System& system, const RunControl& control, RunResult& result) {
  RunControl quiet;
  quiet.interrupt = control.interrupt;
  double last = problem.t0;
  for (const Accumulation& a : result.accumulations) last = std::max(last, a.t);
  RunResult coarse;
  capture_events(2 * stepping.h, stepping, problem, method, system, {}, quiet, {}, coarse,
                 [&](double t) { return t > last + 4 * stepping.h; });
  result.stats.force_evaluations += coarse.stats.force_evaluations;
  result.stats.newton_iterations += coarse.stats.newton_iterations;
  for (std::size_t k = 0; k < result.accumulations.size(); ++k) {
    Accumulation& a = result.accumulations[k];
    const Accumulation* other = counterpart(result.accumulations, k, coarse.accumulations);
    a.bound = other ? a.bound + 2 * std::abs(a.t - other->t) : infinity;
  }
}

}  // namespace

// A macro step may cost a thousand evaluations. What the steps cost beyond that, in evaluations times
// coordinates and rows of contacts, is owed; steps that cost less pay it off. An event counts as twenty
// evaluations. `evaluations`, `events`: of the macro step so far.
double EventCapture::owed(std::int64_t evaluations, int events) const {
  constexpr double row = 3, free = 1000, event = 20;  // a row of a contact, beside a coordinate
  const double each = shape_.nu + row * flow_->dynamics().contacts().rows();
  return debt_ + (static_cast<double>(evaluations) + event * events - free) * each;
}

// Some ten or twenty seconds
bool EventCapture::costs_too_much(std::int64_t evaluations, int events) const {
  constexpr double most = 4e8;
  return owed(evaluations, events) > most;
}

void run_event_capturing(const EventCapturing& stepping, const RunContext& context) {
  const auto& system = static_cast<const System&>(*context.problem.system);
  RunResult& result = context.result;
  const Problem& problem = context.problem;
  const Tableau& tableau = std::get<RungeKutta>(context.method.scheme).table();
  if (const StepGrid grid(problem.t0, problem.t_end, stepping.h); is_explicit(tableau) && grid.n > 0)
    check_explicit_steps(tableau, system, problem.t0, problem.q0, problem.u0, grid.h, grid.n);
  if (!capture_events(stepping.h, stepping, problem, context.method, system, context.sink, context.control,
                      context.points, result, [](double) { return false; })) {
    for (Accumulation& a : result.accumulations) a.bound = infinity;
    constexpr double steps_a_period = 64;
    return take_over({.period = steps_a_period * stepping.h}, State(result.final), EventCapture::too_dense,
                     context);
  }
  if (!result.accumulations.empty())
    bound_accumulations(stepping, problem, context.method, system, context.control, result);
  context.rules.judge_end(0, 0, result);
}

}  // namespace saltus
