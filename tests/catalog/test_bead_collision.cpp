#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "saltus/catalog/bead_collision.hpp"
#include "saltus/chain/chain.hpp"
#include "saltus/run/run.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace saltus::test_bead_collision {
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

// Against fixed small steps of the chain itself, and the closed form without damping.
TEST(BeadCollision, TheLargestForceIsThatOfTheMotion) {
  EXPECT_NEAR(collide(0).force, std::pow(1.25, 0.6), 1e-12);
  for (const double beta : {1.0, 1.5, 2.5, 1.8})
    for (const double gamma : {0.01, 0.2, 0.8}) {
      const BeadCollision c = collide(gamma, beta);
      ChainData d;
      d.m = Vec::Constant(2, 2), d.k = Vec{{0, 1, 0}}, d.gamma = Vec::Constant(3, gamma), d.beta = beta;
      const auto chain = std::make_shared<Chain>(d);
      double most = 0;
      run({chain, 0, 4, Vec::Zero(2), Vec{{1, 0}}}, {rk("herk-5"), FixedSteps{1e-4}, AutomaticSolver{}},
          [&](const Segment& s) { most = std::max(most, chain->force(1, s.end.q, s.end.u, {})); });
      EXPECT_NEAR(c.force, most, 1e-6 + (beta == 1 ? 1e-4 : 0)) << gamma << " " << beta;
    }
}

TEST(BeadCollision, DampingOfARestitutionIsTheInverse) {
  for (double beta : {1.0, 1.5, 2.5, 1.8})
    for (double e : {1.0, 0.999, 0.9, 0.75, 0.3, 0.05})
      EXPECT_NEAR(restitution_of(gamma_of(e, beta), beta), e, 1e-12) << beta << " " << e;
}

TEST(BeadCollision, TheLinearDashpotLetsBeadsStick) {
  EXPECT_GT(restitution_of(1.12, 1), 0);
  EXPECT_EQ(restitution_of(1.2, 1), 0);
  EXPECT_EQ(duration_of(3, 1), std::numeric_limits<double>::infinity());
  EXPECT_GT(restitution_of(5, 1.5), 0);
  EXPECT_GT(restitution_of(5, 2.5), 0);
}

TEST(BeadCollision, DampingBelowFiveQuartersLetsBeadsCreepToAStop) {
  EXPECT_GT(restitution_of(1.5, 1.2), 0);
  EXPECT_EQ(restitution_of(2, 1.2), 0);
  EXPECT_GT(restitution_of(2, 1.26), 0);
  EXPECT_EQ(restitution_of(100, 1.1), 0);
}

// e falls as γ̃⁻⁵ for β = 3/2 and as 2/(5γ̃) for β = 5/2; what cannot be followed is refused, not called a
// stop.
TEST(BeadCollision, StrongDampingFollowsItsPowerLawOrIsRefused) {
  EXPECT_NEAR(restitution_of(300) / restitution_of(30), 1e-5, 1e-10);
  EXPECT_NEAR(restitution_of(1000, 2.5), 4e-4, 1e-9);
  for (double beta : {1.0, 1.5, 2.5, 50.0})
    EXPECT_NE(message_of([&] { collide(1e300, beta); }).find("too strong"), std::string::npos) << beta;
  EXPECT_NE(message_of([] { collide(1e4); }).find("too strong"), std::string::npos);
  EXPECT_NE(message_of([] { collide(0.1, 1e300); }).find("from 1 to 50"), std::string::npos);
}

TEST(BeadCollision, AnyRestitutionIsAnsweredSoon) {
  const std::clock_t start = std::clock();
  for (double e : {1e-300, 5e-324, 1e-16})
    EXPECT_NE(message_of([&] { gamma_of(e); }).find("from 1e-15 up"), std::string::npos) << e;
  EXPECT_NEAR(restitution_of(gamma_of(1e-10)), 1e-10, 1e-15);
  // what is reached depends on the number of steps allowed, within a factor of two
  EXPECT_NE(message_of([] { gamma_of(1e-10, 2.5); }).find("e-06"), std::string::npos);
  EXPECT_NE(message_of([] { gamma_of(1e-12, 1); }).find("take a larger"), std::string::npos);
  EXPECT_NEAR(gamma_of(std::nextafter(1, 0)) * restitution_slope(), 1.1102230246251565e-16, 1e-25);
  EXPECT_NEAR(gamma_of(1 - 0.99e-7) / gamma_of(1 - 1.01e-7), 0.99 / 1.01, 1e-5);  // either way of computing
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20);
}

TEST(BeadCollision, BadInputIsRefusedWithTheQuantityNamed) {
  EXPECT_NE(message_of([] { collide(-0.1); }).find("gamma = -0.1"), std::string::npos);
  EXPECT_NE(message_of([] { collide(0.1, 0.5); }).find("beta = 0.5"), std::string::npos);
  EXPECT_NE(message_of([] { gamma_of(0); }).find("]0, 1]"), std::string::npos);
  EXPECT_NE(message_of([] { gamma_of(1.1); }).find("]0, 1]"), std::string::npos);
  EXPECT_NE(message_of([] { gamma_tilde_of(0.1, -1, 1, 1, 1); }).find("stiffness = -1"), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_bead_collision
