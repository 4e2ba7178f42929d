// Event capturing, impacts: Moreau's step over a critical step, and their accumulations.
#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/event_capturing.hpp"
#include "saltus/run/remedy.hpp"
#include "saltus/scheme/kit/gap_report.hpp"
#include "saltus/scheme/moreau/moreau_jean_stepper.hpp"

namespace saltus {
namespace {

// Gaps that differ by so many roundings close together: over many steps rounding adds up.
constexpr double alike = 16;
// Flights of so many falls over the rounding of a gap are lost in it.
constexpr double falls = 4;

}  // namespace

// Whether open contacts that are hit together would close one after the other, by more than rounding.
bool EventCapture::order_is_lost(const std::vector<std::uint64_t>& closing) const {
  const auto& set = accelerations_.contacts();
  double first = infinity, last = 0, rounding = 0;
  for (const Contact& c : set.contacts) {
    if (!needs_closed_gap(system_.laws()[c.law]) || frozen(c.id) || !contains(closing, c.id)) continue;
    const double gap = set.gap[c.row], least = gap_rounding(set, c.row, x_.q, x_.u);
    const double approach = std::max(0.0, -accelerations_.gamma(c.row));
    const double left = gap > least ? gap / approach : 0;  // infinite for one that does not approach
    first = std::min(first, left), last = std::max(last, left);
    if (approach > 0) rounding = std::max(rounding, least / approach);
  }
  return last > first + alike * rounding + 4 * std::numeric_limits<double>::epsilon() * std::abs(x_.t);
}

// Accepts the step up to where the first gap of the bracket is zero, to first order, and returns the length
// of an impact that ends there: some roundings of the time. Either end of the bracket would be too early or
// too late by a part of its length, always with the same sign, and over many impacts that adds up. 0: the
// bracket has no such place.
double EventCapture::land() {
  constexpr double roundings = 4;
  double root = hi_.s;
  for (const Watch& b : hi_.watches) {
    if (!b.flagged || b.tells != Tells::gap) continue;
    const Watch* a = find(lo_.s > 0 ? lo_.watches : now_, b);
    if (!a || !(b.value <= 0)) return 0;
    // one that flew off may be zero already, but for its rounding
    const double part = a->value > 0 ? a->value / (a->value - b.value) : 0;
    root = std::min(root, lo_.s + (hi_.s - lo_.s) * part);
  }
  const double t = std::max(root, std::abs(x_.t + root));
  const double s = std::min(hi_.s - lo_.s, roundings * std::numeric_limits<double>::epsilon() * t);
  if (!(x_.t + (root - s) > x_.t) || !(s > 0)) return 0;
  if (flow_->step(x_.t, x_.q, x_.u, root, probe_.q, probe_.u) != StepStatus::ok) return 0;
  probe_.s = root - s;
  accept(probe_, false);
  return s;
}

bool EventCapture::impact(double s, const std::vector<std::uint64_t>& named, double together) {
  const double t_before = x_.t;
  before_ = x_;
  std::vector<std::uint64_t>& closing = striking_;
  closing.assign(named.begin(), named.end());
  for (const auto& f : closed_) insert(closing, f.id);
  if (!accelerations_.evaluate(x_.t, x_.q, x_.u))
    return fail("the mass matrix is singular or the force is not finite", StepStatus::not_finite);
  const auto& set = accelerations_.contacts();
  double fastest = 0;
  together = std::max({together, s, tie_time(), shape_.constant_directions ? critical_step() : 0.0});
  for (int r = 0; r < set.rows(); ++r) fastest = std::max(fastest, std::abs(accelerations_.gamma(r)));
  fastest_ = std::max(fastest_, fastest);
  parting_.clear();
  for (const Contact& c : set.contacts) {
    if (!needs_closed_gap(system_.laws()[c.law]) || contains(closing, c.id)) continue;
    const double near = set.gap[c.row] - alike * gap_rounding(set, c.row, x_.q, x_.u);
    // An open contact that parts is not hit, however close it is: what another impact does to it comes after
    // that one. Solved together they would rebound, where the sequence of ever closer impacts ends at rest.
    const double approach = -accelerations_.gamma(c.row);
    if (!(approach > velocity_rounding(c.row, false))) {
      if (near <= together * fastest) insert(parting_, c.id);
    } else if (near <= together * approach) {  // by its own speed: others may be of another size
      insert(closing, c.id);
    }
  }
  result_.ties += order_is_lost(closing);

  moreau_->force(closing, parting_);
  // the step is so short that the matrix of its first iteration is good enough for the others
  if (!equal_steps_) moreau_->share_matrix(true);
  report_ = moreau_->step(x_, s, after_);
  if (report_.status == StepStatus::contact_unsolved)
    return end_with("impact: " + unsolved_message(system_, method(), report_));
  if (report_.status != StepStatus::ok)
    return fail(fmt::format("critical step{}: {}",
                            closing.empty() ? "" : " of contact " + system_.contact_name(closing.front()),
                            to_string(report_.status)),
                report_.status);
  result_.residuals.contact = std::max(result_.residuals.contact, report_.contact_residual);
  std::swap(x_, after_);
  if (target_ - x_.t <= negligible()) x_.t = target_;  // events at the end are at the end itself
  struck_.clear();
  for (const auto& r : x_.contacts.closed) {
    if (!r.has_gap) continue;
    struck_.push_back(r.id);
    if (frozen(r.id) || !(report_.u_minus[r.offset] < 0)) continue;
    Event e;
    e.t = x_.t, e.t_before = t_before, e.contact = r.id, e.kind = EventKind::impact, e.to = r.mode;
    e.impulse = Eigen::Map<const Vec>(x_.contacts.impulse.data() + r.offset, r.rows);
    e.u_minus = Eigen::Map<const Vec>(report_.u_minus.data() + r.offset, r.rows);
    e.u_plus = Eigen::Map<const Vec>(report_.u_plus.data() + r.offset, r.rows);
    e.energy_loss = -0.5 * e.impulse.dot(e.u_minus + e.u_plus);
    count_bounce(r.id, x_.t);
    events_.push_back(std::move(e));
  }
  share_loss(events_, report_.contact_loss);
  result_.stats.contact_loss += report_.contact_loss;
  result_.stats.wall_work += report_.wall_work;
  if (!projection_.project(x_.t, x_.q, struck_) && !projection_.project(x_.t, x_.q))
    return fail("the impacting gaps could not be brought to zero", StepStatus::newton_diverged);
  released_.clear();
  end_collapse(closing);
  coarseness_ = unresolved();
  const bool settled = settle(closing, {}, t_before, true);
  coarseness_ = 1;
  if (!settled) return false;
  emit(x_.t == target_);
  return true;
}

// The length of a step in which velocities jump because no accelerations obey the laws. What forces do in a
// critical step may be less than the solver's residual, and then nothing jumps: the next one is longer.
double EventCapture::jump_step() {
  constexpr double soon = 4, longer = 4;
  const bool again = x_.t - jumped_ <= soon * jump_;
  jump_ = std::clamp(again ? longer * jump_ : 0, critical_step(), std::max(critical_step(), step_length()));
  jumped_ = x_.t + jump_;
  return jump_;
}

// Whether an event at the start of the step comes again and again, and changes nothing: the forces of the
// motion and those of the acceleration problem do not agree on it. Moreau's step passes over the place.
bool EventCapture::stalls() {
  constexpr int patience = 16;
  const auto same = [](const FrozenContact& a, const FrozenContact& b) {
    return a.id == b.id && a.mode == b.mode;
  };
  const bool stands =
      lo_.s == 0 && std::equal(old_.begin(), old_.end(), closed_.begin(), closed_.end(), same);
  stalls_ = stands ? std::min(stalls_ + 1, patience + 1) : 0;
  return stalls_ > patience && target_ > x_.t;
}

void EventCapture::count_bounce(std::uint64_t contact, double t) {
  const auto b = std::lower_bound(bounces_.begin(), bounces_.end(), contact,
                                  [](const Bounces& x, std::uint64_t id) { return x.contact < id; });
  if (b == bounces_.end() || b->contact != contact) {
    bounces_.insert(b, {.contact = contact, .count = 1, .last = t});
    return;
  }
  const double interval = t - b->last;
  b->longer = !(interval < b->interval);
  // flights must get shorter; at the height of rounding some do not, and it is the same accumulation still
  b->before = interval < 2 * b->interval ? std::max(b->before, b->longer ? b->count : 0) : 0;
  b->count = b->longer ? 2 : b->count + 1;
  b->interval = interval, b->last = t;
  constexpr double clearly = 0.9, other = 4;
  // flights in the rounding of the gap are of one length
  const double flight = std::max(interval, falls * fall_over_rounding(contact));
  const bool new_series = flight > other * b->shortest;
  b->stalled = new_series || flight < clearly * b->shortest ? 0 : std::min(b->stalled + 1, 1'000'000);
  if (b->stalled == 0) b->shortest = flight;
}

// Flights that are hardly longer than critical steps, or than a fall over the rounding of their gap, may stay
// so for ever: what comes with an impact, slip of another contact that it starts and that stops at once, is
// then as short as it can be located. What is decided after the impacts of such a contact takes all of that
// for rest; here is how many critical steps are that. Impacts in turn have an end of their own.
double EventCapture::unresolved() const {
  constexpr double longest = 64;
  constexpr int patience = 32;
  const double critical = options_.kappa * critical_step();
  for (const Event& e : events_) {
    const Bounces* b = e.kind == EventKind::impact ? bounces_of(e.contact) : nullptr;
    if (!b || b->stalled < patience || collapses(*b)) continue;
    const double fall = fall_over_rounding(e.contact);
    if (b->interval <= longest * std::max(critical, fall)) return std::max(longest, falls * fall / critical);
  }
  return 1;
}

// How long the accelerations at play take to open and close a gap by its rounding.
double EventCapture::fall_over_rounding(std::uint64_t contact) const {
  const ContactSet& set = accelerations_.contacts();
  for (const Contact& c : set.contacts)
    if (c.id == contact && acceleration_scale_ > 0)
      return 2 * std::sqrt(2 * gap_rounding(set, c.row, x_.q, x_.u) / acceleration_scale_);
  return 0;
}

const EventCapture::Bounces* EventCapture::bounces_of(std::uint64_t contact) const {
  const auto b = std::lower_bound(bounces_.begin(), bounces_.end(), contact,
                                  [](const Bounces& x, std::uint64_t id) { return x.contact < id; });
  return b != bounces_.end() && b->contact == contact ? &*b : nullptr;
}

bool EventCapture::bounces_on(std::uint64_t contact) const {
  const Bounces* b = bounces_of(contact);
  return b && b->longer;
}

void EventCapture::find_last_hits() {
  last_hit_ = hit_before_ = -infinity;
  for (const Bounces& b : bounces_) {
    if (b.last > last_hit_) hit_before_ = std::exchange(last_hit_, b.last);
    if (b.last < last_hit_) hit_before_ = std::max(hit_before_, b.last);
  }
}

bool EventCapture::collapses(const Bounces& b) const {
  // each of the others that is hit in turn takes a critical step, or some roundings of the time
  constexpr double turns = 16;
  const double rounding =
      64 * std::numeric_limits<double>::epsilon() * std::max(step_length(), std::abs(x_.t));
  const double longest = turns * std::max(options_.kappa * critical_step(), rounding);
  if (b.interval > longest || x_.t - b.last > longest) return false;
  return (b.last == last_hit_ ? hit_before_ : last_hit_) > b.last - b.interval;
}

const Law& EventCapture::law_of(std::uint64_t id) const {
  for (const Contact& c : accelerations_.contacts().contacts)
    if (c.id == id) return system_.laws()[c.law];
  saltus::fail("contact {} has no law", id);
}

// A contact stays closed. After four or more impacts with ever shorter flights and rebounds that is an
// accumulation of impacts: what is left of the geometric series of flights bounds how late it still could
// have closed.
void EventCapture::close(const FrozenContact& f, double t_before) {
  for (Bounces& b : bounces_)
    if (const int count = std::max(b.count, b.before);
        b.contact == f.id && count >= 4 && normal_restitution(law_of(f.id)) != 0) {
      const auto landing = std::find_if(landings_.begin(), landings_.end(),
                                        [&](const Landing& l) { return l.contact == f.id; });
      const double e = normal_restitution(law_of(f.id)).value_or(0);
      const double left =
          landing != landings_.end() && e < 1 ? 2 * landing->up / (landing->pressing * (1 - e)) : 0;
      // each critical step shifts an impact by up to h̄ and its rebound by a h̄, hence all that follows by
      // 2 h̄/(1 − e)
      const double bound = left + count * critical_step() * (1 + 2 / std::max(1 - e, 1e-16));
      result_.accumulations.push_back({f.id, x_.t + left, bound, count});
      b.count = b.before = 0;
      note(EventKind::accumulation, f.id, Mode::open, f.mode, t_before);
      return;
    }
  note(EventKind::close, f.id, Mode::open, f.mode, t_before);
}

}  // namespace saltus
