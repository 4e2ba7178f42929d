// Gaps inside a step, from their values and rates at its ends.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus {

/// Smallest value of the cubic with g, g' given at 0 and h, and where it is.
inline std::pair<double, double> cubic_minimum(double g0, double d0, double g1, double d1, double h) {
  const double a = d0 * h, b = d1 * h, c3 = 2 * (g0 - g1) + a + b, c2 = 3 * (g1 - g0) - 2 * a - b;
  double best = std::min(g0, g1), where = g0 <= g1 ? 0 : 1;
  const double disc = c2 * c2 - 3 * c3 * a;
  if (disc < 0) return {best, where * h};
  const double root = std::sqrt(disc), q = -(c2 + std::copysign(root, c2));
  for (double x : {c3 != 0 ? q / (3 * c3) : -1.0, q != 0 ? a / q : -1.0})
    if (x > 0 && x < 1) {
      const double g = g0 + x * (a + x * (c2 + x * c3));
      if (g < best) best = g, where = x;
    }
  return {best, where * h};
}

}  // namespace saltus
