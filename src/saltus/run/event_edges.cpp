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

bool EventCapture::just_behind_edge(double time) const {
  return x_.t + hi_.s - edge_passed_ <= 4 * std::max(time, critical_step());
}

// Two corners that meet while one of them slides on the other body: their gap may be below zero by its
// rounding, and by what the step left the sliding contact from closed. Behind the edge they are apart again,
// or do not approach: no impact, and hi moves there.
void EventCapture::look_behind_corners() {
  constexpr double roundings = 1024, drifts = 16, farthest = 1e-4;
  double drift = 0, ahead = 0;
  const double least = 4 * std::numeric_limits<double>::epsilon() * largest(hi_.q);
  for (const auto* watches : {&lo_.watches, &hi_.watches})
    for (const Watch& w : *watches) drift = std::max(drift, w.off);
  for (const Watch& w : hi_.watches)
    if (w.flagged && w.tells == Tells::gap && w.rate < 0)
      ahead = std::max(ahead, (roundings * std::max(w.rounding, least) + drifts * drift) / -w.rate);
  if (ahead == 0 || ahead > farthest * usual_length()) return;
  bool edge = just_behind_edge(ahead);
  if (closed_.empty() && !edge) return;
  probe_.s = hi_.s + ahead, probe_.u = hi_.u, probe_.watches = hi_.watches;
  if (shape_.flat) {
    combine(1, hi_.q, ahead, hi_.u, probe_.q = hi_.q);
  } else {
    probe_.q.resize(hi_.q.size());
    system_.retract(hi_.q, Vec(ahead * hi_.u), probe_.q);
  }
  if (!accelerations_.evaluate(x_.t + probe_.s, probe_.q, probe_.u)) return;
  bool parts = false;
  for (Watch& w : probe_.watches) {
    const bool watched = (w.tells == Tells::gap && w.flagged) || w.tells == Tells::edge;
    const double rate = w.rate;
    w.flagged = false;
    if (!watched || !move_watch(w)) continue;
    edge = edge || (w.tells == Tells::edge && w.flagged);
    parts = parts || (w.tells == Tells::gap && (w.value > w.rounding || w.rate > 0.5 * rate));
  }
  if (edge && parts) std::swap(hi_, probe_);
}

// To the place where accelerations were evaluated last. False: the contact is not listed there.
bool EventCapture::move_watch(Watch& w) const {
  constexpr double small = 1e-3;
  const ContactSet& set = accelerations_.contacts();
  const auto c = std::lower_bound(set.contacts.begin(), set.contacts.end(), w.contact,
                                  [](const Contact& a, std::uint64_t id) { return a.id < id; });
  if (c == set.contacts.end() || c->id != w.contact) return false;
  w.rate = accelerations_.gamma(c->row);
  if (w.tells == Tells::gap) {
    w.value = set.gap[c->row];
    w.flagged = w.value <= 0;
    return true;
  }
  double speed = std::abs(set.drift[c->row]);
  for (const auto& e : set.Wt.row(c->row)) speed += std::abs(e.value * probe_.u[e.column]);
  w.flagged = std::abs(w.rate) > small * speed;
  w.value = w.flagged ? -1 : 1;
  return true;
}

// By the rates of its gap on both sides of the edge: it approaches no more, or parts by more than an error.
bool EventCapture::comes_over_edge(double before, double behind) const {
  constexpr double error = 1e-3;
  if (closed_.empty() && !just_behind_edge(hi_.s - lo_.s)) return false;
  double fastest = 0;
  for (const Watch& w : hi_.watches)
    if (w.tells == Tells::gap) fastest = std::max(fastest, std::abs(w.rate));
  return before < 0 ? behind > 0.5 * before : behind > error * fastest;
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
  edge_passed_ = x_.t;
  for (const auto& f : closed_)
    if (!contains(edges, f.id)) insert(touched, f.id);
  if (!entering.empty()) {
    if (!flat_edges_++)
      result_.warnings.push_back(fmt::format(
          "at t = {:.9g} a corner passed a corner where bodies lie flat on each other (contact {}): rounding "
          "decides which of them carries; compare with another tolerance or step",
          x_.t, system_.contact_name(entering.front())));
    for (const std::uint64_t id : edges) {
      if (const FrozenContact* f = frozen(id)) note(EventKind::open, id, f->mode, Mode::open, t_before);
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

// The force of a compliant contact may jump where it touches or parts: the step ends before that, and one as
// short as the bracket leads over it. With a stage at its end, a step that ended behind would count the force
// there for a part of its whole length.
bool EventCapture::cross_kinks() {
  const double width = hi_.s - lo_.s;
  accept(lo_, false);
  const Attempt attempt = try_step(std::min(width, target_ - x_.t), probe_);
  if (attempt == Attempt::failed) return false;
  if (attempt == Attempt::diverged) return impact(std::min(width, target_ - x_.t));
  accept(probe_, target_ - x_.t - probe_.s <= negligible());
  return true;
}

}  // namespace saltus
