// How far two trajectories are apart, in the norms for functions of bounded variation.
#pragma once
#include "saltus/reference/reference.hpp"

namespace saltus {

/// Over the time they share, samples joined linearly (dense output at the samples of both, where there is
/// some): sup, L1 and L2 of q and u as functions of time (exact
/// integrals, both limits where u jumps), and the Hausdorff distance of the filled-in graphs of u. Maxima
/// over components. q_final: at the end of that time. Throws Error when sizes differ or no time is shared.
TrajectoryError distance(const Trajectory& a, const Trajectory& b);

}  // namespace saltus
