// symplectic-euler on mechanical systems: momentum form, redundant constraints, friction, contact lists that
// change.
#include <gtest/gtest.h>

#include "saltus/scene/load.hpp"
#include "saltus/scheme/moreau/moreau_midpoint_stepper.hpp"
#include "saltus/scheme/symplectic/body_map.hpp"
#include "saltus/scheme/symplectic/vibration.hpp"
#include "saltus/system/model.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/odae.hpp"

namespace saltus::test_bodies {
namespace {
using namespace testing;

CatalogProblem scene(const std::string& text) {
  return load_scene_text(text, "scene", {})->entry.make({}, {});
}
RunResult run_scene(const std::string& text, const Stepping& stepping, const char* scheme = "true",
                    const Sink& sink = {}) {
  return run(scene(text).problem, {euler_named(scheme), stepping, AutomaticSolver{}}, sink);
}

// A particle on a spring in polar coordinates: M = diag(1, r²). `joint`: on the ellipse-like curve r = 1 +
// 0.3 cos φ.
struct Polar {
  static constexpr int dof = 2;
  bool joint = false;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S&, const V<S>& q) const {
    Eigen::Matrix<S, 2, 2> M = Eigen::Matrix<S, 2, 2>::Zero();
    M(0, 0) = S(1), M(1, 1) = q[0] * q[0];
    return M;
  }
  template <class S>
  V<S> force(const S&, const V<S>& q, const V<S>& u) const {
    using std::cos, std::sin;
    return {q[0] * u[1] * u[1] - 4.0 * (q[0] - 1.0) - sin(q[1]),
            -2.0 * q[0] * u[0] * u[1] - q[0] * cos(q[1])};
  }
  template <class S>
  S potential(const S&, const V<S>& q) const {
    using std::sin;
    return 2.0 * (q[0] - 1.0) * (q[0] - 1.0) + q[0] * sin(q[1]);
  }
  template <class S>
  Eigen::Matrix<S, Eigen::Dynamic, 1> gaps(const S&, const V<S>& q) const {
    using std::cos;
    Eigen::Matrix<S, Eigen::Dynamic, 1> g(joint ? 1 : 0);
    if (joint) g[0] = q[0] - 1.0 - 0.3 * cos(q[1]);
    return g;
  }
  std::vector<Law> laws() const { return joint ? std::vector<Law>{Equality{1}} : std::vector<Law>{}; }
};

Vec momentum(const Vec& q, const Vec& u) {
  return Vec{{u[0], q[0] * q[0] * u[1]}};
}
Vec velocity(const Vec& q, const Vec& p) {
  return Vec{{p[0], p[1] / (q[0] * q[0])}};
}

TEST(BodyMap, KeepsTheTwoFormWhereTheMassVaries) {
  const auto system = make_system(Polar{});
  Faults faults;
  BodyMap map(*system, faults);
  const double h = 0.05, d = 1e-5;
  for (const bool forward : {true, false}) {
    Eigen::Matrix4d J, Omega = Eigen::Matrix4d::Zero();
    Omega.topRightCorner<2, 2>().setIdentity(), Omega.bottomLeftCorner<2, 2>() = -Eigen::Matrix2d::Identity();
    const auto image = [&](const Eigen::Vector4d& x) {
      const Vec q = x.head<2>(), u = velocity(q, x.tail<2>());
      EXPECT_EQ(forward ? map.forward({0, h, q, u}) : map.backward({0, h, q, u}), StepStatus::ok);
      Eigen::Vector4d out;
      out << map.q(), momentum(map.q(), map.u());
      return out;
    };
    const Eigen::Vector4d x(1.2, 0.4, 0.3, -0.8);
    for (int j = 0; j < 4; ++j) {
      const Eigen::Vector4d e = d * Eigen::Vector4d::Unit(j);
      J.col(j) = (8 * (image(x + e) - image(x - e)) - (image(x + 2 * e) - image(x - 2 * e))) / (12 * d);
    }
    EXPECT_LT((J.transpose() * Omega * J - Omega).norm(), 1e-9) << forward;
  }
}

TEST(BodyMap, BackwardUndoesForwardWithNegativeStep) {
  for (const bool joint : {false, true}) {
    const auto system = make_system(Polar{joint});
    Faults faults;
    BodyMap map(*system, faults);
    const double phi = 0.7, rate = 1.1;
    const Vec q{{joint ? 1 + 0.3 * std::cos(phi) : 1.2, phi}},
        u{{joint ? -0.3 * std::sin(phi) * rate : 0.2, rate}};
    ASSERT_EQ(map.forward({0, -0.03, q, u}), StepStatus::ok);
    const Vec q1 = map.q(), u1 = map.u();
    ASSERT_EQ(map.backward({-0.03, 0.03, q1, u1}), StepStatus::ok);
    EXPECT_LT((map.q() - q).norm() + (map.u() - u).norm(), 1e-12) << joint;
  }
}

TEST(BodyEuler, VaryingMassesHaveAllOrdersAndTheirEnergyStays) {
  const double phi = 0.7, rate = 1.1;
  for (const bool joint : {false, true}) {
    Problem p{std::shared_ptr<const System>(make_system(Polar{joint})), 0, 2,
              Vec{{joint ? 1 + 0.3 * std::cos(phi) : 1.2, phi}},
              Vec{{joint ? -0.3 * std::sin(phi) * rate : 0.2, rate}}};
    const RunResult exact = run(p, {euler_named("suzuki4"), FixedSteps{2.0 / 1000}, AutomaticSolver{}});
    const std::tuple<const char*, double, int> cases[] = {
        {"true", 1, 800}, {"true_adj", 1, 800}, {"strang", 2, 100}, {"yoshida4", 4, 80}};
    for (const auto& [name, order, n] : cases) {
      std::vector<double> h, e;
      for (const int steps : {n, 2 * n}) {
        const RunResult r = run(p, {euler_named(name), FixedSteps{2.0 / steps}, AutomaticSolver{}});
        ASSERT_EQ(r.status, RunStatus::finished) << r.message;
        h.push_back(2.0 / steps), e.push_back((r.final.q - exact.final.q).norm());
      }
      EXPECT_NEAR(fitted_order(h, e), order, 0.15) << name << joint;
    }
    p.t_end = 100;
    double first = 0, second = 0;
    const double start = energy_of(*p.system, 0, p.q0, p.u0);
    run(p, {euler_named("strang"), FixedSteps{0.02}, AutomaticSolver{}}, [&](const Segment& s) {
      double& most = s.end.t < 50 ? first : second;
      most = std::max(most, std::abs(energy_of(*p.system, s.end.t, s.end.q, s.end.u) - start));
    });
    EXPECT_LT(second, 1.2 * first) << joint;
    EXPECT_LT(first, 5e-3) << joint;
  }
}

const char* const parallelogram = R"yaml(saltus: 1
parameters: {m: 1, g: 10}
coordinates: {x: {start: 0}, y: {start: -1}, a: {start: 0}}
mass: {x: m, y: m, a: 0.1}
forces: {x: 1}
potential: m*g*y
joints:
  r1: (x - cos(a) + 1)^2 + (y - sin(a))^2 - 1
  r2: (x + cos(a) - 1)^2 + (y + sin(a))^2 - 1
)yaml";
TEST(BodyEuler, ARedundantJointChangesNothing) {
  const std::string run_line = "run: {t_end: 2, h: 1e-3, scheme: symplectic-euler}\n",
                    third = "  r3: x^2 + y^2 - 1\n";
  for (const char* name : {"true", "strang"})
    for (const Stepping& stepping : {Stepping(FixedSteps{1e-3}), Stepping(EventLocation{1e-3})}) {
      const RunResult two = run_scene(parallelogram + run_line, stepping, name);
      const RunResult three = run_scene(std::string(parallelogram) + third + run_line, stepping, name);
      ASSERT_EQ(three.status, RunStatus::finished) << three.message;
      EXPECT_LT((two.final.q - three.final.q).norm(), 1e-12);
      EXPECT_LT(three.residuals.position, 1e-13);
    }
}

