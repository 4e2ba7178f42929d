// What loops over equal steps need in order to begin at a checkpoint and to leave others.
#pragma once
#include "saltus/run/checkpoint.hpp"
#include "saltus/run/driver.hpp"

namespace saltus {

class Restart {
 public:
  /// Puts the run where its checkpoint was made; `now` is the scheme's own start of the whole run.
  Restart(const Checkpoints& checkpoints, RunResult& result, State& now, EventDetector* detector);
  /// The first step of this stretch that is still to be taken, 1 to n + 1.
  long first(const Grid& grid) {
    const long done = std::min(skip_, grid.n);
    skip_ -= done;
    return done + 1;
  }
  /// After a step: a checkpoint when one is due.
  void after_step(const State& now) {
    if (points_.every > 0 && result_.stats.steps % points_.every == 0) leave(now);
  }
  void leave(const State& now);

 private:
  const Checkpoints& points_;
  RunResult& result_;
  EventDetector* detector_;
  long skip_ = 0;
};

}  // namespace saltus
