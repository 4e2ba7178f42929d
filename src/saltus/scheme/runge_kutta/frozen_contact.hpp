// A contact of the frozen set, and what a law does while its mode lasts.
#pragma once
#include <array>
#include <cmath>

#include "saltus/law/law.hpp"

namespace saltus {

/// A closed contact with its friction mode: closed (no friction), stick, slip or slip_back; or a law without
/// a gap that holds (stick) or yields (slip, slip_back).
struct FrozenContact {
  std::uint64_t id = 0;
  Mode mode = Mode::closed;
  /// Where a law with several tangential rows slips: the direction of its slip when it was frozen.
  std::array<double, max_block_rows> slip = {};
};

/// The direction of slip on n rows with velocity `gamma`. One row: the sign of the mode. Several rows: that
/// of the velocity as long as it points forward of the frozen direction, beyond that the frozen direction. So
/// the slip continues smoothly through a stop, where the velocity alone would be the direction of rounding.
inline void slip_direction(const FrozenContact& f, const double* gamma, int n, double* s) {
  if (n == 1) {
    s[0] = f.mode == Mode::slip_back ? -1 : 1;
    return;
  }
  double forward = 0, length = 0;
  for (int k = 0; k < n; ++k) forward += gamma[k] * f.slip[k], length += gamma[k] * gamma[k];
  length = std::sqrt(length);
  for (int k = 0; k < n; ++k) s[k] = forward > 0 ? gamma[k] / length : f.slip[k];
}

/// The force with which a law with bounded C resists motion along `direction` (of length 1): the point of C
/// farthest against it, prox_C(−R·direction) for R → ∞. Unique where C is strictly convex or has one row.
inline void resistance(const Law& law, const double* direction, double* out) {
  constexpr double far = 1e12;  // times the forces of C: lost digits of −R d change the result by 1e-12 of it
  double size = 1;
  if (const auto limits = limits_of(law)) size += std::abs(limits->lower) + std::abs(limits->upper);
  for (int r = 0; r < rows(law); ++r) out[r] = -far * size * direction[r];
  prox(law, 1, out);
}

}  // namespace saltus
