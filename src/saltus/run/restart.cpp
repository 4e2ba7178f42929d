#include "saltus/run/restart.hpp"

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// Beads that a chain says it has not moved must stand where the run started.
void check_unmoved(const State& x, const State& start) {
  if (!x.moved.start) return;
  const auto same = [&](Eigen::Index from, Eigen::Index to) {
    for (Eigen::Index i = from; i < to; ++i)
      if (x.q[i] != start.q[i] || x.u[i] != start.u[i]) return false;
    return true;
  };
  if (!same(0, x.moved.begin) || !same(x.moved.end, std::min(x.q.size(), x.u.size())))
    fail("the checkpoint does not fit this run: beads that rested since the start stand elsewhere");
}

}  // namespace

Restart::Restart(const Checkpoints& checkpoints, RunResult& result, State& now, Remember remember,
                 const Stepper* stepper)
    : points_(checkpoints), result_(result), remember_(std::move(remember)) {
  if (!points_.resume) return;
  const Checkpoint& from = *points_.resume;
  const State& x = from.state;
  if (x.q.size() != now.q.size() || x.u.size() != now.u.size())
    fail("the checkpoint has {} coordinates and {} velocities, the run {} and {}", x.q.size(), x.u.size(),
         now.q.size(), now.u.size());
  const auto aux = now.aux.size();
  if (stepper ? !stepper->takes_aux(x.aux.size(), aux) : x.aux.size() != aux)
    fail("the checkpoint has {} numbers of the scheme's own, this scheme has {}", x.aux.size(), aux);
  check_unmoved(x, now);
  // starts are numbered anew in every process: what did not move since then equals this start's
  const std::uint64_t start = now.moved.start;
  now = x;
  now.moved.start = x.moved.start ? start : 0;
  Memory memory(from.driver);
  remember_(memory);
  memory.finish();
  result.stats = from.stats, result.residuals = from.residuals, result.accumulations = from.accumulations;
  skip_ = grid_steps_ = from.grid_steps, last_ = from.stats.steps;
  left_ = true;  // the one it begins with
}

void Restart::leave(const State& now) {
  if (!points_.save) return;
  Memory memory;
  remember_(memory);
  points_.save(
      {now, grid_steps_, memory.words(), result_.stats, result_.residuals, result_.accumulations, {}});
  last_ = result_.stats.steps, left_ = true;
}

}  // namespace saltus
