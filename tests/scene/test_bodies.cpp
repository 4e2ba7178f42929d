// Bodies of scenes: groups, links, motors, walls; and what can be mixed with them.
#include <gtest/gtest.h>

#include "saltus/planar/boundary.hpp"
#include "saltus/planar/rigid_system.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/scene/load.hpp"
#include "saltus/system/checked.hpp"
#include "support/allocations.hpp"

namespace saltus::test_bodies {
namespace {

struct Ran {
  std::shared_ptr<const LoadedScene> scene;
  CatalogProblem problem;
  RunResult result;
  int index(const std::string& name) const {
    const auto& names = scene->coordinates;
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  double q(const std::string& name) const { return result.final.q[index(name)]; }
  double u(const std::string& name) const { return result.final.u[index(name)]; }
};

Ran run_scene(const std::string& text, const std::vector<std::string>& sets = {}) {
  Ran out;
  out.scene = load_scene_text("saltus: 1\n" + text, "scene", sets);
  out.problem = out.scene->entry.make({}, {});
  out.result = run(out.problem.problem, out.problem.method);
  EXPECT_EQ(out.result.status, RunStatus::finished) << out.result.message;
  return out;
}

const std::string gears = R"yaml(
gravity: [0, 0]
bodies:
  wheel: {shape: disk, radius: 0.1 m, mass: 1 kg, inertia: 0.02 kg m^2}
  pinion: {shape: disk, radius: 0.05 m, mass: 1 kg, inertia: 0.01 kg m^2, position: [1 m, 0 m]}
links:
  a: {type: revolute, a: wheel, at: [0 m, 0 m]}
  b: {type: revolute, a: pinion, at: [1 m, 0 m]}
  mesh: {type: gear, a: wheel, b: pinion, ratio: -2}
run: {t_end: 1 s, h: 1 ms}
)yaml";

// Nothing is summed where the scene has bodies only; a force of a formula makes a sum. Both know the scene's
// parameters, in its order.
TEST(SceneBodies, BodiesWithoutFormulasAreTheirSystemAlone) {
  const std::string text = R"yaml(
parameters: {weight: 2, size: 0.1}
walls:
  floor: {point: [0, 0], normal: [0, 1]}
bodies:
  b: {shape: disk, radius: size, mass: weight, position: [0, 0.1]}
run: {t_end: 0.01, h: 0.001}
)yaml";
  const Ran alone = run_scene(text), sum = run_scene(text + "forces: {b.x: 0.5}\n");
  EXPECT_NE(dynamic_cast<const RigidSystem*>(alone.problem.problem.system.get()), nullptr);
  EXPECT_EQ(dynamic_cast<const RigidSystem*>(sum.problem.problem.system.get()), nullptr);
  for (const Ran* x : {&alone, &sum}) {
    const auto list = x->problem.problem.system->parameters();
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].name, "weight");
    EXPECT_EQ(list[0].value, 2);
    EXPECT_EQ(list[1].name, "size");
    EXPECT_EQ(list[1].value, 0.1);
  }
  const Ran other = run_scene(text, {"parameters.weight=3"});
  EXPECT_EQ(other.problem.problem.system->parameters()[0].value, 3);
}

TEST(SceneBodies, AGearTurnsByItsRatioAndFeelsTheInertiaOfBoth) {
  const Ran r = run_scene(gears + "motors: {m: {body: wheel, torque: 0.3 N m}}\n");
  const double a = 0.3 / (0.02 + 4 * 0.01);  // of the wheel
  EXPECT_NEAR(r.q("wheel.angle"), a / 2, 1e-9);
  EXPECT_NEAR(r.u("wheel.angle"), a, 1e-9);
  EXPECT_NEAR(r.q("pinion.angle"), -a, 1e-9);
}