const char* const three_feet = R"yaml(saltus: 1
parameters: {m: 1, J: 0.1, g: 10, e: 0.3}
coordinates: {y: {start: 0.5}, a: {start: 0.1}}
mass: {y: m, a: J}
potential: m*g*y
contacts:
  l: {gap: y - sin(a), law: {name: unilateral, e: e}}
  c: {gap: y, law: {name: unilateral, e: e}}
  r: {gap: y + sin(a), law: {name: unilateral, e: e}}
run: {t_end: 3, h: 1e-3, scheme: symplectic-euler}
)yaml";
// What impacts take is what there was, up to the order of the step; it was 5.75 J of 5 J.
TEST(BodyEuler, ThreeFeetOnTheGround) {
  for (const Stepping& stepping : {Stepping(FixedSteps{1e-3}), Stepping(EventLocation{1e-3})}) {
    const RunResult r = run_scene(three_feet, stepping);
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_NEAR(r.energy_final, 0, 1e-12);
    EXPECT_NEAR(r.stats.contact_loss, 5, 0.05);
    EXPECT_LT(r.residuals.gap, 1e-12);
  }
}

const char* const pushed_box = R"yaml(saltus: 1
materials: {default: {mu: 0.4, e_n: 0}}
walls: {floor: {point: [0 m, 0 m], normal: [0, 1]}}
bodies:
  box: {shape: box, size: [0.2 m, 0.1 m], mass: 1 kg, position: [0 m, 0.05 m]}
