// Event capturing, corners that pass corners. A contact that slid over an edge has another normal beyond it,
// and nothing holds it there: it is let go just before. One that enters comes over an edge, too: its gap
// closed along one side, and behind the edge its normal is that of another, along which it does not approach.
// What it does is decided there. Where two corners meet, gaps of both are zero for an instant without an
// impact: what arrives within the bracket is one only if it still approaches behind the edge.
#include <algorithm>

#include "saltus/linalg/loops.hpp"
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/event_capturing.hpp"

namespace saltus {

// Two corners that meet while one of them slides on the other body: their gap may be below zero by its
// rounding, and by what the step left the sliding contact from closed. Behind that they are apart again, or
// do not approach: no impact, and hi moves there.
void EventCapture::look_behind_corners() {
  constexpr double roundings = 1024, drifts = 16;
  double drift = 0, ahead = 0;
  for (const auto* watches : {&lo_.watches, &hi_.watches})
    for (const Watch& w : *watches) drift = std::max(drift, w.drift);
  for (const Watch& w : hi_.watches)
    if (w.flagged && w.tells == Tells::gap && w.rate < 0)
      ahead = std::max(ahead, (roundings * w.rounding + drifts * drift) / -w.rate);
  if (closed_.empty() || ahead == 0) return;
  probe_.s = hi_.s + ahead;
  combine(1, hi_.q, ahead, hi_.u, probe_.q = hi_.q);
  probe_.u = hi_.u;
  if (accelerate(x_.t + probe_.s, probe_.q, probe_.u) != StepStatus::ok) return;
  look(probe_.q, probe_.u, probe_.s, probe_.watches);
  probe_.flagged = true;
  for (Watch& w : probe_.watches)
    if (w.tells == Tells::gap || w.tells == Tells::edge) flag(w);
  for (const Watch& w : hi_.watches) {
    const Watch* later = w.flagged && w.tells == Tells::gap ? find(probe_.watches, w) : nullptr;
    if (later && (later->value > later->rounding || later->rate > 0.5 * w.rate))
      return std::swap(hi_, probe_);
  }
}

bool EventCapture::pass_edges(const std::vector<std::uint64_t>& edges,
                              const std::vector<std::uint64_t>& entering) {
  // Stages of explicit tableaus that end just before an edge may lie behind it: ever shorter steps lead
  // there.
  constexpr double share = 0.9, last = 1e-5;
  if (equal_steps_ && lo_.s > last * step_length() && try_step(share * lo_.s, probe_) == Attempt::done &&
      !probe_.flagged) {
    accept(probe_, false);
    return true;
  }
  const double t_before = x_.t + lo_.s, width = hi_.s - lo_.s;
  std::vector<std::uint64_t> touched, meeting;
  for (const Watch& w : lo_.watches)
    if (w.tells == Tells::gap && w.value + 2 * width * w.rate <= w.rounding) insert(meeting, w.contact);
  if (lo_.s > 0) accept(lo_, false);
  before_ = x_;
  for (const auto& f : closed_)
    if (!contains(edges, f.id)) insert(touched, f.id);
  if (!entering.empty()) {
    for (const std::uint64_t id : edges) {
      note(EventKind::open, id, t_before);
      std::erase_if(closed_, [&](const FrozenContact& f) { return f.id == id; });
      insert(meeting, id);
    }
    flow_->freeze(closed_);
    begin_substep(width);
    hi_.s = width;
    accept_part(hi_, target_ - x_.t - width <= negligible(), false);
    for (const std::uint64_t id : entering) insert(touched, id);
  }
  for (const std::uint64_t id : meeting)
    if (!contains(entering, id)) insert(released_, id);
  return settle(touched, {}, t_before);
}

}  // namespace saltus
