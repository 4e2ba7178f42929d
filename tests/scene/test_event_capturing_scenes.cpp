// Event capturing on scenes: bodies, redundant contacts, friction in space, laws without a gap, units.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/catalog/catalog.hpp"
#include "saltus/reference/reference.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/scene/file/load_file.hpp"
#include "saltus/scheme/runge_kutta/runge_kutta.hpp"
#include "saltus/system/linear_system.hpp"
#include "support/golden.hpp"

namespace saltus::test_event_capturing_scenes {
namespace {

Method by(const char* tableau, double h) {
  return {.scheme = runge_kutta(tableau), .stepping = EventCapturing{.h = h}};
}
CatalogProblem of(const std::string& text) {
  return load_scene_text("saltus: 1\n" + text, "test")->entry.make({}, {});
}
CatalogProblem example(const std::string& name) {
  const std::string path = testing::test_data("../../examples/scenes/" + name + ".yaml");
  return load_scene(path)->entry.make({}, {});
}
RunResult finished(const CatalogProblem& p, const char* tableau, double h, const Sink& sink = {}) {
  const RunResult r = run(p.problem, by(tableau, h), sink);
  EXPECT_EQ(r.status, RunStatus::finished) << tableau << ", h = " << h << ": " << r.message;
  return r;
}

// A box lies on two corners, so that its tangential forces are not unique, and is pushed by F sin Ωt. It
// slips at F sin Ωt₁ = μ m g, both corners at once, and slides by the closed form.
TEST(EventCapturingScenes, ABoxOnARoughFloorSlipsWhenTheConeIsLeft) {
  const double F = 6, W = 3, limit = 0.4 * 9.81, t1 = std::asin(limit / F) / W, end = 1;
  const auto p = of(R"yaml(
materials: {default: {mu: 0.4, e_n: 0}}
walls: {floor: {point: [0 m, 0 m], normal: [0, 1]}}
bodies:
  box: {shape: box, size: [0.2 m, 0.1 m], mass: 1 kg, position: [0 m, 0.05 m]}
forces: {box.x: 6*sin(3*t)}
run: {t_end: 1 s, h: 1 ms}
)yaml");
  const double c = std::cos(W * t1), s = end - t1;
  const double x = F / W * c * s - F / (W * W) * (std::sin(W * end) - std::sin(W * t1)) - limit * s * s / 2;
  for (const char* tableau : {"radau-iia-5", "herk-4"}) {
    std::vector<double> h, e;
    for (const double step : {0.1, 0.05, 0.025}) {
      Trajectory path;
      const RunResult r = finished(p, tableau, step, path.sink());
      h.push_back(step), e.push_back(std::abs(r.final.q[0] - x));
      EXPECT_NEAR(r.final.q[2], 0, 1e-13);
      ASSERT_EQ(path.events().size(), 4u);
      for (int k : {2, 3}) {
        EXPECT_EQ(path.events()[k].kind, EventKind::slip);
        EXPECT_NEAR(path.events()[k].t, t1, 1e-7);
      }
    }
    EXPECT_GT(std::log2(e[0] / e[2]) / 2, order(find_tableau(tableau)) - 0.4)
        << tableau << e[0] << " " << e[2];
  }
}

// Resting and tumbling bodies agree with half the step.
TEST(EventCapturingScenes, BodiesAgreeWithHalfTheStep) {
  const auto stack = example("box-stack"), stairs = example("stairs");
  for (const char* tableau : {"radau-iia-5", "herk-4"}) {
    const RunResult r = finished(stack, tableau, 0.02);
    EXPECT_LT((r.final.q - stack.problem.q0).lpNorm<Eigen::Infinity>(), 1e-12) << tableau;
  }
  const RunResult a = finished(stairs, "radau-iia-5", 4e-3), b = finished(stairs, "radau-iia-5", 2e-3);
  EXPECT_LT((a.final.q - b.final.q).lpNorm<Eigen::Infinity>(), 1e-8);
}

// Impacts part closed contacts: the block rocks on. Reference: an independent program, to 1e-13.
TEST(EventCapturingScenes, ABlockRocksOn) {
  const auto p = of(R"yaml(
parameters: {m: 2, B: 0.1, H: 0.4, g: 9.81, mu: 0.7, A: 0.03, w: 9, P: 0.09}
coordinates:
  x: {start: 0}
  y: {start: H*cos(P) + B*sin(P)}
  a: {start: P}
let:
  ground: A*sin(w*t)^2
  xr: x + H*sin(a) + B*cos(a)
  yr: y - H*cos(a) + B*sin(a)
  xl: x + H*sin(a) - B*cos(a)
  yl: y - H*cos(a) - B*sin(a)
mass: {x: m, y: m, a: m*(B^2 + H^2)/3}
potential: m*g*y
contacts:
  right: {gap: yr, slip: xr' - ground', law: {name: coulomb, mu: mu, e_n: 0}}
  left: {gap: yl, slip: xl' - ground', law: {name: coulomb, mu: mu, e_n: 0}}
run: {t_end: 1.2}
)yaml");
  const Vec exact{{0.045042686099877945, 0.404510634360484, 0.05015795933084478}};
  for (const char* tableau : {"radau-iia-5", "gauss-6", "herk-5"})
    EXPECT_LT((finished(p, tableau, 5e-3).final.q - exact).lpNorm<Eigen::Infinity>(), 1e-8) << tableau;
}

// A bar on three feet, one too many: it rattles itself to rest on all of them.
TEST(EventCapturingScenes, ABarComesToRestOnThreeFeet) {
  const auto p = of(R"yaml(
coordinates: {y: {start: 0.5}, a: {start: 0.1}}
mass: {y: 1, a: 0.1}
potential: 10*y
contacts:
  l: {gap: y - sin(a), law: {name: unilateral, e: 0.3}}
  c: {gap: y, law: {name: unilateral, e: 0.3}}
  r: {gap: y + sin(a), law: {name: unilateral, e: 0.3}}
run: {t_end: 3}
)yaml");
  for (const char* tableau : {"radau-iia-5", "herk-4"}) {
    const RunResult r = finished(p, tableau, 1e-2);
    EXPECT_LT(r.final.q.lpNorm<Eigen::Infinity>(), 1e-13) << tableau;
    EXPECT_EQ(r.final.contacts.closed.size(), 3u) << tableau;
    for (const double impulse : r.final.contacts.impulse) EXPECT_GE(impulse, 0) << tableau;
  }
}

// The closing rule sees the acceleration with the joints: the stop's normal is orthogonal to gravity. The
// same pendulum in its one coordinate closes at the same time.
TEST(EventCapturingScenes, AccumulationsKnowTheJoints) {
  const auto one = of(R"yaml(
coordinates: {a: {start: 0.2617993877991494}}
mass: {a: 1.1}
potential: 10*sin(a)
contacts: {stop: {gap: cos(a) - sqrt(0.5), law: {name: unilateral, e: 0.6}}}
run: {t_end: 4}
)yaml");
  const auto three = find_problem("bouncing-pendulum").make({}, 4);
  const RunResult exact = finished(one, "gauss-6", 5e-3);
  ASSERT_EQ(exact.accumulations.size(), 1u);
  for (const char* tableau : {"radau-iia-5", "herk-5"}) {
    const RunResult r = finished(three, tableau, 5e-3);
    ASSERT_EQ(r.accumulations.size(), 1u);
    EXPECT_LT(r.accumulations[0].bound, 1e-6);
    EXPECT_NEAR(r.accumulations[0].t, exact.accumulations[0].t,
                r.accumulations[0].bound + exact.accumulations[0].bound);
  }
}

// A slider that rattles in its guide: steps at which runs ended with "20000 events in one step" before.
TEST(EventCapturingScenes, ASliderWithClearanceRunsAtEveryStep) {
  const auto p = example("slider-crank");
  const Vec exact = finished(p, "gauss-6", 1e-4).final.q;
  for (const double h : {1e-3, 5e-4, 3e-4, 2e-4})
    EXPECT_LT((finished(p, "gauss-6", h).final.q - exact).lpNorm<Eigen::Infinity>(), 1e-5) << h;
}

// The ball in other units of time: f ∝ 1/s², everything else the same. Errors are the critical steps'.
TEST(EventCapturingScenes, UnitsOfTimeDoNotMatter) {
  const auto error = [](double unit) {
    const auto p =
        find_problem("bouncing-ball").make({{"f", fmt::format("{:.17g}", -2 / (unit * unit))}}, 5 * unit);
    Trajectory path;
    run(p.problem, by("radau-iia-3", 5 * unit / 107), path.sink());
    return compare(path, *p.reference, {false, 1e-9}).q_sup;
  };
  const double one = error(1);
  EXPECT_GT(one, 1e-11);
  for (const double unit : {1e-6, 1e-3, 1e-2, 0.1, 10.0, 100.0, 1e3})
    EXPECT_NEAR(error(unit) / one, 1, 1e-3) << unit;
}

// Friction in the plane of a table: the slip turns, ever faster, until the mass stops, and then it sticks.
// Closed form in the catalog, for a known normal force (Tresca) and for Coulomb's law.
TEST(EventCapturingScenes, SlipInSpaceStopsAndSticks) {
  const auto tresca = find_problem("sliding-mass").make({}, 4.5);
  for (const auto& [tableau, bound] : {std::pair{"radau-iia-5", 1e-7}, {"herk-4", 1e-4}}) {
    Trajectory coarse, fine;
    const RunResult r = finished(tresca, tableau, 1e-2, coarse.sink());
    finished(tresca, tableau, 2.5e-3, fine.sink());
    const double a = compare(coarse, *tresca.reference, {false, 1e-9}).q_sup,
                 b = compare(fine, *tresca.reference, {false, 1e-9}).q_sup;
    EXPECT_LT(a, bound) << tableau;
    EXPECT_GT(std::log2(a / b) / 2, 3.5) << tableau;
    EXPECT_EQ(r.final.u.norm(), 0) << tableau;
    ASSERT_EQ(coarse.events().size(), 1u);
    EXPECT_EQ(coarse.events()[0].kind, EventKind::stick);
  }
  const auto with = [](const std::string& law) {
    return of(R"yaml(
coordinates: {x: {start: 0, velocity: 2}, y: {start: 0, velocity: 0.3}, z: {start: 0}}
mass: {x: 1, y: 1, z: 1}
forces: {y: 1, z: -10}
contacts:
)yaml" + law + "run: {t_end: 2, h: 1e-2}\n");
  };
  const auto coulomb = with(R"yaml(
  table: {gap: z, slip: ["x'", "y'"], law: {name: coulomb, mu: 0.3, tangents: 2}}
)yaml");
  const auto fixed = with(R"yaml(
  table: {gap: z, law: unilateral}
  friction: {slip: ["x'", "y'"], law: {name: tresca, limit: 3, tangents: 2}}
)yaml");
  for (const char* tableau : {"radau-iia-5", "herk-4"}) {
    const RunResult a = finished(coulomb, tableau, 1e-2), b = finished(fixed, tableau, 1e-2);
    EXPECT_LT((a.final.q - b.final.q).norm(), 1e-6) << tableau;
    EXPECT_LT(a.final.u.norm() + b.final.u.norm(), 1e-12) << tableau;
  }
}

// Laws without a gap: a relay is Tresca's law; a pre-stressed spring holds, yields at its limit and comes
// back.
TEST(EventCapturingScenes, LawsWithoutAGapHoldAndYield) {
  const auto belt = [](const std::string& law) {
    return of(
        "coordinates: {x: {start: 0, velocity: 2}}\nmass: {x: 1}\npotential: 12.5*x^2\n"
        "forces: {x: -0.1*x'}\ncontacts: {belt: {slip: x' - 0.5, law: " +
        law + "}}\nrun: {t_end: 5, h: 1e-2}\n");
  };
  const Vec a = finished(belt("{name: tresca, limit: 5}"), "radau-iia-5", 1e-2).final.q,
            b = finished(belt("{name: relay, lower: -5, upper: 5}"), "radau-iia-5", 1e-2).final.q;
  EXPECT_EQ(a[0], b[0]);

  const auto spring = of(R"yaml(
coordinates: {x: {start: 0}}
mass: {x: 1}
forces: {x: 3*sin(2*t)}
contacts: {s: {gap: x, law: {name: prestressed-spring, limit: 2}}}
run: {t_end: 1, h: 1e-2}
)yaml");
  const double t1 = std::asin(2.0 / 3) / 2, s = 1 - t1;  // ẍ = 3 sin 2t − 2 from t₁ on
  const double x = 1.5 * std::cos(2 * t1) * s - 0.75 * (std::sin(2.0) - std::sin(2 * t1)) - s * s;
  for (const char* tableau : {"radau-iia-5", "herk-5"}) {
    Trajectory path;
    EXPECT_NEAR(finished(spring, tableau, 2e-2, path.sink()).final.q[0], x, 1e-9) << tableau;
    ASSERT_EQ(path.events().size(), 1u);
    EXPECT_NEAR(path.events()[0].t, t1, 1e-8);
  }
}

// A user's law with a round set, as examples/user_law.cpp has it.
class FrictionDisc final : public LawInterface {
 public:
  int rows() const override { return 2; }
  void prox(double dt, Block& x) const override {
    const double r = 0.6 * dt, length = x.norm();
    if (length > r) x *= r / length;
  }
  void prox_jacobian(double dt, const Block& x, BlockMatrix& J) const override {
    const double r = 0.6 * dt, length = x.norm();
    J.setIdentity(2, 2);
    if (length > r) J = r / length * (J - x * x.transpose() / (length * length)).eval();
  }
  Mode mode(double dt, const Block& P, const Block&) const override {
    return P.norm() < 0.6 * dt * (1 - 1e-9) ? Mode::stick : Mode::slip;
  }
};

TEST(EventCapturingScenes, AUsersLawStopsWhereItShould) {
  LinearSystem::Data data;
  data.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
  data.M.set(0, 0, 0.2), data.M.set(1, 1, 0.2);
  data.contacts.push_back(
      {"puck/table", UserLaw{std::make_shared<FrictionDisc>()}, {{{0, 1.0}}, {{1, 1.0}}}, 0, 0});
  const Vec u0{{3.0, 1.0}};
  const Problem p{std::make_shared<LinearSystem>(std::move(data)), 0, 2, Vec::Zero(2), u0};
  const Vec exact = 0.5 * u0.norm() / 3 * u0;  // deceleration 0.6/0.2
  for (const char* tableau : {"radau-iia-5", "herk-4"}) {
    const RunResult r = run(p, by(tableau, 0.03));
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_LT((r.final.q - exact).norm(), 1e-10) << tableau;
    EXPECT_LT(r.final.u.norm(), 1e-12) << tableau;
  }
}

}  // namespace
}  // namespace saltus::test_event_capturing_scenes
