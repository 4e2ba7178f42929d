// Compliant polygons: the area of an overlap with its derivatives, and pairs thrown at each other, which get
// back what they had, or less where a law dissipates.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/core/random.hpp"
#include "saltus/planar/overlap.hpp"
#include "saltus/planar/rigid_system.hpp"
#include "saltus/run/run.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::test_soft_polygons {
namespace {

using Kind = RigidBody::Shape;

const std::vector<Vec2> square = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

Frame frame(double x, double y, double angle) {
  Frame f;
  f.x = {x, y}, f.cosine = std::cos(angle), f.sine = std::sin(angle);
  return f;
}

TEST(Overlaps, OfSquaresInClosedForm) {
  Overlap o;
  OverlapRoom room;
  EXPECT_FALSE(overlap_of(frame(0, 0, 0), square, frame(2.1, 0, 0), square, true, room, o));
  ASSERT_TRUE(overlap_of(frame(0, 0, 0), square, frame(1.5, 0.4, 0), square, true, room, o));
  EXPECT_NEAR(o.area, 0.5 * 1.6, 1e-15);
  EXPECT_NEAR(o.gradient[0], 1.6, 1e-15);  // a moves towards b
  EXPECT_NEAR(o.gradient[1], 0.5, 1e-15);
  EXPECT_NEAR(o.gradient[3], -1.6, 1e-15);
  EXPECT_NEAR(o.hessian(0, 1), 1, 1e-15);
  // a corner at 45° in a side: A = δ²
  ASSERT_TRUE(
      overlap_of(frame(0, 0, 0), square, frame(1 + std::sqrt(2) - 0.3, 0, M_PI / 4), square, true, room, o));
  EXPECT_NEAR(o.area, 0.09, 1e-15);
  EXPECT_NEAR(o.gradient[0], 0.6, 1e-14);
  EXPECT_NEAR(o.hessian(0, 0), 2, 1e-13);
  // one inside the other: nothing changes
  const std::vector<Vec2> small = {{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}};
  for (const bool swap : {false, true}) {
    const Frame in = frame(0.2, 0.3, 0.5), out = frame(0, 0, 0);
    ASSERT_TRUE(overlap_of(swap ? out : in, swap ? square : small, swap ? in : out, swap ? small : square,
                           true, room, o));
    EXPECT_NEAR(o.area, 0.04, 1e-15);
    EXPECT_LT(o.gradient.norm() + o.hessian.norm(), 1e-13);
  }
}

TEST(Overlaps, DerivativesAreThoseOfTheArea) {
  SplitMix64 random(3);
  const std::vector<Vec2> triangle = {{-0.6, -0.5}, {0.9, -0.3}, {-0.2, 0.8}};
  int checked = 0;
  OverlapRoom room;
  for (int trial = 0; trial < 400; ++trial) {
    Vec q(6);
    for (double& x : q) x = random.between(-1, 1);
    q[2] *= 3, q[5] *= 3;
    const auto at = [&](const Vec& x, Overlap& o) {
      return overlap_of(frame(x[0], x[1], x[2]), square, frame(x[3], x[4], x[5]), triangle, true, room, o);
    };
    Overlap o, low, high;
    if (!at(q, o)) continue;
    EXPECT_LT((o.hessian - o.hessian.transpose()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((o.gradient.head<2>() + o.gradient.segment<2>(3)).norm(), 1e-13);  // momentum
    for (int k = 0; k < 6; ++k) {
      const double e = 1e-6;
      Vec x = q;
      x[k] = q[k] - e;
      if (!at(x, low)) continue;
      x[k] = q[k] + e;
      if (!at(x, high)) continue;
      EXPECT_NEAR(o.gradient[k], (high.area - low.area) / (2 * e), 1e-8);
      const TouchVector slope = (high.gradient - low.gradient) / (2 * e);
      if ((high.gradient + low.gradient - 2 * o.gradient).cwiseAbs().maxCoeff() > 1e-8) continue;  // a kink
      EXPECT_LT((o.hessian.col(k) - slope).cwiseAbs().maxCoeff(), 1e-6 * (1 + slope.norm()))
          << trial << " " << k;
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000);
}

// ---- pairs thrown at each other

struct Throw {
  RigidSystem::Data data;
  Vec q, u;
};

enum class Partner { box, triangle, disk, wall, fixed_box };

Throw random_throw(SplitMix64& random, Partner partner, const CompliantLaw& law) {
  Throw out;
  RigidBody a;
  a.name = "a", a.shape = Kind::polygon, a.mass = 0.4, a.inertia = 0.4 * (0.01 + 0.0064) / 12;
  a.corners = {{-0.05, -0.04}, {0.05, -0.04}, {0.05, 0.04}, {-0.05, 0.04}};
  RigidBody b = a;
  b.name = "b";
  const double away = random.between(-0.06, 0.06);
  if (partner == Partner::triangle) b.corners = {{-0.04, -0.03}, {0.06, -0.03}, {-0.02, 0.06}};
  if (partner == Partner::disk) b.shape = Kind::round, b.corners.clear(), b.radius = 0.05;
  if (partner == Partner::wall)
    b.shape = Kind::plane, b.corners.clear(), b.mass = 0, b.start = {0.15, 0}, b.angle = M_PI / 2;
  if (partner == Partner::fixed_box) b.mass = 0, b.start = {0.2, away}, b.angle = random.between(0, 3);
  out.data.bodies = {a, b};
  out.data.materials = MaterialTable({{0, 0, 0, law}});
  out.data.gravity = {0, 0};
  const int n = b.fixed() ? 3 : 6;
  out.q = Vec::Zero(n), out.u = Vec::Zero(n);
  out.q[2] = random.between(0, 3);
  out.u.head<3>() << random.between(1, 3), 0, random.between(-5, 5);
  if (n == 6) out.q.tail<3>() << 0.2, away, random.between(0, 3);
  if (n == 6) out.u.tail<3>() << 0, 0, random.between(-5, 5);
  return out;
}

struct Energies {
  double before, after, most;
  bool touched;
};
Energies energies_of(const Throw& t, double h) {
  const auto system = std::make_shared<RigidSystem>(t.data);
  Method m;
  m.scheme = MoreauMidpoint{};
  m.stepping = FixedSteps{h};
  double most = 0;
  bool touched = false;
  const Problem p{system, 0, 0.25, t.q, t.u};
  const RunResult r = run(p, m, [&](const Segment& s) {
    most = std::max(most, energy_of(*system, s.end.t, s.end.q, s.end.u));
    touched = touched || CheckedSystem(*system).potential(s.end.t, s.end.q) > 0;
  });
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  return {r.energy_initial, r.energy_final, most, touched};
}

class SoftPairs : public ::testing::TestWithParam<Partner> {};

TEST_P(SoftPairs, GiveBackWhatTheyHad) {
  SplitMix64 random(1);
  int touched = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Throw t = random_throw(random, GetParam(), HertzContact{1e5});
    const Energies e = energies_of(t, 2e-5);
    touched += e.touched;
    EXPECT_NEAR(e.after / e.before, 1, 2e-3) << trial;
    EXPECT_LT(e.most / e.before, 1 + 2e-3) << trial;  // on the way too
  }
  EXPECT_GT(touched, 25);
}

TEST_P(SoftPairs, OnlyDissipateWhereTheLawDoes) {
  SplitMix64 random(2);
  for (const CompliantLaw& law :
       {CompliantLaw(KuwabaraKono{1e5, 1e-4}), CompliantLaw(DashpotContact{1e4, 2, 1})})
    for (int trial = 0; trial < 10; ++trial) {
      const Energies e = energies_of(random_throw(random, GetParam(), law), 1e-5);
      EXPECT_LT(e.most / e.before, 1 + 1e-3) << trial;
      if (e.touched) {
        EXPECT_LT(e.after, e.before) << trial;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Partners, SoftPairs,
                         ::testing::Values(Partner::box, Partner::triangle, Partner::disk, Partner::wall,
                                           Partner::fixed_box));

// The scene that went from 1.80 J to 4.99 J.
TEST(SoftPolygons, TwoBoxesThatGainedEnergyKeepTheirs) {
  RigidSystem::Data d;
  RigidBody a;
  a.name = "a", a.shape = Kind::polygon, a.mass = 0.4, a.inertia = 0.4 * (0.01 + 0.0064) / 12;
  a.corners = {{-0.05, -0.04}, {0.05, -0.04}, {0.05, 0.04}, {-0.05, 0.04}};
  d.bodies = {a, a};
  d.bodies[1].name = "b";
  d.materials = MaterialTable({{0, 0, 0, HertzContact{1e5}}});
  d.gravity = {0, 0};
  const Energies e = energies_of({d, Vec{{0, 0, 0.84, 0.2, 0.008, 0.3}}, Vec{{0, 0, -0.4, -3, 0, 0}}}, 2e-5);
  EXPECT_TRUE(e.touched);
  EXPECT_NEAR(e.after / e.before, 1, 1e-3);
}

}  // namespace
}  // namespace saltus::test_soft_polygons
