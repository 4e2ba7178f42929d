// Runge–Kutta with joints and closed contacts: chains, redundant and contradictory rows, stiff beams.
#include <gtest/gtest.h>

#include "saltus/catalog/catalog.hpp"
#include "saltus/core/error.hpp"
#include "saltus/scene/load.hpp"
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/scheme/runge_kutta/runge_kutta.hpp"

namespace saltus::test_constrained_motion {
namespace {

RunResult run_by(const CatalogProblem& p, const char* tableau, double h) {
  return run(p.problem, {.scheme = runge_kutta(tableau), .stepping = EventCapturing{.h = h}});
}

CatalogProblem problem_of(const std::string& text) {
  return load_scene_text("saltus: 1\n" + text, "test")->entry.make({}, {});
}

std::string parallelogram(const std::string& more) {
  return R"yaml(
coordinates: {x: {start: 0}, y: {start: -1}, a: {start: 0}}
mass: {x: 1, y: 1, a: 0.1}
forces: {x: 1}
potential: 10*y
joints:
  r1: (x - cos(a) + 1)^2 + (y - sin(a))^2 - 1
  r2: (x + cos(a) - 1)^2 + (y + sin(a))^2 - 1
)yaml" + more +
         "run: {t_end: 2, h: 0.01}\n";
}

// A plate on two parallel rods, and on three: the third one changes nothing. It is a pendulum that does not
// turn, pushed aside by a constant force.
TEST(ConstrainedMotion, ARedundantRodChangesNothing) {
  const auto third = problem_of(parallelogram("  r3: x^2 + y^2 - 1\n"));
  const auto pendulum = problem_of(R"yaml(
coordinates: {p: {start: 0}}
mass: {p: 1}
forces: {p: cos(p)}
potential: -10*cos(p)
run: {t_end: 2, h: 0.01}
)yaml");
  const double exact = run_by(pendulum, "gauss-6", 1e-3).final.q[0];
  for (const char* tableau :
       {"radau-iia-5", "gauss-6", "herk-4", "herk-5", "lobatto-iiia-4", "lobatto-iiic-4"}) {
    const RunResult r = run_by(third, tableau, 0.01);
    ASSERT_EQ(r.status, RunStatus::finished) << tableau << ": " << r.message;
    EXPECT_NEAR(r.final.q[0], std::sin(exact), 2e-7) << tableau;
    EXPECT_NEAR(r.final.q[1], -std::cos(exact), 2e-7) << tableau;
    EXPECT_NEAR(r.final.q[2], 0, 1e-10) << tableau;
  }
}

// Two prescribed motions that agree in position and velocity at the start, not in acceleration.
TEST(ConstrainedMotion, AContradictionNamesItsContacts) {
  const auto p = problem_of(R"yaml(
coordinates: {x: {start: 0}, y: {start: 0}, z: {start: 0}}
mass: {x: 1, y: 2, z: 1}
joints: {slow: x - t^2/2, level: y, fast: x - t^2}
run: {t_end: 1, h: 0.01}
)yaml");
  Faults faults;
  ClosedDynamics dynamics(static_cast<const System&>(*p.problem.system), faults);
  Vec a;
  EXPECT_EQ(dynamics.acceleration(0, p.problem.q0, p.problem.u0, a), ClosedDynamics::Status::contradictory);
  std::string names;
  for (const std::uint64_t id : dynamics.contradiction()) names += p.problem.system->contact_name(id) + " ";
  EXPECT_EQ(names, "slow fast ");
  EXPECT_EQ(run_by(p, "radau-iia-3", 0.01).status, RunStatus::failed);
}

// What joints leave of an acceleration: the bob of a pendulum that is held level falls with g along the rod's
// normal, and the rod itself does not stretch.
TEST(ConstrainedMotion, RowsHaveTheAccelerationsThatJointsLeaveThem) {
  const auto p = problem_of(R"yaml(
coordinates: {x: {start: 1}, y: {start: 0, velocity: 2}}
mass: {x: 3, y: 3}
potential: 30*y
joints: {rod: sqrt(x^2 + y^2) - 1}
contacts: {floor: {gap: y + 1, law: unilateral}, wall: {gap: x + 2, law: unilateral}}
run: {t_end: 1, h: 0.01}
)yaml");
  Faults faults;
  ClosedDynamics dynamics(static_cast<const System&>(*p.problem.system), faults);
  Vec a;
  ASSERT_EQ(dynamics.acceleration(0, p.problem.q0, p.problem.u0, a), ClosedDynamics::Status::ok);
  std::vector<double> rate, scale;
  dynamics.row_accelerations(0, p.problem.q0, p.problem.u0, a, rate, scale);
  for (const Contact& c : dynamics.contacts().contacts) {
    const std::string name = p.problem.system->contact_name(c.id);
    EXPECT_NEAR(rate[c.row], name == "rod" ? 0 : name == "floor" ? -10 : -4, 1e-14) << name;
    EXPECT_GE(scale[c.row], std::abs(rate[c.row]));
  }
}

// A block that slides in two directions under a force across its way stops at t = (μ g v + F·v)/(μ² g² − F²).
TEST(ConstrainedMotion, SlidingInTwoDirectionsStopsInTime) {
  const auto p = problem_of(R"yaml(
coordinates: {x: {velocity: 3}, y: {velocity: 4}, z: {start: 0}}
mass: {x: 1, y: 1, z: 1}
forces: {x: 2}
potential: 10*z
contacts: {floor: {gap: z, slip: ["x'", "y'"], law: {name: coulomb, mu: 0.5, tangents: 2}}}
run: {t_end: 2, h: 0.01}
)yaml");
  for (const char* tableau : {"radau-iia-3", "radau-iia-5", "gauss-4", "herk-3", "herk-4"})
    for (const double h : {0.01, 0.003}) {
      double stop = 0;
      const RunResult r = run(p.problem, {.scheme = runge_kutta(tableau), .stepping = EventCapturing{.h = h}},
                              [&](const Segment& s) {
                                for (const Event& e : s.events)
                                  if (e.kind == EventKind::stick) stop = e.t;
                              });
      ASSERT_EQ(r.status, RunStatus::finished) << tableau << " " << h << ": " << r.message;
      EXPECT_NEAR(stop, 31.0 / 21, 1e-5) << tableau << " " << h;
      EXPECT_NEAR(r.final.u.norm(), 0, 1e-12) << tableau << " " << h;
    }
}

// Links that turn and sway: how their accelerations change along the motion, and stages that are evaluated
// again close by, with the factor of the first time.
CatalogProblem swaying_links() {
  return problem_of(R"yaml(
groups:
  link: {shape: box, size: [0.1, 0.02], mass: 0.1, contact: false,
         layout: {name: chain, count: 6, x: 0.05, dx: 0.1, anchor: first}}
run: {t_end: 0.2, h: 1e-3}
)yaml");
}

TEST(ConstrainedMotion, AccelerationsOfLinksChangeAtTheirRate) {
  const auto p = swaying_links();
  const RunResult r = run_by(p, "gauss-6", 1e-3);
  Faults faults;
  ClosedDynamics dynamics(static_cast<const System&>(*p.problem.system), faults);
  const double t = r.final.t, h = 1e-5;
  const Vec &q = r.final.q, &u = r.final.u;
  Vec a, rate(q.size()), before, behind;
  ASSERT_EQ(dynamics.acceleration(t, q, u, a), ClosedDynamics::Status::ok);
  dynamics.linearise(t, q, u, a);
  ASSERT_TRUE(dynamics.acceleration_rate(u, a, rate));
  const auto at = [&](double s, Vec& out) {
    const Vec qs = q + s * u + s * s / 2 * a + s * s * s / 6 * rate, us = u + s * a + s * s / 2 * rate;
    ASSERT_EQ(dynamics.acceleration(t + s, qs, us, out), ClosedDynamics::Status::ok);
  };
  at(-h, before), at(h, behind);
  EXPECT_LT(((behind - before) / (2 * h) - rate).lpNorm<Eigen::Infinity>(),
            1e-5 * rate.lpNorm<Eigen::Infinity>());
}

TEST(ConstrainedMotion, StagesCloseToEachOtherShareAFactor) {
  const auto p = swaying_links();
  const RunResult r = run_by(p, "gauss-6", 1e-3);
  Faults faults;
  const auto& system = static_cast<const System&>(*p.problem.system);
  ClosedDynamics dynamics(system, faults), oracle(system, faults);
  const double t = r.final.t;
  Vec a, exact;
  ASSERT_EQ(dynamics.acceleration(t, r.final.q, r.final.u, a), ClosedDynamics::Status::ok);
  const Vec start = a;
  ClosedDynamics::Stage stage;
  // states that come together as those of a Newton iteration do
  double error = 0;
  for (const double off : {1e-4, 1e-6, 1e-8, 1e-10, 0.0}) {
    const Vec q = r.final.q + 1e-3 * r.final.u + off * start / start.norm();
    const Vec u = r.final.u + 1e-3 * start + 1e3 * off * start / start.norm();
    ASSERT_EQ(dynamics.stage_acceleration(t + 1e-3, q, u, a, stage), ClosedDynamics::Status::ok);
    ASSERT_EQ(oracle.acceleration(t + 1e-3, q, u, exact), ClosedDynamics::Status::ok);
    error = (a - exact).lpNorm<Eigen::Infinity>();
    if (off == 1e-4) {
      EXPECT_LT(error, 1e-10 * exact.lpNorm<Eigen::Infinity>());  // by its own factor
    }
  }
  EXPECT_LT(error, 1e-12 * exact.lpNorm<Eigen::Infinity>());
  EXPECT_EQ(stage.saddle.analyses(), 1);
}

// A chain of links, let go level: energy is kept to the order of the method, and tableaus agree.
TEST(ConstrainedMotion, AChainOfLinksKeepsItsEnergy) {
  const auto p = problem_of(R"yaml(
groups:
  link: {shape: box, size: [0.1, 0.02], mass: 0.1, contact: false,
         layout: {name: chain, count: 30, x: 0.05, dx: 0.1, anchor: first}}
run: {t_end: 0.3, h: 1e-3}
)yaml");
  const RunResult fine = run_by(p, "gauss-6", 2e-3);
  ASSERT_EQ(fine.status, RunStatus::finished) << fine.message;
  EXPECT_NEAR(fine.energy_final, fine.energy_initial, 1e-8);
  double errors[2];
  for (const int k : {0, 1}) {
    const RunResult r = run_by(p, "radau-iia-3", k ? 1e-3 : 2e-3);
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    errors[k] = (r.final.q - fine.final.q).norm();
    EXPECT_LT(r.residuals.position, 1e-12);
  }
  EXPECT_GT(std::log2(errors[0] / errors[1]), 2.7);
}

// Steel beam on a hinge, 1e6 rad/s in its fastest mode: implicit tableaus take long steps, explicit ones say
// that they cannot.
TEST(ConstrainedMotion, AStiffBeamRunsWithLongSteps) {
  const CatalogProblem p = find_problem("flexible-pendulum").make({}, 0.3);
  const RunResult fine = run_by(p, "radau-iia-5", 5e-4);
  ASSERT_EQ(fine.status, RunStatus::finished) << fine.message;
  for (const char* tableau : {"radau-iia-3", "radau-iia-5"}) {
    const RunResult r = run_by(p, tableau, 2e-3);
    ASSERT_EQ(r.status, RunStatus::finished) << tableau << r.message;
    EXPECT_LT((r.final.q - fine.final.q).norm(), 1.2e-4) << tableau;  // of order 3: 1.0e-4
    EXPECT_LT(r.energy_final, r.energy_initial + 1e-3) << tableau;
  }
  for (const char* tableau : {"herk-2", "herk-3", "herk-4", "herk-5"})  // refused: stable steps are 1e-6
    EXPECT_THROW(run_by(p, tableau, 2e-3), Error) << tableau;
}

}  // namespace
}  // namespace saltus::test_constrained_motion
