// Stepping switching on scenes: contacts that last on surfaces that move or are curved, stiff systems, and
// restitution where several contacts act.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/run/run.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_switching_scenes {
namespace {

struct Ran {
  RunResult result;
  Trajectory path;
};
Ran run_text(const std::string& text, const std::vector<std::string>& sets = {}) {
  const CatalogProblem p = load_scene_text(text, "scene.yaml", sets)->entry.make({}, {});
  Ran out;
  out.result = run(p.problem, p.method, out.path.sink());
  return out;
}

const std::string steps =
    "scheme: moreau-midpoint, stepping: {name: switching, h_min: 1e-6, h_max: 1e-2, atol: 1e-6}}\n";

// A table that rises with acceleration b under a mass that is pulled up with a < b: it stays on the table.
std::string lift(double a, double b, double t_end) {
  return fmt::format(
             "saltus: 1\n"
             "coordinates: {{z: {{start: 0, velocity: 0}}}}\n"
             "mass: {{z: 1}}\n"
             "forces: {{z: {}}}\n"
             "contacts: {{table: {{gap: z - {}/2*t^2, law: {{name: unilateral, e: 0}}}}}}\n"
             "run: {{t_end: {}, ",
             a, b, t_end) +
         steps;
}

// The law held in the middle of a step, which sees half of b: more than 200 000 tries for a > b/2.
TEST(SwitchingScenes, AContactLastsOnASurfaceThatMoves) {
  const Ran rest = run_text(lift(-10, 0, 0.2));
  for (const double a : {4.9, 5.1, 8.0}) {
    const Ran r = run_text(lift(a, 10, 0.2));
    ASSERT_EQ(r.result.status, RunStatus::finished) << r.result.message;
    EXPECT_LE(r.result.stats.calculated, 2 * rest.result.stats.calculated) << a;
    EXPECT_EQ(r.result.stats.switches, 0) << a;
    EXPECT_NEAR(r.result.final.q[0], 0.2, 1e-6) << a;  // b t²/2
    EXPECT_NEAR(r.result.final.u[0], 2.0, 2e-6) << a;  // b t
  }
}

// A bead in a loop with 5.5 g R of energy: it stays in touch all the way round.
TEST(SwitchingScenes, AContactLastsOnASurfaceThatIsCurved) {
  const std::string loop =
      "saltus: 1\n"
      "parameters: {R: 1, g: 9.81, k: 5.5}\n"
      "coordinates: {x: {start: 0, velocity: sqrt(k*g*R)}, y: {start: -1, velocity: 0}}\n"
      "mass: {x: 1, y: 1}\n"
      "forces: {x: 0, y: -g}\n"
      "contacts: {loop: {gap: 'R - hypot(x,y)', law: {name: unilateral, e: 0}}}\n"
      "run: {t_end: 1.2, " +
      steps;
  const Ran rest = run_text(lift(-10, 0, 1.2)), r = run_text(loop);
  ASSERT_EQ(r.result.status, RunStatus::finished) << r.result.message;
  EXPECT_LE(r.result.stats.calculated, 2 * rest.result.stats.calculated);
  EXPECT_EQ(r.result.stats.switches, 0);
  const Vec &q = r.result.final.q, &u = r.result.final.u;
  EXPECT_NEAR(u.squaredNorm() / 2 + 9.81 * q[1], 9.81 * (5.5 / 2 - 1), 1e-4);
  EXPECT_NEAR(q.norm(), 1, 1e-5);
}

// A stiff beam: with h_min = 1e-6 two rows do not meet the tolerance, and extrapolation of substeps that are
// too long for the base scheme made 1e293 J.
TEST(SwitchingScenes, StepsWithTooFewRowsDoNotRunAway) {
  const Ran r = run_text(
      "saltus: 1\n"
      "ready: {problem: flexible-pendulum, parameters: {n: 3, e: 0}}\n"
      "run: {t_end: 0.35, " +
      steps);
  ASSERT_EQ(r.result.status, RunStatus::finished) << r.result.message;
  EXPECT_GT(r.result.stats.above_tolerance, 1000);
  EXPECT_FALSE(r.result.warnings.empty());
  EXPECT_LT(r.result.energy_final, 1e-6);  // it starts at rest with 0 J, and an impact takes some
  EXPECT_GT(r.result.energy_final, -2);
  EXPECT_LT(std::abs(r.result.ledger.remainder), 1e-3);
}

// Two contacts at once: the impulse of a hit was taken for one that holds, and e of the other was dropped.
TEST(SwitchingScenes, AHitDoesNotTakeTheRestitutionOfTheNextStep) {
  const std::string text =
      "saltus: 1\n"
      "coordinates:\n"
      "  x1: {start: 0.363257, velocity: -0.265875}\n"
      "  x2: {start: 0.363257, velocity: -0.379399}\n"
      "  x3: {start: 0.483519, velocity: -0.594331}\n"
      "mass: {x1: 44.3838, x2: 2.36898, x3: 257.991}\n"
      "potential: 53.5685*(x3 - x2 - 0.120262)^2 + 107.137*(x3 - x2 - 0.120262)^4 + 321.566*x1 + 17.1636*x2 "
      "+ 1869.18*x3\n"
      "contacts:\n"
      "  left: {gap: x1, law: {name: unilateral, e: 1}}\n"
      "  c1: {gap: x2 - x1, law: {name: unilateral, e: 0.660804}}\n"
      "  c2: {gap: x3 - x2, law: {name: unilateral, e: 0}}\n"
      "run: {t_end: 0.5, scheme: moreau-projected, stepping: {name: switching, h_min: 1e-5, h_max: 0.08}}\n";
  const CatalogProblem p = load_scene_text(text, "scene.yaml")->entry.make({}, {});
  const double e[] = {1, 0.660804, 0};
  int hits = 0;
  const RunResult r = run(p.problem, p.method, [&](const Segment& s) {
    const auto gamma = [](const State& x, std::uint64_t k) { return k == 0 ? x.u[0] : x.u[k] - x.u[k - 1]; };
    for (const auto& c : s.end.contacts.closed) {
      const double before = gamma(s.begin, c.id), after = gamma(s.end, c.id);
      if (before > -0.5 || !(s.end.contacts.impulse[c.offset] > 1e-6)) continue;
      EXPECT_NEAR(after, -e[c.id] * before, -0.02 * before) << s.end.t << " contact " << c.id;
      ++hits;
    }
  });
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_GT(hits, 3);
}

}  // namespace
}  // namespace saltus::test_switching_scenes
