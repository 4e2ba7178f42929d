// The beam: forces and tangent against dual numbers, damping, textbook deflections, supports.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "saltus/autodiff/dual.hpp"
#include "saltus/flexible/beam.hpp"
#include "saltus/linalg/factor.hpp"
#include "saltus/system/checked.hpp"
#include "support/errors.hpp"

namespace saltus::test_beam {
namespace {

using testing::message_of;

// The stored energy of a beam written down once more, for any scalar, supported coordinates included.
template <class S>
S stored(const BeamSystem& beam, const std::vector<S>& q) {
  using std::cos, std::sin;
  const BeamData& d = beam.data();
  const double le = d.length / d.elements, G = d.young / (2 * (1 + d.poisson));
  const Vec rest = beam.straight();
  const auto spot = [&](int node, int k) {
    const int at = beam.place(node, k);
    return at >= 0 ? q[at] : S(beam.node(rest, node)[k]);
  };
  S sum(0);
  for (int e = 0; e < d.elements; ++e) {
    const S dx = (spot(e + 1, 0) - spot(e, 0)) / S(le), dy = (spot(e + 1, 1) - spot(e, 1)) / S(le);
    const S mean = (spot(e, 2) + spot(e + 1, 2)) * S(0.5), kappa = (spot(e + 1, 2) - spot(e, 2)) / S(le);
    const S a = cos(mean) * dx + sin(mean) * dy - S(1), b = cos(mean) * dy - sin(mean) * dx;
    sum += S(0.5 * le) * (S(d.young * d.area) * a * a + S(G * d.shear_area) * b * b +
                          S(d.young * d.inertia) * kappa * kappa);
  }
  return sum;
}

TEST(Beam, ForcesAndTangentStiffnessAreTheGradientAndHessianOfTheEnergyForEverySupport) {
  using D = Dual<double, 1>;
  using D2 = Dual<D, 1>;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-0.2, 0.2);
  for (Support first : {Support::free, Support::hinged, Support::clamped})
    for (Support last : {Support::free, Support::hinged, Support::clamped}) {
      BeamData d;
      d.elements = 3, d.first = first, d.last = last, d.gravity = {0, 0};
      d.young = 1e3, d.area = 2, d.inertia = 0.3, d.shear_area = 1.1, d.density = 1, d.angle = 0.4;
      const BeamSystem beam(d);
      const int n = beam.shape().nq;
      Vec q = beam.straight(), u = Vec::Zero(n), f(n);
      for (int i = 0; i < n; ++i) q[i] += unit(random);
      Matrix dq(n, beam.shape().jacobian), du = dq;
      CheckedSystem(beam).force(0, q, u, f);
      CheckedSystem(beam).force_jacobians(0, q, u, dq, du);
      EXPECT_NEAR(CheckedSystem(beam).potential(0, q), stored<double>(beam, {q.data(), q.data() + n}), 1e-10);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          std::vector<D2> x(n);
          for (int k = 0; k < n; ++k) x[k] = D2(D(q[k]));
          x[i].d[0] = D(1.0);
          x[j].v.d[0] = 1;
          const D2 V = stored(beam, x);
          EXPECT_NEAR(f[i], -V.d[0].v, 1e-10);
          EXPECT_NEAR(dq(i, j), -V.d[0].d[0], 1e-9) << i << " " << j;
        }
    }
}

