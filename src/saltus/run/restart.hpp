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

}  // namespace saltus
