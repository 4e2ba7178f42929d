// Bodies of all shapes that fall on a floor, turning: none goes through it. ./dev geometry COUNT drops more
// of them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "saltus/core/random.hpp"
#include "saltus/run/run.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus::test_drops {
namespace {

using Kind = SpaceShape::Kind;

int drops() {
  const char* text = std::getenv("SALTUS_PAIRS");
  return text ? std::max(1, std::atoi(text) / 10) : 60;
}

Vec3 some_vector(SplitMix64& random, double size) {
  return {random.between(-size, size), random.between(-size, size), random.between(-size, size)};
}

SpaceShape some_shape(SplitMix64& random, int kind) {
  const auto size = [&] { return random.between(0.05, 0.4); };
  const Vec3 axis = some_vector(random, 1).normalized();
  switch (kind) {
    case 0:
      return SpaceShape::sphere(size());
    case 1:
      return SpaceShape::capsule(size(), size(), axis);
    case 2:
      return SpaceShape::box({size(), size(), size()});
    case 3:
      return SpaceShape::disk(size(), axis);
    case 4:
      return SpaceShape::cylinder(size(), size(), axis);
    case 5:
      return SpaceShape::cone(size(), size(), axis);
    default:
      return SpaceShape::ellipsoid({size(), size(), size()});
  }
}

// The height of its lowest point, without contacts.
double lowest(const SpaceShape& s, const SpaceFrame& f) {
  const Vec3 d = -(f.R.transpose() * Vec3::UnitZ());
  const double along = d.dot(s.axis), across = cross(d, s.axis).norm();
  double reach = d.dot(s.centre);
  if (s.kind == Kind::ellipsoid) reach += s.radii.cwiseProduct(s.axes.transpose() * d).norm();
  if (s.kind == Kind::sphere || s.kind == Kind::capsule) reach += s.radius + s.half * std::abs(along);
  if (s.kind == Kind::disk || s.kind == Kind::cylinder) reach += s.half * std::abs(along) + s.radius * across;
  if (s.kind == Kind::cone) reach += std::max(s.half * along, s.radius * across - s.half * along);
  if (s.kind == Kind::polytope) {
    reach = -infinity;
    for (const Vec3& v : s.polytope.vertices) reach = std::max(reach, d.dot(v));
  }
  return f.x[2] - reach;
}

struct Dropped {
  double depth = 0;
  RunResult result;
};

Dropped drop(const Method& method, double h, std::uint64_t seed) {
  SplitMix64 random(seed);
  const SpaceShape shape = some_shape(random, static_cast<int>(seed % 7));
  SpatialSystem::Data d;
  SpaceBody body, floor;
  body.name = "body", floor.name = "floor";
  body.shapes.push_back(shape), floor.shapes.push_back(SpaceShape::half_space({0, 0, 1}));
  const MassProperties mass = shape.kind == Kind::disk
                                  ? MassProperties{1, Vec3::Zero(), 0.02 * Mat3::Identity()}
                                  : mass_properties(shape, 1000);
  body.mass = mass.mass, body.inertia = mass.inertia;
  body.shapes[0] = shape.moved(Mat3::Identity(), -mass.centre);
  d.bodies = {body, floor};
  d.materials = MaterialTable(
      {{.mu = random.between(0, 0.8), .e_n = random.between(0, 0.9), .e_t = 0, .law = {}, .rolling = 0}});
  const auto system = std::make_shared<SpatialSystem>(std::move(d));
  Vec q(7), u(6);
  q.head<3>() = Vec3(0, 0, 1);
  rotation_exp(some_vector(random, 2)).put(q.data() + 3);
  u << some_vector(random, 2), some_vector(random, 8);
  Dropped out;
  double speed = 0;
  const SpaceShape moved = system->data().bodies[0].shapes[0];
  out.result = run({system, 0, 0.8, q, u}, method, [&](const Segment& s) {
    const double depth = -lowest(moved, system->frame(0, s.end.t, s.end.q, nullptr));
    speed = std::max(speed, s.begin.u.head<3>().norm() + s.begin.u.tail<3>().norm() * moved.reach());
    out.depth = std::max(out.depth, depth - 2 * h * speed);
  });
  return out;
}

// Steps end at impacts: nothing is below the floor by more than the tolerance.
TEST(SpaceDrops, NothingFallsThroughTheFloorByTolerance) {
  const Method method{parse_spec<SchemeSpec>("runge-kutta:tableau=dop-8", "scheme"),
                      ToleranceSteps{.rtol = 1e-8}};
  int unfinished = 0;
  for (int k = 0; k < drops(); ++k) {
    const Dropped d = drop(method, 0, 1000 + static_cast<std::uint64_t>(k));
    unfinished += d.result.status != RunStatus::finished;
    EXPECT_LT(d.depth, 1e-7) << k;
  }
  EXPECT_LE(unfinished, drops() / 100);
}

// Half a step into the floor, and what rolling adds on the level of velocities: less than twice the way of
// the fastest step.
TEST(SpaceDrops, NothingFallsThroughTheFloorWithFixedSteps) {
  for (int k = 0; k < drops(); ++k) {
    const Dropped d = drop({MoreauJean{0.5}, FixedSteps{5e-3}}, 5e-3, 1000 + static_cast<std::uint64_t>(k));
    EXPECT_EQ(d.result.status, RunStatus::finished) << k << ": " << d.result.message;
    EXPECT_LE(d.depth, 0) << k;
  }
}

}  // namespace
}  // namespace saltus::test_drops
