// Start velocities that fit what is driven.
#pragma once
#include <vector>

#include "saltus/system/system.hpp"

namespace saltus {

/// Where something is driven (a prescribed motion, a motor with a speed) and joints are not met by the start
/// velocities, those that the scene leaves open (`given` is 0) change as little as lets all joints hold, in
/// the norm of the masses. Throws Error where nothing lets them: the message names the joints.
void fit_start_velocities(const System& system, double t0, In q0, const std::vector<char>& given, Vec& u0);

}  // namespace saltus
