// Runs by tolerance, what gaps do within a step: by the ends of the step where those tell enough, by looks at
// the dense output where they do not.
#include <algorithm>
#include <cmath>

#include "saltus/run/cubic.hpp"
#include "saltus/run/tolerance.hpp"

namespace saltus {
namespace {

// Pieces of the longest step in which events are looked for.
constexpr int most_shares = 4;

}  // namespace

// By the quintic through all six values. It changes its sign as often as its Bernstein coefficients at most;
// what it may be wrong by is less than its distance to the cubic through values and rates. Open means farther
// than `near` where it turns.
ToleranceCapture::Course ToleranceCapture::Bend::course(double near) const {
  const double from = s / 5 * r0, to = -s / 5 * r1;
  const double second = g0 + 2 * from + s * s / 20 * a0, third = g1 + 2 * to + s * s / 20 * a1;
  const double second_off = std::abs(second - (0.7 * g0 + 0.3 * g1 + from + 0.5 * to));
  const double third_off = std::abs(third - (0.3 * g0 + 0.7 * g1 + 0.5 * from + to));
  const auto sign = [](double x, double off) { return x > off ? 1 : x < -off ? -1 : 0; };
  const double turn = r0 < 0 && r1 > 0 ? near : 0;
  const int signs[] = {sign(g0 + from, turn), sign(second, second_off + turn), sign(third, third_off + turn),
                       sign(g1 + to, turn), sign(g1, 0)};
  if (!(signs[0] > 0) || !std::is_sorted(std::rbegin(signs), std::rend(signs))) return Course::unclear;
  return signs[4] > 0 ? Course::open : signs[4] < 0 ? Course::closes : Course::unclear;
}

// By Newton's method, by bisection where that leaves the bracket.
double ToleranceCapture::Bend::root() const {
  const double rise = g1 - g0, v0 = s * r0, v1 = s * r1, b0 = s * s * a0, b1 = s * s * a1;
  const double c[] = {g0,
                      v0,
                      0.5 * b0,
                      10 * rise - 6 * v0 - 4 * v1 - 1.5 * b0 + 0.5 * b1,
                      -15 * rise + 8 * v0 + 7 * v1 + 1.5 * b0 - b1,
                      6 * rise - 3 * (v0 + v1) - 0.5 * (b0 - b1)};
  double lo = 0, hi = 1, x = 0.75;
  for (int k = 0; k < 20; ++k) {
    double value = c[5], slope = 0;
    for (int i = 4; i >= 0; --i) slope = slope * x + value, value = value * x + c[i];
    (value > 0 ? lo : hi) = x;
    const double next = x - value / slope;
    const bool good = slope < 0 && next > lo && next < hi;
    if (good && std::abs(next - x) < 4 * unit_roundoff) break;
    x = good ? next : 0.5 * (lo + hi);
  }
  return s * x;
}

// Where nothing is closed and gaps are linear in q, so that they are as smooth as the motion, both ends of
// the trial step say which of them close within it. True: no state in between is needed, and guess_ is where
// the first one does. False: nothing is certain.
bool ToleranceCapture::foresee() {
  guess_ = 0;
  if (!shape_.constant_directions || !is_free() || now_.size() != trial_.watches.size()) return false;
  ClosedDynamics& d = flow_->dynamics();
  d.row_accelerations(x_.t + trial_.s, trial_.q, trial_.u, a_, end_rate_, row_scale_);
  if (row_rate_.size() != end_rate_.size()) return false;
  auto contact = d.contacts().contacts.begin();
  double first = trial_.s;
  for (std::size_t k = 0; k < now_.size(); ++k) {
    const Watch &a = now_[k], &b = trial_.watches[k];
    if (a.tells != Tells::gap || b.tells != Tells::gap || a.contact != b.contact) return false;
    while (contact->id != a.contact) ++contact;
    const Bend bend{
        trial_.s, a.value, a.rate, row_rate_[contact->row], b.value, b.rate, end_rate_[contact->row]};
    const Course course = bend.course(a.rate < 0 && b.rate > 0 ? nearness(a.contact) : 0);
    if (course == Course::unclear || (course == Course::closes) != b.flagged || a.value < -a.rounding)
      return false;
    if (course == Course::closes) first = std::min(first, bend.root());
  }
  if (trial_.flagged) guess_ = first;
  return true;
}

// The size of a gap: what its coordinates have moved it by at most.
double ToleranceCapture::gap_size(std::uint64_t contact, double* weights) const {
  const ContactSet& set = flow_->dynamics().contacts();
  const auto c = std::lower_bound(set.contacts.begin(), set.contacts.end(), contact,
                                  [](const Contact& x, std::uint64_t id) { return x.id < id; });
  double size = 0;
  if (c == set.contacts.end() || c->id != contact) return size;
  for (const auto& e : set.Wt.row(c->row)) {
    size += std::abs(e.value) * q_size_[e.column];
    if (weights) weights[e.column] = std::abs(e.value);
  }
  return size;
}

// A gap that turns at less than that may have closed within the error of the run.
double ToleranceCapture::nearness(std::uint64_t contact) const {
  constexpr double tolerances = 1e3;
  return tolerances * options_.rtol * gap_size(contact);
}

// A gap that turned without an impact: the closest of all, relative to its size, is kept.
void ToleranceCapture::keep_approach(std::uint64_t contact, double t, double gap) {
  const double size = gap_size(contact);
  ClosestApproach& closest = result_.closest;
  if (!(size > 0) || !(gap < closest.share * size)) return;
  closest.contact = contact, closest.t = t, closest.gap = std::max(gap, 0.0), closest.share = gap / size;
  closest.weights.setZero(shape_.nu);
  gap_size(contact, closest.weights.data());
}

// Whether a gap turns between two looks and dips below zero: probe_ is then a state where it does. While it
// turns a gap is convex, and above its tangents. Where those meet far above zero it is open; else the state
// at the minimum of the cubic is looked at, and the side on which the gap turns is searched again.
EventCapture::Attempt ToleranceCapture::find_dip(const Trial& from, const Trial& to, bool& found) {
  // gaps of bodies with corners have kinks, and are no less than zero there by more than the cubic shows
  const bool corners = shape_.kinked_gaps || shape_.changing_contacts;
  const int most_looks = corners ? 1 : 30;
  found = false;
  if (corners && to.flagged) return Attempt::done;
  for (const Watch& b : to.watches) {
    if ((b.tells != Tells::gap && b.tells != Tells::kink) || !(b.rate > 0) || b.flagged) continue;
    const Watch* a = find(from.watches, b);
    if (!a || (b.tells == Tells::kink && !(a->value > 0))) continue;
    double lo = from.s, hi = to.s, g0 = a->value, r0 = a->rate, g1 = b.value, r1 = b.rate;
    if ((!(r0 < 0) || corners) && !(cubic_minimum(g0, r0, g1, r1, hi - lo).first < -a->rounding)) continue;
    const double near = b.tells == Tells::gap ? nearness(b.contact) : 0;
    for (int k = 0; k < most_looks; ++k) {
      const double s = hi - lo, meet = (g0 - g1 + r1 * s) / (r1 - r0), bound = g0 + r0 * meet;
      if (r0 < 0 && bound > near) break;
      auto [low, where] = cubic_minimum(g0, r0, g1, r1, s);
      const bool clear = r0 < 0 && low - bound < 0.1 * std::max(low, a->rounding);
      if (clear && low > 0) {
        // one that has just parted comes from zero, not close to it
        if (b.tells == Tells::gap && a->value > std::max(a->rounding, 2 * low))
          keep_approach(b.contact, x_.t + lo + where, low);
        break;
      }
      if (!(where > 0 && where < s)) where = 0.5 * s;
      if (!(lo + where > lo && lo + where < hi)) break;
      if (const Attempt attempt = look_at(lo + where, probe_); attempt != Attempt::done) return attempt;
      for (Watch& w : probe_.watches)
        if (w.tells == Tells::gap && w.value < -w.rounding) probe_.flagged = w.flagged = true;
      if (probe_.flagged) {
        found = true;
        return Attempt::done;
      }
      const Watch* w = find(probe_.watches, b);
      if (!w || w->rate == 0) break;
      if (w->rate < 0)
        lo += where, g0 = w->value, r0 = w->rate;
      else
        hi = lo + where, g1 = w->value, r1 = w->rate;
    }
  }
  return Attempt::done;
}

// As many as the longest step has in so many radians of the gaps, where gaps are smooth and all there is.
int ToleranceCapture::pieces_of(double s) const {
  const auto is_gap = [](const Watch& w) { return w.tells == Tells::gap; };
  if (shape_.changing_contacts || shape_.kinked_gaps || !shape_.flat || !is_free() ||
      !std::all_of(trial_.watches.begin(), trial_.watches.end(), is_gap))
    return most_shares;
  const double share = s / (most_gap_radians * gap_radian_);
  return std::clamp(static_cast<int>(std::ceil(most_shares * std::min(share, 1.0))), 1, most_shares);
}

// Long steps hide events that come and go: all functions are looked at within the step, too.
bool ToleranceCapture::look_inside() {
  if (trial_.watches.empty() || foresee()) return true;
  const double s = trial_.s;
  const int pieces = pieces_of(s);
  last_node_.s = 0, last_node_.watches = now_;
  for (int k = 1; k <= pieces; ++k) {
    if (k < pieces) {
      if (const Attempt attempt = look_at(k * s / pieces, node_); attempt != Attempt::done)
        return attempt == Attempt::diverged;
    } else {
      std::swap(node_, trial_);
    }
    for (bool dips = true; dips;) {  // before one that dips another may
      if (find_dip(last_node_, node_, dips) == Attempt::failed) return false;
      if (dips) std::swap(node_, probe_);
    }
    if (node_.flagged || k == pieces) {
      std::swap(trial_, node_);
      return true;
    }
    std::swap(last_node_, node_);
  }
  return true;
}

// What is fast is off inside a step of Radau by as much as the step is accurate, and hardly at its end. One
// that began inside would have to follow how it comes back: the step is made again, to end at the event.
bool ToleranceCapture::locate(Trial& lo, Trial& hi) {
  if (!EventCapture::locate(lo, hi)) return false;
  if (!steps_->by_radau() || !hi.flagged) return true;
  constexpr int tries = 4;
  StepStatus status = StepStatus::newton_diverged;
  double s = 2 * hi.s;
  for (int k = 0; k < tries && status != StepStatus::ok; ++k)
    status = steps_->end_at(x_.t, x_.q, x_.u, s *= 0.5, scales_);
  if (status != StepStatus::ok) return fail(std::string(to_string(status)), status);
  if (look_at(s, node_) != Attempt::done) return false;
  if (s == hi.s && node_.flagged) {
    std::swap(hi, node_);
    lo.s = 0, lo.q = x_.q, lo.u = x_.u, lo.watches = now_, lo.flagged = false;
    return EventCapture::locate(lo, hi);
  }
  std::swap(lo, node_);
  hi.flagged = false;
  return true;
}

}  // namespace saltus
