// Restitution of contacts that are active together: which of them stay closed and have none, and how those
// that part keep the system from gaining energy.
#include <algorithm>
#include <cmath>
#include <optional>

#include "saltus/scheme/kit/contact_stage.hpp"

namespace saltus {

std::optional<double> normal_restitution(const Law& law) {
  if (const auto* u = std::get_if<Unilateral>(&law)) return u->e;
  if (const auto* c = std::get_if<Coulomb>(&law)) return c->e_n;
  if (const auto* r = std::get_if<RollingFriction>(&law)) return r->e_n;
  return {};
}

// Which contacts stay closed. The forces of the step change γ by its free part; what holds a contact at rest
// is of that size too. A contact on others at rest feels the forces through them (a ball on a ball on the
// floor has no free part of its own), so that the largest level of all contacts with a body in common counts.
void ContactStage::find_staying(const ContactSet& set, double dt, const ContactMemory& memory, const Vec& v) {
  const double grown = memory.step > 0 ? dt / memory.step : 1;
  staying_.assign(active_.size(), {});
  dof_level_.assign(static_cast<std::size_t>(v.size()), 0.0);
  auto remembered = memory.closed.begin();  // both lists have increasing ids
  for (std::size_t k = 0, row = 0; k < active_.size(); row += sizes_[k], ++k) {
    const Contact& c = set.contacts[active_[k]];
    Staying& s = staying_[k];
    while (remembered != memory.closed.end() && remembered->id < c.id) ++remembered;
    s.known = remembered != memory.closed.end() && remembered->id == c.id;
    s.kept = kept_[k] != 0;
    if (!needs_closed_gap(*problem_.laws[k])) continue;
    const int first = static_cast<int>(row);
    double level = std::abs(Wt_.dot(first, v.data()) + set.drift[c.row] - gamma_minus_[c.row]);
    if (s.known && remembered->resting) {
      level += grown * std::abs(memory.impulse[remembered->offset]) / rho_[k];
      s.level = rule_.speed;
    }
    // a law held in the middle of the step before leaves dt·bias, and half of it one held at its end
    if (s.known && bias_known_) level += 2 * dt * std::abs(set.bias[c.row]);
    for (const auto& e : std::as_const(Wt_).row(first))
      dof_level_[e.column] = std::max(dof_level_[e.column], level);
  }
  for (std::size_t k = 0, row = 0; k < active_.size(); row += sizes_[k], ++k) {
    Staying& s = staying_[k];
    if (!needs_closed_gap(*problem_.laws[k])) {
      s.stays = s.known;
      continue;
    }
    double level = 0;
    for (const auto& e : std::as_const(Wt_).row(static_cast<int>(row)))
      level = std::max(level, dof_level_[e.column]);
    s.level += level;
    s.stays = s.known && std::abs(gamma_minus_[set.contacts[active_[k]].row]) <= s.level;
  }
}

// e γ⁻ of a law becomes e^(h/full) γ⁻, so that a contact that stays closed in a long step has none (Studer,
// Leine, Glocker 2008, the second proposal of Sect. 8.2).
void ContactStage::fade(const double* before, double dt, int rows, double* rebound) const {
  for (int r = 0; r < rows; ++r)
    if (const double e = before[r] != 0 ? rebound[r] / before[r] : 0; e > 0 && e < 1)
      rebound[r] = std::pow(e, dt / rule_.full_step) * before[r];
}

// γ at the end of the step, to first order, from γ where the directions are: so much is to be added. Of
// contacts that close too, since others of the same body that are held would push them away. Joints are not
// treated so; they cannot open.
void ContactStage::hold_at_end(const ContactSet& set, std::size_t k, std::size_t row, Mode before) {
  const Contact& c = set.contacts[active_[k]];
  const Law& law = laws_[c.law];
  if (is_lossless(law)) return;
  const bool held = staying_[k].stays && is_constraint(before);
  const int rows_held = held ? sizes_[k] : needs_closed_gap(law) ? 1 : 0;
  for (int r = 0; r < rows_held; ++r) bend_[row + r] = how_.to_end * set.bias[c.row + r];
}

// Contacts that the closed rule alone made active, but that do not stay closed, are not. True: there were
// any.
bool ContactStage::drop_parting() {
  std::size_t left = 0;
  for (std::size_t k = 0; k < active_.size(); ++k)
    if (!staying_[k].kept || staying_[k].stays) {
      active_[left] = active_[k], kept_[left] = kept_[k], staying_[left] = staying_[k];
      ++left;
    }
  if (left == active_.size()) return false;
  active_.resize(left), kept_.resize(left), staying_.resize(left);
  return true;
}

// Newton's law takes ½ Σ (e − 1) P γ⁻ from the system. With one e for all contacts that is never negative,
// parting contacts (γ⁻ > 0) included. With several it may be: a contact with e = 0 that has just been hit and
// parts would hold against the next impact like a wall. With the largest e of all for those that part, Σ (1 +
// e) P γ⁻ ≤ 0 gives Σ P γ⁻ ≤ 0, and nothing is gained. True: the problem was changed so.
bool ContactStage::raise_restitution(const ContactSet& set, double dt, const ContactMemory& memory,
                                     const Vec& v) {
  if (problem_.laws.size() < 2) return false;
  double least = infinity, most = 0;
  for (const Law* law : problem_.laws)
    if (const auto e = normal_restitution(*law)) least = std::min(least, *e), most = std::max(most, *e);
  if (!(least < most)) return false;
  const auto gain = [&](bool all) {
    double sum = 0;
    for (std::size_t k = 0, row = 0; k < active_.size(); row += sizes_[k], ++k) {
      if (!normal_restitution(*problem_.laws[k])) continue;
      const double before = gamma_minus_[set.contacts[active_[k]].row];
      const bool counts = all || before < 0 || before > staying_[k].level;
      if (counts) sum += P_[row] * (before - rebound_[row]);
    }
    return sum;
  };
  if (!(gain(true) > 0)) return false;
  find_staying(set, dt, memory, v);
  if (!(gain(false) > 0)) return false;  // the work of the step's own forces
  bool changed = false;
  for (std::size_t k = 0, row = 0; k < active_.size(); row += sizes_[k], ++k) {
    const double before = gamma_minus_[set.contacts[active_[k]].row], wanted = most * before;
    if (!normal_restitution(*problem_.laws[k]) || !(before > staying_[k].level) || wanted <= rebound_[row])
      continue;
    problem_.c[row] += wanted - rebound_[row];
    rebound_[row] = wanted;
    changed = true;
  }
  return changed;
}

}  // namespace saltus
