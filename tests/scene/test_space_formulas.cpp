// Formulas over bodies in space: derivatives along displacements, and the same motion as the sections that do
// the same.
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/run/run.hpp"
#include "saltus/scene/load.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::test_space_formulas {
namespace {

Problem problem_of(const std::string& text) {
  return load_scene_text(text, "scene.yaml", {}, {})->entry.make({}, {}).problem;
}

const std::string two_bodies = R"(saltus: 1
coordinates: {s: {start: 0.3, velocity: -0.2}}
mass: {s: 2 + sin(a.x)^2}
let:
  tip: a.z + 0.4*a.axis3.z
  apart: distance(a, b)
potential: 3*(apart - 1)^2 + 2*a.axis1.y*b.axis2.z + s^2*a.x
forces: {s: -0.3*s' + apart', b.y: sin(t)*a.axis2.x - 0.1*b.vy, pin.angle: -0.2*pin.angle - 0.1*pin.angle'}
contacts:
  floor: {gap: tip + 5 - 0.1*s*b.axis1.x, law: {name: unilateral, e: 0.5}}
  side: {gap: b.x + 9 + 0.2*sin(a.axis2.y*s), slip: "b.vy + 0.3*b.spin.z*b.axis1.x + a.spin.x", law: {name: coulomb, mu: 0.3}}
space:
  bodies:
    a: {mass: 1, inertia: [0.1, 0.2, 0.25], torque: [0, 0, "-0.3*a.axis1.y*s'"], spin: [0.1, 0, 0]}
    b: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [1, 0.2, 0.7], force: ["-b.x^2", "0.2*t", "a.z*b.wz"]}
    c: {mass: 1, inertia: 0.1, position: [3, 0, 0]}
  joints:
    pin: {type: hinge, a: c, at: [3, 0, 0], axis: [0, 0.6, 0.8], angle: {}}
    rail: {type: slider, a: b, axis: [1, 2, 2], contact: true, shift: {force: "-rail.shift*a.x"}}
run: {t_end: 1, accept_penetration: true}
)";

// Directions, second-order terms and Jacobians against differences along q ⊕ x u, at random states.
TEST(SpaceFormulas, DerivativesAreAlongDisplacements) {
  const Problem p = problem_of(two_bodies);
  ASSERT_TRUE(p.system);
  const auto& system = static_cast<const System&>(*p.system);
  const CheckedSystem at(system);
  const int nu = system.shape().nu, nq = system.shape().nq;
  ASSERT_EQ(nu, 19);
  ASSERT_EQ(nq, 23);
  SplitMix64 random(3);
  const auto numbers = [&](int n, double size) {
    Vec x(n);
    for (double& value : x) value = random.between(-size, size);
    return x;
  };
  constexpr double d = 1e-5;
  for (int trial = 0; trial < 20; ++trial) {
    Vec q(nq), u = numbers(nu, 1);
    system.retract(p.q0, numbers(nu, 0.5), q);
    const double t = random.between(0, 1);
    ContactSet here, there;
    at.list(t, q, here), at.directions(t, q, here), at.bias(t, q, u, here);
    there = here;
    const auto moved = [&](double x) {
      Vec out(nq);
      system.retract(q, x * u, out);
      return out;
    };
    const int rows = here.rows();
    const auto gaps_at = [&](double x) {
      at.gaps(t + x, moved(x), there);
      return there.gap;
    };
    const auto rates_at = [&](double x) {
      at.directions(t + x, moved(x), there);
      std::vector<double> out;
      for (int r = 0; r < rows; ++r) out.push_back(there.Wt.dot(r, u.data()) + there.drift[r]);
      return out;
    };
    const auto before = gaps_at(-d), after = gaps_at(d);
    const auto slow = rates_at(-d), fast = rates_at(d);
    for (const Contact& c : here.contacts)
      for (int r = c.row; r < c.row + saltus::rows(system.laws()[c.law]); ++r) {
        const double rate = here.Wt.dot(r, u.data()) + here.drift[r];
        if (row_has_gap(system.laws()[c.law], r - c.row)) {
          EXPECT_NEAR((after[r] - before[r]) / (2 * d), rate, 1e-8) << system.contact_name(c.id);
        }
        EXPECT_NEAR((fast[r] - slow[r]) / (2 * d), here.bias[r], 1e-7) << system.contact_name(c.id);
      }
    Matrix dq(nu, system.shape().jacobian), du(nu, system.shape().jacobian);
    at.force_jacobians(t, q, u, dq, du);
    const auto force_at = [&](const Vec& place, const Vec& velocity) {
      Vec h(nu);
      at.force(t, place, velocity, h);
      return h;
    };
    for (int j = 0; j < nu; ++j) {
      const Vec step = d * Vec::Unit(nu, j);
      Vec low(nq), high(nq);
      system.retract(q, -step, low), system.retract(q, step, high);
      const Vec by_q = (force_at(high, u) - force_at(low, u)) / (2 * d),
                by_u = (force_at(q, u + step) - force_at(q, u - step)) / (2 * d);
      for (int i = 0; i < nu; ++i) {
        EXPECT_NEAR(by_q[i], dq(i, j), 1e-7) << i << ", " << j;
        EXPECT_NEAR(by_u[i], du(i, j), 1e-7) << i << ", " << j;
      }
    }
  }
}

double off(const std::string& a, const std::string& b) {
  const Problem p = problem_of(a), r = problem_of(b);
  const Method method{parse_spec<SchemeSpec>("runge-kutta:tableau=dop-8", "scheme"),
                      ToleranceSteps{.rtol = 1e-11}};
  const RunResult x = run(p, method), y = run(r, method);
  EXPECT_EQ(x.status, RunStatus::finished) << x.message;
  EXPECT_EQ(y.status, RunStatus::finished) << y.message;
  return std::max((x.final.q - y.final.q).lpNorm<Eigen::Infinity>(),
                  (x.final.u - y.final.u).lpNorm<Eigen::Infinity>());
}

const std::string start = R"(saltus: 1
materials: {default: {e_n: 0.7}}
run: {t_end: 0.8}
)";
const std::string bodies = R"(space:
  bodies:
    a: {shape: point, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 1], spin: [1, 2, -1], velocity: [0.5, 0, 0]}
    b: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [1, 0.2, 1.7], spin: [0, 2, -1]}
)";

TEST(SpaceFormulas, ASpringAPlaneAndARodAsFormulasMoveAlike) {
  EXPECT_LT(off(start + "potential: 20*(distance(a, b) - 1)^2\n" + bodies,
                start + bodies + "  springs: {s: {a: a, b: b, stiffness: 40, length: 1}}\n"),
            1e-9);
  EXPECT_LT(off(start + "contacts: {floor: {gap: a.z, law: {name: unilateral, e: 0.7}}}\n" + bodies,
                start + bodies + "  walls: {floor: {normal: [0, 0, 1]}}\n"),
            1e-9);
  std::string slow = bodies;
  slow.replace(slow.find(", velocity: [0.5, 0, 0]"), 23, "");
  EXPECT_LT(off(start + "parameters: {l: sqrt(1.04 + 0.49)}\njoints: {rod: \"distance(a, b) - l\"}\n" + slow,
                start + slow + "  joints: {rod: {type: distance, a: a, b: b, contact: true}}\n"),
            1e-9);
}

}  // namespace
}  // namespace saltus::test_space_formulas
