// Forces and impulses of contacts and joints as curves over time, of those that acted most.
//
// Runge–Kutta methods: the force is the multiplier at each sample (of large systems at ends of steps, joined
// linearly), its limits at impacts included, and the impulse is its integral plus what impacts exchanged at
// once. Other methods know impulses of steps: the force is P/h, the mean over the step that holds the sample,
// and the impulse is their sum. Chains: the force law of each contact. ODAEs: their multipliers.
#pragma once
#include <string>
#include <vector>

#include "saltus/run/problem.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus {

struct NamedCurve {
  std::string name, unit;
  std::vector<double> values;  ///< at the samples it was made for
};

struct ForceCurves {
  std::vector<NamedCurve> curves;
  int left_out = 0;  ///< contacts that acted less than those that are shown
};

/// `samples`: the run at increasing times, both limits at jumps. `smooth_until`: up to there the method was
/// of Runge–Kutta. `unit`: of forces, empty where the run does not say.
ForceCurves force_curves(const Problem& problem, const Trajectory& run, const Trajectory& samples,
                         double smooth_until, const std::string& unit, std::size_t most = 24);

}  // namespace saltus
