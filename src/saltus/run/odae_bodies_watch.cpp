// Where something changes: the values whose signs tell, and their roots.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/odae_located_bodies.hpp"

namespace saltus {

// The values whose signs tell of changes, at a state with the contacts of now_.
bool LocatedBodies::watch(const State& x, std::vector<Watch>& out) {
  out.clear();
  if (stepper_.find_multipliers(x, options_.h) != StepStatus::ok) return false;
  const ContactSet& set = stepper_.contacts();
  const auto& lambda = stepper_.multipliers();
  const auto laws = bodies_.laws();
  const bool first = &out == &before_;
  for (const Contact& c : set.contacts) {
    const Law& law = laws[c.law];
    if (std::holds_alternative<Equality>(law)) continue;
    const int n = rows(law);
    const auto rate = [&](int r) { return set.Wt.dot(c.row + r, x.u.data()) + set.drift[c.row + r]; };
    const auto* held = now_.contacts.find(c.id);
    const bool gap = needs_closed_gap(law);
    if (!held || (gap && !held->resting)) {
      if (gap) out.push_back({c.id, Kind::gap, set.gap[c.row], set.gap[c.row] < 0 && rate(0) < 0});
      continue;
    }
    if (gap) out.push_back({c.id, Kind::force, lambda[c.row], lambda[c.row] < 0});
    const int from = gap ? 1 : 0;
    if (n == from) continue;
    if (held->mode == Mode::stick) {
      const double room = room_of(law, lambda.data() + c.row);
      out.push_back({c.id, Kind::hold, room, room < 0});
    } else if (held->mode == Mode::slip || held->mode == Mode::slip_back) {
      Watch w{c.id, Kind::slide};
      w.plane = n - from == 2;
      for (int r = from; r < std::min(n, from + 2); ++r)
        w.slip[r - from] = on_position_level(law) ? set.gap[c.row] : rate(r);
      if (n - from == 1) {
        w.value = held->mode == Mode::slip ? w.slip[0] : -w.slip[0];
      } else if (first) {
        w.value = std::hypot(w.slip[0], w.slip[1]);
      } else {
        const Watch* start = find(before_, c.id, Kind::slide);
        const double size = start ? std::hypot(start->slip[0], start->slip[1]) : 0;
        w.value = size > 0 ? (w.slip[0] * start->slip[0] + w.slip[1] * start->slip[1]) / size
                           : std::hypot(w.slip[0], w.slip[1]);
      }
      w.far = w.value < 0;
      out.push_back(w);
    }
  }
  return true;
}

// How far a force is inside of its limits
double LocatedBodies::room_of(const Law& law, const double* lambda) {
  if (const auto* c = std::get_if<Coulomb>(&law))
    return c->mu * lambda[0] - (c->tangents == 1 ? std::abs(lambda[1]) : std::hypot(lambda[1], lambda[2]));
  if (const auto l = limits_of(law)) return std::min(lambda[0] - l->lower, l->upper - lambda[0]);
  if (const auto* f = std::get_if<Tresca>(&law)) return f->limit - std::hypot(lambda[0], lambda[1]);
  double P[max_block_rows], off = 0;
  std::copy_n(lambda, rows(law), P);
  prox(law, 1, P);
  for (int r = 0; r < rows(law); ++r) off = std::max(off, std::abs(P[r] - lambda[r]));
  return off > 0 ? -off : 1;
}

LocatedBodies::Change LocatedBodies::first_change(double h) {
  Change first;
  if (std::none_of(after_.begin(), after_.end(), [](const Watch& w) { return w.far; })) return first;
  const std::vector<Watch> ends = after_;  // locate() writes after_
  int asked = -1;  // whether the forces at the end of the step allow the modes: 0 or 1, −1 not known yet
  for (const Watch& w : ends) {
    if (!w.far) continue;
    if (has_choice(w) && asked < 0) asked = modes_fit(next_);
    if (has_choice(w) && asked == 1) continue;
    const double tau = locate(w, h);
    if (tau < first.tau) first = {w.id, w.kind, tau};
  }
  return first;
}

// The friction of a contact that slides goes with its own multiplier: where that is negative, it would drive.
bool LocatedBodies::has_choice(const Watch& w) const {
  return of_forces(w.kind) && is_constraint(now_.contacts.mode(w.id));
}

// Where contacts are redundant, multipliers are one choice of many: a contact that pulls, or holds with
// more than its friction, may have another choice. The contact problem of the accelerations knows whether
// there is one.
bool LocatedBodies::modes_fit(const State& x) {
  if (!events_.look(x.t, x.q, x.u, options_.h)) return false;
  candidates_.clear();
  const auto& contacts = events_.contacts().contacts;
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i)
    if (const auto* r = now_.contacts.find(contacts[i].id); r && (!r->has_gap || r->resting))
      if (!std::holds_alternative<Equality>(bodies_.laws()[contacts[i].law]))
        candidates_.push_back({i, r->mode == Mode::slip || r->mode == Mode::slip_back});
  if (!events_.settle(candidates_, held_).solved || held_.size() != candidates_.size()) return false;
  return std::all_of(held_.begin(), held_.end(),
                     [&](const HeldContact& k) { return now_.contacts.mode(k.id) == k.mode; });
}

// The last length that is not too far, by Illinois' rule where the value changes its sign in the bracket,
// by halving where it does not (a contact that just opened and comes back). Where forces reach a limit, the
// event is taken a millionth of the step later: that changes the motion by the square of it, and which mode
// follows is no matter of rounding.
double LocatedBodies::locate(const Watch& end, double h) {
  const Watch* start = find(before_, end.id, end.kind);
  double a = 0, at_a = start ? start->value : 0, b = h, at_b = end.value;
  const bool forces = of_forces(end.kind);
  if (at_a < 0 && end.kind == Kind::slide) return 0;
  const double tolerance = forces ? 1e-7 * options_.h : 1e-15 * std::max(std::abs(now_.t), h);
  const double later = forces ? 1e-6 * options_.h : 0;
  int side = 0;
  for (int k = 0; k < 200 && b - a > tolerance; ++k) {
    double c = at_a > 0 ? b - at_b * (b - a) / (at_b - at_a) : 0.5 * (a + b);
    if (!(c > a && c < b)) c = 0.5 * (a + b);
    ++result_.stats.rejected;
    const StepReport r = stepper_.locked_step(now_, c, trial_);
    count_work(result_, r);
    const bool solved = r.status == StepStatus::ok && watch(trial_, after_);
    const Watch* w = solved ? find(after_, end.id, end.kind) : nullptr;
    bool far = !solved || (w && w->far);
    const double at = w ? w->value : solved ? at_a : at_b;
    if (far && solved && has_choice(end)) far = !modes_fit(trial_);
    if (solved && at == 0) return c;
    if (far) {
      b = c, at_b = at;
      if (side == -1) at_a /= 2;
      side = -1;
    } else {
      a = c, at_a = at;
      if (side == 1) at_b /= 2;
      side = 1;
    }
  }
  return std::min(b + later, h);
}

}  // namespace saltus