forces: {box.x: 6*sin(3*t)}
run: {t_end: 1 s, h: 1 ms}
)yaml";
// Two feet that share one friction: which of them holds how much is not determined, when they slip is.
TEST(BodyEuler, ABoxThatIsPushedSlipsWhenTheForceExceedsItsFriction) {
  const double slips = std::asin(0.4 * 9.81 / 6) / 3;
  const std::tuple<const char*, Stepping, double, double> cases[] = {
      {"true", FixedSteps{1e-3}, 1.5e-3, 1e-2},
      {"strang", EventLocation{1e-3}, 2e-9, 5e-6}};  // the trapezoidal rule's h²/12 · 18 · 1.75
  for (const auto& [name, stepping, off, off_speed] : cases) {
    Trajectory path;
    const RunResult r = run_scene(pushed_box, stepping, name, path.sink());
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    double first = 0;
    for (const Event& e : path.events())
      if (e.kind == EventKind::slip && first == 0) first = e.t;
    EXPECT_NEAR(first, slips, off);
    for (int k = 0; k < path.size() && path.t(k) < slips - 1e-3; ++k)
      EXPECT_LT(std::abs(path.q(k)[0]), 1e-15);  // held, it does not creep
    const double v = (6 * (std::cos(3 * slips) - std::cos(3.0)) / 3 - 0.4 * 9.81 * (1 - slips));
    EXPECT_NEAR(r.final.u[0], v, off_speed);
  }
}

// A point lands on a rough floor: friction has its impulse, μ(1 + e)|γ⁻| at most.
TEST(BodyEuler, LandingHasFriction) {
  for (const auto& [along, after] : {std::pair{3.0, 3.0 - 0.3 * 1.5 * 2}, {0.5, 0.0}})
    for (const Stepping& stepping : {Stepping(FixedSteps{1e-3}), Stepping(EventLocation{1e-3})}) {
      const std::string text = fmt::format(
          "saltus: 1\ncoordinates: {{x: {{velocity: {}}}, y: {{start: 0.2}}}}\nmass: {{x: 1, y: "
          "1}}\npotential: 10*y\n"
          "contacts: {{floor: {{gap: y, slip: \"x'\", law: {{name: coulomb, mu: 0.3, e_n: 0.5}}}}}}\n"
          "run: {{t_end: 0.3, h: 1e-3}}\n",
          along);
      const RunResult r = run_scene(text, stepping);
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      EXPECT_NEAR(r.final.u[0], after, 5e-3) << along;
      EXPECT_NEAR(r.final.u[1], 1 - 10 * 0.1, 1.5e-2);
    }
}

