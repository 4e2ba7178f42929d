// The history of contacts. Records say which contacts were closed in every step, and how; every change from
// one step to the next needs the event that tells it, every event its change, and every impact its record.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "saltus/verify/contact_history.hpp"
#include "saltus/verify/verifier.hpp"

namespace saltus {

// Whether pieces follow each other from t0 to t1 without a jump.
bool Verifier::is_smooth(double t0, double t1) const {
  const auto& pieces = x_.pieces();
  auto p = std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& x) { return x.end <= t0; });
  if (p == pieces.end() || p->start > t0) return false;
  for (; p->end < t1; ++p)
    if (p + 1 == pieces.end() || (p + 1)->start != p->end) return false;
  return true;
}

// Contacts that act in the step from sample i − 1 to i.
std::vector<ContactHistory::Acting> Verifier::acting(int i, std::size_t& atom, bool& complete) {
  const auto& atoms = x_.atoms();
  const double t = x_.t(i);
  std::vector<ContactHistory::Acting> out;
  while (atom < atoms.size() && atoms[atom].t < t) ++atom, complete = false;
  for (; atom < atoms.size() && atoms[atom].t == t; ++atom) {
    const Trajectory::Atom& a = atoms[atom];
    if (!out.empty() && a.contact <= out.back().contact) break;  // of the next sample at this time
    Block P(a.rows);
    for (int r = 0; r < a.rows; ++r) P[r] = x_.impulse(a, r);
    out.push_back({a.contact, a.mode, std::move(P)});
  }
  return out;
}

void Verifier::history() {
  ContactHistory story([this](std::uint64_t id) { return system_.contact_name(id); });
  if (now_.evaluate(x_.t(0), x_.q(0), x_.u(0)))
    for (const Contact& c : now_.contacts().contacts)
      if (const Law& law = now_.law(c); !needs_closed_gap(law) && !std::holds_alternative<Equality>(law))
        story.always(c.id);
  const auto& events = x_.events();
  std::size_t atom = 0, event = 0;
  const auto tell_until = [&](double t) {
    for (; event < events.size() && events[event].t <= t; ++event)
      story.tell(events[event], rebounds(events[event]));
  };
  bool complete = true;
  for (int i = 1; i < x_.size(); ++i) {
    const double t0 = x_.t(i - 1), t = x_.t(i);
    if (t > out_.stepped_from) break;
    const auto now = acting(i, atom, complete);
    if (t == t0) {
      story.stand(t, now);
      continue;
    }
    tell_until(t0);
    if (is_smooth(t0, t)) {
      story.go_on(t0, t, now);
      if (claims_.every == 1) held(i, now);
    } else {
      story.hit(t0, t, now, events);
    }
  }
  if (out_.stepped_from == infinity) tell_until(infinity), story.end();
  if (!complete || (atom < x_.atoms().size() && out_.stepped_from == infinity))
    find("there are records of contacts that belong to no step, or two of one contact in a step");
  for (std::string& text : story.findings()) find(std::move(text));
}

// Whether the contact of an event has restitution.
bool Verifier::rebounds(const Event& e) {
  const auto look = [&] {
    for (const Contact& c : now_.contacts().contacts)
      if (c.id == e.contact && needs_closed_gap(now_.law(c))) {
        Block before = Block::Zero(rows(now_.law(c))), y = before;
        before[0] = -1;
        restitution(now_.law(c), before.data(), y.data());
        return y[0] != 0 ? 1 : 0;
      }
    return -1;
  };
  int found = look();
  if (found < 0 && now_.evaluate(e.t, x_.q(e.t), x_.u(e.t))) found = look();
  return found > 0;
}

// Recorded impulses of closed contacts are their forces at the end of the step, times its length. Where loads
// jump there, the forces may be those of either side.
void Verifier::held(int i, const std::vector<ContactHistory::Acting>& now) {
  if (now.empty()) return;
  const double t = x_.t(i), s = t - x_.t(i - 1);
  const auto& pieces = x_.pieces();
  const auto next =
      std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.start < t; });
  if (next == pieces.begin() || (next - 1)->end < t) return;
  double part = held_misfit(*(next - 1), t, s, now), value = rest_.lpNorm<Eigen::Infinity>();
  if (part > out_.held.limit && next != pieces.end() && next->start == t)
    if (const double other = held_misfit(*next, t, s, now); other < part)
      part = other, value = rest_.lpNorm<Eigen::Infinity>();
  out_.held.take(value, part, t, system_.contact_name(now.front().contact));
}

double Verifier::held_misfit(const Piece& p, double t, double s,
                             const std::vector<ContactHistory::Acting>& now) {
  at(p, t, point_);
  rest_ = Vec::Zero(x_.nu());
  if (!now_.evaluate(t, point_.q, point_.u)) return 0;
  const ContactSet& set = now_.contacts();
  rest_ = -now_.force();
  now_.mass().multiply_add(1, point_.u_rate, rest_);
  Vec rounded = load_rounding(p);
  const double times = 4 * std::numeric_limits<double>::epsilon() * std::abs(t) / s;  // s is known to that
  std::vector<std::uint64_t> done;
  for (const Contact& c : set.contacts) {
    if (std::holds_alternative<Equality>(now_.law(c))) continue;
    done.push_back(c.id);
    const auto a = std::find_if(now.begin(), now.end(), [&](const auto& x) { return x.contact == c.id; });
    if (a == now.end() || a->impulse.size() != rows(now_.law(c))) continue;
    for (int r = 0; r < a->impulse.size(); ++r) {
      Vec pull = Vec::Zero(rest_.size());
      set.Wt.add_to(c.row + r, a->impulse[r] / s, pull.data());
      rest_ -= pull, rounded += times * pull.cwiseAbs();
    }
  }
  now_.subtract_reactions(Equations::Level::force, 1, done, rest_);
  for (Eigen::Index k = 0; k < rest_.size(); ++k) rest_[k] = beyond(std::abs(rest_[k]), rounded[k]);
  const double push = now_.force_norm(rest_) * (p.end - p.start);
  return push > 0 ? push / scales_.velocity : push;
}

}  // namespace saltus
