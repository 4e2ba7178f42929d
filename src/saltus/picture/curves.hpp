// A run as curves: times that show all of it, states from dense output, both limits where velocities jump.
#pragma once
#include "saltus/run/problem.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus {

struct Curves {
  Trajectory samples;
  std::vector<double> energy;  ///< NaN where the system has none
  std::vector<double> taken;  ///< energy that impacts took up to a sample; the right limit has its own impact
  std::int64_t left_out = 0;  ///< samples of the run that are not among them, for want of memory
};

/// All samples of the run and, where it has dense output, at least `least` times, as long as there are no
/// more than `most` numbers.
Curves curves_of(const Problem& problem, const Trajectory& trajectory, int least = 1500,
                 std::size_t most = 24'000'000);

}  // namespace saltus
