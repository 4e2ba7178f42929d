// What is to be computed: a system, a start, an end.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "saltus/system/check.hpp"

namespace saltus {

struct Problem {
  std::shared_ptr<const DynamicSystem> system;
  double t0 = 0, t_end = 1;
  Vec q0, u0;
  Penetration penetration = Penetration::refuse;
  std::vector<double> breakpoints = {};  ///< where loads jump: no step of any driver goes across
  std::vector<std::string> coordinates = {}, velocities = {};  ///< names, for messages; empty: q[0], u[0], …
};
/// The ends of the stretches between breakpoints: those in ]t0, t_end[, then t_end. Throws Error for NaN.
std::vector<double> stretches(const Problem& problem);

}  // namespace saltus
