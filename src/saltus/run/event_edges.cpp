// Event capturing, corners that pass corners. A contact that slid over an edge has another normal beyond it,
// and nothing holds it there: it is let go just before. One that enters comes over an edge, too: its gap
// closed along one side, and behind the edge its normal is that of another, along which it does not approach.
// What it does is decided there.
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/event_capturing.hpp"

namespace saltus {

bool EventCapture::pass_edges(const std::vector<std::uint64_t>& edges,
                              const std::vector<std::uint64_t>& entering) {
  const double t_before = x_.t + lo_.s, width = hi_.s - lo_.s;
  if (lo_.s > 0) accept(lo_, false);
  before_ = x_;
  std::vector<std::uint64_t> touched;
  for (const auto& f : closed_)
    if (!contains(edges, f.id)) insert(touched, f.id);
  if (entering.empty()) return settle(touched, {}, t_before);
  for (const std::uint64_t id : edges) {
    note(EventKind::open, id, t_before);
    std::erase_if(closed_, [&](const FrozenContact& f) { return f.id == id; });
  }
  flow_->freeze(closed_);
  begin_substep(width);
  hi_.s = width;
  accept_part(hi_, target_ - x_.t - width <= negligible(), false);
  for (const std::uint64_t id : entering) insert(touched, id);
  for (const std::uint64_t id : edges) insert(released_, id);
  return settle(touched, {}, t_before);
}

}  // namespace saltus
