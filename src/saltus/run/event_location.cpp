// Event capturing, the half that looks: trial steps, and the bracket around the first event. The functions
// whose signs tell events are in event_watches.cpp; the half that acts on them is event_capturing.cpp.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/cubic.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/event_capturing.hpp"
#include "saltus/scheme/runge_kutta/explicit_steps.hpp"

namespace saltus {

// A step of length s for its watches alone: where nothing is closed, no force is evaluated.
EventCapture::Attempt EventCapture::look_at(double s, Trial& out) {
  if (!is_free()) return try_step(s, out);
  out.s = s;
  if (flow_->step(x_.t, x_.q, x_.u, s, out.q, out.u) != StepStatus::ok) return try_step(s, out);
  flow_->dynamics().place(x_.t + s, out.q);
  look(out.q, out.u, s, out.watches);
  out.flagged = false;
  for (Watch& w : out.watches) {
    if (!std::isfinite(w.value)) return try_step(s, out);
    out.flagged = flag(w) || out.flagged;
  }
  return Attempt::done;
}

// A step of length s with its watches. `diverged`: Newton's method found no stages, perhaps because a force
// jumps on the way; any other failure ends the run.
EventCapture::Attempt EventCapture::try_step(double s, Trial& out) {
  out.s = s;
  StepStatus status = flow_->step(x_.t, x_.q, x_.u, s, out.q, out.u);
  if (status == StepStatus::ok) status = accelerate(x_.t + s, out.q, out.u);
  if (status == StepStatus::newton_diverged) return Attempt::diverged;
  if (const double stable = flow_->stable_step(); status == StepStatus::not_finite && stable > 0) {
    end_with(fmt::format(unstable_steps, options_.h, stable));
    return Attempt::failed;
  }
  if (status != StepStatus::ok) {
    fail(fmt::format("{} (step {:.3g}){}", to_string(status), s, contradiction(status)), status);
    return Attempt::failed;
  }
  look(out.q, out.u, s, out.watches);
  bool forces = false;
  out.flagged = false;
  for (Watch& w : out.watches) {
    if (!std::isfinite(w.value)) {
      const std::string name = w.tells == Tells::kink ? "that is compliant" : system_.contact_name(w.contact);
      fail(fmt::format("{}: contact {}, {:.3g} later", to_string(StepStatus::gap_not_finite), name, s),
           StepStatus::gap_not_finite);
      return Attempt::failed;
    }
    out.flagged = flag(w) || out.flagged;
    forces = forces || (w.flagged && (w.tells == Tells::force || w.tells == Tells::cone));
  }
  if (!forces || !flow_->dynamics().redundant()) return Attempt::done;
  // a load that matters is shared anew where it breaks a law, if it has not just been: shares may be on the
  // edge of what the law allows, and break it again at once
  const double patience = std::max(8 * critical_step(), 1.01 * step_length());
  if (flow_->dynamics().load_matters() && x_.t + s - shared_at_ > patience) return Attempt::done;
  if (!admissible(x_.t + s, out.q, out.u)) return Attempt::done;
  out.flagged = false;
  for (Watch& w : out.watches) {
    if (w.tells == Tells::force || w.tells == Tells::cone) w.flagged = false;
    out.flagged = out.flagged || w.flagged;
  }
  return Attempt::done;
}

// A trial step over out.s, or over a shorter one where Newton's method fails or bodies would go through each
// other unseen. `diverged`: a critical step is still too long.
EventCapture::Attempt EventCapture::try_shorter(Trial& out, bool& whole) {
  const double least = 2 * critical_step();
  for (double s = out.s;; s /= 2, whole = false) {
    std::string why;
    const Attempt attempt = try_step(s, out);
    if (attempt == Attempt::failed) return attempt;
    if (attempt == Attempt::done && !went_through(system_, x_.t, x_.q, x_.t + s, out.q, why)) return attempt;
    if (s > least) continue;
    if (attempt == Attempt::diverged) return attempt;
    result_.status = RunStatus::failed, result_.message = std::move(why);
    return Attempt::failed;
  }
}

EventCapture::Attempt EventCapture::first_trial(double left, bool& whole) {
  const double stop = std::max(0.3 * until_stop(), critical_step());
  whole = stop >= left;
  trial_.s = whole ? left : stop;
  return try_shorter(trial_, whole);
}

// Closing counts when the gap is gone and the contact approaches, or was apart before; the others when they
// change sign. What is below the rounding of a gap is no approach.
bool EventCapture::flag(Watch& w) const {
  w.flagged = false;
  if (w.tells == Tells::gap) {
    if (w.value > 0) return false;
    const Watch* before = find(now_, w);
    const bool was_apart = !before || before->value > before->rounding;
    w.flagged = was_apart || (w.rate < 0 && w.value < -w.rounding);
    if (w.rate >= 0 && contains(released_, w.contact)) w.flagged = false;
  } else if (w.tells == Tells::kink) {
    const Watch* before = find(now_, w);
    const bool was_apart = !before || before->value > 0;
    w.flagged = was_apart ? w.value < -w.rounding : w.value > w.rounding;
  } else {
    w.flagged = w.value < -w.rounding;
  }
  return w.flagged;
}

// Where a gap may have dipped below zero and come back within s, by the cubic through values and rates at
// both ends; 0 when none did.
double EventCapture::dip(const std::vector<Watch>& begin, const std::vector<Watch>& end, double s) {
  double first = 0;
  for (const Watch& b : end) {
    if ((b.tells != Tells::gap && b.tells != Tells::kink) || !(b.rate > 0)) continue;
    const Watch* a = find(begin, b);
    if (!a || (b.tells == Tells::kink && !(a->value > 0))) continue;
    const auto [low, where] = cubic_minimum(a->value, a->rate, b.value, b.rate, s);
    if (low < -a->rounding && where > 0 && (first == 0 || where < first)) first = where;
  }
  return first;
}

// The same where the trial step shows no event: its part up to the dip is then the trial.
bool EventCapture::look_inside() {
  if (trial_.flagged) return true;
  const double s = dip(trial_);
  if (!(s > 0)) return true;
  if (const Attempt attempt = try_step(s, probe_); attempt != Attempt::done)
    return attempt == Attempt::diverged;
  bool below = probe_.flagged;
  for (Watch& w : probe_.watches)
    if (w.tells == Tells::gap && w.value < -w.rounding) below = w.flagged = true;
  if (!below) return true;
  probe_.flagged = true;
  std::swap(trial_, probe_);
  return true;
}

// Velocities that the rounding of accelerations makes in a step: no slip has a direction below that.
double EventCapture::slip_rounding() const {
  return 64 * std::numeric_limits<double>::epsilon() * acceleration_scale_ * usual_length();
}

// Calls visit(first row, rows) for every slip of the closed contacts, but those that begin.
template <class Visit>
void EventCapture::for_each_closed_slip(Visit visit) const {
  auto f = closed_.begin();
  for (const Contact& c : flow_->dynamics().contacts().contacts) {
    while (f != closed_.end() && f->id < c.id) ++f;
    if (f == closed_.end()) return;
    if (f->id == c.id && !contains(beginning_, f->id))
      for_each_slip(*f, system_.laws()[c.law], [&](int first, int n) { visit(c.row + first, n); });
  }
}

// Whether some slip in several directions has none yet but the one in which it begins.
bool EventCapture::begins_to_slip() const {
  const ClosedDynamics& d = flow_->dynamics();
  bool begins = !beginning_.empty();
  for_each_closed_slip([&](int first, int n) {
    double speed = 0;
    for (int r = first; r < first + n; ++r) speed = std::hypot(speed, d.gamma(r, x_.u));
    begins = begins || (n > 1 && speed <= slip_rounding());
  });
  return begins;
}

// Slip in several directions ends in a point where its direction turns ever faster. Steps that approach it by
// a fixed share of the time that is left follow it there, unless friction hardly stops it: friction turns it
// towards its course at the rate of its acceleration over the speed, and longer steps of explicit methods are
// thrown from one side of it to the other. Steps by tolerance see that in their errors.
double EventCapture::until_stop() const {
  constexpr double turns = 5;
  double least = infinity;
  const ClosedDynamics& d = flow_->dynamics();
  for_each_closed_slip([&](int first, int n) {
    double speed = 0, change = 0;
    for (int r = first; n > 1 && r < first + n; ++r) {
      const double gamma = d.gamma(r, x_.u);
      speed = std::hypot(speed, gamma);
      change += gamma * d.contacts().Wt.dot(r, a_.data());
    }
    if (!(change < 0 && speed > slip_rounding())) return;
    least = std::min(least, speed * speed / -change);
    if (equal_steps_) least = std::min(least, turns * speed / acceleration_scale_);
  });
  return least;
}

// The first root of the flagged functions by the secant (of g(s)/s for a flight that began on the contact),
// or by Newton's step where that is from close by.
double EventCapture::secant(const Trial& lo, const Trial& hi) const {
  const double width = hi.s - lo.s;
  double root = hi.s;
  for (const Watch& b : hi.watches) {
    if (!b.flagged) continue;
    const Watch *start = find(now_, b), *a = lo.s > 0 ? find(lo.watches, b) : start;
    double fa = a ? a->value : 0, fb = b.value;
    if (start && b.tells == Tells::gap && start->value <= critical_step() * std::abs(start->rate)) {
      fa = lo.s > 0 ? fa / lo.s : start->rate;
      fb /= hi.s;
    }
    if (newton_ && b.tells == Tells::gap && a) {
      const bool near = std::abs(b.value) < std::abs(a->value);
      const Watch& from = near ? b : *a;
      const double at = (near ? hi.s : lo.s) - from.value / from.rate;
      if (from.rate < 0 && at >= lo.s && at <= hi.s) {
        root = std::min(root, at);
        continue;
      }
    }
    const bool crosses = b.tells == Tells::kink ? fa * fb < 0 : fa > 0 && fb < 0 && b.tells != Tells::edge;
    root = std::min(root, lo.s + width * (crosses ? fa / (fa - fb) : 0.5));
  }
  return root;
}

// Shrinks [lo, hi] (no event at lo, one at hi) to the critical length: the secants' root, then a point just
// beyond and just before; bisection when slow. Where Newton's method fails in between, what is before that is
// searched, and where nothing is found there the step ends without an event.
bool EventCapture::locate(Trial& lo, Trial& hi) {
  const double critical = location_width(), guess = std::exchange(guess_, 0);
  const int bisect = guess > 0 ? 0 : 2;
  double wall = infinity;  // steps of this length fail
  for (int k = 0; std::min(hi.s, wall) - lo.s > critical; ++k) {
    if (k > 300) return fail("an event could not be bracketed", StepStatus::newton_diverged);
    const double width = std::min(hi.s, wall) - lo.s, root = secant(lo, hi);
    double s = root;
    if (k == 0 && guess > 0)
      s = guess + 0.45 * critical;
    else if (k % 3 == bisect || wall < hi.s)
      s = lo.s + 0.5 * width;  // never slower than a bisection every third time
    else if (hi.s - root > 0.5 * critical)
      s = root + 0.45 * critical;
    else
      s = root - 0.45 * critical;
    if (!(s > lo.s + 1e-3 * critical && s < hi.s - 1e-3 * critical)) s = lo.s + 0.5 * width;
    if (!(s > lo.s && s < hi.s)) return true;  // neighbouring numbers
    const Attempt attempt = look_at(s, probe_);
    if (attempt == Attempt::failed) return false;
    if (attempt == Attempt::diverged)
      wall = s;
    else
      std::swap(probe_, probe_.flagged ? hi : lo);
  }
  if (wall < hi.s) hi.flagged = false;
  return true;
}

}  // namespace saltus
