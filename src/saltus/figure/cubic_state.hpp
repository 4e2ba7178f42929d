// A state between two samples of a trajectory, on the cubic through positions and velocities.
#pragma once
#include "saltus/run/trajectory.hpp"

namespace saltus {

/// On dense output where there is some; at times outside of the run the nearest state.
Trajectory::Point cubic_state(const Trajectory& trajectory, double t);

}  // namespace saltus
