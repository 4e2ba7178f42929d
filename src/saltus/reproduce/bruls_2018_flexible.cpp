// Figures 10 to 12: the flexible pendulum of 6.2, four elements, h = 5e-6. The full interval of the figures
// is not stated; runs go on to 0.6 s, the verdicts are about the first contact phase.
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/bruls_2018.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"

namespace saltus::bruls_2018 {
namespace {

using Levels = GeneralizedAlpha::Levels;
constexpr double flexible_step = 5e-6, first_phase = 0.355, flexible_end = 0.6;

struct Swing {
  Curve gap, rate, acceleration, reaction, energy;
  double first = -1, last = -1, rise = 0, sum_of_rises = 0, gap_min = 0, at[3] = {0, 0, 0};
  std::int64_t on_acceleration = 0, phases = 0, iterations = 0, steps = 0;
};
constexpr double marks[] = {0.34, 0.345, 0.35};

Swing swing(Levels levels, const char* name, int colour) {
  const CatalogProblem p = FlexiblePendulum{}.build(flexible_end);
  GeneralizedAlpha o = method(levels, 0.8);
  o.tolerance = 1e-6;
  Swing s;
  s.gap = s.rate = s.energy = line(name, colour, colour == 0 ? 4 : 1.3);  // both are seen where they agree
  s.acceleration = s.reaction = dots(name, colour);
  double energy = 0;
  bool was = false;
  walk(p.problem, o, flexible_step, flexible_end, [&](const Moment& m) {
    const bool closed = !m.end.contacts.closed.empty();
    const double t = m.end.t, now = m.energy(), force = m.stepper.impulse()[0] / flexible_step;
    const bool early = t < first_phase;
    if (closed && early) {
      if (s.first < 0) s.first = t;
      s.last = t;
      s.phases += !was;
      s.on_acceleration += m.stepper.active_on_acceleration(0);
    }
    was = closed;
    if (early) s.rise = std::max(s.rise, now - energy), s.sum_of_rises += std::max(0.0, now - energy);
    energy = now;
    for (int k = 0; k < 3; ++k)
      if (t <= marks[k] + 1e-9) s.at[k] = now;
    s.gap_min = std::min(s.gap_min, m.report.min_gap);
    if (early) s.iterations += m.report.newton_iterations, ++s.steps;
    put(s.gap, t, m.stepper.gaps()[0]), put(s.rate, t, m.stepper.gap_velocity()[0]);
    put(s.acceleration, t, m.stepper.gap_acceleration()[0]), put(s.reaction, t, force), put(s.energy, t, now);
  });
  return s;
}

struct Both {
  Swing pvv, pva;
};
const Both& both() {  // three figures show the same two runs
  static const Both b{swing(Levels::pvv, "PVV", 0), swing(Levels::pva, "PVA", 1)};
  return b;
}

// The first contact phase and all contacts in every step, the rest in every 200th.
void write(Findings& out, const std::string& name) {
  std::vector<std::string> rows;
  for (const auto& [label, s] : {std::pair{"pvv", &both().pvv}, std::pair{"pva", &both().pva}})
    for (std::size_t i = 0; i < s->gap.x.size(); ++i)
      if (i % 200 == 0 || s->reaction.y[i] != 0 || (s->gap.x[i] > 0.326 && s->gap.x[i] < first_phase))
        rows.push_back(fmt::format("{},{},{},{},{},{},{}", label, s->gap.x[i], s->gap.y[i], s->rate.y[i],
                                   s->acceleration.y[i], s->reaction.y[i], s->energy.y[i]));
  out.csv(name, "variant,t,gap,velocity,acceleration,reaction,energy", rows);
}

/// All of it, or the first contact phase.
Curve from(const Curve& c, double t) {
  return t > 0 ? part(c, t, first_phase) : c;
}

}  // namespace

void figure_10(Findings& out) {
  const auto& [pvv, pva] = both();
  write(out, "fig-10");
  const auto panel = [&pvv = pvv, &pva = pva](const char* what, const Curve Swing::*c, double t) {
    return Panel{time_label, what, "", false, {from(pvv.*c, t), from(pva.*c, t)}};
  };
  out.figure("fig-10",
             std::array{panel("g_1 [m]", &Swing::gap, 0), panel("dg_1/dt [m/s]", &Swing::rate, 0),
                        panel("d2g_1/dt2 [m/s^2]", &Swing::acceleration, 0),
                        panel("g_1 [m]", &Swing::gap, 0.326), panel("dg_1/dt [m/s]", &Swing::rate, 0.326),
                        panel("d2g_1/dt2 [m/s^2]", &Swing::acceleration, 0.326)});
  out.claim("first contact at 0.327 s",
            std::abs(pva.first - 0.327) < 2e-4 && std::abs(pvv.first - 0.327) < 2e-4,
            fmt::format("{:.6f} (PVA), {:.6f} (PVV)", pva.first, pvv.first));
  out.claim("the first contact phase ends near 0.348 s (0.343 to 0.350)",
            pva.last > 0.343 && pva.last < 0.35 && pvv.last > 0.343 && pvv.last < 0.35,
            fmt::format("{:.5f}, {:.5f}", pva.last, pvv.last));
  out.claim("in between contact comes and goes", pva.phases > 10 && pvv.phases > 10,
            fmt::format("{} and {} intervals", pva.phases, pvv.phases));
  out.claim("the constraint is active on the acceleration level in PVA, never in PVV",
            pva.on_acceleration > 100 && pvv.on_acceleration == 0,
            fmt::format("{} and {} steps", pva.on_acceleration, pvv.on_acceleration));
  out.claim("no penetration", pva.gap_min > -1e-12, fmt::format("{:.1e}", pva.gap_min));
  const double mean = static_cast<double>(pva.iterations) / static_cast<double>(pva.steps),
               other = static_cast<double>(pvv.iterations) / static_cast<double>(pvv.steps);
  out.claim("very close to one Newton iteration a step",
            std::abs(mean - 1) < 0.1 && std::abs(other - 1) < 0.1,
            fmt::format("{:.3f} (PVA), {:.3f} (PVV)", mean, other));
}

void figure_11(Findings& out) {
  const auto& [pvv, pva] = both();
  write(out, "fig-11");
  const auto force = [&pvv = pvv, &pva = pva](double t) {
    return Panel{time_label,
                 "Lambda* / h [N]",
                 t > 0 ? "first contact phase" : "reaction force",
                 false,
                 {from(pvv.reaction, t), from(pva.reaction, t)}};
  };
  out.figure("fig-11", std::array{force(0), force(0.326)});
  double low = 0, high = 0;
  for (const auto* s : {&pvv, &pva})
    for (double y : s->reaction.y) low = std::min(low, y), high = std::max(high, y);
  out.claim("a collection of rather close impulses, none of them pulling", low > -1e-6 && high > 1e4,
            fmt::format("from {:.1e} to {:.3g} N in {} intervals", low, high, pva.phases));
}

void figure_12(Findings& out) {
  const auto& [pvv, pva] = both();
  write(out, "fig-12");
  const auto panel = [&pvv = pvv, &pva = pva](const char* what, const char* title, const Curve Swing::*c,
                                              double t) {
    return Panel{time_label, what, title, false, {from(pvv.*c, t), from(pva.*c, t)}};
  };
  out.figure("fig-12", std::array{panel("dg_1/dt [m/s]", "", &Swing::rate, 0),
                                  panel("energy [J]", "", &Swing::energy, 0),
                                  panel("dg_1/dt [m/s]", "first contact phase", &Swing::rate, 0.326),
                                  panel("energy [J]", "first contact phase", &Swing::energy, 0.326)});
  out.refuted("the energy decays monotonously", pva.rise <= 0 && pvv.rise <= 0,
              fmt::format("up to {:.1e} J up in a step, {:.1e} J in sum, of about 1 J lost", pva.rise,
                          pva.sum_of_rises));
  out.claim("it never rises by more than 1e-4 J in a step", pva.rise < 1e-4 && pvv.rise < 1e-4,
            fmt::format("{:.1e} (PVA), {:.1e} (PVV)", pva.rise, pvv.rise));
  out.claim("about 1 J is lost in the first contact phase, most of it in stairs",
            std::abs(pva.at[2] + 1) < 0.15 && std::abs(pvv.at[2] + 1) < 0.15,
            fmt::format("{:.3f}, {:.3f} J at 0.35 s", pva.at[2], pvv.at[2]));
  bool faster = true;
  for (int k = 0; k < 3; ++k) faster = faster && pvv.at[k] < pva.at[k];
  out.refuted(
      "PVV loses energy faster (at 0.34, 0.345 and 0.35 s)", faster,
      fmt::format("PVV {:.3f}, {:.3f}, {:.3f}; PVA {:.3f}, {:.3f}, {:.3f}: as the solutions part, either",
                  pvv.at[0], pvv.at[1], pvv.at[2], pva.at[0], pva.at[1], pva.at[2]));
}

}  // namespace saltus::bruls_2018
