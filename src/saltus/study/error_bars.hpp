// What is known of the accuracy of a run; NaN where there is no digit to give.
#pragma once
#include <string>
#include <vector>

#include "saltus/core/types.hpp"

namespace saltus {

struct ErrorEstimate {
  Vec q_final, u_final;
  double q_sup = 0;        ///< of all coordinates over the whole run
  double u_hausdorff = 0;  ///< distance of the graphs of velocities
  double event_times = 0;  ///< of all events; of accumulations the time that is reported
  std::vector<double> measures;
  std::vector<double> measure_sizes;  ///< what those bars are to be compared with: |value|, or more near zero
  double relative = 0;                ///< the largest error at the end over its size, of what moves
  Vec q_size, u_size;                 ///< the same for coordinates and velocities: the largest of the run
  double digits_lost = 0;  ///< decimal digits per second by which the error grows; NaN: not exponential
  double known_until = 0;  ///< from here on no coordinate or velocity has a digit; the end if all have
  /// The order of impacts, and how contacts share their load; otherwise bars are as wide as what depends on
  /// it.
  bool determined = true;
  double rtol = 0;  ///< of the companion
  /// The run was repeated with a smaller tolerance, because errors were above the one that was asked for:
  /// that one and the number of runs; 0 and 1 otherwise.
  double asked_rtol = 0;
  int runs = 1;
  bool settled = false;    ///< smaller tolerances did not help, and the last of the runs is the best again
  double cpu_seconds = 0;  ///< its cost
  std::vector<std::string> warnings;
};

}  // namespace saltus
