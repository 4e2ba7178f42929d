// Runs of bodies in space: observed orders on a free top, a heavy top and through a bounce with spin and
// friction; what is conserved; bodies that rest.
#include <gtest/gtest.h>

#include "saltus/run/run.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus::test_space_runs {
namespace {

Vec place(const Vec3& x, const Rotation& turn) {
  Vec q(7);
  q.head<3>() = x;
  turn.put(q.data() + 3);
  return q;
}
Vec motion(const Vec3& v, const Vec3& omega) {
  Vec u(6);
  u << v, omega;
  return u;
}

SpaceBody body(std::string name, const Vec3& inertia, double mass = 1) {
  SpaceBody b;
  b.name = std::move(name);
  b.mass = mass, b.inertia = inertia.asDiagonal();
  return b;
}
SpaceBody floor_body() {
  SpaceBody b;
  b.name = "floor";
  b.shapes.push_back(SpaceShape::half_space({0, 0, 1}));
  return b;
}

Problem free_top(double t_end) {
  SpatialSystem::Data d;
  d.gravity.setZero();
  d.bodies.push_back(body("top", {1, 2, 3.2}));
  return {std::make_shared<SpatialSystem>(std::move(d)), 0, t_end, place({0, 0, 0}, {}),
          motion({0.3, -0.1, 0.2}, {0.4, 2, 0.3})};
}

// On a ball joint at the origin, its centre at l e₃.
Problem heavy_top(double t_end) {
  SpatialSystem::Data d;
  SpaceBody ground;
  ground.name = "ground", ground.touches = false;
  d.bodies.push_back(body("top", {0.02, 0.025, 0.03}));
  d.bodies.push_back(std::move(ground));
  SpaceJoint joint;
  joint.name = "pivot", joint.a = 1, joint.b = 0, joint.point_b = {0, 0, -0.3};
  d.joints.push_back(joint);
  const Rotation turn = rotation_exp({0.6, 0.1, 0});
  const Vec3 omega(0.5, -0.3, 12), arm(0, 0, 0.3);
  return {std::make_shared<SpatialSystem>(std::move(d)), 0, t_end, place(turn(arm), turn),
          motion(turn(cross(omega, arm)), omega)};
}

// A box thrown on a rough floor: it spins, and hits with one corner after the other.
Problem bounce(double t_end, double mu) {
  SpatialSystem::Data d;
  SpaceBody box = body("box", {0.02, 0.03, 0.04});
  box.shapes.push_back(SpaceShape::box({0.15, 0.1, 0.05}));
  d.bodies.push_back(std::move(box));
  d.bodies.push_back(floor_body());
  d.materials = MaterialTable({{.mu = mu, .e_n = 0.6, .e_t = 0, .law = {}, .rolling = 0}});
  return {std::make_shared<SpatialSystem>(std::move(d)), 0, t_end,
          place({0, 0, 0.4}, rotation_exp({0.5, -0.7, 0.2})), motion({0.5, 0.2, 0}, {2, -3, 1})};
}

SchemeSpec scheme(const char* tableau) {
  return parse_spec<SchemeSpec>(fmt::format("runge-kutta:tableau={}", tableau), "scheme");
}

struct Off {
  double place, velocity;
};
Off difference(const Problem& p, const State& a, const State& b) {
  Vec v(b.u.size());
  static_cast<const System&>(*p.system).difference(a.q, b.q, v);
  return {v.norm(), (a.u - b.u).norm()};
}

// log₂ of the errors of h and h/2, against a run by a tolerance.
void expect_order(const Problem& p, const Method& coarse, const Method& fine, double order, double room,
                  const char* what) {
  Problem tight = p;
  const RunResult exact = run(tight, {scheme("dop-8"), ToleranceSteps{.rtol = 1e-13}});
  ASSERT_EQ(exact.status, RunStatus::finished) << exact.message;
  const RunResult a = run(p, coarse), b = run(p, fine);
  ASSERT_EQ(a.status, RunStatus::finished) << what << ": " << a.message;
  ASSERT_EQ(b.status, RunStatus::finished) << what << ": " << b.message;
  const Off x = difference(p, exact.final, a.final), y = difference(p, exact.final, b.final);
  EXPECT_NEAR(std::log2(x.place / y.place), order, room) << what << ": " << x.place << ", " << y.place;
  EXPECT_NEAR(std::log2(x.velocity / y.velocity), order, room)
      << what << ": " << x.velocity << ", " << y.velocity;
}

Method capturing(const char* tableau, double h) {
  return {scheme(tableau), EventCapturing{.h = h}};
}

TEST(SpaceOrders, OfTheFreeTop) {
  const Problem p = free_top(2);
  expect_order(p, {MoreauJean{0.5}, FixedSteps{0.02}}, {MoreauJean{0.5}, FixedSteps{0.01}}, 2, 0.1,
               "moreau-jean");
  expect_order(p, {GeneralizedAlpha{}, FixedSteps{0.01}}, {GeneralizedAlpha{}, FixedSteps{0.005}}, 2, 0.15,
               "generalized-alpha");
  expect_order(p, capturing("herk-4", 0.1), capturing("herk-4", 0.05), 4, 0.3, "herk-4");
  expect_order(p, capturing("herk-5", 0.1), capturing("herk-5", 0.05), 5, 0.4, "herk-5");
  expect_order(p, capturing("gauss-4", 0.1), capturing("gauss-4", 0.05), 4, 0.2, "gauss-4");
  expect_order(p, capturing("radau-iia-5", 0.1), capturing("radau-iia-5", 0.05), 5, 0.3, "radau-iia-5");
}

TEST(SpaceOrders, OfTheHeavyTop) {
  const Problem p = heavy_top(0.5);
  expect_order(p, {GeneralizedAlpha{}, FixedSteps{1e-3}}, {GeneralizedAlpha{}, FixedSteps{5e-4}}, 2, 0.2,
               "generalized-alpha");
  expect_order(p, capturing("herk-4", 0.01), capturing("herk-4", 0.005), 4, 0.4, "herk-4");
  expect_order(p, capturing("gauss-4", 0.01), capturing("gauss-4", 0.005), 4, 0.4, "gauss-4");
  expect_order(p, capturing("radau-iia-5", 0.02), capturing("radau-iia-5", 0.01), 5, 0.6, "radau-iia-5");
}

// Through three impacts of corners with friction the order stays.
TEST(SpaceOrders, ThroughABounceWithSpinAndFriction) {
  const Problem p = bounce(0.45, 0.3);
  const RunResult exact = run(p, {scheme("dop-8"), ToleranceSteps{.rtol = 1e-13}});
  ASSERT_EQ(exact.status, RunStatus::finished) << exact.message;
  EXPECT_GE(exact.stats.steps, 3);
  expect_order(p, capturing("radau-iia-5", 0.09), capturing("radau-iia-5", 0.045), 5, 1.2, "radau-iia-5");
  // Moreau–Jean: first order, and rough where impacts lie in a step
  double last = infinity;
  for (const double h : {4e-3, 1e-3, 2.5e-4}) {
    const Off off = difference(p, exact.final, run(p, {MoreauJean{0.5}, FixedSteps{h}}).final);
    EXPECT_LT(off.place, 0.7 * last);
    last = off.place;
  }
}

// The spin balance in the middle frame: energy and the vector of angular momentum, over 10⁵ long steps.
TEST(SpaceConservation, AFreeTopUnderMoreauJean) {
  const Problem p = free_top(5000);
  const auto& system = static_cast<const SpatialSystem&>(*p.system);
  const auto first = system.momentum(p.q0, p.u0);
  const double energy = energy_of(system, 0, p.q0, p.u0);
  double off = 0, lost = 0, length = 0;
  const RunResult r = run(p, {MoreauJean{0.5}, FixedSteps{0.05}}, [&](const Segment& s) {
    const auto now = system.momentum(s.end.q, s.end.u);
    const Vec3 spin = now.angular - cross(s.end.q.head<3>(), now.linear);
    off = std::max(off, (spin - first.angular).norm());
    lost = std::max(lost, std::abs(energy_of(system, 0, s.end.q, s.end.u) - energy));
    length = std::max(length, std::abs(s.end.q.tail<4>().norm() - 1));
  });
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT(off, 1e-11 * first.angular.norm());
  EXPECT_LT(lost, 1e-11 * energy);
  EXPECT_LT(length, 1e-14);
}

// Collisions of spinning boxes and capsules without gravity: linear and angular momentum to rounding, at a
// step that is far too long for accuracy; restitution takes energy, and no step gives some.
TEST(SpaceConservation, MomentaThroughCollisions) {
  SpatialSystem::Data d;
  d.gravity.setZero();
  Vec q(14), u(12);
  SpaceBody a = body("a", {0.02, 0.03, 0.045}), b = body("b", {0.05, 0.06, 0.02}, 2);
  a.shapes.push_back(SpaceShape::sphere(0.3));
  b.shapes.push_back(SpaceShape::capsule(0.2, 0.6, {0, 0, 1}));
  d.bodies = {a, b};
  d.materials = MaterialTable({{.mu = 0.4, .e_n = 0.8, .e_t = 0, .law = {}, .rolling = 0}});
  q << place({-1, 0.1, 0.2}, rotation_exp({0.2, 0.4, -0.3})), place({1, 0, 0}, rotation_exp({1, 0.3, 0.2}));
  u << motion({3, 0, 0}, {4, -6, 3}), motion({-2, 0.2, 0.1}, {3, 5, -2});
  const Problem p{std::make_shared<SpatialSystem>(std::move(d)), 0, 2, q, u};
  const auto& system = static_cast<const SpatialSystem&>(*p.system);
  const auto first = system.momentum(q, u);
  double off = 0, energy = energy_of(system, 0, q, u), gained = 0;
  int hits = 0;
  const double start = energy;
  const RunResult r = run(p, {MoreauJean{0.5}, FixedSteps{0.02}}, [&](const Segment& s) {
    const auto now = system.momentum(s.end.q, s.end.u);
    off = std::max({off, (now.linear - first.linear).norm(), (now.angular - first.angular).norm()});
    const double e = energy_of(system, 0, s.end.q, s.end.u);
    gained = std::max(gained, e - energy), energy = e;
    hits += !s.end.contacts.closed.empty();
  });
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_GE(hits, 1);
  EXPECT_LT(energy, 0.95 * start);
  EXPECT_LT(gained, 1e-12 * start);
  EXPECT_LT(off, 1e-12 * first.angular.norm());
}

// Restitution to rounding at any step; a box on an incline below the angle of friction does not creep.
TEST(SpaceConservation, RestitutionAndRest) {
  for (const double h : {1e-3, 0.017}) {
    SpatialSystem::Data d;
    SpaceBody ball = body("ball", {0.1, 0.1, 0.1});
    ball.shapes.push_back(SpaceShape::sphere(0.2));
    d.bodies = {ball, floor_body()};
    d.gravity.setZero();
    d.materials = MaterialTable({{.mu = 0.5, .e_n = 0.7, .e_t = 0, .law = {}, .rolling = 0}});
    const RunResult r = run({std::make_shared<SpatialSystem>(std::move(d)), 0, 0.5, place({0, 0, 0.3}, {}),
                             motion({1, 0, -1}, {3, 5, 2})},
                            {MoreauJean{0.5}, FixedSteps{h}});
    EXPECT_NEAR(r.final.u[2], 0.7, 1e-12) << h;
  }
  SpatialSystem::Data d;
  SpaceBody box = body("box", {0.02, 0.03, 0.04});
  box.shapes.push_back(SpaceShape::box({0.2, 0.15, 0.05}));
  d.bodies = {box, floor_body()};
  d.gravity = {9.81 * std::sin(0.3), 0, -9.81 * std::cos(0.3)};
  d.materials = MaterialTable({{.mu = 0.4, .e_n = 0, .e_t = 0, .law = {}, .rolling = 0}});
  const RunResult r = run({std::make_shared<SpatialSystem>(std::move(d)), 0, 50, place({0, 0, 0.05}, {}),
                           motion({0, 0, 0}, {0, 0, 0})},
                          {MoreauJean{0.5}, FixedSteps{0.01}});
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT((r.final.q - place({0, 0, 0.05}, {})).norm(), 1e-10);
}

// A tower of boxes, flush and turned against each other, stands; crossed bars carry each other by their
// edges.
TEST(SpaceRest, TowersStand) {
  SpatialSystem::Data d;
  Vec q(7 * 5), u = Vec::Zero(6 * 5);
  for (int k = 0; k < 5; ++k) {
    SpaceBody b = body("b" + std::to_string(k), {0.05, 0.06, 0.07});
    b.shapes.push_back(SpaceShape::box({0.4, k % 2 == 0 ? 0.1 : 0.3, 0.1}));
    d.bodies.push_back(b);
    q.segment<7>(7 * k) =
        place({0, 0, 0.1 + 0.2 * k}, rotation_exp({0, 0, 0.5 * k * std::acos(-1.0) + (k == 3 ? 0.3 : 0)}));
  }
  d.bodies.push_back(floor_body());
  d.materials = MaterialTable({{.mu = 0.5, .e_n = 0, .e_t = 0, .law = {}, .rolling = 0}});
  const RunResult r =
      run({std::make_shared<SpatialSystem>(std::move(d)), 0, 2, q, u}, {MoreauJean{0.5}, FixedSteps{0.01}});
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT((r.final.q - q).norm(), 1e-8);
}

}  // namespace
}  // namespace saltus::test_space_runs
