// What drivers need in order to begin at a checkpoint and to leave others.
#pragma once
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/run/checkpoint.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/step_grid.hpp"

namespace saltus {

class Restart {
 public:
  using Remember = std::function<void(Memory&)>;
  /// Puts the run where its checkpoint was made; `now` is the scheme's own start of the whole run, and
  /// `remember` writes and reads what the driver keeps beside it. The stepper is asked whether it accepts the
  /// state's aux; without one it must be as long as the start's. Throws Error when the checkpoint is not of
  /// this run.
  Restart(const Checkpoints& checkpoints, RunResult& result, State& now, Remember remember,
          const Stepper* stepper = nullptr);
  bool resumed() const { return points_.resume != nullptr; }
  /// The first step of this stretch that is still to be taken, 1 to n + 1.
  std::int64_t first(const StepGrid& grid) {
    const std::int64_t done = std::min(skip_, grid.n);
    skip_ -= done;
    return done + 1;
  }
  /// Whether the checkpoint has no steps beyond the grid.
  bool used_up() const { return skip_ == 0; }
  /// After a step of the grid, or of a driver without one: a checkpoint when one is due.
  void after_step(const State& now) {
    ++grid_steps_;
    if (points_.every > 0 && result_.stats.steps - last_ >= points_.every) leave(now);
  }
  void leave(const State& now);
  /// At the end of a run that reached it: a checkpoint from which it can be extended, if it left none before.
  void finish(const State& now) {
    if (points_.every > 0 && result_.status == RunStatus::finished && !left_) leave(now);
  }

 private:
  const Checkpoints& points_;
  RunResult& result_;
  Remember remember_;
  std::int64_t skip_ = 0, grid_steps_ = 0, last_ = 0;
  bool left_ = false;  // a checkpoint
};

/// Equal steps of about h from breakpoint to breakpoint, from the start or a checkpoint to the end:
/// step(grid, k) performs step k from now() and returns false where the run ends.
template <class Now, class Step>
void march(const Problem& problem, double h, const RunControl& control, RunResult& result, Restart& restart,
           Now&& now, Step&& step) {
  Ticker ticker(control);
  double begin = problem.t0;
  bool found = false;
  for (double end : stretches(problem)) {
    const StepGrid grid(begin, end, h);
    begin = end;
    const std::int64_t first = restart.first(grid);
    // in the stretch of the checkpoint: drivers with events may end a hair before the grid's point
    if (restart.resumed() && restart.used_up() && !std::exchange(found, true) &&
        !(std::abs(now().t - grid.time(first - 1)) <= 0.5 * grid.h))
      fail("the checkpoint does not fit this run: it stands at t = {:.9g}, its steps end at {:.9g}", now().t,
           grid.time(first - 1));
    for (std::int64_t k = first; k <= grid.n; ++k) {
      if (stop_wanted(control)) {
        stop(now().t, result);
        return restart.leave(now());
      }
      if (!step(grid, k)) return;
      restart.after_step(now());
      ticker.tick(now().t, result.stats.steps);
    }
  }
  if (!restart.used_up()) fail("the checkpoint does not fit this run: it has more steps than the run");
  restart.finish(now());
}

}  // namespace saltus