TEST(SceneBodies, AMotorHoldsItsSpeedWithinItsLimit) {
  // reaches 2 rad/s after J ω/limit = 0.06·2/0.2 = 0.6 s
  const Ran r = run_scene(gears + "motors: {m: {link: a, speed: 2 rad/s, limit: 0.2 N m}}\n");
  EXPECT_NEAR(r.u("wheel.angle"), 2, 1e-9);
  EXPECT_NEAR(r.q("wheel.angle"), 2 * 1 - 2 * 0.6 / 2, 2e-3);
  const Ran early =
      run_scene(gears + "motors: {m: {link: a, speed: 2 rad/s, limit: 0.2 N m}}\n", {"run.t_end=0.5"});
  EXPECT_NEAR(early.u("wheel.angle"), 0.2 / 0.06 * 0.5, 1e-9);
}

TEST(SceneBodies, AMotorWithoutLimitAndAMotionAreJoints) {
  for (const char* drive : {"motors: {m: {link: a, speed: 2 rad/s}}\n", "motions: {wheel.angle: 2*t}\n"}) {
    const Ran r = run_scene(gears + drive, {"bodies.wheel.spin=2", "bodies.pinion.spin=-4"});
    EXPECT_NEAR(r.q("wheel.angle"), 2, 1e-9) << drive;
    EXPECT_NEAR(r.q("pinion.angle"), -4, 1e-9) << drive;
  }
  // names of coordinates have dots, also on the command line
  const Ran r = run_scene(gears, {"motions.wheel.angle=3*t", "bodies.wheel.spin=3", "bodies.pinion.spin=-6"});
  EXPECT_NEAR(r.q("pinion.angle"), -6, 1e-9);
}

TEST(SceneBodies, AForceDrivesAPrismaticLink) {
  const Ran r = run_scene(R"yaml(
bodies: {sled: {shape: box, size: [0.1 m, 0.1 m], mass: 2 kg}}
links: {rail: {type: prismatic, a: sled, at: [0 m, 0 m], axis: [1, 0]}}
motors: {pull: {link: rail, force: "3 + 0*t"}}
run: {t_end: 2, h: 1e-3}
)yaml");
  EXPECT_NEAR(r.q("sled.x"), 3.0 / 2 / 2 * 4, 1e-6);
  EXPECT_NEAR(r.q("sled.y"), 0, 1e-9);
}

TEST(SceneBodies, AGridOfBoxesRestsAsAStackDoes) {
  const Ran r = run_scene(R"yaml(
materials: {default: {mu: 0.5}}
walls: {floor: {normal: [0, 1]}}
groups:
  brick:
    shape: box
    size: [0.2 m, 0.1 m]
    mass: 1 kg
    layout: {name: grid, columns: 9, rows: 3, x: 0, y: 0.05, dx: 0.3}
run: {t_end: 0.2 s, h: 1 ms}
)yaml");
  ASSERT_EQ(r.scene->coordinates.size(), 81u);
  EXPECT_EQ(r.scene->coordinates[0], "brick.1.x");
  EXPECT_EQ(r.scene->coordinates.back(), "brick.27.angle");
  EXPECT_LT((r.result.final.q - r.problem.problem.q0).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(r.result.energy_final / r.result.energy_initial, 1, 1e-9);
  EXPECT_NEAR(r.q("brick.27.y"), 0.25, 1e-9);
}

// The centres of a group's disks, from the start of the problem.
std::vector<Vec2> centres(const CatalogProblem& p) {
  std::vector<Vec2> out;
  for (int i = 0; i + 2 < p.problem.q0.size(); i += 3) out.emplace_back(p.problem.q0[i], p.problem.q0[i + 1]);
  return out;
}

TEST(SceneBodies, RandomPlacesDoNotOverlapAndComeFromTheSeed) {
  const std::string text = R"yaml(
groups:
  ball:
    shape: disk
    radius: 0.1
    density: 1
    layout: {name: random, count: 200, left: -2, right: 2, bottom: 0, top: 5, distance: 0.01, spread: 0.2}
run: {t_end: 0, seed: 3}
)yaml";
  const auto make = [&](const std::vector<std::string>& sets) {
    return load_scene_text("saltus: 1\n" + text, "scene", sets)->entry.make({}, {});
  };
  const CatalogProblem a = make({}), b = make({}), c = make({"run.seed=4"}),
                       d = make({"run.seed=4", "groups.ball.layout.seed=3"});
  EXPECT_EQ(a.problem.q0, b.problem.q0);
  EXPECT_NE(a.problem.q0, c.problem.q0);
  EXPECT_EQ(a.problem.q0, d.problem.q0);
  const auto at = centres(a);
  ASSERT_EQ(at.size(), 200u);
  ContactSet set;
  CheckedSystem(static_cast<const System&>(*a.problem.system)).list(0, a.problem.q0, set);
  for (const double gap : set.gap) EXPECT_GE(gap, 0.01 - 1e-12);
  for (const Vec2& p : at) {
    EXPECT_LT(std::abs(p[0]), 1.92);
    EXPECT_LT(std::abs(p[1] - 2.5), 2.42);
  }
}

