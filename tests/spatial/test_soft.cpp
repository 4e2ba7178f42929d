// Compliant contacts in space: closed forms of impacts on springs, forces as gradients, their Jacobians,
// energy.
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/run/run.hpp"
#include "saltus/spatial/spatial_system.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::test_soft {
namespace {

SpaceBody body(std::string name, SpaceShape shape, double mass = 2) {
  SpaceBody b;
  b.name = std::move(name);
  b.mass = mass, b.inertia = Vec3(0.3, 0.4, 0.5).asDiagonal();
  b.shapes.push_back(std::move(shape));
  return b;
}
SpaceBody wall() {
  SpaceBody b;
  b.name = "wall";
  b.shapes.push_back(SpaceShape::half_space({0, 0, 1}));
  b.material = 1;
  return b;
}
Material soft(const char* law) {
  Material m;
  m.law = parse_spec<CompliantLaw>(law, "law");
  return m;
}

struct Bounce {
  double contact = 0, speed = 0, depth = 0;
};
// Two bodies that meet at t = 0 with the relative velocity v along z, without gravity.
Bounce bounce(SpatialSystem::Data d, double v, const Method& method) {
  d.gravity.setZero();
  const auto system = std::make_shared<SpatialSystem>(std::move(d));
  const int moving = system->bodies_moving();
  Vec q = Vec::Zero(7 * moving), u = Vec::Zero(6 * moving);
  for (int k = 0; k < moving; ++k) q[7 * k + 3] = 1;
  q[2] = 1, u[2] = -v;  // spheres of radius 1 and half
  if (moving == 2) q[9] = -0.5;
  Bounce out;
  const auto depth = [&](const State& s) { return moving == 2 ? 1.5 - (s.q[2] - s.q[9]) : 1 - s.q[2]; };
  double before = 0, t_before = 0;
  const RunResult r = run({system, 0, 0.5, q, u}, method, [&](const Segment& s) {
    const double now = depth(s.end);
    out.depth = std::max(out.depth, now);
    if (before > 0 && now <= 0) out.contact = t_before + before / (before - now) * (s.end.t - t_before);
    before = now, t_before = s.end.t;
    out.speed = s.end.u[2] - (moving == 2 ? s.end.u[8] : 0);
  });
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  return out;
}

Method fine() {
  return {parse_spec<SchemeSpec>("runge-kutta:tableau=gauss-6", "scheme"), EventCapturing{.h = 1e-4}};
}

// A mass on a spring: half a period, and the speed that it came with.
TEST(SpaceSoft, ASpringHoldsABallForHalfAPeriod) {
  SpatialSystem::Data d;
  d.bodies = {body("ball", SpaceShape::sphere(1)), wall()};
  d.materials = MaterialTable({soft("dashpot:k=5000,c=0,p=1"), {}});
  const Bounce b = bounce(d, 0.4, fine());
  const double omega = std::sqrt(5000 / 2.0), pi = std::acos(-1.0);
  EXPECT_NEAR(b.contact, pi / omega, 1e-7);
  EXPECT_NEAR(b.speed, 0.4, 1e-9);
  EXPECT_NEAR(b.depth, 0.4 / omega, 1e-8);
}

// A dashpot takes a part that does not depend on the speed: e = exp(−π ζ/√(1 − ζ²)).
TEST(SpaceSoft, ADashpotHasARestitution) {
  SpatialSystem::Data d;
  d.bodies = {body("ball", SpaceShape::sphere(1)), wall()};
  d.materials = MaterialTable({soft("dashpot:k=5000,c=40,p=1"), {}});
  const double zeta = 40 / (2 * std::sqrt(5000 * 2.0)),
               e = std::exp(-std::acos(-1.0) * zeta / std::sqrt(1 - zeta * zeta));
  for (const double v : {0.1, 0.4}) EXPECT_NEAR(bounce(d, v, fine()).speed / v, e, 1e-6) << v;
  for (const Method& method :
       {Method{MoreauJean{0.5}, FixedSteps{1e-5}}, Method{MoreauMidpoint{}, FixedSteps{1e-5}}})
    EXPECT_NEAR(bounce(d, 0.4, method).speed / 0.4, e, 3e-3);
  const Method tolerance{parse_spec<SchemeSpec>("runge-kutta:tableau=dop-8", "scheme"),
                         ToleranceSteps{.rtol = 1e-10}};
  EXPECT_NEAR(bounce(d, 0.4, tolerance).speed / 0.4, e, 1e-9);
}

// Hertz: deepest (5 m v²/(4 k))^(2/5), together for 2.94327 of that over v. Two spheres of one law are in
// series, k/2^1.5.
TEST(SpaceSoft, TwoSpheresCollideAsHertzSays) {
  SpatialSystem::Data d;
  d.bodies = {body("a", SpaceShape::sphere(1)), body("b", SpaceShape::sphere(0.5), 6)};
  d.materials = MaterialTable({soft("hertz:k=1e6")});
  const double m = 2 * 6.0 / 8, k = 1e6 / std::pow(2, 1.5), v = 0.5,
               deepest = std::pow(5 * m * v * v / (4 * k), 0.4);
  const Bounce b = bounce(d, v, fine());
  EXPECT_NEAR(b.depth, deepest, 1e-4 * deepest);
  EXPECT_NEAR(b.contact, 2.94327 * deepest / v, 2e-6);
  EXPECT_NEAR(b.speed, v, 1e-8);
}

// At random places of random pairs of shapes that overlap a little: forces are minus the gradient of the
// potential where nothing damps, Jacobians are those of the forces.
TEST(SpaceSoft, ForcesAndJacobiansAreThoseOfThePotential) {
  SplitMix64 random(4);
  const auto vector = [&](double size) {
    return Vec3(random.between(-size, size), random.between(-size, size), random.between(-size, size));
  };
  const SpaceShape shapes[] = {
      SpaceShape::sphere(0.4), SpaceShape::capsule(0.3, 0.6, Vec3::UnitX()), SpaceShape::box({0.3, 0.4, 0.5}),
      SpaceShape::cylinder(0.3, 0.8, Vec3::UnitZ()), SpaceShape::ellipsoid({0.5, 0.3, 0.4})};
  int seen = 0, good = 0;
  for (const bool damped : {false, true})
    for (int k = 0; k < 400; ++k) {
      SpatialSystem::Data d;
      d.gravity.setZero();
      d.bodies = {body("a", shapes[k % 5]), body("b", shapes[k / 5 % 5])};
      d.materials = MaterialTable({soft(damped ? "kuwabara-kono:k=100,gamma=0.3" : "hertz:k=100")});
      const SpatialSystem system(std::move(d));
      const CheckedSystem at(system);
      Vec q(14), u(12), h(12);
      q.setZero();
      q.segment<3>(7) = vector(0.7);
      for (const int body : {0, 1}) rotation_exp(vector(2)).put(q.data() + 7 * body + 3);
      for (double& x : u) x = random.between(-1, 1);
      at.force(0, q, u, h);
      const double V = at.potential(0, q);
      if (!(V > 1e-4 && V < 1)) continue;
      ++seen;
      Matrix dq(12, system.shape().jacobian), du(12, system.shape().jacobian);
      at.force_jacobians(0, q, u, dq, du);
      const double e = 1e-6;
      double off = 0;
      for (int j = 0; j < 12; ++j) {
        const auto look = [&](double s, Vec& force, double& potential) {
          Vec p(14);
          system.retract(q, Vec(s * Vec::Unit(12, j)), p);
          force.resize(12);
          at.force(0, p, u, force);
          potential = at.potential(0, p);
        };
        Vec up, down;
        double high = 0, low = 0;
        look(e, up, high), look(-e, down, low);
        if (!damped) {
          Vec still(12);
          at.force(0, q, Vec::Zero(12), still);
          off = std::max(off, std::abs((high - low) / (2 * e) + still[j]));
        }
        for (int i = 0; i < 12; ++i)
          off = std::max(off, std::abs((up[i] - down[i]) / (2 * e) - dq(i, j)) / (1 + std::abs(dq(i, j))));
        Vec v = u, faster(12), slower(12);
        v[j] += e, at.force(0, q, v, faster);
        v[j] -= 2 * e, at.force(0, q, v, slower);
        for (int i = 0; i < 12; ++i)
          off = std::max(off, std::abs((faster[i] - slower[i]) / (2 * e) - du(i, j)));
      }
      good += off < 1e-5;  // not where a feature changes within the difference
    }
  EXPECT_GT(seen, 100);
  EXPECT_GE(good, 0.97 * seen) << seen;
}

TEST(SpaceSoft, LawsThatDoNotGoTogetherAreNamed) {
  SpatialSystem::Data d;
  d.bodies = {body("a", SpaceShape::sphere(1)), body("b", SpaceShape::sphere(1))};
  d.bodies[1].material = 1;
  d.materials = MaterialTable({soft("hertz:k=1"), soft("dashpot:k=1,c=0,p=1")});
  try {
    const SpatialSystem system(std::move(d));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("compliant in different ways"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace saltus::test_soft
