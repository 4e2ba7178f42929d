#include <gtest/gtest.h>

#include "saltus/catalog/bead_collision.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace saltus {
namespace {
using namespace testing;

TEST(BeadCollision, RestitutionDurationAndDepthAreThoseOfAnIndependentProgram) {
  for (const auto& id : golden_ids("rest_b", "kk_chain.json")) {
    const Json& g = golden(id, "kk_chain.json");
    const BeadCollision c = collide(g["parameters"]["gamma_tilde"], g["parameters"]["beta"]);
    expect_golden(g, c.e, g["expected"]["e"], "e");
    expect_golden(g, c.duration, g["expected"]["tau_c"], "duration");
    expect_golden(g, c.depth, g["expected"]["zeta_max"], "depth");
    expect_golden(g, c.time_of_depth, g["expected"]["tau_max"], "time of depth");
  }
  const Json& hertz = golden("rest_tau0", "kk_chain.json");
  expect_golden(hertz, duration_of(0), hertz["expected"]);
}

TEST(BeadCollision, SlopeAtNoDampingIsTheClosedForm) {
  for (const auto& id : golden_ids("rest_slope", "kk_chain.json")) {
    const Json& g = golden(id, "kk_chain.json");
    const double beta = g["parameters"]["beta"];
    expect_golden(g, restitution_slope(beta), g["expected"][0]);
    expect_golden(g, 1 / restitution_slope(beta), g["expected"][1]);
    EXPECT_NEAR((1 - restitution_of(1e-5, beta)) / 1e-5, restitution_slope(beta), 3e-5);
  }
}

TEST(BeadCollision, DimensionsScaleAsInEquation5) {
  const Json& g = golden("rest_dim", "kk_chain.json");
  const double gt = gamma_tilde_of(0.05, 3, 1, 2, 0.7), T = collision_time_unit(3, 1, 2, 0.7);
  const BeadCollision c = collide(gt);
  expect_golden(g, gt, g["expected"][0], "gamma");
  expect_golden(g, c.e, g["expected"][1], "e");
  expect_golden(g, c.duration * T, g["expected"][2], "duration");
  expect_golden(g, c.depth * T * 0.7, g["expected"][3], "depth");
}

TEST(BeadCollision, DampingOfARestitutionIsTheInverse) {
  for (double beta : {1.0, 1.5, 2.5, 1.8})
    for (double e : {1.0, 0.999, 0.9, 0.75, 0.3, 0.05})
      EXPECT_NEAR(restitution_of(gamma_of(e, beta), beta), e, 1e-12) << beta << " " << e;
}

TEST(BeadCollision, OnlyTheLinearDashpotLetsBeadsStick) {
  EXPECT_GT(restitution_of(1.12, 1), 0);
  EXPECT_EQ(restitution_of(1.2, 1), 0);
  EXPECT_EQ(duration_of(3, 1), std::numeric_limits<double>::infinity());
  EXPECT_GT(restitution_of(5, 1.5), 0);
  EXPECT_GT(restitution_of(5, 2.5), 0);
}

TEST(BeadCollision, BadInputIsRefusedWithTheQuantityNamed) {
  EXPECT_NE(message_of([] { collide(-0.1); }).find("gamma = -0.1"), std::string::npos);
  EXPECT_NE(message_of([] { collide(0.1, 0.5); }).find("beta = 0.5"), std::string::npos);
  EXPECT_NE(message_of([] { gamma_of(0); }).find("]0, 1]"), std::string::npos);
  EXPECT_NE(message_of([] { gamma_of(1.1); }).find("]0, 1]"), std::string::npos);
  EXPECT_NE(message_of([] { gamma_tilde_of(0.1, -1, 1, 1, 1); }).find("stiffness = -1"), std::string::npos);
}

}  // namespace
}  // namespace saltus
