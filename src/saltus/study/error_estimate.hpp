// The global error of a run by tolerance, estimated by a companion: a second run of the same problem at a
// tenth of the tolerance. The error of the companion is about a tenth of the run's, so their difference is
// close to the error itself. Steps that no tolerance limits (the first, the longest) are shorter in the
// companion, too: otherwise errors made there would be the same in both. A bar is twice the largest
// difference over the last part of the run, because the difference at one instant may be small by chance.
// docs/explanation/tolerance.md has what is proved and what is measured.
//
// Where the two runs have nothing in common there is no digit to give: NaN, with a sentence in `warnings`.
#pragma once
#include <optional>

#include "saltus/study/measure.hpp"

namespace saltus {

inline constexpr double tightest_rtol = 1e-13;  ///< no run by tolerance accepts less

struct ErrorEstimate {
  Vec q_final, u_final;
  double q_sup = 0;        ///< of all coordinates over the whole run
  double u_hausdorff = 0;  ///< distance of the graphs of velocities
  double event_times = 0;  ///< of all events; of accumulations the time that is reported
  std::vector<double> measures;
  std::vector<double> measure_sizes;  ///< what those bars are to be compared with: |value|, or more near zero
  Vec q_size, u_size;                 ///< the same for coordinates and velocities: the largest of the run
  double digits_lost = 0;  ///< decimal digits per second by which the error grows; NaN: not exponential
  double known_until = 0;  ///< from here on no coordinate or velocity has a digit; the end if all have
  double rtol = 0;         ///< of the companion
  double cpu_seconds = 0;  ///< its cost
  std::vector<std::string> warnings;
};

/// The method of the companion; empty when the method has no tolerance.
std::optional<Method> companion_of(const Method& method);

/// Measures a run and, if it is one by tolerance that reaches its end, estimates the errors. Bounds of
/// accumulation times and the run's warnings then contain what the estimate says.
std::vector<double> run_with_estimate(const Measures& measures, const MeasuredCase& c,
                                      const RunControl& control, RunResult& result,
                                      std::optional<ErrorEstimate>& estimate, const Sink& sink = {},
                                      const Checkpoints& points = {});

}  // namespace saltus