TEST(BodyEuler, ListsOfContactsMayChange) {
  const CatalogProblem p = make_problem("disk-mixer", {}, 0.1);
  const RunResult r = run(p.problem, {SymplecticEuler{}, FixedSteps{5e-4}, p.method.solver});
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT(r.residuals.gap, 1e-10);
  EXPECT_LT(r.energy_final, r.energy_initial);
}

// A drag against v|v|, v' = −c v²: an arbitrary smooth law of friction as a force.
TEST(BodyEuler, NonlinearDragHasTheOrdersOfTheMaps) {
  for (const auto& [name, order] : {std::pair{"true", 1.0}, {"strang", 2.0}}) {
    std::vector<double> h, e;
    for (const double step : {0.02, 0.01, 0.005}) {
      const RunResult r = run_scene(
          "saltus: 1\ncoordinates: {x: {velocity: 2}}\nmass: {x: 1}\nforces: {x: \"-0.7*x'*abs(x')\"}\n"
          "run: {t_end: 2, h: 0.01}\n",
          FixedSteps{step}, name);
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      h.push_back(step), e.push_back(std::abs(r.final.u[0] - 2 / (1 + 0.7 * 2 * 2)));
    }
    EXPECT_NEAR(fitted_order(h, e), order, 0.1) << name;
  }
}

std::string chain(int n) {
  return fmt::format(
      "saltus: 1\ngroups:\n  link: {{shape: box, size: [10 cm, 2 cm], mass: 0.1 kg, self_contact: false, "
      "layout: "
      "{{name: chain, count: {}, x: 5 cm, dx: 10 cm, link: revolute, anchor: first}}}}\n"
      "run: {{t_end: 0.05 s, h: 1 ms}}\n",
      n);
}
TEST(BodyEuler, AChainCostsLinearTime) {
  double least[2] = {infinity, infinity};
  for (int repeat = 0; repeat < 3; ++repeat)
    for (const int k : {0, 1}) {
      const RunResult r = run_scene(chain(k == 0 ? 20 : 160), FixedSteps{1e-3});
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      EXPECT_LT(r.residuals.position, 1e-13);
      EXPECT_LT(std::abs(r.energy_final - r.energy_initial), 0.02 * 160);
      least[k] = std::min(least[k], r.stats.cpu_seconds / 50);
    }
  EXPECT_LT(least[1], 16 * least[0]);  // 8 if exactly linear; dense matrices need 512 times as much
}

