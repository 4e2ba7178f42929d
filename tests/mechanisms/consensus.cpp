#include "mechanisms/consensus.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::mechanisms {
namespace {

double largest_restitution(const Law& law) {
  if (const auto* u = std::get_if<Unilateral>(&law)) return u->e;
  if (const auto* f = std::get_if<Coulomb>(&law)) return std::max(f->e_n, f->e_t);
  return 0;
}

bool share_a_coordinate(const ContactSet& set, const Contact& a, const Contact& b) {
  for (const auto& x : set.Wt.row(a.row))
    for (const auto& y : set.Wt.row(b.row))
      if (x.column == y.column && x.value != 0 && y.value != 0) return true;
  return false;
}

// In the step to x: contact a gets an impulse at a speed, contact b is within reach of the step.
bool hit_while_touching(const System& system, const State& before, const State& x, double speed) {
  ContactSet set;
  const CheckedSystem at(system);
  at.list(before.t, before.q, set);
  at.directions(before.t, before.q, set);
  const auto laws = system.laws();
  const double reach = 4 * (x.t - before.t) * speed;
  for (const Contact& a : set.contacts) {
    if (!needs_closed_gap(laws[a.law]) || !x.contacts.find(a.id)) continue;
    if (set.Wt.dot(a.row, before.u.data()) + set.drift[a.row] > -0.02 * speed) continue;
    for (const Contact& b : set.contacts)
      if (b.id != a.id && needs_closed_gap(laws[b.law]) && std::abs(set.gap[b.row]) < reach &&
          largest_restitution(laws[a.law]) + largest_restitution(laws[b.law]) > 0 &&
          share_a_coordinate(set, a, b))
        return true;
  }
  return false;
}

}  // namespace

const std::optional<Consensus::Level>& Consensus::level(double factor) {
  const auto it = levels_.find(factor);
  if (it != levels_.end()) return it->second;
  std::optional<Level>& out = levels_[factor];
  std::vector<Vec> ends;
  bool clustered = false;
  for (double grid : {1.0, 1.13, 1.31}) {
    const Trace t =
        trace(case_, reference_method(case_.family(), case_.mechanism.h / (factor * grid)), 2 * factor);
    if (!t.finished() || t.states.empty() || !t.states.back().q.allFinite()) return out;
    ends.push_back(t.states.back().q);
    if (grid > 1 || !case_.mechanical()) continue;
    for (std::size_t k = 1; k < t.states.size() && !clustered; ++k)
      clustered =
          hit_while_touching(*case_.mechanical(), t.states[k - 1], t.states[k], case_.mechanism.speed);
  }
  Level level{ends[0], 0, clustered};
  for (std::size_t i = 1; i < ends.size(); ++i)
    level.spread = std::max(level.spread, (ends[i] - ends[0]).cwiseAbs().maxCoeff() / case_.mechanism.length);
  return out = level;
}

std::optional<double> Consensus::distance(const Trace& t, double factor) {
  const auto& l = level(factor);
  if (!l || t.states.empty() || t.states.back().q.size() != l->q.size()) return {};
  return (t.states.back().q - l->q).cwiseAbs().maxCoeff() / case_.mechanism.length;
}

}  // namespace saltus::mechanisms
