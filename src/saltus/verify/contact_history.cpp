#include "saltus/verify/contact_history.hpp"

#include <algorithm>

namespace saltus {
namespace {

bool is_closing(EventKind kind) {
  return kind == EventKind::close || kind == EventKind::accumulation;
}

// A contact that goes on in another mode.
EventKind change_of(Mode was, Mode is) {
  if (is == Mode::stick) return EventKind::stick;
  if (was == Mode::stick) return EventKind::slip;
  if (is == Mode::roll) return EventKind::stick;
  return was == Mode::roll ? EventKind::slip : EventKind::reverse;
}

// Whether a contact can be in this mode after such an event; null: nothing is recorded after it.
bool can_follow(EventKind kind, Mode was, const Mode* is) {
  if (kind == EventKind::slip && is && *is == Mode::stick) return false;
  if (kind == EventKind::reverse && is && *is == Mode::stick) return false;
  if (kind == EventKind::stick && is && *is != Mode::stick && *is != Mode::roll) return false;
  if (is) return true;
  if (kind == EventKind::stick) return was != Mode::stick;
  return kind == EventKind::slip ? was == Mode::stick || was == Mode::roll
                                 : was == Mode::slip || was == Mode::slip_back;
}

}  // namespace

void ContactHistory::tell(const Event& e, bool rebounds) {
  if ((e.kind == EventKind::impact) != (e.impulse.size() > 0))
    find(fmt::format("the {} of {} at t = {:.12g} has {} impulse", to_string(e.kind), name_(e.contact), e.t,
                     e.impulse.size() > 0 ? "an" : "no"));
  if (e.kind == EventKind::impact) {
    Bounces& b = bounces_[e.contact];
    const double interval = b.total > 0 ? e.t - b.last : infinity;
    b.count = b.total == 0 ? 1 : b.total == 1 || interval < b.interval ? b.count + 1 : 2;
    ++b.total, b.last = e.t, b.interval = interval;
    return;
  }
  told_.push_back(e);
  if (!is_closing(e.kind)) return;
  // four impacts in ever shorter flights make an accumulation; at the height of rounding some are longer
  constexpr int several = 4;
  Bounces& b = bounces_[e.contact];
  if (e.kind == EventKind::accumulation && b.total < several)
    find(fmt::format("{} is recorded as closed by an accumulation at t = {:.12g}, after {} impacts",
                     name_(e.contact), e.t, b.total));
  if (e.kind == EventKind::close && b.count >= several && rebounds)
    find(fmt::format(
        "{} closes at t = {:.12g} after {} impacts in ever shorter flights, and no accumulation is recorded",
        name_(e.contact), e.t, b.count));
  if (e.kind == EventKind::accumulation) b.count = 0, b.total = 1;  // the last one begins what follows
}

// What the events say of a contact, from a step on in which it was closed or not.
ContactHistory::Turns ContactHistory::follow(std::uint64_t contact, bool was_closed) {
  Turns out{was_closed, false, {}};
  for (const Event& e : told_) {
    if (e.contact != contact) continue;
    const bool closes = is_closing(e.kind);
    if (out.closed == closes)
      find(fmt::format("{} is recorded to {} at t = {:.12g}, but is {} there", name_(contact),
                       to_string(e.kind), e.t, closes ? "closed already" : "not closed"));
    if (closes || e.kind == EventKind::open)
      out.closed = closes, out.toggled = true;
    else
      out.modes.push_back(&e);
  }
  return out;
}

void ContactHistory::compare(std::uint64_t contact, const Mode* was, const Mode* is, double t) {
  const Turns turns = follow(contact, was != nullptr);
  const std::string name = name_(contact);
  if (turns.closed != (is != nullptr))
    return find(is ? fmt::format("{} acts from t = {:.12g} on, and no event records that it closed", name, t)
                   : fmt::format("{} has no record from t = {:.12g} on, and no event records that it opened",
                                 name, t));
  if (turns.toggled || !was || !is) return;
  const auto& modes = turns.modes;
  if (modes.empty() && *was != *is)
    return find(fmt::format("{} goes from mode {} to {} at t = {:.12g}, and no event records it", name,
                            to_string(*was), to_string(*is), t));
  if (modes.empty()) return;
  const EventKind told = modes.back()->kind;
  if (modes.size() == 1 ? *was == *is || told != change_of(*was, *is) : !can_follow(told, *was, is))
    find(fmt::format("the {} of {} at t = {:.12g} is none: it goes from mode {} to {}", to_string(told), name,
                     modes.back()->t, to_string(*was), to_string(*is)));
}

void ContactHistory::go_on(double from, double to, std::span<const Acting> closed) {
  std::map<std::uint64_t, Mode> now;
  for (const Acting& a : closed) now[a.contact] = a.mode;
  std::set<std::uint64_t> all;
  for (const auto& [id, mode] : now) all.insert(id);
  for (const auto& [id, mode] : closed_) all.insert(id);
  for (const Event& e : told_) all.insert(e.contact);
  for (const std::uint64_t id : all) {
    const auto was = closed_.find(id), is = now.find(id);
    if (always_.contains(id) && (was == closed_.end() || is == now.end())) continue;
    compare(id, was == closed_.end() ? nullptr : &was->second, is == now.end() ? nullptr : &is->second, from);
  }
  for (const std::uint64_t id : always_)
    if (!now.contains(id)) find(fmt::format("{} has no record in the step to t = {:.12g}", name_(id), to));
  closed_ = std::move(now);
  told_.clear();
  last_.assign(closed.begin(), closed.end());
}

void ContactHistory::hit(double from, double to, std::span<const Acting> touched,
                         std::span<const Event> events) {
  auto e =
      std::lower_bound(events.begin(), events.end(), to, [](const Event& x, double t) { return x.t < t; });
  for (; e != events.end() && e->t == to; ++e) {
    if (e->kind != EventKind::impact) continue;
    const std::string name = name_(e->contact);
    if (e->t_before != from)
      find(fmt::format(
          "the impact of {} at t = {:.12g} is recorded to begin at {:.12g}; its step begins at {:.12g}", name,
          to, e->t_before, from));
    const auto a = std::find_if(touched.begin(), touched.end(),
                                [&](const Acting& x) { return x.contact == e->contact; });
    if (a == touched.end() || a->impulse.size() != e->impulse.size() || a->impulse != e->impulse)
      find(fmt::format("the impact of {} at t = {:.12g} has another impulse than the record of its step",
                       name, to));
    if (follow(e->contact, closed_.contains(e->contact)).closed)
      find(fmt::format("{} is recorded as hit at t = {:.12g}, but is closed already", name, to));
  }
  last_.assign(touched.begin(), touched.end());
}

void ContactHistory::stand(double t, std::span<const Acting> closed) {
  const bool same =
      std::equal(closed.begin(), closed.end(), last_.begin(), last_.end(),
                 [](const auto& a, const auto& b) { return a.contact == b.contact && a.mode == b.mode; });
  if (!same) find(fmt::format("two records at t = {:.12g} have other contacts or modes", t));
  for (const Acting& a : closed)
    if (!a.impulse.isZero(0))
      find(fmt::format("{} has an impulse at t = {:.12g} where no time passes", name_(a.contact), t));
}

void ContactHistory::end() {
  std::set<std::uint64_t> all;
  for (const Event& e : told_) all.insert(e.contact);
  for (const std::uint64_t id : all) {
    const auto was = closed_.find(id);
    const Turns turns = follow(id, was != closed_.end());
    if (turns.toggled || turns.modes.empty() || was == closed_.end()) continue;
    const EventKind told = turns.modes.front()->kind;
    if (!can_follow(told, was->second, nullptr))
      find(fmt::format("the {} of {} at t = {:.12g} is none: it was in mode {}", to_string(told), name_(id),
                       turns.modes.front()->t, to_string(was->second)));
  }
}

}  // namespace saltus
