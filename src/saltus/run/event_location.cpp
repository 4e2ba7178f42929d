// Event capturing, the half that looks: trial steps, the functions whose signs tell events, and the bracket
// around the first one. The half that acts on what is found is event_capturing.cpp.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/cubic.hpp"
#include "saltus/run/event_capturing.hpp"

namespace saltus {

// The functions whose signs indicate events, at the state the dynamics was evaluated last.
void EventCapture::look(const Vec& u, std::vector<Watch>& out) const {
  out.clear();
  const ClosedDynamics& d = flow_.dynamics();
  const auto laws = system_.laws();
  for (int i = 0; i < static_cast<int>(d.contacts().contacts.size()); ++i) {
    const Contact& c = d.contacts().contacts[i];
    const Law& law = laws[c.law];
    if (std::holds_alternative<Equality>(law)) continue;
    const FrozenContact* f = frozen(c.id);
    if (needs_closed_gap(law)) {
      if (!f) {
        out.push_back({i, EventKind::close, d.contacts().gap[c.row], d.gamma(c.row, u)});
        continue;
      }
      out.push_back({i, EventKind::open, d.lambda(c.row), 0});
      const auto* friction = std::get_if<Coulomb>(&law);
      if (!friction || f->mode == Mode::closed) continue;
      if (f->mode == Mode::stick) {
        const double t1 = d.lambda(c.row + 1), t2 = friction->tangents == 2 ? d.lambda(c.row + 2) : 0;
        out.push_back({i, EventKind::slip, friction->mu * d.lambda(c.row) - std::hypot(t1, t2), 0});
      } else if (friction->tangents == 1) {
        out.push_back(
            {i, EventKind::stick, (f->mode == Mode::slip_back ? -1 : 1) * d.gamma(c.row + 1, u), 0});
      } else {
        const double s1 = slip_start_.at(c.row), s2 = slip_start_.at(c.row + 1);
        out.push_back({i, EventKind::stick, s1 * d.gamma(c.row + 1, u) + s2 * d.gamma(c.row + 2, u), 0});
      }
    } else if (f && std::holds_alternative<Relay>(law)) {
      const auto& relay = std::get<Relay>(law);
      const double x = d.lambda(c.row);
      if (f->mode == Mode::stick)
        out.push_back({i, EventKind::slip, std::min(relay.upper - x, x - relay.lower), 0});
      else
        out.push_back({i, EventKind::stick, (f->mode == Mode::slip_back ? -1 : 1) * d.gamma(c.row, u), 0});
    }
  }
}

bool EventCapture::try_step(double s, Trial& out) {
  out.s = s;
  StepStatus status = flow_.step(x_.t, x_.q, x_.u, s, out.q, out.u);
  if (status == StepStatus::ok &&
      flow_.dynamics().acceleration(x_.t + s, out.q, out.u, a_) != ClosedDynamics::Status::ok)
    status = StepStatus::redundant_contacts;
  if (status == StepStatus::redundant_contacts)
    return fail(fmt::format("{}: contact {}", to_string(status),
                            system_.contact_name(flow_.dynamics().rank_deficient_contact())),
                status);
  if (status != StepStatus::ok) return fail(fmt::format("{} (step {:.3g})", to_string(status), s), status);
  look(out.u, out.watches);
  out.flagged = false;
  for (std::size_t k = 0; k < out.watches.size(); ++k) {
    if (!std::isfinite(out.watches[k].value))
      return fail(
          fmt::format("{}: contact {}, {:.3g} later", to_string(StepStatus::gap_not_finite),
                      system_.contact_name(flow_.dynamics().contacts().contacts[out.watches[k].contact].id),
                      s),
          StepStatus::gap_not_finite);
    out.flagged = flag(out.watches[k], now_[k]) || out.flagged;
  }
  return true;
}

// Closing counts when the gap is gone and the contact approaches, or was apart before; the others when they
// change sign.
bool EventCapture::flag(Watch& w, const Watch& before) const {
  if (w.kind == EventKind::close) {
    const std::uint64_t id = flow_.dynamics().contacts().contacts[w.contact].id;
    w.flagged = w.value <= 0 && (w.rate < 0 || before.value > 0) &&
                !(std::binary_search(released_.begin(), released_.end(), id) && w.rate >= 0);
  } else {
    w.flagged = w.value < 0;
  }
  return w.flagged;
}

// Where a gap may have dipped below zero and come back within the step; 0 when none did.
double EventCapture::dip(const Trial& end) const {
  double first = 0;
  for (std::size_t k = 0; k < end.watches.size(); ++k) {
    const Watch &a = now_[k], &b = end.watches[k];
    if (a.kind != EventKind::close || !(b.rate > 0)) continue;
    const auto [low, where] = cubic_minimum(a.value, a.rate, b.value, b.rate, end.s);
    if (low <= 0 && where > 0 && (first == 0 || where < first)) first = where;
  }
  return first;
}

// Shrinks [lo, hi] (no event at lo, one at hi) to the critical length: roots of the watched functions by the
// secant (of g(s)/s for a flight that began on the contact), then a point just beyond and just before;
// bisection when slow.
bool EventCapture::locate(Trial& lo, Trial& hi) {
  const double critical = critical_step();
  for (int k = 0; hi.s - lo.s > critical; ++k) {
    if (k > 300) return fail("an event could not be bracketed", StepStatus::newton_diverged);
    const double width = hi.s - lo.s;
    double root = hi.s;
    for (std::size_t j = 0; j < hi.watches.size(); ++j) {
      const Watch& b = hi.watches[j];
      if (!b.flagged) continue;
      double fa = lo.s > 0 ? lo.watches[j].value : now_[j].value, fb = b.value;
      if (b.kind == EventKind::close && now_[j].value <= critical * std::abs(now_[j].rate)) {
        fa = lo.s > 0 ? fa / lo.s : now_[j].rate;
        fb /= hi.s;
      }
      if (fa > 0 && fb < 0)
        root = std::min(root, lo.s + width * fa / (fa - fb));
      else
        root = std::min(root, lo.s + 0.5 * width);
    }
    double s = root;
    if (k % 3 == 2)
      s = lo.s + 0.5 * width;  // never slower than a bisection every third time
    else if (hi.s - root > 0.5 * critical)
      s = root + 0.45 * critical;
    else
      s = root - 0.45 * critical;
    if (!(s > lo.s + 1e-3 * critical && s < hi.s - 1e-3 * critical)) s = lo.s + 0.5 * width;
    if (!(s > lo.s && s < hi.s)) return true;  // neighbouring numbers
    if (!try_step(s, probe_)) return false;
    std::swap(probe_, probe_.flagged ? hi : lo);
  }
  return true;
}

}  // namespace saltus