TEST(SceneBodies, AChainSwingsAndKeepsItsEnergy) {
  const std::string text = R"yaml(
groups:
  link:
    shape: box
    size: [0.1 m, 0.02 m]
    mass: 0.1 kg
    self_contact: false
    layout: {name: chain, count: 30, x: 0.05, dx: 0.1, anchor: first}
run: {t_end: 0.2 s, h: 1 ms}
)yaml";
  const Ran r = run_scene(text);
  EXPECT_NEAR(r.result.energy_final, r.result.energy_initial, 1e-2);  // of 6 J that fell; order 1
  // the end of a straight chain on a hinge begins to fall as that of a rigid rod at most, 3g/2
  EXPECT_LT(r.q("link.30.y"), -0.9 * 9.81 / 2 * 0.04);
  EXPECT_NEAR(std::hypot(r.q("link.1.x"), r.q("link.1.y")), 0.05, 1e-4);
  const Ran springs =
      run_scene(text, {"groups.link.layout.link=spring", "groups.link.layout.stiffness=1000 N/m"});
  EXPECT_NEAR(springs.result.energy_final, springs.result.energy_initial, 1e-2);
  for (const char* link : {"weld", "distance"})
    run_scene(text, {std::string("groups.link.layout.link=") + link, "groups.link.layout.count=4"});
}

TEST(SceneBodies, AGranularChainPassesItsMomentumOn) {
  const Ran r = run_scene(R"yaml(
gravity: [0, 0]
materials: {default: {e_n: 1}}
groups:
  bead: {shape: disk, radius: 0.05, mass: 1, layout: {name: chain, count: 5, x: 1, dx: 0.101, link: none}}
bodies: {hammer: {shape: disk, radius: 0.05, mass: 1, position: [0.5, 0], velocity: [1, 0]}}
run: {t_end: 1, h: 1e-3}
)yaml");
  EXPECT_NEAR(r.u("bead.5.x"), 1, 1e-9);
  EXPECT_NEAR(r.u("hammer.x"), 0, 1e-9);
}

TEST(SceneBodies, ADrumCarriesARollingDisk) {
  // rolls at the bottom of a turning drum: the spin that has no slip is Ω R/r
  const Ran r = run_scene(R"yaml(
materials: {default: {mu: 0.5}}
walls: {drum: {shape: drum, radius: 1 m, spin: 0.5 rad/s}}
bodies: {disk: {shape: disk, radius: 0.2 m, mass: 1 kg, position: [0 m, -0.8 m], spin: 2.5 rad/s}}
run: {t_end: 2 s, h: 1 ms}
)yaml");
  EXPECT_NEAR(r.q("disk.y"), -0.8, 1e-9);
  EXPECT_NEAR(r.u("disk.angle"), 2.5, 1e-9);
  EXPECT_NEAR(r.q("disk.angle"), 5, 1e-8);
}

TEST(SceneBodies, FixedCirclesAndBoxesStopWhatFalls) {
  const Ran r = run_scene(R"yaml(
walls:
  peg: {shape: circle, point: [0 m, 0 m], radius: 0.5 m}
  table: {shape: box, point: [3 m, 0 m], size: [2 m, 0.4 m]}
bodies:
  a: {shape: disk, radius: 0.1 m, mass: 1 kg, position: [0 m, 1 m]}
  b: {shape: box, size: [0.2 m, 0.2 m], mass: 1 kg, position: [3 m, 1 m]}
run: {t_end: 2 s, h: 0.5 ms}
)yaml");
  EXPECT_NEAR(r.q("a.y"), 0.6, 3e-3);
  EXPECT_NEAR(r.q("b.y"), 0.3, 3e-3);
}

