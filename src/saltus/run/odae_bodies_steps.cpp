// Steps of LocatedBodies: with fixed modes, past corners, and by time stepping where no modes fit.
#include <algorithm>
#include <cmath>

#include "saltus/run/odae_located_bodies.hpp"

namespace saltus {

// To the end of a step of the grid; false when the run is over. Where no modes fit, or so many events follow
// each other that they are not told apart, the rest of the step is one of time stepping, in which the contact
// solver decides. Where it is so again soon, more of such steps follow.
bool LocatedBodies::advance(double end, double h) {
  if (left_ > 0 && time_step(end)) {
    --left_, ++stepped_;
    return true;
  }
  left_ = 0;
  if ((settled_ || begin()) && locate_to(end, h)) {
    block_ = std::max(1, block_ / 2);
    return settled_ = true;
  }
  left_ = block_ - 1, block_ = std::min(2 * block_, longest_block);
  if (reason_.empty()) reason_ = fmt::format("at t = {:.6g}: {}", now_.t, result_.message);
  const std::string first = result_.message;
  result_.status = RunStatus::finished, result_.message.clear(), passage.clear(), list_.clear();
  settled_ = false;
  if (end - now_.t > 1e-14 * std::max(std::abs(end), h) && !time_step(end)) return context_.fail_with(first);
  ++stepped_;
  return true;
}

// A step of that length into next_; shorter ones where Newton's iteration fails.
bool LocatedBodies::step(double& tau) {
  for (int halves = 0;; ++halves) {
    report_ = stepper_.locked_step(now_, tau, next_);
    count_work(result_, report_);
    if (report_.status == StepStatus::ok) return true;
    if (halves == 6 || !context_.rules.is_cut(report_.status)) return false;
    tau /= 2;
  }
}

// Sliding friction may make the forces of contacts grow without bound (Painlevé's paradox): then a step
// changes velocities by much more than forces and what moves account for.
bool LocatedBodies::jams(const Vec& before, double tau) {
  constexpr double many = 100;
  if (next_.u.norm() <= 10 * before.norm() || now_.contacts.closed.empty() || !look(now_)) return false;
  const double was = events_.kinetic(before), forced = tau * tau * events_.kinetic(events_.swing());
  return events_.kinetic(next_.u) > many * (was + forced);
}
bool LocatedBodies::jammed() {
  return context_.fail_with(
      fmt::format("contacts that slide at t = {:.9g} jam, no finite forces fit their friction", now_.t));
}

bool LocatedBodies::time_step(double end) {
  const double tau = end - now_.t;
  stepper_.release_directions();
  report_ = stepper_.step(now_, tau, next_);
  count_work(result_, report_);
  if (report_.status != StepStatus::ok) return false;
  next_.t = end;
  if (context_.rules.is_wrong(now_, next_, equal_steps_see, passage)) return false;
  accumulate(result_, report_);
  ++result_.stats.steps;
  const auto events = detector_.detect(now_, next_, report_);
  if (context_.sink) context_.sink({now_, next_, report_, events, true, multipliers_});
  std::swap(now_, next_);
  return true;
}

bool LocatedBodies::no_step(double tau) {
  return context_.fail_with(context_.rules.failure(context_.method, now_, tau, report_));
}

// A corner that leaves the end of a side: the normal of its contact turns at once, and no step satisfies both
// sides. The contact opens, and a step that is short passes the place. What touches beyond it is another
// contact.
bool LocatedBodies::pass_corner(double tau) {
  const std::uint64_t id = report_.status == StepStatus::newton_diverged ? turned_contact(2 * tau) : nobody;
  if (id == nobody || !look(now_)) return false;
  const StepReport failed = report_;
  next_ = now_;
  if (!settle(id, {}, false)) return false;
  finish_change({});
  stepper_.release_directions();
  report_ = stepper_.locked_step(now_, tau, next_);
  count_work(result_, report_);
  if (report_.status == StepStatus::ok) return accept(false);
  report_ = failed;
  return false;
}

// A closed contact whose normal is another one after so short a time, as if nothing held it.
std::uint64_t LocatedBodies::turned_contact(double tau) {
  constexpr double turned = 0.1;
  if (!look(now_)) return nobody;
  const ContactSet here = events_.contacts();
  trial_ = now_;
  trial_.t += tau;
  bodies_.retract(now_.q, tau * now_.u, trial_.q);
  if (!events_.look(trial_.t, trial_.q, trial_.u, options_.h)) return nobody;
  const auto normal = [&](const ContactSet& set, int row) {
    Vec w = Vec::Zero(now_.u.size());
    set.Wt.add_to(row, 1, w.data());
    return w;
  };
  for (const Contact& c : here.contacts) {
    const auto* held = now_.contacts.find(c.id);
    if (!held || !held->has_gap || !held->resting) continue;
    const Vec before = normal(here, c.row);
    for (const Contact& other : events_.contacts().contacts)
      if (other.id == c.id &&
          (normal(events_.contacts(), other.row) - before).norm() > turned * before.norm())
        return c.id;
  }
  return nobody;
}

}  // namespace saltus
