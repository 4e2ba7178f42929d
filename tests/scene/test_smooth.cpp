// Smooth mechanical scenes with schemes of first order.
#include <gtest/gtest.h>

#include "saltus/scene/load.hpp"
#include "saltus/scheme/runge_kutta/runge_kutta.hpp"
#include "saltus/system/checked_first_order.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus::test_smooth {
namespace {

const std::string pendulum = R"yaml(saltus: 1
coordinates: {a: {start: 2}, b: {start: 1, velocity: 0.5}}
let: {x1: sin(a), y1: -cos(a), x2: x1 + 0.8*sin(b), y2: y1 - 0.8*cos(b)}
kinetic: (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)/2
potential: 9.81*(y1 + y2)
forces: {a: -0.0*a'}
run: {t_end: 2, h: 0.002, scheme: gauss-2}
)yaml";

TEST(SmoothScenes, ALagrangianRunsWithAMethodOfGauss) {
  const CatalogProblem p = load_scene_text(pendulum, "pendulum")->entry.make({}, {});
  ASSERT_EQ(p.problem.system->family(), Family::first_order);
  const RunResult coarse = run(p.problem, p.method);
  EXPECT_EQ(coarse.status, RunStatus::finished) << coarse.message;
  EXPECT_EQ(coarse.final.q.size(), 2);
  EXPECT_EQ(coarse.final.u.size(), 2);
  EXPECT_NEAR(coarse.energy_final, coarse.energy_initial, 1e-8);
  // the same motion with Moreau's scheme, to its order
  const CatalogProblem m =
      load_scene_text(pendulum, "pendulum", std::vector<std::string>{"run.scheme=moreau-jean"})
          ->entry.make({}, {});
  ASSERT_EQ(m.problem.system->family(), Family::mechanical);
  EXPECT_LT((run(m.problem, m.method).final.q - coarse.final.q).norm(), 2e-3);
}

TEST(SmoothScenes, TheirJacobianIsExact) {
  const CatalogProblem p = load_scene_text(pendulum, "pendulum")->entry.make({}, {});
  const auto& s = static_cast<const FirstOrderSystem&>(*p.problem.system);
  const Vec y{{0.4, -0.9, 1.3, 0.7}};
  Matrix J(4, s.pattern());
  CheckedFirstOrder(s).jacobian(0, y, J);
  for (int j = 0; j < 4; ++j) {
    Vec low(4), high(4), moved = y;
    const double e = 1e-6;
    moved[j] += e, CheckedFirstOrder(s).rhs(0, moved, high);
    moved[j] -= 2 * e, CheckedFirstOrder(s).rhs(0, moved, low);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(J(i, j), (high[i] - low[i]) / (2 * e), 1e-7) << i << " " << j;
  }
}

// Masses in a row between springs: the Jacobian has the places of the springs, and a method of Gauss finds
// the same motion as a system of first order and as a mechanical one.
TEST(SmoothScenes, LongRowsOfFormulasHaveASparseJacobian) {
  const int n = 80;
  std::string second = "saltus: 1\ncoordinates:\n", energy = "0";
  for (int i = 0; i < n; ++i) {
    const auto x = [&](int k) { return k < 0 || k >= n ? std::string("0") : fmt::format("x{}", k); };
    const std::string start = fmt::format("{{start: {}}}", i == 3 ? 0.1 : 0.0);
    second += fmt::format("  x{}: {}\n", i, start);
    energy += fmt::format(" + 50*({} - {})^2", x(i), x(i - 1));
  }
  second += "mass: {";
  for (int i = 0; i < n; ++i) second += fmt::format("{}x{}: 1", i ? ", " : "", i);
  second += "}\npotential: " + energy + "\nrun: {t_end: 0.2, h: 0.01, scheme: gauss-2}\n";
  const CatalogProblem p = load_scene_text(second, "row")->entry.make({}, {});
  const auto& system = static_cast<const FirstOrderSystem&>(*p.problem.system);
  ASSERT_EQ(system.size(), 2 * n);
  EXPECT_EQ(system.pattern().kind, Pattern::sparse);
  const RunResult r = run(p.problem, p.method);
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_NEAR(r.energy_final, r.energy_initial, 1e-10);
  const CatalogProblem m =
      load_scene_text(second, "row", std::vector<std::string>{"run.scheme=moreau-jean"})->entry.make({}, {});
  const RunResult other =
      run(m.problem, {.scheme = runge_kutta("gauss-4"), .stepping = EventCapturing{.h = 0.01}});
  ASSERT_EQ(other.status, RunStatus::finished) << other.message;
  EXPECT_LT((other.final.q - r.final.q).norm(), 1e-12);
}

// Bodies whose contacts are all compliant; 30 of them have a sparse Jacobian.
TEST(SmoothScenes, CompliantBodiesRunWithSchemesOfFirstOrder) {
  const std::string balls = R"yaml(saltus: 1
materials: {soft: {law: {name: kuwabara-kono, k: 1e4, gamma: 2e-3}}}
walls: {floor: {normal: [0, 1]}}
groups: {b: {shape: disk, radius: 0.1, mass: 1, material: soft, position: [0, 0.1],
             layout: {name: grid, columns: 10, rows: 3, dx: 0.19}}}
run: {t_end: 0.1, h: 1e-3, scheme: gauss-2}
)yaml";
  const CatalogProblem p = load_scene_text(balls, "balls")->entry.make({}, {});
  ASSERT_EQ(p.problem.system->family(), Family::first_order);
  const auto& s = static_cast<const FirstOrderSystem&>(*p.problem.system);
  EXPECT_TRUE(s.pattern().is_open());
  const RunResult gauss = run(p.problem, p.method);
  ASSERT_EQ(gauss.status, RunStatus::finished) << gauss.message;
  const CatalogProblem m =
      load_scene_text(balls, "balls", std::vector<std::string>{"run.scheme=moreau-jean"})->entry.make({}, {});
  EXPECT_LT((run(m.problem, m.method).final.q - gauss.final.q).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_GT((p.problem.q0 - gauss.final.q).cwiseAbs().maxCoeff(), 0.02);  // they push each other apart

  Vec y(s.size()), low(s.size()), high(s.size());
  s.pack(0, gauss.final.q, gauss.final.u, y);
  Matrix J(s.size(), s.pattern());
  CheckedFirstOrder(s).jacobian(0, y, J);
  for (int j = 0; j < s.size(); j += 7) {
    Vec moved = y;
    const double e = 1e-7;
    moved[j] += e, CheckedFirstOrder(s).rhs(0, moved, high);
    moved[j] -= 2 * e, CheckedFirstOrder(s).rhs(0, moved, low);
    for (int i = 0; i < s.size(); ++i)
      EXPECT_NEAR(J(i, j), (high[i] - low[i]) / (2 * e), 1e-6 * (10 + std::abs(J(i, j)))) << i << " " << j;
  }
  // the floor is rigid for a rigid body
  EXPECT_THROW(
      load_scene_text(balls + "bodies: {stone: {shape: disk, radius: 0.1, mass: 1, position: [9, 0.1]}}\n",
                      "balls"),
      Error);
}

TEST(SmoothScenes, ContactsAreNotForSchemesOfFirstOrder) {
  EXPECT_THROW(load_scene_text(pendulum + "contacts: {c: {gap: 5 - a, law: unilateral}}\n", "pendulum"),
               Error);
}

}  // namespace
}  // namespace saltus::test_smooth
