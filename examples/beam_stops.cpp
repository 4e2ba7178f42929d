// A flexible beam on two stops: a hinged beam swings down, its tip hits a wall, the middle swings on and hits
// a floor. docs/explanation/flexible.md.
#include <cmath>

#include <fmt/core.h>

#include "saltus/flexible/beam.hpp"
#include "saltus/run/run.hpp"

using namespace saltus;

int main() {
  BeamData data;  // steel, 1 m long, 1 cm square
  data.elements = 8;
  data.stops = {{"tip/wall", 8, {1, 0}, std::sqrt(0.5), Unilateral{}},  // x of the tip ≥ 1/√2
                {"middle/floor", 4, {0, 1}, -0.36, Unilateral{}}};      // y of the middle ≥ −0.36
  const auto beam = std::make_shared<const BeamSystem>(data);
  const Vec q0 = beam->straight(-0.4);  // 0.4 rad below the horizontal, at rest
  const Problem problem{beam, 0, 0.8, q0, Vec::Zero(q0.size())};

  GeneralizedAlpha scheme;  // three levels, rho_inf = 0.8
  scheme.tolerance = 1e-6;
  const Method method{.scheme = scheme, .stepping = FixedSteps{2e-5}};

  double first[2] = {-1, -1}, worst_gap = 0, rise = 0;
  double energy = energy_of(*beam, 0, problem.q0, problem.u0);
  const RunResult result = run(problem, method, [&](const Segment& s) {
    for (const Event& e : s.events)
      if (e.kind == EventKind::impact && first[e.contact] < 0) {
        first[e.contact] = e.t;
        fmt::print("t = {:.5f}: {} at {:.3f} m/s takes {:.3g} J\n", e.t, beam->contact_name(e.contact),
                   e.u_minus[0], e.energy_loss);
      }
    worst_gap = std::min(worst_gap, s.report.min_gap);
    const double now = energy_of(*beam, s.end.t, s.end.q, s.end.u);
    rise = std::max(rise, now - energy);
    energy = now;
  });
  fmt::print("{}; {:.3f} Newton iterations a step, penetration {:.0e}, largest rise of energy {:.1e} J\n",
             result.message,
             static_cast<double>(result.stats.newton_iterations) / static_cast<double>(result.stats.steps),
             -worst_gap, rise);
  const bool good = result.status == RunStatus::finished && first[0] > 0 && first[1] > first[0] &&
                    worst_gap > -1e-9 && rise < 1e-3 && result.energy_final < result.energy_initial;
  return good ? 0 : 1;
}
