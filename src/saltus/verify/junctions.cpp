// Where two pieces meet: without time between them nothing may jump; over the short step of an impact the
// impulses of its contacts explain the change of velocities, and obey their laws.
#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/verify/verifier.hpp"

namespace saltus {

std::vector<const Event*> Verifier::events_in(double t0, double t1) const {
  std::vector<const Event*> out;
  const auto& events = x_.events();
  auto e = std::lower_bound(events.begin(), events.end(), t0,
                            [](const Event& event, double t) { return event.t < t; });
  for (; e != events.end() && e->t <= t1; ++e)
    if (e->t > t0 || e->t_before == t0) out.push_back(&*e);
  return out;
}

std::vector<int> Verifier::samples_within(double t0, double t1) const {
  std::vector<int> out;
  int first = 0;
  for (int count = x_.size(); count > 0;) {
    const int half = count / 2;
    if (x_.t(first + half) <= t0)
      first += half + 1, count -= half + 1;
    else
      count = half;
  }
  for (; first < x_.size() && x_.t(first) < t1; ++first) out.push_back(first);
  return out;
}

// From one piece to the next: impacts in a row have samples between them.
void Verifier::between(double t0, Point before, double t1, const Point& after) {
  if (t1 - t0 > longest_hole()) return;  // told
  for (const int i : samples_within(t0, t1)) {
    Point there = sample(i);
    meet(t0, x_.t(i), before, there);
    t0 = x_.t(i), before = std::move(there);
  }
  meet(t0, t1, before, after);
}

void Verifier::meet(double t0, double t1, const Point& before, const Point& after) {
  const double w = t1 - t0;
  const auto events = events_in(t0, t1);
  if (!look_at_both_ends(t0, t1, before, after, events)) return;
  const ContactSet& set = now_.contacts();
  const std::vector<double>& minus = bracket_.minus;
  // positions go on with a velocity between both
  const Vec gap = places_.difference(before.q, after.q) - 0.5 * w * (before.u + after.u);
  const double jump = now_.velocity_norm(gap);
  out_.jump.take(gap.lpNorm<Eigen::Infinity>(), jump > 0 ? jump / scales_.position : jump, t1);
  rest_ = -w * now_.force();
  now_.mass().multiply_add(1, after.u - before.u, rest_);
  std::vector<std::uint64_t> done;
  double loss = 0;
  for (const Event* e : events) {
    if (e->impulse.size() == 0) continue;
    if (w == 0)
      find(fmt::format("an impact at t = {:.12g} has an impulse, and no velocity jumps there", e->t));
    const auto c = std::find_if(set.contacts.begin(), set.contacts.end(),
                                [&](const Contact& other) { return other.id == e->contact; });
    if (c == set.contacts.end() || rows(now_.law(*c)) != e->impulse.size()) {
      find(fmt::format("the impact of {} at t = {:.12g} is of a contact that is not there",
                       system_.contact_name(e->contact), e->t));
      continue;
    }
    for (int r = 0; r < e->impulse.size(); ++r) set.Wt.add_to(c->row + r, -e->impulse[r], rest_.data());
    impact(*e, w, Eigen::Map<const Vec>(minus.data() + c->row, e->impulse.size()));
    for (int r = 0; r < e->impulse.size(); ++r)
      loss -= 0.5 * e->impulse[r] * (minus[c->row + r] + now_.gamma(c->row + r)),
          work_done_ -= e->impulse[r] * set.drift[c->row + r];
    done.push_back(e->contact);
  }
  react(t1, w, done);
  for (const Contact& c : set.contacts)
    for (int r = c.row; r < c.row + rows(now_.law(c)); ++r)
      if (const double P = now_.lambda()[r]; P != 0)
        loss -= 0.5 * P * (minus[r] + now_.gamma(r)), work_done_ -= P * set.drift[r];
  impacts_ += loss;
  if (w > 0 && out_.dense) unspoken(t1, events);
  if (w > 0 && !done.empty() && out_.dense) losses(t1, events);  // others count where they are not at an end
  const double size = beyond(now_.force_norm(rest_), bracket_.push);
  out_.impulse.take(rest_.lpNorm<Eigen::Infinity>(), size > 0 ? size / scales_.velocity : size, t1,
                    done.empty() ? std::string() : system_.contact_name(done.front()));
}

// Takes the impulses of contacts that no event tells from rest_. Those that stay closed have any; one that
// was approaching has been hit, unless others can do the same without it: what lies close together shares its
// load in many ways.
void Verifier::react(double t, double w, const std::vector<std::uint64_t>& done) {
  constexpr double share = 0.1;
  const Vec all = rest_;
  now_.subtract_reactions(Equations::Level::impulse, w, done, rest_);
  if (!out_.dense) return;
  const ContactSet& set = now_.contacts();
  const std::vector<double>& minus = bracket_.minus;
  std::vector<const Contact*> hit;
  Vec blow = Vec::Zero(rest_.size());
  for (const Contact& c : set.contacts) {
    if (!needs_closed_gap(now_.law(c)) || minus[c.row] >= -10 * part_ * now_.rate_scale(c.row) ||
        now_.lambda()[c.row] * now_.compliance(c) <= -share * minus[c.row])
      continue;
    hit.push_back(&c);
    for (int r = c.row; r < c.row + rows(now_.law(c)); ++r) set.Wt.add_to(r, now_.lambda()[r], blow.data());
  }
  if (hit.empty()) return;
  std::vector<std::uint64_t> without = done;
  for (const Contact* c : hit) without.push_back(c->id);
  const Vec with_them = std::exchange(rest_, all);
  now_.subtract_reactions(Equations::Level::impulse, w, without, rest_);
  if (now_.force_norm(rest_) <= now_.force_norm(with_them) + share * now_.force_norm(blow)) return;
  for (const Contact* c : hit)
    find(fmt::format("{} hits at t = {:.12g} with the velocity {:.6g}, and no event records it",
                     system_.contact_name(c->id), t, minus[c->row]));
}

void Verifier::junctions() {
  const auto& pieces = x_.pieces();
  if (pieces.empty()) return;
  const int last = x_.size() - 1;
  at(pieces.front(), pieces.front().start, point_);
  between(x_.t(0), sample(0), pieces.front().start, point_);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    at(pieces[i - 1], pieces[i - 1].end, other_), at(pieces[i], pieces[i].start, point_);
    between(pieces[i - 1].end, other_, pieces[i].start, point_);
  }
  at(pieces.back(), pieces.back().end, point_);
  const double end = std::min(x_.t(last), out_.stepped_from);
  if (end < pieces.back().end) return;
  const auto behind = samples_within(std::nextafter(end, -infinity), infinity);
  if (!behind.empty())
    between(pieces.back().end, point_, end, sample(end == x_.t(last) ? last : behind.front()));
}

}  // namespace saltus