TEST(Beam, DampingTakesWhatItShouldLeavesRigidMotionAloneAndHasExactDerivatives) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-0.2, 0.2);
  BeamData d;
  d.elements = 3, d.first = Support::free, d.last = Support::free, d.gravity = {0, 0};
  d.young = 1e3, d.area = 2, d.inertia = 0.3, d.shear_area = 1.1, d.density = 1, d.angle = 0.4;
  d.damping = 0.01;
  const BeamSystem beam(d);
  const CheckedSystem system(beam);
  const int n = beam.shape().nq;
  Vec q = beam.straight(), u(n), f(n), elastic(n), still = Vec::Zero(n);
  for (int i = 0; i < n; ++i) u[i] = unit(random);
  Matrix dq(n, beam.shape().jacobian), du = dq;
  // straight: the force is that of the stiffness, times damping
  system.force(0, q, u, f);
  system.force_jacobians(0, q, still, dq, du);
  Vec expected = Vec::Zero(n);
  dq.multiply_add(d.damping, u, expected);
  EXPECT_LT((f - expected).norm(), 1e-10 * f.norm());
  for (int i = 0; i < n; ++i) q[i] += unit(random);
  // bent: none of it in a rigid rotation
  system.force(0, q, still, elastic);
  system.force(0, q, beam.spin(q, 3), f);
  EXPECT_LT((f - elastic).norm(), 1e-10 * elastic.norm());
  system.force(0, q, u, f);
  EXPECT_LT(u.dot(f - elastic), 0);
  // derivatives by differences; drag is −drag M u
  d.drag = 0.7;
  const BeamSystem dragged(d);
  const CheckedSystem both(dragged);
  Vec more(n), Mu = Vec::Zero(n);
  Matrix M(n, beam.shape().mass);
  both.mass(0, q, M);
  both.force(0, q, u, more);
  M.multiply_add(d.drag, u, Mu);
  EXPECT_LT((f - more - Mu).norm(), 1e-10 * Mu.norm());
  both.force_jacobians(0, q, u, dq, du);
  for (int j = 0; j < n; ++j) {
    const double step = 1e-5;
    Vec plus(n), minus(n), x = q;
    x[j] += step, both.force(0, x, u, plus), x[j] -= 2 * step, both.force(0, x, u, minus);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(dq(i, j), (plus[i] - minus[i]) / (2 * step), 2e-3) << i << " " << j;
    x = u;
    x[j] += step, both.force(0, q, x, plus), x[j] -= 2 * step, both.force(0, q, x, minus);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(du(i, j), (plus[i] - minus[i]) / (2 * step), 1e-5) << i << " " << j;
  }
}

// Statics by heavy damping would be slow: Newton on the force instead.
Vec equilibrium(const BeamSystem& beam, Vec q, const Vec& load) {
  const int n = beam.shape().nq;
  Vec f(n), u = Vec::Zero(n);
  Matrix dq(n, beam.shape().jacobian), du = dq;
  Factor factor;
  for (int k = 0; k < 30; ++k) {
    CheckedSystem(beam).force(0, q, u, f);
    f += load;
    CheckedSystem(beam).force_jacobians(0, q, u, dq, du);
    EXPECT_TRUE(factor.factorize(dq));
    factor.solve(f.data());
    q -= f;
    if (f.norm() < 1e-13) break;
  }
  return q;
}

TEST(Beam, ACantileverBendsAsTimoshenkoSaysAndRollsUpIntoACircle) {
  BeamData d;
  d.first = Support::clamped, d.gravity = {0, 0}, d.elements = 64;
  d.young = 1e6, d.area = 0.01, d.inertia = 1e-5, d.shear_area = 0.008, d.density = 1;
  const double EI = d.young * d.inertia, GA = d.young / 2.6 * d.shear_area;
  const BeamSystem beam(d);
  const int n = beam.shape().nq;
  Vec load = Vec::Zero(n);
  load[beam.place(64, 1)] = 1e-4;
  const double tip = beam.node(equilibrium(beam, beam.straight(), load), 64)[1];
  EXPECT_NEAR(tip, 1e-4 * (1 / (3 * EI) + 1 / GA), 2e-4 * tip);
  load.setZero();
  Vec q = beam.straight();
  for (int k = 1; k <= 20; ++k) {  // up to a full turn: the curvature is constant
    load[beam.place(64, 2)] = 2 * std::numbers::pi * EI * k / 20;
    q = equilibrium(beam, q, load);
  }
  const auto end = beam.node(q, 64);
  EXPECT_NEAR(end[2], 2 * std::numbers::pi, 1e-8);
  EXPECT_NEAR(end[0], 0, 1e-6);
  EXPECT_NEAR(end[1], 0, 1e-6);
}

TEST(Beam, RefusesBadDataByName) {
  BeamData d;
  d.young = -1;
  EXPECT_NE(message_of([&] { BeamSystem b(d); }).find("young = -1"), std::string::npos);
  d = {};
  d.stops = {{"x", 9, {1, 0}, 0, Unilateral{}}};
  EXPECT_NE(message_of([&] { BeamSystem b(d); }).find("node 9"), std::string::npos);
  d.stops = {{"x", 1, {1, 0}, 0, Equality{}}};
  EXPECT_NE(message_of([&] { BeamSystem b(d); }).find("unilateral"), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_beam
