#include "saltus/run/problem.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {

std::vector<double> stretches(const Problem& problem) {
  std::vector<double> ends;
  for (double t : problem.breakpoints) {
    if (!std::isfinite(t)) fail("breakpoint {} is not a finite time", t);
    if (t > problem.t0 && t < problem.t_end) ends.push_back(t);
  }
  std::sort(ends.begin(), ends.end());
  ends.push_back(problem.t_end);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

}  // namespace saltus
