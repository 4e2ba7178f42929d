// Impacts that act on each other and are closer in time than their distance is known: their order, or that
// they come together, may decide what follows, and two runs may have the same one by chance.
#pragma once
#include <optional>

#include "saltus/study/event_match.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

struct UncertainOrder {
  EventMark first, second;
  double error = 0;  ///< of the time between them
  double from = 0;   ///< the time of the first, the earlier of both runs
  double apart() const { return second.t - first.t; }
  /// In which another run that takes the two together looks for the second: there they may be farther apart.
  double together() const;
};

/// The first such pair of the first run that changes velocities by more than `negligible` of their size.
/// Where there are joints or the list of contacts changes, any two may act on each other.
std::optional<UncertainOrder> uncertain_order(const EventMatch& events, const System& system, double t,
                                              const Vec& q, double negligible);

}  // namespace saltus
