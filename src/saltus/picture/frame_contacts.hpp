// A run at the times of a picture's frames, with the impulses of its steps spread evenly over them: what lies
// still is stepped over in steps that last many frames, and its weight acts in all of them. Impulses of an
// impact with both limits belong to the right one. Their sums are those of the run.
#pragma once
#include <span>

#include "saltus/run/trajectory.hpp"

namespace saltus {

/// `frames`: the run sampled at the times of the frames. The left limits of the result come a moment earlier,
/// so that what acted before an impact is theirs.
Trajectory with_spread_contacts(const Trajectory& run, const Trajectory& frames);

}  // namespace saltus