TEST(SceneBodies, AReadySystemAndFormulasAreTheSameAsFormulasAlone) {
  for (const char* scheme : {"moreau-jean", "moreau-midpoint", "generalized-alpha"}) {
    const std::string end = fmt::format("run: {{t_end: 3, h: 1e-3, scheme: {}}}\n", scheme);
    const Ran mixed = run_scene(R"yaml(
ready: {problem: impact-oscillator, prefix: osc}
parameters: {m: 2, k: 3}
coordinates: {x: {start: 2}}
mass: {x: m}
potential: k/2*(x - osc.q0 - 1)^2 + 0.2*x^4
forces: {osc.q0: -0.1*osc.q0'}
contacts: {between: {gap: x - osc.q0^2, law: "unilateral:e=0.5"}}
)yaml" + end);
    const Ran plain = run_scene(R"yaml(
parameters: {m: 2, k: 3}
coordinates: {x: {start: 2}, q: {start: 1}}
mass: {x: m, q: 1}
potential: k/2*(x - q - 1)^2 + 10/2*q^2 + 0.2*x^4
forces: {q: -0.6*q'}
contacts:
  between: {gap: x - q^2, law: "unilateral:e=0.5"}
  wall: {gap: q, law: "unilateral:e=0.8"}
)yaml" + end);
    EXPECT_EQ(mixed.scene->coordinates, (std::vector<std::string>{"x", "osc.q0"}));
    EXPECT_LT((mixed.result.final.q - plain.result.final.q).norm(), 1e-11) << scheme;
    EXPECT_LT((mixed.result.final.u - plain.result.final.u).norm(), 1e-10) << scheme;
    EXPECT_NEAR(mixed.result.energy_final, plain.result.energy_final, 1e-10) << scheme;
  }
}

TEST(SceneBodies, BodiesAndReadyAndFormulasCanBeMixed) {
  // a ball of the catalog, a body and a formula fall side by side
  const Ran r = run_scene(R"yaml(
ready: {problem: bouncing-ball, parameters: {f: -9.81, e: 0}}
coordinates: {z: {start: 1}}
mass: {z: 1}
forces: {z: -9.81}
contacts: {table: {gap: z, law: unilateral}}
walls: {floor: {normal: [0, 1]}}
bodies: {p: {shape: point, mass: 3, position: [0, 1]}}
run: {t_end: 1, h: 1e-3, scheme: moreau-jean}
)yaml");
  EXPECT_EQ(r.scene->coordinates, (std::vector<std::string>{"z", "ready.q0", "p.x", "p.y"}));
  EXPECT_NEAR(r.q("z"), r.q("p.y"), 1e-12);
  EXPECT_NEAR(r.q("ready.q0"), r.q("p.y"), 1e-12);
}

TEST(SceneBodies, SchemesThatNeedAFixedListRunScenesWithFewBodies) {
  const std::string text = R"yaml(
walls: {floor: {normal: [0, 1]}}
materials: {default: {e_n: 0.5}}
bodies: {ball: {shape: disk, radius: 0.1, mass: 1, position: [0, 0.3]}}
run: {t_end: 0.3, h: 1e-3}
)yaml";
  const Ran a = run_scene(text);
  const Ran b = run_scene(text, {"run.stepping=event-capturing", "run.scheme=runge-kutta"});
  EXPECT_NEAR(a.q("ball.y"), b.q("ball.y"), 3e-3);
  const Ran c = run_scene(text, {"run.scheme=generalized-alpha"});
  EXPECT_NEAR(c.q("ball.y"), b.q("ball.y"), 3e-3);
}

TEST(SceneBodies, AWarmStepLoopDoesNotAllocate) {
  if (!SALTUS_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer counts its own";
  const CatalogProblem p = load_scene_text(R"yaml(
saltus: 1
walls: {floor: {normal: [0, 1]}}
materials: {default: {mu: 0.3}}
groups: {ball: {shape: disk, radius: 0.1, mass: 1, layout: {name: grid, columns: 30, y: 0.1, dx: 0.25}}}
springs: {s: {a: ball.1, b: ball.2, stiffness: 10}}
run: {t_end: 1}
)yaml",
                                           "scene")
                               ->entry.make({}, {});
  const auto stepper = make_stepper(p.method.scheme, *p.problem.system, p.method.solver);
  State now = stepper->start(0, p.problem.q0, p.problem.u0), next = now;
  std::size_t before = 0;
  for (int k = 0; k < 40; ++k) {
    if (k == 20) before = testing::allocations();
    ASSERT_EQ(stepper->step(now, 1e-3, next).status, StepStatus::ok);
    std::swap(now, next);
  }
  EXPECT_EQ(testing::allocations(), before);
}

// The same two disks, contact found by itself and written as a formula.
TEST(CompliantMaterials, AreTheContactsOfFormulas) {
  const std::string bodies = R"yaml(
gravity: [0, 0]
bodies:
  a: {shape: disk, radius: 0.1 m, mass: 1 kg, velocity: [1 m/s, 0.2 m/s]}
  b: {shape: disk, radius: 0.2 m, mass: 3 kg, position: [0.31 m, 0.05 m], material: other}
)yaml",
                    run = "run: {t_end: 0.2 s, h: 1e-4 s}\n";
  const std::string found = R"yaml(
materials:
  default: {law: {name: kuwabara-kono, k: 1e5 N/m^1.5, gamma: 4e-3 s}}
  other: {mu: 0.5, e_n: 1}
)yaml";
  const std::string written = R"yaml(
