#include "saltus/run/event.hpp"

#include <algorithm>

namespace saltus {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::impact:
      return "impact";
    case EventKind::close:
      return "close";
    case EventKind::open:
      return "open";
    case EventKind::stick:
      return "stick";
    case EventKind::slip:
      return "slip";
    case EventKind::reverse:
      return "reverse";
    case EventKind::accumulation:
      return "accumulation";
  }
  return "?";
}

EventKind kind_of_switch(Mode from, Mode to, bool moving_in) {
  if (from == Mode::open) return moving_in ? EventKind::impact : EventKind::close;
  if (to == Mode::open) return EventKind::open;
  if (is_constraint(to)) return EventKind::stick;
  return is_constraint(from) ? EventKind::slip : EventKind::reverse;
}

void share_loss(std::span<Event> events, double total) {
  double own = 0;
  for (const Event& e : events)
    if (e.kind == EventKind::impact) own += std::max(0.0, e.energy_loss);
  if (!(own > 0) || std::abs(total - own) <= 1e-14 * own) return;
  for (Event& e : events)
    if (e.kind == EventKind::impact) e.energy_loss = std::max(0.0, e.energy_loss) * (total / own);
}

void EventDetector::note(EventKind kind, const State& x0, const State& x1, const StepReport& report,
                         const ContactMemory::Record& now, Mode from, bool with_impulse) {
  Event e;
  e.from = from, e.to = kind == EventKind::open ? Mode::open : now.mode;
  e.t_before = x0.t, e.t = x1.t, e.contact = now.id, e.kind = kind;
  if (with_impulse) {
    const int n = now.rows;
    e.impulse = Eigen::Map<const Vec>(x1.contacts.impulse.data() + now.offset, n);
    e.u_minus = Eigen::Map<const Vec>(report.u_minus.data() + now.offset, n);
    e.u_plus = Eigen::Map<const Vec>(report.u_plus.data() + now.offset, n);
    e.energy_loss = -0.5 * e.impulse.dot(e.u_minus + e.u_plus);
  }
  events_.push_back(std::move(e));
}

void EventDetector::keep() {
  before_ = lasting_;
  kept_ = true;
}

std::span<const Event> EventDetector::compare(const State& x0, const State& x1, const StepReport& report) {
  events_.clear();
  kept_ = false;
  lasting_.swap(before_);
  lasting_.clear();
  const auto& before = x0.contacts.closed;
  const auto& after = x1.contacts.closed;
  auto b = before.begin();
  auto a = after.begin();
  auto l = before_.begin();
  const auto was_lasting = [&](std::uint64_t id) {
    while (l != before_.end() && *l < id) ++l;
    return l != before_.end() && *l == id;
  };
  double own = 0, given = 0;  // losses of impacts; of other contacts, those that gave back
  while (b != before.end() || a != after.end()) {
    if (a == after.end() || (b != before.end() && b->id < a->id)) {  // let go
      if (b->has_gap && was_lasting(b->id)) note(EventKind::open, x0, x1, report, *b, b->mode, false);
      ++b;
    } else if (b == before.end() || a->id < b->id) {  // newly closed
      if (a->has_gap) {
        const bool approaching = report.u_minus[a->offset] < 0;
        note(approaching ? EventKind::impact : EventKind::close, x0, x1, report, *a, Mode::open, true);
        if (approaching)
          own += events_.back().energy_loss;
        else
          lasting_.push_back(a->id), given += std::min(0.0, events_.back().energy_loss);
      }
      ++a;
    } else {  // stays closed
      if (a->has_gap && !was_lasting(a->id)) note(EventKind::close, x0, x1, report, *a, b->mode, true);
      if (a->mode != b->mode)
        note(kind_of_switch(b->mode, a->mode, false), x0, x1, report, *a, b->mode, true);
      if (a->has_gap) lasting_.push_back(a->id);
      double loss = 0;
      for (int r = a->offset; r < a->offset + a->rows; ++r)
        loss -= 0.5 * x1.contacts.impulse[r] * (report.u_minus[r] + report.u_plus[r]);
      given += std::min(0.0, loss);
      ++a, ++b;
    }
  }
  if (given < 0) share_loss(events_, own + given);  // friction elsewhere is not the impacts' doing
  return events_;
}

}  // namespace saltus
