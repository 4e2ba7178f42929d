// Impacts of jointed bodies with friction, where Newton's law makes energy (Kane's paradox): the ledger has
// all of it, the work of the law and that of joints which turned within the step.
#include <gtest/gtest.h>

#include "saltus/run/run.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_link_impacts {
namespace {

constexpr const char* links = R"(saltus: 1
materials:
  default: {mu: 0.24273, e_n: 1}
walls:
  floor: {point: [0, -0.426464], normal: [0, 1]}
bodies:
  b1: {shape: box, size: [0.4, 0.08], mass: 4.00743, position: [0.2, 0]}
  b2: {shape: box, size: [0.4, 0.08], mass: 0.419969, position: [0.6, 0]}
links:
  pin1: {type: revolute, a: b1, at: [0, 0]}
  pin2: {type: revolute, a: b1, b: b2, at: [0.4, 0]}
run: {t_end: 0.6, h: 0.003}
)";

TEST(LinkImpacts, EnergyThatTheLawMakesIsInTheLedger) {
  const auto scene = load_scene_text(links, "links.yaml", {});
  const CatalogProblem p = scene->entry.make({}, {});
  const auto& system = static_cast<const System&>(*p.problem.system);
  const auto w = system.make_workspace();
  const double start = system.energy(0, p.problem.q0, p.problem.u0, *w);
  const auto unexplained = [&](const SchemeSpec& scheme, const Stepping& stepping) {
    const RunResult r = run(p.problem, {scheme, stepping, AutomaticSolver{}});
    EXPECT_EQ(r.status, RunStatus::finished) << r.message;
    const double gained = system.energy(r.final.t, r.final.q, r.final.u, *w) - start;
    EXPECT_GT(gained, 2);  // the law's: Moreau-Jean gains 20 J with small steps
    return std::abs(gained + r.stats.contact_loss);
  };
  EXPECT_LT(unexplained(MoreauJean{}, FixedSteps{1e-4}), 1e-9);
  EXPECT_LT(unexplained(GeneralizedAlpha{}, FixedSteps{1e-3}), 2e-2);
  EXPECT_LT(unexplained(GeneralizedAlpha{}, FixedSteps{1e-4}), 1e-2);
  AdaptiveSteps adaptive;
  adaptive.h = 3e-3, adaptive.atol = 1e-6;
  EXPECT_LT(unexplained(GeneralizedAlpha{}, adaptive), 5e-2);
  adaptive.atol = 1e-8;
  EXPECT_LT(unexplained(GeneralizedAlpha{}, adaptive), 1e-4);
}

}  // namespace
}  // namespace saltus::test_link_impacts
