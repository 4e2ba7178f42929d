// Compliant contacts of rigid bodies: derivatives against differences, Hertz' impact against its closed form,
// what is conserved, the grid against all pairs, every scheme.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "saltus/core/random.hpp"
#include "saltus/planar/rigid_system.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/system/checked.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"

namespace saltus::test_compliant {
namespace {

using Kind = RigidBody::Shape;

const std::vector<Vec2> box = {{-0.3, -0.2}, {0.3, -0.2}, {0.3, 0.2}, {-0.3, 0.2}};
const std::vector<Vec2> triangle = {{-0.2, -0.1}, {0.3, -0.1}, {-0.1, 0.2}};

RigidBody disk(const std::string& name, double radius, int material = 0) {
  RigidBody b;
  b.name = name, b.radius = radius, b.mass = 1, b.inertia = 0.5 * radius * radius, b.material = material;
  return b;
}
RigidBody polygon(const std::string& name, std::vector<Vec2> corners, int material = 0) {
  RigidBody b = disk(name, 0, material);
  b.shape = Kind::polygon, b.corners = std::move(corners), b.inertia = 0.1;
  return b;
}
RigidBody fixed(RigidBody b, Kind kind, const Vec2& at, double angle = 0, const Motion& motion = {}) {
  b.mass = 0, b.shape = kind, b.start = at, b.angle = angle, b.motion = motion;
  return b;
}
Material soft(const CompliantLaw& law) {
  return {0, 0, 0, law};
}

Problem problem_of(const RigidSystem::Data& data, Vec q, Vec u, double t_end) {
  return {std::make_shared<RigidSystem>(data), 0, t_end, std::move(q), std::move(u)};
}
Method method(std::string_view scheme, double h) {
  Method m;
  m.scheme = parse_spec<SchemeSpec>(scheme, "scheme");
  m.stepping = FixedSteps{h};
  if (std::holds_alternative<RungeKutta>(m.scheme)) m.stepping = EventCapturing{h};
  return m;
}

// Two kinds of material in one system, obstacles in motion, bodies that overlap a lot.
TEST(CompliantBodies, ForceJacobiansAreTheDerivatives) {
  RigidSystem::Data d;
  d.bodies = {disk("point", 0, 1), disk("disk", 0.4, 1), disk("other", 0.3, 2), polygon("box", box, 1),
              polygon("triangle", triangle, 2)};
  d.bodies.push_back(fixed(disk("floor", 0), Kind::plane, {0, -0.6}, 0.2, {{0.5, 0.5}, {0.1, 0.2}, 0.7, 0}));
  d.bodies.push_back(fixed(disk("drum", 1.2), Kind::drum, {0.1, 0.2}, 0, {{0.3, 0}, {0.2, -0.1}, -0.5, 0}));
  d.bodies.push_back(fixed(disk("pin", 0.3), Kind::round, {1, 1}, 0, {{0, 0}, {0.1, 0}, 0.9, 0}));
  d.bodies.push_back(fixed(polygon("step", box), Kind::polygon, {-1, 1}, 0.4, {{-1, 0.5}, {0, 0.3}, 0.8, 0}));
  const std::pair<CompliantLaw, CompliantLaw> laws[] = {{HertzContact{20}, HertzContact{5}},
                                                        {KuwabaraKono{20, 0.1}, KuwabaraKono{9, 0.3}},
                                                        {DashpotContact{20, 3, 1}, DashpotContact{9, 1, 1}},
                                                        {DashpotContact{20, 3, 2}, DashpotContact{9, 1, 2}}};
  SplitMix64 random(11);
  for (const auto& [a, b] : laws) {
    d.materials = MaterialTable({{}, soft(a), soft(b)});
    const bool elastic = a.index() == 0;
    const RigidSystem s(d);
    const int n = s.coordinates();
    ASSERT_EQ(n, 14);
    EXPECT_FALSE(s.shape().linear_force);
    Matrix dq(n, s.shape().jacobian), du(n, s.shape().jacobian);
    int checked = 0, kinks = 0;
    for (int trial = 0; trial < 100; ++trial) {
      Vec q(n), u(n), h(n), low(n), high(n);
      for (int i = 0; i < n; ++i) q[i] = random.between(-0.8, 0.8), u[i] = random.between(-1, 1);
      const double t = random.between(0, 1), e = 1e-6;
      CheckedSystem(s).force(t, q, u, h);
      CheckedSystem(s).force_jacobians(t, q, u, dq, du);
      for (int j = 0; j < n; ++j)
        for (const bool velocity : {false, true}) {
          Vec q1 = q, u1 = u;
          double& x = velocity ? u1[j] : q1[j];
          const double before = x;
          x = before - e, CheckedSystem(s).force(t, q1, u1, low);
          const double energy = CheckedSystem(s).potential(t, q1);
          x = before + e, CheckedSystem(s).force(t, q1, u1, high);
          // where a contact opens or a corner passes to another side the derivative jumps
          if (((high - h) - (h - low)).cwiseAbs().maxCoeff() > 2e-8) {
            ++kinks;
            continue;
          }
          for (int i = 0; i < n; ++i)
            EXPECT_NEAR((velocity ? du : dq)(i, j), (high[i] - low[i]) / (2 * e),
                        1e-6 * (1 + std::abs(high[i] - low[i]) / e))
                << (velocity ? "du " : "dq ") << i << " " << j;
          if (elastic && !velocity) {
            EXPECT_NEAR(h[j], -(CheckedSystem(s).potential(t, q1) - energy) / (2 * e), 1e-7);
          }
          ++checked;
        }
    }
    EXPECT_GT(checked, 2000);
    EXPECT_LT(kinks, 200);
  }
}

// d_max = (5 m v²/4k)^{2/5}, contact time 2 √π Γ(7/5)/Γ(9/10) d_max/v with the reduced mass m
TEST(CompliantBodies, HertzImpactOfTwoDisks) {
  const double k = 1e4, v = 2, m = 0.5;
  RigidSystem::Data d;
  d.bodies = {disk("a", 0.1), disk("b", 0.2)};
  d.materials = MaterialTable({soft(HertzContact{k})});
  d.gravity = {0, 0};
  const double together = k / std::pow(2, 1.5), deepest = std::pow(5 * m * v * v / (4 * together), 0.4);
  const double time = 2 * std::sqrt(M_PI) * std::tgamma(1.4) / std::tgamma(0.9) * deepest / v;
  const Vec2 along(0.6, 0.8);  // the bodies also move together
  Vec q(6), u(6);
  q << -0.31 * along, 0, 0, 0, 0;
  u << v * along + Vec2(1, 3), 0.5, 1, 3, -2;
  double errors[2];
  for (const int fine : {0, 1}) {
    double overlap = 0, first = -1, last = 0;
    const auto gap = [](const State& x) { return (x.q.segment<2>(0) - x.q.segment<2>(3)).norm() - 0.3; };
    const Problem p = problem_of(d, q, u, 0.1);
    const RunResult r = run(p, method("moreau-jean:theta=0.5", fine ? 1e-5 : 2e-5), [&](const Segment& s) {
      const double g0 = gap(s.begin), g1 = gap(s.end);
      if (g0 > 0 && g1 <= 0) first = s.begin.t + g0 / (g0 - g1) * (s.end.t - s.begin.t);
      if (g0 <= 0 && g1 > 0) last = s.begin.t + g0 / (g0 - g1) * (s.end.t - s.begin.t);
      overlap = std::max(overlap, -g1);
    });
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_NEAR(overlap / deepest, 1, 1e-5);
    EXPECT_NEAR((last - first) / time, 1, 1e-5);
    EXPECT_NEAR(r.final.u[0] + r.final.u[3], v * 0.6 + 2, 1e-12);  // momenta
    EXPECT_NEAR(r.final.u[1] + r.final.u[4], v * 0.8 + 6, 1e-12);
    EXPECT_EQ(r.final.u[2], 0.5);  // smooth
    EXPECT_EQ(r.final.u[5], -2);
    EXPECT_NEAR((r.final.u.segment<2>(3) - Vec2(1, 3) - v * along).norm(), 0, 1e-4);  // equal masses swap
    errors[fine] = std::abs(r.energy_final - r.energy_initial);
    EXPECT_LT(errors[fine], 1e-5 * r.energy_initial);
  }
  EXPECT_LT(errors[1], errors[0] / 3);  // order 2
}

// Under its weight each of the two lower corners carries half. What falls closes a dashpot at a speed, where
// its force jumps: implicit schemes may find no solution of a step there.
TEST(CompliantBodies, ABoxSettlesAtTheSagOfItsCorners) {
  for (const double p : {1.0, 1.5}) {
    RigidSystem::Data d;
    d.bodies = {polygon("box", box), fixed(disk("floor", 0, 1), Kind::plane, {0, 0})};
    d.materials = MaterialTable({{0.3, 0.2, 0}, soft(DashpotContact{500, 40, p})});
    const double sag = std::pow(9.81 / (2 * 500), 1 / p);
    const std::pair<const char*, Vec> starts[] = {{"moreau-midpoint", Vec{{0.0, 0.3, 0.2}}},
                                                  {"runge-kutta:tableau=heun-2", Vec{{0.0, 0.3, 0.2}}},
                                                  {"moreau-jean", Vec{{0.0, 0.2, 0.0}}},
                                                  {"moreau-jean:theta=1", Vec{{0.0, 0.2, 0.0}}},
                                                  {"runge-kutta:tableau=radau-iia-5", Vec{{0.0, 0.2, 0.0}}},
                                                  {"runge-kutta:tableau=gauss-2", Vec{{0.0, 0.2, 0.0}}},
                                                  {"generalized-alpha", Vec{{0.0, 0.2, 0.0}}}};
    for (const auto& [scheme, q] : starts) {
      const RunResult r = run(problem_of(d, q, Vec::Zero(3), 10), method(scheme, 1e-3));
      ASSERT_EQ(r.status, RunStatus::finished) << scheme << ": " << r.message;
      EXPECT_NEAR(r.final.q[1], 0.2 - sag, 1e-9) << scheme;
      EXPECT_NEAR(r.final.q[2], 0, 1e-9) << scheme;
    }
  }
}

// Each box is narrower than the one below: its two corners press, (k/2) d each, and its width w, (k/2) (w
// d/l) w/l with l a quarter of its perimeter; on the rigid floor two corners do.
TEST(CompliantBodies, ATowerOfBoxesSettlesAtItsSag) {
  constexpr int n = 4;
  const double k = 500;
  RigidSystem::Data d;
  Vec q(3 * n), rest(3 * n);
  double y = 0.2;
  for (int i = 0; i < n; ++i) {
    const double w = 0.6 - 0.1 * i, l = (w + 0.4) / 2;
    d.bodies.push_back(
        polygon(fmt::format("box {}", i), {{-w / 2, -0.2}, {w / 2, -0.2}, {w / 2, 0.2}, {-w / 2, 0.2}}));
    q.segment<3>(3 * i) << 0, 0.2 + 0.4 * i, 0;
    y -= 9.81 * (n - i) / (i == 0 ? 2 * k : k / 2 * (2 + (w / l) * (w / l)));
    rest.segment<3>(3 * i) << 0, y, 0;
    y += 0.4;
  }
  d.bodies.push_back(fixed(disk("floor", 0, 1), Kind::plane, {0, 0}));
  d.materials = MaterialTable({soft(DashpotContact{k, 40, 1}), {}});
  for (const char* scheme : {"moreau-jean", "generalized-alpha", "moreau-midpoint"}) {
    const RunResult r = run(problem_of(d, q, Vec::Zero(3 * n), 20), method(scheme, 2e-3));
    ASSERT_EQ(r.status, RunStatus::finished) << scheme << ": " << r.message;
    EXPECT_LT((r.final.q - rest).cwiseAbs().maxCoeff(), 1e-9) << scheme;
  }
}

// A soft ball falls onto a block that lies on a rigid floor, while a stone slides away: both kinds of contact
// in one system. Event capturing is the reference.
TEST(CompliantBodies, EverySchemeRunsThem) {
  RigidSystem::Data d;
  d.bodies = {disk("ball", 0.1, 1), polygon("block", box, 2), disk("stone", 0.1, 2),
              fixed(disk("floor", 0, 2), Kind::plane, {0, 0})};
  d.materials = MaterialTable({{}, soft(KuwabaraKono{3e4, 1e-3}), {}});
  const Vec q{{0.02, 0.6, 0.0, 0.0, 0.2, 0.0, 0.6, 0.1, 0.0}};
  Vec u = Vec::Zero(9);
  u[6] = 1;
  const Problem p = problem_of(d, q, u, 0.3);
  const RunResult exact = run(p, method("runge-kutta:tableau=radau-iia-5", 2e-4));
  ASSERT_EQ(exact.status, RunStatus::finished) << exact.message;
  EXPECT_GT(exact.final.u[1], 0.1);  // it has bounced
  for (const char* scheme : {"moreau-jean", "moreau-midpoint", "moreau-projected", "generalized-alpha",
                             "moreau-jean:theta=0", "runge-kutta:tableau=heun-2"}) {
    const RunResult r = run(p, method(scheme, 2e-5));
    ASSERT_EQ(r.status, RunStatus::finished) << scheme << ": " << r.message;
    const double order_one = std::string_view(scheme).ends_with("=0") ? 5 : 1;
    EXPECT_LT((r.final.q - exact.final.q).cwiseAbs().maxCoeff(), order_one * 2e-4) << scheme;
  }
}

RigidSystem::Data heap(int n, int few, const CompliantLaw& law, bool polygons = true) {
  RigidSystem::Data d;
  for (int i = 0; i < n; ++i)
    d.bodies.push_back(polygons && i % 4 == 3 ? polygon(fmt::format("b{}", i), triangle)
                                              : disk(fmt::format("d{}", i), 0.2));
  d.bodies.push_back(fixed(disk("floor", 0), Kind::plane, {0, 0}));
  d.bodies.push_back(fixed(disk("left", 0), Kind::plane, {-1.2, 0}, -M_PI / 2));
  d.bodies.push_back(fixed(disk("right", 0), Kind::plane, {1.2, 0}, M_PI / 2));
  d.materials = MaterialTable({soft(law)});
  d.few = few;
  return d;
}
Vec loose(int n) {
  Vec q(3 * n);
  for (int i = 0; i < n; ++i)
    q.segment<3>(3 * i) << 0.5 * (i % 5 - 2) + 0.01 * (i % 3), 0.3 + 0.5 * (i / 5), 0.1 * i;
  return q;
}

TEST(CompliantBodies, TheGridGivesTheTrajectoryOfAllPairs) {
  constexpr int n = 40;
  for (const char* scheme :
       {"moreau-midpoint", "moreau-jean", "generalized-alpha", "runge-kutta:tableau=gauss-2"}) {
    const CompliantLaw law = KuwabaraKono{1e4, 3e-3};
    const bool polygons =
        std::string_view(scheme) == "moreau-midpoint";  // whose corners jump from side to side
    const auto outcome = [&](int few) {
      const RunResult r =
          run(problem_of(heap(n, few, law, polygons), loose(n), Vec::Zero(3 * n), 0.6), method(scheme, 1e-3));
      EXPECT_EQ(r.status, RunStatus::finished) << scheme << ": " << r.message;
      return r;
    };
    const RunResult grid = outcome(0), all = outcome(1000);
    EXPECT_LT((grid.final.q - all.final.q).cwiseAbs().maxCoeff(), 1e-9) << scheme;
    EXPECT_LT(grid.final.q[1], 0.22);  // the lowest have arrived
  }
  const RigidSystem grid(heap(n, 0, HertzContact{})), all(heap(n, 1000, HertzContact{}));
  EXPECT_TRUE(grid.shape().jacobian.is_open() && !grid.shape().changing_contacts);
  EXPECT_EQ(all.shape().jacobian.kind, Pattern::dense);
}

TEST(CompliantBodies, AWarmStepLoopDoesNotAllocate) {
  for (const auto& [n, scheme] : {std::pair{40, "moreau-midpoint"}, std::pair{8, "moreau-jean"}}) {
    const Problem p = problem_of(heap(n, 24, KuwabaraKono{1e4, 1e-3}), loose(n), Vec::Zero(3 * n), 1);
    const auto stepper = make_stepper(method(scheme, 1e-3).scheme, *p.system, AutomaticSolver{});
    State x0 = stepper->start(0, p.q0, p.u0), x1 = x0;
    for (int k = 0; k < 600; ++k, std::swap(x0, x1)) stepper->step(x0, 1e-3, x1);
    const std::size_t before = testing::allocations();
    for (int k = 0; k < 200; ++k, std::swap(x0, x1))
      ASSERT_EQ(stepper->step(x0, 1e-3, x1).status, StepStatus::ok);
#if SALTUS_COUNTS_ALLOCATIONS
    EXPECT_EQ(testing::allocations() - before, 0u) << scheme;
#endif
  }
}

TEST(CompliantBodies, ForcesCostLinearTime) {
  const auto seconds_per_body = [](int n) {
    const RigidSystem s(heap(n, 24, HertzContact{}));
    const Vec q = 0.8 * loose(n), u = Vec::Zero(q.size());
    Vec h(q.size());
    double best = infinity;
    for (int round = 0; round < 15; ++round) {
      const std::clock_t begin = std::clock();  // of this process: others may be busy too
      CheckedSystem(s).force(0, q, u, h);
      best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / n);
    }
    return best;
  };
  const double few = seconds_per_body(500), lots = seconds_per_body(8000);
  EXPECT_LT(lots, 6 * few);  // all pairs would be 16 times as slow
}

TEST(CompliantBodies, MaterialsCombine) {
  const MaterialTable t({{0.4, 0.5, 0}, soft(HertzContact{2}), soft(HertzContact{2}), soft(KuwabaraKono{})});
  EXPECT_EQ(t.compliance(t.law(0, 0)), nullptr);
  EXPECT_EQ(t.compliance(t.law(0, 1))->k, 2);
  EXPECT_NEAR(t.compliance(t.law(2, 1))->k, 2 / std::pow(2, 1.5), 1e-15);
  EXPECT_FALSE(t.clashes(t.law(1, 2)) || t.clashes(t.law(0, 3)));
  EXPECT_TRUE(t.clashes(t.law(1, 3)) && t.clashes(t.law(3, 2)));
  EXPECT_THROW(MaterialTable({{0.1, 0, 0, HertzContact{}}}), Error);
  EXPECT_THROW(MaterialTable({soft(HertzContact{-1})}), Error);
}

TEST(CompliantBodies, OnlyPairsThatCanTouchMatter) {
  RigidSystem::Data d;
  d.bodies = {disk("a", 0.1, 1), disk("b", 0.1, 2), fixed(disk("floor", 0), Kind::plane, {0, 0})};
  d.materials = MaterialTable({{}, soft(HertzContact{}), soft(DashpotContact{})});
  const auto message = testing::message_of([&] { RigidSystem{d}; });
  EXPECT_NE(message.find("bodies a and b are compliant in different ways"), std::string::npos) << message;
  d.apart = {{1, 0}};
  const RigidSystem apart(d);
  EXPECT_TRUE(apart.laws().empty());  // the floor is rigid, but nothing rigid meets it
  EXPECT_TRUE(apart.shape().constant_directions && !apart.shape().linear_force);
  ContactSet set;
  CheckedSystem(apart).list(0, Vec::Zero(6), set);
  EXPECT_TRUE(set.contacts.empty());

  d.apart.clear(), d.bodies[1].material = 0;
  const RigidSystem both(d);  // b is rigid: it has a contact with the floor
  EXPECT_FALSE(both.laws().empty());
  CheckedSystem(both).list(0, Vec::Zero(6), set);
  EXPECT_EQ(set.contacts.size(), 1u);
  EXPECT_EQ(both.contact_name(set.contacts[0].id), "b/floor");

  d.bodies[0].touches = false;
  const RigidSystem rigid(d);
  EXPECT_TRUE(rigid.shape().linear_force);
  EXPECT_EQ(rigid.shape().jacobian.kind, Pattern::diagonal);
}

}  // namespace
}  // namespace saltus::test_compliant
