// What is drawn of a trajectory with dense output: states close enough to each other for a smooth curve, also
// where few samples were kept.
#pragma once
#include <optional>

#include "saltus/run/trajectory.hpp"

namespace saltus {

/// The trajectory itself where it has no dense output or its samples are close enough; else `room`, filled
/// from the polynomials.
const Trajectory& smooth(const Trajectory& x, std::optional<Trajectory>& room);

}  // namespace saltus
