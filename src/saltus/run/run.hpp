// From a problem and a method to a trajectory. Numerics do not throw; a run ends with a status and a message
// written for a person, and what was computed so far is in the sink.
#pragma once
#include "saltus/run/checkpoint.hpp"
#include "saltus/run/method.hpp"
#include "saltus/run/outcome.hpp"
#include "saltus/run/problem.hpp"

namespace saltus {

/// Throws Error for bad input; everything after the first step ends in the result.
RunResult run(const Problem& problem, const Method& method, const Sink& sink = {},
              const RunControl& control = {});

/// As run() without them, for all families and steppings. Throws Error when the sizes do not fit.
RunResult run(const Problem& problem, const Method& method, const Sink& sink, const RunControl& control,
              const Checkpoints& checkpoints);

}  // namespace saltus
