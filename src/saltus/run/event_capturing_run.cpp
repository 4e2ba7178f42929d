// Event capturing as a run: equal macro steps and, when impacts accumulated on the way, the error of those
// times.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/event_capturing.hpp"

namespace saltus {
namespace {

// Macro steps of equal length, about h, from breakpoint to breakpoint; `done` may end the run early.
template <class Done>
void march(double h, const EventCapturing& stepping, const Problem& problem, const Method& method,
           const System& system, const Sink& sink, const RunControl& control, RunResult& result,
           Done&& done) {
  EventCapturing options = stepping;
  options.h = Grid(problem.t0, problem.t_end, h).h;
  EventCapture capture(system, std::get<RungeKutta>(method.scheme).table(), options, method.solver, sink,
                       result);
  Ticker ticker(control);
  if (capture.start(problem.t0, problem.q0, problem.u0)) {
    double begin = problem.t0;
    for (double end : stretches(problem)) {
      const Grid grid(begin, end, h);
      for (long k = 1; k <= grid.n && result.status == RunStatus::finished; ++k) {
        if (done(capture.state().t) || stop_requested(control, capture.state().t, result)) break;
        if (!capture.advance(grid.time(k))) break;
        ticker.tick(capture.state().t, k);
      }
      begin = end;
    }
  }
  result.final = capture.state();
  result.stats.force_evaluations += capture.force_evaluations();
  result.stats.newton_iterations += capture.newton_iterations();
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
  march(2 * stepping.h, stepping, problem, method, system, {}, quiet, coarse,
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

void run_event_capturing(const EventCapturing& stepping, const Problem& problem, const Method& method,
                         const System& system, const Sink& sink, const RunControl& control,
                         RunResult& result) {
  if (!std::holds_alternative<RungeKutta>(method.scheme))
    fail("stepping event-capturing drives scheme runge-kutta, not {}",
         std::visit([](const auto& s) { return s.name; }, method.scheme));
  march(stepping.h, stepping, problem, method, system, sink, control, result, [](double) { return false; });
  if (!result.accumulations.empty()) bound_accumulations(stepping, problem, method, system, control, result);
}

}  // namespace saltus
