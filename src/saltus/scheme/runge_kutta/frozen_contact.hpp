// A contact of the frozen set, and what a law does while its mode lasts.
#pragma once
#include <array>
#include <cmath>

#include "saltus/law/law.hpp"

namespace saltus {

/// A closed contact with its friction mode: closed (no friction), stick, slip, slip_back or roll; or a law
/// without a gap that holds (stick) or yields (slip, slip_back).
struct FrozenContact {
  std::uint64_t id = 0;
  Mode mode = Mode::closed;
  /// Where a law with several tangential rows slips: the direction of its slip when it was frozen. Of rolling
  /// friction each disc has its own, also where it has one row, and zero where it sticks.
  std::array<double, max_block_rows> slip = {};
};

/// The forces on the rows of a contact or joint, in its own order.
struct Load {
  std::uint64_t id = 0;
  std::array<double, max_block_rows> force = {};
};

/// Each force by another factor, up to half of `tilt` above or below one.
inline void tilt_loads(std::span<Load> loads, double tilt) {
  constexpr double golden = 0.6180339887498949;
  double place = 0;
  for (Load& l : loads) {
    place += golden, place -= std::floor(place);
    for (double& force : l.force) force *= 1 + tilt * (place - 0.5);
  }
}

/// Whether a closed contact slides on one of the discs of its friction. A disc of moments without bound does
/// neither: nothing acts on it.
inline bool slides_on(const FrozenContact& f, const Law& law, const FrictionDisc& d) {
  if (std::holds_alternative<Coulomb>(law)) return !is_constraint(f.mode);
  for (int k = 0; k < d.rows; ++k)
    if (f.slip[d.at - 1 + k] != 0) return true;
  return false;
}
inline bool holds_on(const FrozenContact& f, const Law& law, const FrictionDisc& d) {
  if (std::holds_alternative<Coulomb>(law)) return f.mode == Mode::stick;
  return d.bound > 0 && !slides_on(f, law, d);
}
/// Whether row r of a frictional contact belongs to a disc that holds.
inline bool holds_row(const FrozenContact& f, const Law& law, int r) {
  for (const FrictionDisc& d : discs_of(law))
    if (r >= d.at && r < d.at + d.rows) return holds_on(f, law, d);
  return false;
}
/// The mode of a contact with rolling friction whose discs slide as `slip` says.
inline Mode mode_of_slips(const RollingFriction& law, const std::array<double, max_block_rows>& slip) {
  for (int k = 0; k < law.tangents; ++k)
    if (slip[k] != 0) return law.tangents == 1 && slip[0] < 0 ? Mode::slip_back : Mode::slip;
  for (const double x : slip)
    if (x != 0) return Mode::roll;
  return Mode::stick;
}
/// visit(first, n) for the rows on which a law slides, by discs; their direction begins at slip[first − 1]
/// where the law has a gap, else at slip[0].
template <class Visit>
void for_each_slip(const FrozenContact& f, const Law& law, Visit&& visit) {
  if (is_constraint(f.mode)) return;
  if (!needs_closed_gap(law)) return visit(0, rows(law));
  for (const FrictionDisc& d : discs_of(law))
    if (slides_on(f, law, d)) visit(d.at, d.rows);
}
/// The direction in which a disc of one row slides.
inline double line_direction(const FrozenContact& f, const Law& law, const FrictionDisc& d) {
  if (std::holds_alternative<Coulomb>(law)) return f.mode == Mode::slip_back ? -1 : 1;
  return f.slip[d.at - 1] < 0 ? -1 : 1;
}

/// The direction of slip on n rows with velocity `gamma`. One row: the sign of the mode. Several rows: that
/// of the velocity as long as it points forward of the frozen direction, beyond that the frozen direction. So
/// the slip continues smoothly through a stop, where the velocity alone would be the direction of rounding.
inline void slip_direction(const double* frozen, const double* gamma, int n, double* s) {
  double forward = 0, length = 0;
  for (int k = 0; k < n; ++k) forward += gamma[k] * frozen[k], length += gamma[k] * gamma[k];
  length = std::sqrt(length);
  for (int k = 0; k < n; ++k) s[k] = forward > 0 ? gamma[k] / length : frozen[k];
}
inline void slip_direction(const FrozenContact& f, const double* gamma, int n, double* s) {
  if (n == 1)
    s[0] = f.mode == Mode::slip_back ? -1 : 1;
  else
    slip_direction(f.slip.data(), gamma, n, s);
}

/// The force with which a law with bounded C resists motion along `direction` (of length 1): the point of C
/// farthest against it, prox_C(−R·direction) for R → ∞. Unique where C is strictly convex or has one row.
/// R grows until the point is near compared with it: forces have no natural unit.
inline void resistance(const Law& law, const double* direction, double* out) {
  constexpr double far = 1e12, enough = 1e8;  // lost digits of −R d change the result by 1/far of it
  constexpr int most = 64;                    // of R from 1 to the largest number
  double R = far;
  for (int k = 0; k < most; ++k) {
    for (int r = 0; r < rows(law); ++r) out[r] = -R * direction[r];
    prox(law, 1, out);
    double size = 0;
    for (int r = 0; r < rows(law); ++r) size = std::hypot(size, out[r]);
    if (!(enough * size > R)) return;
    R = far * size;
  }
}

}  // namespace saltus
