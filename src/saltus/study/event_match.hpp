// Whether two runs of one problem have the same events: contact by contact, so that contacts which act at the
// same instant may come in either order. Impacts just before a contact closes for good are many, and how many
// are resolved depends on the tolerance: they are no difference.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "saltus/run/event.hpp"
#include "saltus/run/memory.hpp"

namespace saltus {

/// What is kept of an event.
struct EventMark {
  double t = 0, t_before = 0;
  std::uint64_t contact = 0;
  EventKind kind = EventKind::impact;
  double jump = 0;  ///< of the velocities, the largest over its size
  void memory(Memory& m);
};

struct EventMatch {
  std::vector<std::pair<EventMark, EventMark>> pairs;  ///< of the two runs, contact by contact
  /// The first difference: what one run has and the other has not.
  struct Difference {
    double t = 0;
    EventMark event;
    bool in_first = true;  ///< the run that has it
  };
  std::optional<Difference> difference;
};

/// Events within `margin` of `t_end` may be missing in one of the runs.
EventMatch match_events(std::span<const EventMark> first, std::span<const EventMark> second, double t_end,
                        double margin);

}  // namespace saltus
