#include "saltus/run/restart.hpp"

#include "saltus/core/error.hpp"

namespace saltus {

Restart::Restart(const Checkpoints& checkpoints, RunResult& result, State& now, Remember remember)
    : points_(checkpoints), result_(result), remember_(std::move(remember)) {
  if (!points_.resume) return;
  const Checkpoint& from = *points_.resume;
  const State& x = from.state;
  if (x.q.size() != now.q.size() || x.u.size() != now.u.size())
    fail("the checkpoint has {} coordinates and {} velocities, the run {} and {}", x.q.size(), x.u.size(),
         now.q.size(), now.u.size());
  // starts are numbered anew in every process: what did not move since then equals this start's
  const std::uint64_t start = now.moved.start;
  now = x;
  now.moved.start = x.moved.start ? start : 0;
  Memory memory(from.driver);
  remember_(memory);
  result.stats = from.stats, result.residuals = from.residuals, result.accumulations = from.accumulations;
  skip_ = grid_steps_ = from.grid_steps, last_ = from.stats.steps;
}

void Restart::leave(const State& now) {
  if (!points_.save) return;
  Memory memory;
  remember_(memory);
  points_.save(
      {now, grid_steps_, memory.words(), result_.stats, result_.residuals, result_.accumulations, {}});
  last_ = result_.stats.steps;
}

}  // namespace saltus