TEST(BodyEuler, StepsBeyondTheStabilityLimitAreRefused) {
  EXPECT_NEAR(stability_limit(parts_of(euler_named("true"))), 2, 2e-3);
  EXPECT_NEAR(stability_limit(parts_of(euler_named("strang"))), 2, 2e-3);
  EXPECT_NEAR(stability_limit(parts_of(euler_named("yoshida4"))), 1.573,
              2e-3);  // known of leapfrog's triple jump
  const std::string spring =
      "saltus: 1\ncoordinates: {x: {start: 1}, y: {start: 0}}\nmass: {x: 1, y: 2}\npotential: 50*x^2 + "
      "200*(x - y)^2\n"
      "run: {t_end: 10, h: 0.01}\n";
  // M⁻¹K = [500 −400; −200 200]: ω² = 350 + √(150² + 8·10⁴)
  const double omega = std::sqrt(350 + std::sqrt(150.0 * 150 + 400.0 * 200));
  const Problem p = scene(spring).problem;
  EXPECT_NEAR(fastest_vibration(static_cast<const System&>(*p.system), 0, p.q0, p.u0), omega, 1e-3 * omega);
  EXPECT_EQ(run_scene(spring, FixedSteps{1.98 / omega}).status, RunStatus::finished);
  const std::string message = message_of([&] { run_scene(spring, FixedSteps{2.02 / omega}); });
  for (const char* word : {"too long", "explicit in the positions", "generalized-alpha"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
  // Moreau's midpoint rule and Schatzman-Paoli's scheme are Verlet's on smooth motion: the same bound
  for (const SchemeSpec& scheme : {SchemeSpec(MoreauMidpoint{}), SchemeSpec(SchatzmanPaoli{})}) {
    const auto go = [&](const Stepping& stepping) { return run(p, {scheme, stepping, AutomaticSolver{}}); };
    EXPECT_EQ(go(FixedSteps{1.5 / omega}).status, RunStatus::finished);
    EXPECT_NE(message_of([&] { go(FixedSteps{2.02 / omega}); }).find("explicit in the positions"),
              std::string::npos);
  }
  EXPECT_EQ(run(p, {MoreauJean{}, FixedSteps{2.02 / omega}, AutomaticSolver{}}).status, RunStatus::finished);
}

// Moreau's midpoint rule takes damping from the start of the step: stable for h²ω²/2 + hδ < 2. A run at the
// bound of the vibration alone used to end with forces that are not finite.
TEST(BodyEuler, DampingShortensTheStepsOfTheMidpointRule) {
  for (const auto& [omega, delta] : {std::pair{10.0, 0.0}, {10.0, 10.0}, {10.0, 300.0}, {1.0, 50.0}}) {
    const Problem p =
        scene(fmt::format("saltus: 1\ncoordinates: {{x: {{start: 1}}}}\nmass: {{x: 2}}\npotential: "
                          "{}*x^2\nforces: {{x: -{}*x'}}\nrun: {{t_end: 10, h: 0.001}}\n",
                          omega * omega, 2 * delta))
            .problem;
    const double stable = 4 / (delta + std::sqrt(delta * delta + 4 * omega * omega));
    const auto go = [&](const Stepping& s) { return run(p, {MoreauMidpoint{}, s, AutomaticSolver{}}); };
    const RunResult below = go(FixedSteps{0.98 * stable});
    EXPECT_EQ(below.status, RunStatus::finished) << omega << ' ' << delta;
    EXPECT_LT(std::abs(below.final.q[0]), 3) << omega << ' ' << delta;
    const std::string fixed = message_of([&] { go(FixedSteps{1.02 * stable}); });
    EXPECT_NE(fixed.find("explicit in the positions"), std::string::npos) << fixed;
    SwitchingSteps s;
    s.h = 5 * stable, s.h_min = 1.02 * stable;
    const std::string switching = message_of([&] { go(s); });
    EXPECT_NE(switching.find("step h_min"), std::string::npos) << switching;
    // and the step itself grows there
    MoreauMidpointStepper stepper(static_cast<const System&>(*p.system), {}, AutomaticSolver{});
    State x = stepper.start(0, p.q0, p.u0), y = x;
    const auto size = [&] { return std::abs(x.q[0]) + std::abs(x.u[0]); };
    for (int k = 0; k < 2000 && size() < 1e3; ++k) stepper.step(x, 1.02 * stable, y), std::swap(x, y);
    EXPECT_GE(size(), 1e3) << omega << ' ' << delta;
  }
}

// A tripod that slides and turns to its rest: at the stop velocities are rounding, and no force along the
// ground says how small that is. Each foot's direction of slip was that of the rounding, and the run ended
// with 10001 events.
TEST(BodyEuler, ATripodThatStopsSticks) {
  const char* const tripod = R"yaml(saltus: 1
parameters: {m: 4, J: 0.09, R: 0.2, g: 10, mu: 0.4}
coordinates: {x: {velocity: 0.8}, y: {velocity: 0.3}, z: {start: 0}, rx: {start: 0}, ry: {start: 0}, rz: {velocity: 1}}
let: {c: sqrt(3)/2*R, x1: x, y1: y + rz*R, x2: x - rz*c, y2: y - rz*R/2, x3: x + rz*c, y3: y - rz*R/2}
mass: {x: m, y: m, z: m, rx: J, ry: J, rz: J}
potential: m*g*z
contacts:
  foot1: {gap: z - ry*R, slip: ["x1'", "y1'"], law: {name: coulomb, mu: mu, tangents: 2}}
  foot2: {gap: z + rx*c + ry*R/2, slip: ["x2'", "y2'"], law: {name: coulomb, mu: mu, tangents: 2}}
  foot3: {gap: z - rx*c + ry*R/2, slip: ["x3'", "y3'"], law: {name: coulomb, mu: mu, tangents: 2}}
run: {t_end: 0.5, h: 5e-4}
)yaml";
  const RunResult r = run_scene(tripod, EventLocation{5e-4});
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT(r.final.u.norm(), 1e-12);
  EXPECT_NEAR(r.ledger.friction, r.energy_initial, 1e-4 * r.energy_initial);  // all of it
}

// A box slides off the end of a table: its corner leaves the top, where the normal of its contact turns at
// once, and the table's corner touches its bottom from there on.
TEST(BodyEuler, ABoxSlidesOverTheEndOfATable) {
  const char* const table = R"yaml(saltus: 1
materials: {default: {mu: 0.2, e_n: 0}}
walls: {floor: {point: [0 m, 0 m], normal: [0, 1]}}
bodies:
  table: {shape: box, size: [0.4 m, 0.3 m], position: [-0.2 m, 0.15 m], fixed: true}
  box: {shape: box, size: [0.08 m, 0.08 m], mass: 0.5 kg, position: [-0.1 m, 0.34 m], velocity: [1.5 m/s, 0 m/s]}
run: {t_end: 95 ms, h: 1 ms}
)yaml";
  const RunResult exact = run(scene(table).problem, {MoreauJean{}, FixedSteps{2e-5}, AutomaticSolver{}});
  for (const double h : {1e-3, 5e-4, 1e-4}) {
    const RunResult r = run_scene(table, EventLocation{h});
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_LT((r.final.q - exact.final.q).lpNorm<Eigen::Infinity>(), 0.2 * h) << h;
  }
}

