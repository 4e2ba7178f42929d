// Bodies in space that move farther in a step than they are thick: no scheme ends well with one on the other
// side, and nothing is reported where none went through.
#include <gtest/gtest.h>

#include "saltus/run/run.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus::test_space_passages {
namespace {

SpaceBody bullet(std::string name, std::vector<SpaceShape> shapes) {
  SpaceBody b;
  b.name = std::move(name), b.shapes = std::move(shapes), b.mass = 0.01;
  b.inertia = Vec3(1e-6, 1.2e-6, 1.1e-6).asDiagonal();
  return b;
}
SpaceBody held(std::string name, SpaceShape shape, const Vec3& at = {1, 0, 0}, const Vec3& turn = {0, 0, 0}) {
  SpaceBody b;
  b.name = std::move(name), b.shapes = {std::move(shape)}, b.start = at, b.turn = rotation_exp(turn).matrix();
  return b;
}

std::vector<SpaceBody> bullets() {
  const Vec3 c(0.01, 0.012, 0.011);
  const Polytope rock =
      hull_of({{c[0], 0, 0}, {-c[0], 0, 0}, {0, c[1], 0}, {0, -c[1], 0}, {0, 0, c[2]}, {0, 0, -c[2]}});
  return {bullet("sphere", {SpaceShape::sphere(0.01)}),
          bullet("box", {SpaceShape::box(c)}),
          bullet("needle", {SpaceShape::box({0.02, 0.001, 0.001})}),
          bullet("capsule", {SpaceShape::capsule(0.006, 0.02, {1, 0, 0})}),
          bullet("rock", {SpaceShape::of(rock)}),
          bullet("dumbbell",
                 {SpaceShape::sphere(0.006, {0, 0.01, 0}), SpaceShape::sphere(0.006, {0, -0.01, 0})})};
}

// All of them are in the way of a bullet along x.
std::vector<SpaceBody> targets(double thickness) {
  const double r = thickness / 2;
  return {held("wall", SpaceShape::box({r, 1, 1})),
          held("oblique wall", SpaceShape::box({r, 1, 1}), {1, 0, 0}, {0, 0.4, 0.3}),
          held("ball", SpaceShape::sphere(r + 0.02)),
          held("bar", SpaceShape::capsule(r + 0.01, 2, {0, 0, 1})),
          held("half-space", SpaceShape::half_space({-1, 0, 0}))};
}

Problem shot(const SpaceBody& b, const SpaceBody& target, double speed, double e, double begin) {
  SpatialSystem::Data d;
  d.bodies = {b, target};
  d.materials = MaterialTable({{0, e, 0}});
  d.gravity.setZero();
  Vec q = Vec::Zero(7), u = Vec::Zero(6);
  q[0] = begin, q[3] = 1, u[0] = speed, u[4] = 3;
  return {std::make_shared<SpatialSystem>(std::move(d)), 0, 2.5 / speed, q, u};
}

std::vector<Method> methods() {
  return {{MoreauJean{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {MoreauMidpoint{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {MoreauProjected{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {GeneralizedAlpha{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {SymplecticEuler{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {MoreauJean{}, AdaptiveSteps{}, AutomaticSolver{}},
          {MoreauMidpoint{}, SwitchingSteps{}, AutomaticSolver{}}};
}

// What is deflected may fly past a round target or off the end of a wall.
bool in_front(const Vec3& x, const SpaceBody& target) {
  const Vec3 d = target.turn.transpose() * (x - target.start);
  const SpaceShape& s = target.shapes[0];
  if (s.kind == SpaceShape::Kind::half_space) return x[0] < 1.05;
  if (s.kind == SpaceShape::Kind::polytope)
    return d[0] < 0.02 || std::abs(d[1]) > 0.9 || std::abs(d[2]) > 0.9;
  return x[0] < 1 || Vec3(0, d[1], d[2]).norm() > 0.5 * s.radius;
}

TEST(SpacePassages, NoSchemeEndsWellWithABulletOnTheOtherSide) {
  int caught = 0, refused = 0;
  for (const double thickness : {0.05, 0.005})
    for (const double speed : {20.0, 90.0, 500.0})
      for (const double e : {0.0, 0.5})
        for (const SpaceBody& b : bullets())
          for (const SpaceBody& target : targets(thickness))
            for (const Method& m : methods())
              for (const double begin : {-0.1, 0.017}) {
                const RunResult r = run(shot(b, target, speed, e, begin), m);
                if (r.status != RunStatus::finished) {
                  ++refused;
                  continue;
                }
                EXPECT_TRUE(in_front(r.final.q.head<3>(), target))
                    << b.name << " on " << target.name << ", " << thickness << " m thick, " << speed
                    << " m/s, e = " << e << ", " << to_text(m.scheme) << " " << to_text(m.stepping)
                    << " from " << begin << ": " << r.final.q.transpose();
                ++caught;
              }
  EXPECT_GT(caught, 500);
  EXPECT_GT(refused, 50);
}

TEST(SpacePassages, TheMessageNamesTheBodiesAndTheRemedy) {
  const RunResult r = run(shot(bullets()[0], targets(0.05)[0], 500, 0.5, 0),
                          {MoreauMidpoint{}, FixedSteps{1e-3}, AutomaticSolver{}});
  EXPECT_EQ(r.status, RunStatus::failed);
  for (const char* part : {"sphere and wall went through each other", "steps below", "event-capturing"})
    EXPECT_NE(r.message.find(part), std::string::npos) << r.message;
  EXPECT_LT(r.final.q[0], 0.97);  // the run ends in front of the wall
}

TEST(SpacePassages, ShorterStepsFindTheWall) {
  for (const SpaceBody& b : bullets())
    for (const Method& m : {Method{MoreauJean{}, AdaptiveSteps{}, AutomaticSolver{}},
                            Method{MoreauMidpoint{}, SwitchingSteps{}, AutomaticSolver{}},
                            Method{MoreauJean{}, FixedSteps{2e-6}, AutomaticSolver{}}}) {
      Problem p = shot(b, targets(0.02)[0], 500, 0.5, 0.5);
      p.t_end = 2e-3, p.u0[4] = 0;
      const RunResult r = run(p, m);
      EXPECT_EQ(r.status, RunStatus::finished) << b.name << " " << to_text(m.stepping) << " " << r.message;
      EXPECT_LT(r.final.u[0], -100) << b.name << " " << to_text(m.stepping);
    }
}

// Overlaps that a step has caught, bodies that slide along each other, and slow ones are nothing of the kind.
TEST(SpacePassages, AreNotSeenWhereThereAreNone) {
  SpatialSystem::Data d;
  d.bodies = {bullet("slider", {SpaceShape::box({0.05, 0.05, 0.05})}),
              held("table", SpaceShape::box({5, 5, 0.1}), {0, 0, 0})};
  const SpatialSystem s(std::move(d));
  const auto passes = [&](const Vec3& from, const Vec3& to, const Vec3& turn = {0, 0, 0}) {
    Vec q0 = Vec::Zero(7), q1 = q0;
    q0.head<3>() = from, q1.head<3>() = to, q0[3] = 1;
    rotation_exp(turn).put(q1.data() + 3);
    Passage found;
    return s.passes(0, q0, 1, q1, 0.25, found);
  };
  EXPECT_FALSE(passes({-4, 0, 0.15}, {4, 0, 0.15}));            // slides
  EXPECT_FALSE(passes({-4, 0, 0.14}, {4, 0, 0.14}));            // and has sunk in
  EXPECT_FALSE(passes({0, 0, 0.3}, {0, 0, 0.08}));              // caught, deep
  EXPECT_TRUE(passes({0, 0, 0.3}, {0, 0, -0.3}));               // right through
  EXPECT_TRUE(passes({0, 0, 0.3}, {0, 0, -0.05}));              // and not out yet
  EXPECT_FALSE(passes({5.2, 0, 0.3}, {5.2, 0, -0.3}));          // beside it
  EXPECT_FALSE(passes({0, 0, 0.3}, {0, 0, 0.3}, {1, 2, 0.5}));  // turns on the spot
  EXPECT_TRUE(passes({4.7, 4.7, 0.3}, {4.7, 4.7, -0.3}, {0.3, 0.2, 0}));
}

// Many bodies are looked up in a grid; the one that passes is found among them.
TEST(SpacePassages, AmongManyBodies) {
  SpatialSystem::Data d;
  constexpr int n = 6;
  Vec q0 = Vec::Zero(7 * (n * n * n + 1));
  int k = 0;
  const auto put = [&](const Vec3& x) { q0.segment<3>(7 * k) = x, q0[7 * k + 3] = 1, ++k; };
  for (int i = 0; i < n * n * n; ++i) {
    d.bodies.push_back(bullet("grain " + std::to_string(i), {SpaceShape::sphere(0.01)}));
    put({0.1 * (i % n), 0.1 * (i / n % n), 0.1 * (i / n / n)});
  }
  d.bodies.push_back(bullet("fast", {SpaceShape::sphere(0.01)}));
  put({0.15, 0.2, 0.3});
  const SpatialSystem s(std::move(d));
  const auto passes = [&](const Vec3& by, Passage& found) {
    Vec q1 = q0;
    q1.tail<7>().head<3>() += by;
    return s.passes(0, q0, 1e-3, q1, 0.25, found);
  };
  Passage found;
  EXPECT_FALSE(passes({0.02, 0, 0}, found));
  EXPECT_FALSE(passes({0, 0.3, 0.1}, found));
  ASSERT_TRUE(passes({0.1, 0.001, 0}, found));
  EXPECT_EQ(found.bodies, "fast and grain " + std::to_string(2 + 2 * n + 3 * n * n));
  EXPECT_DOUBLE_EQ(found.width, 0.04);
}

}  // namespace
}  // namespace saltus::test_space_passages
