// Where two pieces meet: without time between them nothing may jump; over the short step of an impact the
// impulses of its contacts explain the change of velocities, and obey their laws.
#include <algorithm>
#include <cmath>

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

// The contact of an impact stays closed after it.
bool Verifier::settles(const Event& e) const {
  const auto now = events_in(e.t_before, e.t);
  return std::any_of(now.begin(), now.end(), [&](const Event* other) {
    return other->contact == e.contact &&
           (other->kind == EventKind::close || other->kind == EventKind::accumulation);
  });
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
  for (const int i : samples_within(t0, t1)) {
    Point there = sample(i);
    meet(t0, x_.t(i), before, there);
    t0 = x_.t(i), before = std::move(there);
  }
  meet(t0, t1, before, after);
}

void Verifier::meet(double t0, double t1, const Point& before, const Point& after) {
  const double w = t1 - t0;
  if (!now_.evaluate(t1, after.q, before.u)) return;
  const ContactSet& set = now_.contacts();
  std::vector<double> minus(set.gap.size());
  for (int r = 0; r < set.rows(); ++r) minus[r] = now_.gamma(r);
  if (!now_.evaluate(t1, after.q, after.u)) return;
  // positions go on with a velocity between both
  const Vec gap = after.q - before.q - 0.5 * w * (before.u + after.u);
  const double jump = now_.velocity_norm(gap);
  out_.jump.take(gap.lpNorm<Eigen::Infinity>(), jump > 0 ? jump / scales_.position : jump, t1);
  rest_ = -w * now_.force();
  now_.mass().multiply_add(1, after.u - before.u, rest_);
  std::vector<std::uint64_t> done;
  double loss = 0, told = 0;
  for (const Event* e : events_in(t0, t1)) {
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
    for (int r = 0; r < e->impulse.size(); ++r) {
      Vec pull = Vec::Zero(rest_.size());
      set.Wt.add_to(c->row + r, e->impulse[r], pull.data());
      rest_ -= pull;
    }
    impact(*e, w, Eigen::Map<const Vec>(minus.data() + c->row, e->impulse.size()));
    for (int r = 0; r < e->impulse.size(); ++r)
      loss -= 0.5 * e->impulse[r] * (minus[c->row + r] + now_.gamma(c->row + r)),
          work_done_ -= e->impulse[r] * set.drift[c->row + r];
    told += e->energy_loss;
    done.push_back(e->contact);
  }
  now_.subtract_reactions(Equations::Level::impulse, w, done, rest_);
  for (const Contact& c : set.contacts)
    if (out_.dense && needs_closed_gap(now_.law(c)) && minus[c.row] < -10 * part_ * now_.rate_scale(c.row) &&
        now_.lambda()[c.row] * now_.compliance(c) > -0.1 * minus[c.row])
      find(fmt::format("{} hits at t = {:.12g} with the velocity {:.6g}, and no event tells it",
                       system_.contact_name(c.id), t1, minus[c.row]));
  for (const Contact& c : set.contacts)
    for (int r = 0; r < rows(now_.law(c)); ++r)
      if (now_.lambda()[c.row + r] != 0)
        loss -= 0.5 * now_.lambda()[c.row + r] * (minus[c.row + r] + now_.gamma(c.row + r)),
            work_done_ -= now_.lambda()[c.row + r] * set.drift[c.row + r];
  impacts_ += loss;
  if (w > 0 && !done.empty() && out_.dense) {  // other methods count at a configuration of their own
    const double scale = std::max(kinetic_, std::abs(loss));
    if (std::abs(told - loss) > 10 * part_ * scale)
      find(fmt::format("impacts at t = {:.12g} are said to take {:.9g} of energy; they take {:.9g}", t1, told,
                       loss));
  }
  const double size = now_.force_norm(rest_);
  out_.impulse.take(rest_.lpNorm<Eigen::Infinity>(), size > 0 ? size / scales_.velocity : size, t1,
                    done.empty() ? std::string() : system_.contact_name(done.front()));
}

// now_ is after the impact.
void Verifier::impact(const Event& e, double w, const Vec& minus) {
  ++out_.impacts;
  const ContactSet& set = now_.contacts();
  const auto c = std::find_if(set.contacts.begin(), set.contacts.end(),
                              [&](const Contact& other) { return other.id == e.contact; });
  const Law& law = now_.law(*c);
  const auto n = static_cast<int>(e.impulse.size());
  const std::string name = system_.contact_name(e.contact);
  const double reach = 10 * part_;
  if (std::abs(set.gap[c->row]) > reach * now_.gap_scale(c->row))
    find(fmt::format("the impact of {} at t = {:.12g} is at a gap of {:.3g}", name, e.t, set.gap[c->row]));
  Block y = Block::Zero(n);
  restitution(law, minus.data(), y.data());
  double speed = 0;
  for (int r = 0; r < n; ++r) {
    const double plus = now_.gamma(c->row + r), scale = now_.rate_scale(c->row + r);
    y[r] += plus, speed = std::max(speed, scale);
    if (std::abs(e.u_minus[r] - minus[r]) > reach * scale || std::abs(e.u_plus[r] - plus) > reach * scale)
      find(
          fmt::format("{} at t = {:.12g} is said to change its velocity from {:.9g} to {:.9g}; it goes "
                      "from {:.9g} to {:.9g}",
                      name, e.t, e.u_minus[r], e.u_plus[r], minus[r], plus));
  }
  // −y ∈ N_C(P): how far y is from a velocity that has exactly this impulse
  const double G = now_.compliance(*c);
  Block P = e.impulse - y / G;
  prox(law, w, P.data());
  const Block off = G * (e.impulse - P);
  if (needs_closed_gap(law) && -minus[0] > reach * now_.rate_scale(c->row) && !settles(e))
    out_.restitution.take(std::abs(off[0] / minus[0]), std::abs(off[0] / minus[0]), e.t, name);
  else
    out_.closing.take(std::abs(off[0]), std::abs(off[0]) / now_.rate_scale(c->row), e.t, name);
  for (int r = 1; r < n; ++r) out_.closing.take(std::abs(off[r]), std::abs(off[r]) / speed, e.t, name);
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
