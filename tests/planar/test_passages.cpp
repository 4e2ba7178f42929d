// Bodies that move farther in a step than they are thick: no scheme ends well with one on the other side.
#include <gtest/gtest.h>

#include "saltus/planar/disk_system.hpp"
#include "saltus/planar/rigid_system.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus::test_passages {
namespace {

using Kind = RigidBody::Shape;

RigidBody round_body(const std::string& name, double radius) {
  RigidBody b;
  b.name = name, b.radius = radius, b.mass = 0.01, b.inertia = 0.005 * radius * radius;
  return b;
}
RigidBody box_body(const std::string& name, double width, double height) {
  RigidBody b;
  b.name = name, b.shape = Kind::polygon, b.mass = 0.01, b.inertia = 1e-5;
  const double x = width / 2, y = height / 2;
  b.corners = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
  return b;
}
RigidBody held(RigidBody b, const Vec2& at, double angle = 0) {
  b.mass = 0, b.start = at, b.angle = angle;
  return b;
}
RigidBody wall(const std::string& name, Kind kind, double radius, const Vec2& at, double angle) {
  RigidBody b = held(round_body(name, radius), at, angle);
  b.shape = kind;
  return b;
}

std::vector<RigidBody> bullets() {
  RigidBody needle = box_body("needle", 0.04, 0.002);
  return {round_body("point", 0), round_body("disk", 0.01), box_body("box", 0.02, 0.02), needle};
}

struct Target {
  std::string name;
  RigidBody body;
};
// All of them are in the way of a bullet along x.
std::vector<Target> targets(double thickness) {
  return {{"box", held(box_body("wall", thickness, 2), {1, 0})},
          {"oblique box", held(box_body("wall", thickness, 2), {1, 0}, 0.6)},
          {"disk", held(round_body("wall", thickness / 2), {1, 0})},
          {"off centre", held(round_body("wall", thickness / 2), {1, thickness / 4})},
          {"plane", wall("wall", Kind::plane, 0, {1, 0}, 1.5707963267948966)},
          {"drum", wall("wall", Kind::drum, 1.05, {0, 0}, 0)}};
}

std::vector<Method> methods() {
  return {{MoreauJean{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {MoreauJean{0.5, 0}, FixedSteps{1e-3}, AutomaticSolver{}},
          {MoreauMidpoint{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {MoreauProjected{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {GeneralizedAlpha{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {SymplecticEuler{}, FixedSteps{1e-3}, AutomaticSolver{}},
          {SymplecticEuler{}, EventLocation{1e-3}, AutomaticSolver{}},
          {MoreauJean{}, AdaptiveSteps{}, AutomaticSolver{}},
          {MoreauMidpoint{}, AdaptiveSteps{}, AutomaticSolver{}},
          {MoreauMidpoint{}, SwitchingSteps{}, AutomaticSolver{}},
          {runge_kutta("radau-iia-5"), EventCapturing{}, AutomaticSolver{}}};
}

Problem shot(RigidBody bullet, RigidBody target, double speed, double e, double begin, int few) {
  RigidSystem::Data d;
  const int n = bullet.coordinates();
  d.bodies = {std::move(bullet), std::move(target)};
  d.materials = MaterialTable({{0, e, 0}});
  d.gravity = {0, 0}, d.few = few;
  Vec q = Vec::Zero(n), u = Vec::Zero(n);
  q[0] = begin, u[0] = speed;
  return {std::make_shared<RigidSystem>(std::move(d)), 0, 3.1 / speed, q, u};
}

// Deflected bodies may fly past a round target, beside its shadow, or slide along an oblique wall and off its
// end.
bool in_front(const Vec& q, const RigidBody& bullet, const RigidBody& target) {
  const Vec2 d = q.head<2>() - target.start;
  if (target.shape == Kind::round)
    return d[0] < 0.2 || std::abs(d[1]) > 0.95 * (target.radius + bullet.radius);
  if (target.shape != Kind::polygon) return q[0] < 1.2;
  const Vec2 n(std::cos(target.angle), std::sin(target.angle));
  return n.dot(d) < 0 || std::abs(left_of(n).dot(d)) > 1;
}

TEST(Passages, NoSchemeEndsWellWithABulletOnTheOtherSide) {
  int caught = 0, refused = 0;
  for (const double thickness : {0.05, 0.005})
    for (const double speed : {20.0, 90.0, 500.0})
      for (const double e : {0.0, 0.5})
        for (const RigidBody& bullet : bullets())
          for (const Target& target : targets(thickness))
            for (const Method& m : methods())
              for (const double begin : {-0.1, 0.017}) {
                const Problem p = shot(bullet, target.body, speed, e, begin, 24);
                const RunResult r = run(p, m);
                const auto who = [&] {
                  return fmt::format("{} on {}, {} m thick, {} m/s, e = {}, {} {}: {} at {}, {}", bullet.name,
                                     target.name, thickness, speed, e, to_text(m.scheme), to_text(m.stepping),
                                     r.message, r.final.q[0], r.final.q[1]);
                };
                if (bullet.radius == 0 && bullet.corners.empty() && target.body.shape != Kind::polygon &&
                    target.body.shape != Kind::round) {
                  // a point in a half-plane has no size to compare with: the penetration is in the report
                  if (r.status == RunStatus::finished) {
                    EXPECT_GE(r.residuals.gap, r.final.q[0] - 1.06) << who();
                  }
                } else if (r.status == RunStatus::finished) {
                  EXPECT_TRUE(in_front(r.final.q, bullet, target.body)) << who();
                  ++caught;
                } else {
                  ++refused;
                }
              }
  EXPECT_GT(caught, 1000);
  EXPECT_GT(refused, 100);
}

TEST(Passages, TheMessageNamesTheBodiesAndTheRemedy) {
  const Problem p =
      shot(round_body("bullet", 0.01), held(box_body("wall", 0.05, 2), {1, 0}), 500, 0.5, 0, 24);
  const RunResult r = run(p, {MoreauMidpoint{}, FixedSteps{1e-3}, AutomaticSolver{}});
  EXPECT_EQ(r.status, RunStatus::failed);
  for (const char* part : {"bullet and wall went through each other", "steps below", "event-capturing"})
    EXPECT_NE(r.message.find(part), std::string::npos) << r.message;
  EXPECT_LT(r.final.q[0], 0.97);  // the run ends in front of the wall
}

// Steps that can be shorter find the wall.
TEST(Passages, AdaptiveAndSwitchingStepsFindTheWall) {
  const Problem p =
      shot(round_body("bullet", 0.01), held(box_body("wall", 0.05, 2), {1, 0}), 500, 0.5, 0, 24);
  for (const Method& m : {Method{MoreauJean{}, AdaptiveSteps{}, AutomaticSolver{}},
                          Method{MoreauMidpoint{}, AdaptiveSteps{}, AutomaticSolver{}},
                          Method{MoreauMidpoint{}, SwitchingSteps{}, AutomaticSolver{}}}) {
    const RunResult r = run(p, m);
    EXPECT_EQ(r.status, RunStatus::finished) << to_text(m.stepping) << " " << r.message;
    EXPECT_NEAR(r.final.u[0], -250, 1e-6) << to_text(m.stepping);
    EXPECT_LT(r.final.q[0], 1);
  }
}

// A row of disks, one of which is shot through it, in the system of disks.
TEST(Passages, OfDisksAreFoundToo) {
  for (const double offset : {0.0, 0.008}) {
    DiskSystem::Data d;
    d.disks = {{0.01, 1, 0, 0, 0}, {0.01, 1, 0, 0, 0}};
    d.boundaries = {{"floor", Plane{{0, -1}, {0, 1}}, {}, 0}, {"pin", Circle{{0.5, 3}, 0.01, false}, {}, 0}};
    d.materials = MaterialTable({{0, 0.5, 0}});
    d.gravity = {0, 0};
    const auto system = std::make_shared<DiskSystem>(std::move(d));
    const auto pass = [&](const Vec2& from, const Vec2& to, std::string_view bodies) {
      Vec q0 = Vec::Zero(6), q1 = q0;
      q0[3] = q1[3] = 2;
      q0.head(2) = from, q1.head(2) = to;
      Passage found;
      const bool passes = system->passes(0, q0, 1e-3, q1, 0.25, found);
      if (passes) {
        EXPECT_EQ(found.bodies, bodies);
      }
      return passes;
    };
    EXPECT_TRUE(pass({1.9, offset}, {2.1, -offset / 2}, "disk 0 and disk 1"));
    EXPECT_FALSE(pass({1.9, 0.03}, {2.1, 0.03}, ""));
    EXPECT_FALSE(pass({1.9, offset}, {1.97, offset}, ""));
    EXPECT_TRUE(pass({0.4, 3 + offset}, {0.6, 3}, "disk 0 and pin"));
    EXPECT_TRUE(pass({0, -0.98}, {0, -1.02}, "disk 0 and floor"));
    EXPECT_FALSE(pass({0, -0.98}, {0, -1.0}, ""));
  }
}

// Overlaps that a step has caught, bodies that slide along each other, and slow ones are nothing of the kind.
TEST(Passages, AreNotSeenWhereThereAreNone) {
  RigidSystem::Data d;
  d.bodies = {box_body("slider", 0.1, 0.1), held(box_body("table", 10, 0.2), {0, 0})};
  d.materials = MaterialTable({{0, 0, 0}});
  const RigidSystem s(std::move(d));
  const auto passes = [&](const Vec& q0, const Vec& q1) {
    Passage found;
    return s.passes(0, q0, 1, q1, 0.25, found);
  };
  EXPECT_FALSE(passes(Vec{{-4, 0.15, 0}}, Vec{{4, 0.15, 0}}));    // slides
  EXPECT_FALSE(passes(Vec{{-4, 0.14, 0}}, Vec{{4, 0.14, 0}}));    // and has sunk in
  EXPECT_FALSE(passes(Vec{{0, 0.3, 0}}, Vec{{0, 0.08, 0}}));      // caught, deep
  EXPECT_TRUE(passes(Vec{{0, 0.3, 0}}, Vec{{0, -0.3, 0}}));       // right through
  EXPECT_TRUE(passes(Vec{{0, 0.3, 0}}, Vec{{0, -0.05, 0}}));      // and not out yet
  EXPECT_FALSE(passes(Vec{{5.2, 0.3, 0}}, Vec{{5.2, -0.3, 0}}));  // beside it
  EXPECT_FALSE(passes(Vec{{0, 0.3, 0}}, Vec{{0, 0.3, 6}}));       // turns on the spot
}

}  // namespace
}  // namespace saltus::test_passages
