// Runs that can be cut: where a run with equal steps stands between two of them, and how to go on from there.
#pragma once
#include "saltus/run/run.hpp"

namespace saltus {

/// A run that begins here takes the steps, bit by bit, that the one that left it would have taken.
struct Checkpoint {
  State state;
  std::vector<std::uint64_t>
      lasting;     ///< contacts closed for two steps or more: events tell them from impacts
  RunStats stats;  ///< stats.steps counts the steps since the problem's t0
  RunResiduals residuals;
};

/// Where to begin (null: at the start), and whom to give checkpoints: after every so many steps, and where
/// the user stops the run.
struct Checkpoints {
  const Checkpoint* resume = nullptr;
  long every = 0;
  std::function<void(const Checkpoint&)> save;
};

/// As run() without them. Stepping fixed only, for all three families: other drivers keep more than the
/// state from step to step. Throws Error when the stepping or the sizes do not fit.
RunResult run(const Problem& problem, const Method& method, const Sink& sink, const RunControl& control,
              const Checkpoints& checkpoints);

}  // namespace saltus