TEST(BodyEuler, LocatedEventsRefuseRollingFriction) {
  const std::string disk =
      "saltus: 1\nmaterials: {default: {mu: 0.5, rolling: 1 cm}}\nwalls: {floor: {point: [0 m, 0 m], normal: "
      "[0, 1]}}\n"
      "bodies: {disk: {shape: disk, radius: 10 cm, mass: 2 kg, position: [0 m, 10 cm], velocity: [2 m/s, 0 "
      "m/s], spin: "
      "-20 rad/s}}\nrun: {t_end: 1 s, h: 1 ms}\n";
  EXPECT_NE(message_of([&] { run_scene(disk, EventLocation{1e-3}); }).find("coulomb only"),
            std::string::npos);
  // deceleration (2/3) l g / r of a rolling disk
  const RunResult r = run_scene(disk, FixedSteps{1e-3});
  EXPECT_NEAR(r.final.u[0], 2 - 2. / 3 * 0.1 * 9.81, 1e-2);
}

TEST(BodyEuler, AWarmStepLoopDoesNotAllocate) {
  const Problem p = scene(chain(10)).problem;
  const auto stepper = build_stepper(SymplecticEuler{}, *p.system, AutomaticSolver{});
  State a = stepper->start(p.t0, p.q0, p.u0), b = a;
  for (int k = 0; k < 10; ++k) stepper->step(a, 1e-3, b), std::swap(a, b);
  [[maybe_unused]] const std::size_t before = allocations();
  for (int k = 0; k < 100; ++k) stepper->step(a, 1e-3, b), std::swap(a, b);
#if SALTUS_COUNTS_ALLOCATIONS
  EXPECT_EQ(allocations() - before, 0u);
#endif
}

}  // namespace
}  // namespace saltus::test_bodies
