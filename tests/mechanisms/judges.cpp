#include "mechanisms/judges.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/odae/checked_odae.hpp"
#include "saltus/odae/odae_system.hpp"

namespace saltus::mechanisms {
namespace {

/// visit(contacts before the step, after it)
template <class Visit>
void each_step(const Case& c, const Trace& t, Visit&& visit) {
  const auto& contacts = contacts_of(c, t);
  for (std::size_t k = 1; k < contacts.size(); ++k) visit(contacts[k - 1], contacts[k]);
}

double largest_impulse(const Trace& t) {
  double most = 0;
  for (const State& x : t.states)
    for (double P : x.contacts.impulse) most = std::max(most, std::abs(P));
  return most;
}

/// ½ P·(γ⁻ + γ⁺) over the contacts of step k, 0 where the system has none.
double work_of_contacts(const Case& c, const Trace& t, std::size_t k) {
  const auto& contacts = contacts_of(c, t);
  if (contacts.empty()) return 0;
  double work = 0;
  for (const auto& i : contacts[k].items()) {
    const auto* old = contacts[k - 1].find(i.id);
    if (i.acts && old && !std::holds_alternative<Equality>(*i.law))
      work += i.impulse.dot(old->velocity + i.velocity) / 2;
  }
  return work;
}

double restitution_of(const Law& law) {
  if (const auto* u = std::get_if<Unilateral>(&law)) return u->e;
  if (const auto* f = std::get_if<Coulomb>(&law)) return f->e_n;
  return 0;
}

}  // namespace

double measure_finite(const Case&, const Trace& t) {
  double bad = 0;
  for (const State& x : t.states)
    if (!x.q.allFinite() || !x.u.allFinite()) ++bad;
  return bad;
}

double measure_end(const Case& c, const Trace& t) {
  return t.states.empty() ? 1 : std::abs(t.states.back().t - c.problem.t_end) / c.problem.t_end;
}

// The scale is the energy that changes hands: kinetic energy and the way of the potential. Where restitution
// differs from contact to contact, or friction meets e > 0, Newton's law itself may make energy (Kane's
// paradox); then the work that the law did is granted.
//
// In the midst of an impact that takes several steps (schatzman-paoli: two) the energy may be lower than
// after it: of so many states in a row the largest counts.
double energy_growth(const Case& c, const Trace& t, std::size_t impact_steps) {
  if (t.states.empty()) return 0;
  double least = c.energy(t.states[0]), growth = 0, most = least, lowest = least, granted = 0, kinetic = 0;
  if (!std::isfinite(least)) return 0;
  State at_rest;
  std::vector<double> recent(impact_steps, -infinity);
  for (std::size_t k = 0; k < t.states.size(); ++k) {
    const State& x = t.states[k];
    const double E = c.energy(x);
    recent[k % impact_steps] = E;
    if (k > 0 && !c.mechanism.uniform) granted += std::max(0.0, work_of_contacts(c, t, k));
    at_rest.t = x.t, at_rest.q = x.q, at_rest.u = Vec::Zero(x.u.size());
    kinetic = std::max(kinetic, E - c.energy(at_rest));
    growth = std::max(growth, E - least - granted);
    least = std::min(least, *std::max_element(recent.begin(), recent.end()) - granted),
    most = std::max(most, E), lowest = std::min(lowest, E);
  }
  // what stands still has only rounding: it is compared with the energy at the usual speed of the scene
  double usual = -c.energy(at_rest);
  at_rest.u.setConstant(c.mechanism.speed);
  usual += c.energy(at_rest);
  const double scale = std::max({kinetic, most - lowest, 1e-3 * usual, 1e-30});
  return growth / scale;
}

double measure_energy(const Case& c, const Trace& t) {
  return energy_growth(c, t, 1);
}
// An impact takes two steps; one that goes on through all contacts, two for each.
double measure_energy_of_pairs(const Case& c, const Trace& t) {
  return energy_growth(c, t,
                       2 * std::max<std::size_t>(1, c.mechanical() ? c.mechanical()->laws().size() : 1));
}

double measure_momentum(const Case& c, const Trace& t) {
  double worst = 0;
  for (const auto& p : c.mechanism.momenta) {
    double start = 0, scale = 1e-30, off = 0;
    for (const auto& [name, weight] : p.weights)
      scale += 1e-3 * weight * c.mechanism.speed;  // what stands still
    for (std::size_t k = 0; k < t.states.size(); ++k) {
      double sum = 0, size = 0;
      for (const auto& [name, weight] : p.weights) {
        const double part = weight * t.states[k].u[c.index(name)];
        sum += part, size += std::abs(part);
      }
      if (k == 0) start = sum;
      scale = std::max(scale, size);
      off = std::max(off, std::abs(sum - start - p.rate * (t.states[k].t - t.states[0].t)));
    }
    worst = std::max(worst, off / scale);
  }
  return worst;
}

// A contact with an impulse has γ⁺ = −e γ⁻, whoever else acts in the step. Velocities are the system's at the
// two ends of the step, so forces and curvature add O(h).
double measure_restitution(const Case& c, const Trace& t) {
  const double noise = 1e-9 * largest_impulse(t);
  double worst = 0, fastest = 0;
  each_step(c, t, [&](const Contacts& before, const Contacts&) {
    for (const auto& i : before.items())
      if (needs_closed_gap(*i.law)) fastest = std::max(fastest, std::abs(i.velocity[0]));
  });
  const double least =
      std::max(0.2 * fastest, 0.05 * c.mechanism.speed);  // slower ones feel the forces of the step
  each_step(c, t, [&](const Contacts& before, const Contacts& after) {
    for (const auto& i : after.items()) {
      if (!i.acts || !needs_closed_gap(*i.law) || i.impulse[0] <= noise) continue;
      const auto* old = before.find(i.id);
      if (!old || -old->velocity[0] < least) continue;
      const double e = restitution_of(*i.law);
      worst = std::max(worst, std::abs(i.velocity[0] + e * old->velocity[0]) / -old->velocity[0]);
    }
  });
  return worst;
}

double measure_cone(const Case& c, const Trace& t) {
  const double scale = std::max(largest_impulse(t), 1e-30);
  double worst = 0;
  each_step(c, t, [&](const Contacts&, const Contacts& after) {
    for (const auto& i : after.items()) {
      if (!i.acts) continue;
      if (needs_closed_gap(*i.law)) worst = std::max(worst, -i.impulse[0] / scale);
      if (const auto* f = std::get_if<Coulomb>(i.law))
        worst = std::max(worst, (i.impulse.tail(f->tangents).norm() - f->mu * i.impulse[0]) / scale);
      if (const auto limits = limits_of(*i.law); limits && i.step > 0)
        worst = std::max({worst, (limits->lower * i.step - i.impulse[0]) / scale,
                          (i.impulse[0] - limits->upper * i.step) / scale});
    }
  });
  return worst;
}

double measure_slip(const Case& c, const Trace& t) {
  const double scale = std::max(largest_impulse(t), 1e-30) * c.mechanism.speed;
  double worst = 0;
  each_step(c, t, [&](const Contacts& before, const Contacts& after) {
    for (const auto& i : after.items()) {
      const auto* f = std::get_if<Coulomb>(i.law);
      const auto* old = before.find(i.id);
      if (!i.acts || !f || !old) continue;
      const Block y = i.velocity.tail(f->tangents) + f->e_t * old->velocity.tail(f->tangents);
      worst = std::max(worst, i.impulse.tail(f->tangents).dot(y) / scale);
    }
  });
  return worst;
}

double measure_penetration(const Case& c, const Trace& t) {
  double worst = 0;
  each_step(c, t, [&](const Contacts&, const Contacts& after) {
    for (const auto& i : after.items())
      if (needs_closed_gap(*i.law)) worst = std::max(worst, -i.gap[0]);
  });
  if (c.family() == Family::odae) {
    const auto& s = static_cast<const OdaeSystem&>(c.system());
    Vec g(s.m());
    for (const State& x : t.states) {
      CheckedOdae(s).gap(x.t, x.q, g);
      for (int i = 0; i < s.m(); ++i)
        if (s.constraints()[i].unilateral) worst = std::max(worst, -g[i]);
    }
  }
  return worst / c.mechanism.length;
}

double measure_joints(const Case& c, const Trace& t) {
  double worst = 0;
  each_step(c, t, [&](const Contacts&, const Contacts& after) {
    for (const auto& i : after.items())
      if (std::holds_alternative<Equality>(*i.law)) worst = std::max(worst, i.gap.cwiseAbs().maxCoeff());
  });
  if (c.family() == Family::odae) {
    const auto& s = static_cast<const OdaeSystem&>(c.system());
    Vec g(s.m());
    for (const State& x : t.states) {
      CheckedOdae(s).gap(x.t, x.q, g);
      for (int i = 0; i < s.m(); ++i)
        if (!s.constraints()[i].unilateral) worst = std::max(worst, std::abs(g[i]));
    }
  }
  return worst / c.mechanism.length;
}

double measure_known_velocity(const Case& c, const Trace& t) {
  double worst = 0;
  for (const auto& k : c.mechanism.known)
    worst = std::max(worst, std::abs(t.states.back().u[c.index(k.coordinate)] - k.u));
  return worst / c.mechanism.speed;
}

double measure_known_position(const Case& c, const Trace& t) {
  double worst = 0;
  for (const auto& k : c.mechanism.known)
    worst = std::max(worst, std::abs(t.states.back().q[c.index(k.coordinate)] - k.q));
  return worst / c.mechanism.length;
}

// Where each number comes from:
//   end            rounding of n·h
//   momentum       impulses enter in pairs ±P whatever the solver finds; 1e-6 is Newton's 1e-9 of
//   generalized-α over a
//                  thousand steps
//   cone           solvers stop at a natural residual of 1e-10 or less; 1e-6 leaves room for what is
//   extrapolated positions      projections stop at 1e-10 of the lengths or better thresholds of what
//   vanishes: one per cent of the scale, a tenth of that for lengths and energies
// Of schemes on the position level.
bool impacts_take_two_steps(const SchemeSpec& scheme) {
  return std::holds_alternative<SchatzmanPaoli>(scheme);
}

std::vector<Judge> judges_for(const Case& c, const Method& method) {
  const Mechanism& m = c.mechanism;
  const Kind positions = on_positions(method) ? Kind::exact : Kind::vanishing;
  std::vector<Judge> out = {{"finite", Kind::exact, 0, measure_finite},
                            {"end", Kind::exact, 1e-9, measure_end}};
  const bool pairs = impacts_take_two_steps(method.scheme);
  if (m.passive)
    out.push_back({"energy", Kind::vanishing, 1e-3, pairs ? measure_energy_of_pairs : measure_energy});
  if (!m.momenta.empty()) out.push_back({"momentum", Kind::exact, 1e-6, measure_momentum});
  if (!pairs) out.push_back({"restitution", Kind::vanishing, 2e-2, measure_restitution});
  out.push_back({"cone", Kind::exact, 1e-6, measure_cone});
  out.push_back({"slip", Kind::vanishing, 1e-2, measure_slip});
  out.push_back({"penetration", positions, positions == Kind::exact ? 1e-7 : 2e-3, measure_penetration});
  out.push_back({"joints", positions, positions == Kind::exact ? 1e-7 : 2e-3, measure_joints});
  if (!m.known.empty()) {
    out.push_back({"known-velocity", m.known_exactly ? Kind::settling : Kind::vanishing,
                   m.known_exactly ? 1e-6 : 2e-2, measure_known_velocity});
    out.push_back({"known-position", Kind::vanishing, 1e-2, measure_known_position});
  }
  return out;
}

}  // namespace saltus::mechanisms
