// The judges see what is wrong: each is shown a right run, and the same run after one thing in it was spoilt.
#include <gtest/gtest.h>

#include "mechanisms/consensus.hpp"
#include "mechanisms/judges.hpp"
#include "mechanisms/known_classes.hpp"

namespace saltus::mechanisms::test_judges {
namespace {

struct Judges : ::testing::Test {
  Case c;
  Trace t;
  void load(const std::string& yaml, const Method& method = {}) {
    Mechanism m;
    m.yaml = "saltus: 1\n" + yaml, m.passive = m.uniform = true;
    c = make_case(m);
    t = trace(c, method);
    ASSERT_TRUE(t.finished()) << t.message;
  }
  void ball() {
    load(
        "coordinates: {x: {start: 0, velocity: 1}, z: {start: 1}}\nmass: {x: 1, z: 1}\npotential: 2*z\n"
        "contacts: {floor: {gap: z, slip: x', law: {name: coulomb, mu: 0.1, e_n: 0.5}}}\nrun: {t_end: 2.2, "
        "h: 0.001}\n",
        {MoreauJean{}, FixedSteps{.h = 1e-3}});
  }
  State& spoil(std::size_t k) {
    t.contacts.clear();  // they are remembered
    return t.states[k];
  }
  std::size_t impact() const {
    for (std::size_t k = 1; k < t.states.size(); ++k)
      if (!t.states[k].contacts.closed.empty()) return k;
    return 0;
  }
};

TEST_F(Judges, EnergyThatGrowsIsSeen) {
  ball();
  EXPECT_LT(measure_energy(c, t), 1e-3);
  for (std::size_t k = impact(); k < t.states.size(); ++k) t.states[k].u *= 2.5;
  EXPECT_GT(measure_energy(c, t), 0.1);
}

TEST_F(Judges, AWrongRestitutionIsSeen) {
  ball();
  EXPECT_LT(measure_restitution(c, t), 2e-2);
  spoil(impact()).u[1] *= 0.8;
  EXPECT_NEAR(measure_restitution(c, t), 0.1, 0.01);
}

TEST_F(Judges, ImpulsesOutsideTheConeAndFrictionThatPushesAreSeen) {
  ball();
  EXPECT_LT(measure_cone(c, t), 1e-6);
  EXPECT_LT(measure_slip(c, t), 1e-2);
  spoil(impact()).contacts.impulse[1] *= -1;
  EXPECT_GT(measure_slip(c, t), 0.05);
  spoil(impact()).contacts.impulse[1] *= 2;
  EXPECT_GT(measure_cone(c, t), 0.05);
  spoil(impact()).contacts.impulse[0] *= -1;
  EXPECT_GT(measure_cone(c, t), 0.5);
}

TEST_F(Judges, PenetrationNotANumberAndAnEarlyEndAreSeen) {
  ball();
  EXPECT_LT(measure_penetration(c, t), 2e-3);
  EXPECT_EQ(measure_finite(c, t), 0);
  EXPECT_LT(measure_end(c, t), 1e-9);
  spoil(impact()).q[1] = -0.3;
  EXPECT_NEAR(measure_penetration(c, t), 0.3, 1e-12);
  t.states[5].u[0] = std::nan("");
  EXPECT_EQ(measure_finite(c, t), 1);
  t.states.pop_back();
  EXPECT_GT(measure_end(c, t), 1e-4);
}

TEST_F(Judges, LostMomentumAndBrokenJointsAreSeen) {
  load(
      "coordinates: {x: {start: 0, velocity: 1}, y: {start: 1}}\nmass: {x: 2, y: 1}\n"
      "contacts: {c: {gap: y - x, law: {name: unilateral, e: 0.3}}}\nrun: {t_end: 2}\n");
  c.mechanism.momenta = {{{{"x", 2}, {"y", 1}}, 0}};
  c.mechanism.known = {{"x", 1.5666666667, 0.5666666667}, {"y", 1.8666666667, 0.8666666667}};
  EXPECT_LT(measure_momentum(c, t), 1e-12);
  EXPECT_LT(measure_known_velocity(c, t), 1e-6);
  EXPECT_LT(measure_known_position(c, t), 1e-2);
  t.states.back().u[0] += 0.1, t.states.back().q[0] += 0.1;
  EXPECT_GT(measure_momentum(c, t), 0.05);
  EXPECT_NEAR(measure_known_velocity(c, t), 0.1, 1e-6);
  EXPECT_GT(measure_known_position(c, t), 0.08);

  load(
      "coordinates: {x: {start: 1}, y: {start: 0}}\nmass: {x: 1, y: 1}\npotential: 9.81*y\njoints: {rod: x^2 "
      "+ y^2 - 1}\n"
      "run: {t_end: 0.1}\n");
  EXPECT_LT(measure_joints(c, t), 2e-3);
  spoil(t.states.size() - 1).q[0] += 0.2;
  EXPECT_GT(measure_joints(c, t), 0.3);
}

TEST_F(Judges, AnEndElsewhereIsFarFromTheConsensus) {
  ball();
  c.mechanism.h = 1e-3;
  Consensus consensus(c);
  ASSERT_TRUE(consensus.level(2));
  EXPECT_LT(*consensus.distance(t, 2), 1e-2);
  t.states.back().q[0] += 0.1;
  EXPECT_GT(*consensus.distance(t, 2), 0.09);
}

TEST(KnownClasses, MatchAllTheirFieldsAndNothingElse) {
  const KnownClass k{"name", "reason", {"energy"}, {}, {"switching"}, {}, {"e>0", "!joints"}};
  Finding f{1, "line", "energy", "moreau-midpoint", "switching", "automatic", {"e>0"}, "", ""};
  EXPECT_TRUE(k.matches(f));
  f.features = {"e>0", "joints"};
  EXPECT_FALSE(k.matches(f));
  f.features = {};
  EXPECT_FALSE(k.matches(f));
  f.features = {"e>0"}, f.stepping = "fixed";
  EXPECT_FALSE(k.matches(f));
  f.stepping = "switching", f.judge = "cone";
  EXPECT_FALSE(k.matches(f));
}

}  // namespace
}  // namespace saltus::mechanisms::test_judges
