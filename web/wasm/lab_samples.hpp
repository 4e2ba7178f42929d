// The samples, events and contacts of a file of results as a trajectory. They are a stranger's: what cannot
// be is refused.
#pragma once
#include <span>

#include "saltus/run/problem.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus::web {

/// One row after the other, as docs/reference/results.md has them.
struct Samples {
  static constexpr std::size_t event_width = 10, contact_width = 10;
  std::span<const double> t, q, u;
  std::span<const double> dense;  ///< start, length, end, and coefficients of q, then of u
  std::span<const double>
      events;  ///< t, kind, energy loss, the bits of the contact's id, six impulses or NaN
  /// The sample that ends their time, the bits of the id, mode, rows, six impulses.
  std::span<const double> contacts;
};

/// Throws Error.
Trajectory trajectory_of(const Problem& problem, const Samples& given);

}  // namespace saltus::web
