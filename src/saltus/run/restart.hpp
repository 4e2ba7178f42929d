// What drivers need in order to begin at a checkpoint and to leave others.
#pragma once
#include "saltus/run/checkpoint.hpp"
#include "saltus/run/driver.hpp"

namespace saltus {

class Restart {
 public:
  using Remember = std::function<void(Memory&)>;
  /// Puts the run where its checkpoint was made; `now` is the scheme's own start of the whole run, and
  /// `remember` writes and reads what the driver keeps beside it.
  Restart(const Checkpoints& checkpoints, RunResult& result, State& now, Remember remember);
  bool resumed() const { return points_.resume != nullptr; }
  /// The first step of this stretch that is still to be taken, 1 to n + 1.
  long first(const Grid& grid) {
    const long done = std::min(skip_, grid.n);
    skip_ -= done;
    return done + 1;
  }
  /// After a step of the grid, or of a driver without one: a checkpoint when one is due.
  void after_step(const State& now) {
    ++grid_steps_;
    if (points_.every > 0 && result_.stats.steps - last_ >= points_.every) leave(now);
  }
  void leave(const State& now);

 private:
  const Checkpoints& points_;
  RunResult& result_;
  Remember remember_;
  long skip_ = 0, grid_steps_ = 0, last_ = 0;
};

/// Equal steps of about h from breakpoint to breakpoint, from the start or a checkpoint to the end:
/// step(grid, k) takes step k from now() and is false where the run ends.
template <class Now, class Step>
void march(const Problem& problem, double h, const RunControl& control, RunResult& result, Restart& restart,
           Now&& now, Step&& step) {
  Ticker ticker(control);
  double begin = problem.t0;
  for (double end : stretches(problem)) {
    const Grid grid(begin, end, h);
    begin = end;
    for (long k = restart.first(grid); k <= grid.n; ++k) {
      if (stop_requested(control, now().t, result)) return restart.leave(now());
      if (!step(grid, k)) return;
      restart.after_step(now());
      ticker.tick(now().t, result.stats.steps);
    }
  }
}

}  // namespace saltus
