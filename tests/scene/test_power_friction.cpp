// Friction by a power of the normal force in scenes of mechanics (paper 001).
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_power_friction {
namespace {

std::string block(const std::string& law, const std::string& more = {}) {
  return "saltus: 1\ncoordinates: {x: {start: 0 m, velocity: 3 m/s}, z: {start: 0 m}}\n"
         "parameters: {m: 2 kg, g: 9.81 m/s^2}\nmass: {x: m, z: m}\npotential: m*g*z\n"
         "contacts:\n  floor: {gap: z, slip: x', law: " +
         law + "}\n" + more + "run: {t_end: 0.5 s, h: 0.01 s}\n";
}

// On a plane the normal force is the weight: v = v₀ − μ (m g)^p t/m, as long as it slides.
TEST(PowerFriction, ABlockOnAPlaneIsSlowedByThePowerOfItsWeight) {
  for (const double p : {0.5, 0.85, 1.0, 1.3}) {
    const std::string law = fmt::format("{{name: power-friction, mu: 0.2 N^{}, p: {}}}", 1 - p, p);
    const CatalogProblem problem =
        load_scene_text(block(p == 1 ? "{name: power-friction, mu: 0.2, p: 1}" : law), "block")
            ->entry.make({}, {});
    ASSERT_EQ(problem.problem.system->family(), Family::odae);
    const RunResult r = run(problem.problem, problem.method);
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    const double a = 0.2 * std::pow(2 * 9.81, p) / 2;
    EXPECT_NEAR(r.final.u[0], 3 - a * 0.5, 1e-9) << p;
    EXPECT_NEAR(r.final.q[0], 3 * 0.5 - a / 8, 1e-9) << p;
    EXPECT_NEAR(r.final.q[1], 0, 1e-12) << p;
  }
}

TEST(PowerFriction, UnitsAndPowersThatDoNotFitAreReported) {
  const auto complaint = [](const std::string& text) {
    try {
      load_scene_text(text, "block");
      return std::string("none");
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  const std::string good = "{name: power-friction, mu: 0.4 N^0.15, p: 0.85}";
  EXPECT_EQ(complaint(block(good)), "none");
  const std::string unit = complaint(block("{name: power-friction, mu: 0.4 N, p: 0.85}"));
  EXPECT_NE(unit.find("but mu must be"), std::string::npos) << unit;
  const std::string powers =
      complaint(block(good, "  wall: {gap: 5 - x, slip: z', law: {name: coulomb, mu: 0.1}}\n"));
  EXPECT_NE(powers.find("does not go together in one scene"), std::string::npos) << powers;
}

}  // namespace
}  // namespace saltus::test_power_friction
