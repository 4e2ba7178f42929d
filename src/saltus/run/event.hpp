// Events: what the contacts did in a step, told from the memories before and after it.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "saltus/scheme/stepper.hpp"
#include "saltus/system/state.hpp"

namespace saltus {

enum class EventKind : std::uint8_t { impact, close, open, stick, slip, reverse, accumulation };
std::string_view to_string(EventKind kind);

struct Event {
  double t = 0, t_before = 0;  ///< it happened in ]t_before, t]
  std::uint64_t contact = 0;
  EventKind kind = EventKind::impact;
  Mode from = Mode::open, to = Mode::open;  ///< what the law did before and after
  Block impulse, u_minus, u_plus;           ///< normal first; empty where the contact exchanged no impulse
  /// What the contact took from the system, −½ P·(u⁻ + u⁺); of impacts at one instant see share_loss().
  double energy_loss = 0;
};

/// The event of a contact that changes its mode; `moving_in`: with γ⁻ < 0.
EventKind kind_of_switch(Mode from, Mode to, bool moving_in);

/// Impacts at one instant act on each other and on contacts that stay closed or part: only the sum over all
/// of them, P·(γ⁻ + γ⁺)/2, is what the system loses, and single terms of it may be negative. The impacts
/// among the events of an instant share that `total` in proportion to their own losses.
void share_loss(std::span<Event> events, double total);

/// impact: an approaching contact got an impulse. close: a contact stays closed (a second step in a row, or
/// from the start). open: it lets go. stick, slip, reverse: friction changes its mode.
class EventDetector {
 public:
  /// The events between two consecutive states; valid until the next call.
  std::span<const Event> detect(const State& x0, const State& x1, const StepReport& report) {
    if (unchanged(x0.contacts, x1.contacts)) {
      if (!kept_) keep();
      return {};
    }
    return compare(x0, x1, report);
  }
  /// Back to a state: a step was looked at and then rejected.
  void forget() { lasting_ = before_, kept_ = true; }
  template <class Memory>
  void memory(Memory& m) {
    m(lasting_);
    kept_ = false;
  }

 private:
  bool unchanged(const ContactMemory& before, const ContactMemory& after) const;
  void keep();
  // before_ is what lasted before the step; fills lasting_.
  std::span<const Event> compare(const State& x0, const State& x1, const StepReport& report);
  void note(EventKind kind, const State& x0, const State& x1, const StepReport& report,
            const ContactMemory::Record& now, Mode from, bool with_impulse);

  std::vector<Event> events_;
  std::vector<std::uint64_t> lasting_,
      before_;        // contacts closed for two steps or more; before the last look
  bool kept_ = true;  // both are equal
};

// The same contacts as before, in the same modes, and all have lasted: most steps of what flies or lies
// there.
inline bool EventDetector::unchanged(const ContactMemory& before, const ContactMemory& after) const {
  if (before.closed.size() != after.closed.size()) return false;
  auto l = lasting_.begin();
  auto b = before.closed.begin();
  for (const auto& a : after.closed) {
    if (b->id != a.id || b->mode != a.mode) return false;
    if (a.has_gap && (l == lasting_.end() || *l++ != a.id)) return false;
    ++b;
  }
  return l == lasting_.end();
}

}  // namespace saltus