materials: {other: {}}
contacts: {c: {gap: "hypot(b.x - a.x, b.y - a.y) - 0.3", law: "kuwabara-kono:k=1e5,gamma=4e-3"}}
)yaml";
  const std::string no_contact = bodies;
  const auto off = [&] {
    std::string s = no_contact;
    for (const char* name : {"velocity: [1", "position: [0.31"}) s.insert(s.find(name), "contact: false, ");
    return s;
  }();
  for (const char* scheme : {"moreau-jean", "generalized-alpha", "gauss-2"}) {
    const std::vector<std::string> sets = {std::string("run.scheme=") + scheme};
    const Ran x = run_scene(bodies + found + run, sets), y = run_scene(off + written + run, sets);
    EXPECT_LT((x.result.final.q - y.result.final.q).cwiseAbs().maxCoeff(), 1e-10) << scheme;
    EXPECT_LT((x.result.final.u - y.result.final.u).cwiseAbs().maxCoeff(), 1e-10) << scheme;
    EXPECT_NEAR(x.result.energy_final, y.result.energy_final, 1e-10);
    EXPECT_LT(x.result.energy_final, 0.95 * x.result.energy_initial);  // damped, and they have parted
    EXPECT_GT(x.q("b.x") - x.q("a.x"), 0.3);
  }
}

TEST(CompliantMaterials, MayOverlapAtTheStartAndTakeAText) {
  const Ran x = run_scene(R"yaml(
parameters: {k: 2e4}
materials: {rubber: {law: "hertz:k=k"}, mat: {law: {name: hertz, k: 3*k}}}
walls: {floor: {normal: [0, 1], material: mat}}
bodies: {a: {shape: disk, radius: 0.1, mass: 1, position: [0, 0.09], material: rubber}}
run: {t_end: 0, h: 1e-4}
)yaml");
  // in series: k^(-2/3) adds up
  const double k = std::pow(std::pow(2e4, -2.0 / 3) + std::pow(6e4, -2.0 / 3), -1.5);
  EXPECT_NEAR(x.result.energy_initial, 9.81 * 0.09 + k / 2.5 * std::pow(0.01, 2.5), 1e-12);
}

}  // namespace
}  // namespace saltus::test_bodies
