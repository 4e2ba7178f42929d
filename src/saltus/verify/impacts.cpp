// An impact: the numbers that its event tells are those of the motion, and obey the law of the contact. They
// belong together exactly; what is not counted is what the location of the impact leaves open.
#include <algorithm>
#include <cmath>

#include "saltus/verify/verifier.hpp"

namespace saltus {

double beyond(double value, double slack) {
  return value <= slack ? 0 : value - slack;  // and NaN stays what it is
}

// The impact happened somewhere between both ends: directions turned by what they differ by there, forces
// acted for a part of w, the impulses were solved for to a residual, and a contact that stays closed loses
// the rest of its velocity: a flight that nobody could tell from rounding. now_ is left at `after`.
bool Verifier::look_at_both_ends(double t0, double t1, const Point& before, const Point& after,
                                 const std::vector<const Event*>& events) {
  constexpr double rounding = 1e-12, most_residual = 1e-6, loose = 4;
  constexpr double height = 256 * std::numeric_limits<double>::epsilon();  // of a gap: that is rounding
  const double w = t1 - t0, solved = std::clamp(10 * claims_.residual, rounding, most_residual);
  std::map<std::uint64_t, std::vector<double>> sooner;  // γ⁻ and γ⁺ at the first end
  Vec turned = Vec::Zero(before.u.size());              // W P at the second end less that at the first
  const auto add_impulses = [&](double sign) {
    for (const Event* e : events)
      for (const Contact& c : now_.contacts().contacts)
        if (c.id == e->contact && e->impulse.size() == rows(now_.law(c)))
          for (int r = 0; r < e->impulse.size(); ++r)
            now_.contacts().Wt.add_to(c.row + r, sign * e->impulse[r], turned.data());
  };
  if (w > 0) {
    for (const Vec* u : {&before.u, &after.u}) {
      if (!now_.evaluate(t0, before.q, *u)) return false;
      for (const Contact& c : now_.contacts().contacts)
        for (int r = c.row; r < c.row + rows(now_.law(c)); ++r) sooner[c.id].push_back(now_.gamma(r));
    }
    add_impulses(-1);
  }
  if (!now_.evaluate(t1, after.q, before.u)) return false;
  const ContactSet& set = now_.contacts();
  bracket_.minus.resize(set.rows());
  for (int r = 0; r < set.rows(); ++r) bracket_.minus[r] = now_.gamma(r);
  if (!now_.evaluate(t1, after.q, after.u)) return false;
  double strength = now_.force_norm(now_.force());
  for (const Point* p : {&before, &after})
    if (p->u_rate.size() > 0) strength = std::max(strength, now_.velocity_norm(p->u_rate));
  if (w > 0) add_impulses(1);
  bracket_.push = loose * w * strength + now_.force_norm(turned) + solved * scales_.velocity;
  bracket_.sure.resize(set.rows());
  for (int r = 0; r < set.rows(); ++r)
    bracket_.sure[r] = bracket_.push * now_.row_norm(r) + solved * now_.rate_scale(r);
  for (const Contact& c : set.contacts) {
    const bool stays = stays_closed(c, events);
    const double norm = stays ? now_.row_norm(c.row) : 0;
    if (norm > 0)
      bracket_.push += (std::sqrt(height * now_.gap_scale(c.row) * strength * norm) +
                        out_.closing.limit * now_.rate_scale(c.row)) /
                       norm;
  }
  // the rest that a closing contact loses takes friction at the slip of the whole motion with it
  if (w > 0)
    unsure_energy_ += bracket_.push * std::max(now_.velocity_norm(before.u), now_.velocity_norm(after.u));
  bracket_.slack.assign(set.rows(), 0);
  for (const Contact& c : set.contacts) {
    const int n = rows(now_.law(c));
    const auto was = sooner.find(c.id);
    for (int r = 0; r < n; ++r) {
      const int row = c.row + r;
      double& slack = bracket_.slack[row];
      slack = bracket_.push * now_.row_norm(row) + solved * now_.rate_scale(row);
      if (was != sooner.end() && std::ssize(was->second) == 2 * n)
        slack +=
            std::abs(was->second[r] - bracket_.minus[row]) + std::abs(was->second[n + r] - now_.gamma(row));
    }
  }
  return true;
}

// It closes at this instant, or it is closed and goes on so: an impact elsewhere parts it by less than that
// flight.
bool Verifier::stays_closed(const Contact& c, const std::vector<const Event*>& events) const {
  bool flies = false;
  for (const Event* e : events) {
    if (e->contact != c.id) continue;
    if (e->kind == EventKind::close || e->kind == EventKind::accumulation) return true;
    flies = flies || e->kind == EventKind::open || e->kind == EventKind::impact;
  }
  return !flies && needs_closed_gap(now_.law(c)) && now_.closed(c) &&
         std::abs(now_.gamma(c.row)) <= part_ * now_.rate_scale(c.row);
}

double Verifier::unsure_velocity(int row) const {
  return bracket_.slack[row] + out_.closing.limit * now_.rate_scale(row);
}

// The contact of an impact stays closed after it.
bool Verifier::settles(const Event& e) const {
  const auto now = events_in(e.t_before, e.t);
  return std::any_of(now.begin(), now.end(), [&](const Event* other) {
    return other->contact == e.contact &&
           (other->kind == EventKind::close || other->kind == EventKind::accumulation);
  });
}

// A contact that closes and has an impulse in the records is hit, and has an event.
void Verifier::unspoken(double t, const std::vector<const Event*>& events) {
  const auto& atoms = x_.atoms();
  auto a = std::partition_point(atoms.begin(), atoms.end(), [&](const auto& x) { return x.t < t; });
  for (; a != atoms.end() && a->t == t; ++a)
    for (const Contact& c : now_.contacts().contacts)
      if (c.id == a->contact && needs_closed_gap(now_.law(c)) && x_.impulse(*a, 0) > 0 &&
          bracket_.minus[c.row] < -bracket_.sure[c.row] &&
          std::none_of(events.begin(), events.end(),
                       [&](const Event* e) { return e->contact == c.id && e->kind == EventKind::impact; }))
        find(fmt::format(
            "{} has an impulse at t = {:.12g}, where it closes with {:.3g}, and no event records it",
            system_.contact_name(c.id), t, -bracket_.minus[c.row]));
}

// The impacts of an instant share what all contacts took from the system, by their own −½ P·(u⁻ + u⁺); those
// of contacts that are no impacts come from the records. now_ is after them.
void Verifier::losses(double t, const std::vector<const Event*>& events) {
  constexpr double rounding = 1e-12;
  const auto own_of = [](const Event& e) { return -0.5 * e.impulse.dot(e.u_minus + e.u_plus); };
  double own = 0, plain = 0, told = 0, unsure = 0, others = 0, turnover = 0;
  for (const Event* e : events) {
    if (e->impulse.size() == 0) continue;
    own += std::max(0.0, own_of(*e)), plain += own_of(*e), told += e->energy_loss;
    turnover += std::abs(e->impulse.dot(e->u_minus)) + std::abs(e->impulse.dot(e->u_plus));
    for (const Contact& c : now_.contacts().contacts)
      for (int r = 0; c.id == e->contact && r < std::min<int>(e->impulse.size(), rows(now_.law(c))); ++r)
        unsure += std::abs(e->impulse[r]) * bracket_.slack[c.row + r];
  }
  const auto& atoms = x_.atoms();
  auto a = std::partition_point(atoms.begin(), atoms.end(), [&](const auto& x) { return x.t < t; });
  for (; a != atoms.end() && a->t == t; ++a) {
    if (std::any_of(events.begin(), events.end(),
                    [&](const Event* e) { return e->contact == a->contact && e->impulse.size() > 0; }))
      continue;
    for (const Contact& c : now_.contacts().contacts)
      for (int r = 0; c.id == a->contact && r < std::min(a->rows, rows(now_.law(c))); ++r) {
        const double P = x_.impulse(*a, r);
        others -= 0.5 * P * (bracket_.minus[c.row + r] + now_.gamma(c.row + r));
        unsure += std::abs(P) * unsure_velocity(c.row + r);
      }
  }
  unsure += rounding * turnover;
  double off = std::abs(told - plain - others);
  if (!(own > unsure)) off = std::min(off, std::abs(told - plain));  // nothing to share
  if (!(off <= unsure))
    find(fmt::format("impacts at t = {:.12g} are recorded to dissipate {:.9g}; they dissipate {:.9g}", t,
                     told, plain + others));
  for (const Event* e : events)
    if (e->impulse.size() > 0 && own > 0 && std::abs(told - plain) > rounding * turnover &&
        !(std::abs(e->energy_loss * own - std::max(0.0, own_of(*e)) * told) <=
          rounding * turnover * std::max(own, std::abs(told))))
      find(fmt::format("the impact of {} at t = {:.12g} is recorded to dissipate {:.9g}; its share is {:.9g}",
                       system_.contact_name(e->contact), t, e->energy_loss,
                       std::max(0.0, own_of(*e)) * told / own));
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
  double speed = 0, slack = 0;
  for (int r = 0; r < n; ++r) {
    const double plus = now_.gamma(c->row + r), scale = now_.rate_scale(c->row + r);
    y[r] += plus, speed = std::max(speed, scale), slack = std::max(slack, bracket_.slack[c->row + r]);
    const double off = std::max(std::abs(e.u_minus[r] - minus[r]), std::abs(e.u_plus[r] - plus));
    const double most = out_.dense ? unsure_velocity(c->row + r) : reach * scale;
    if (!(off <= most))
      find(
          fmt::format("{} at t = {:.12g} is recorded to change its velocity from {:.9g} to {:.9g}; it goes "
                      "from {:.9g} to {:.9g}",
                      name, e.t, e.u_minus[r], e.u_plus[r], minus[r], plus));
  }
  // −y ∈ N_C(P): how far y is from a velocity that has exactly this impulse
  const double G = now_.compliance(*c);
  Block P = e.impulse - y / G;
  prox(law, w, P.data());
  const Block off = G * (e.impulse - P);
  const double normal = beyond(std::abs(off[0]), slack);
  if (needs_closed_gap(law) && -minus[0] > reach * now_.rate_scale(c->row) && !settles(e))
    out_.restitution.take(std::abs(off[0] / minus[0]), normal / std::abs(minus[0]), e.t, name);
  else
    out_.closing.take(std::abs(off[0]), normal / now_.rate_scale(c->row), e.t, name);
  for (int r = 1; r < n; ++r)
    out_.closing.take(std::abs(off[r]), beyond(std::abs(off[r]), slack) / speed, e.t, name);
}

}  // namespace saltus
