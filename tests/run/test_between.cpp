// The cubic between two states, where positions are vectors and where they are rotations.
#include "saltus/run/between.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/run/run.hpp"
#include "support/spinning_top.hpp"

namespace saltus::test_between {
namespace {

using testing::SpinningTop;
using testing::Vec3;

// A cubic polynomial is met everywhere.
TEST(Between, OfVectorsIsExactForCubics) {
  const auto at = [](double t) {
    State x;
    x.t = t, x.q = Vec{{1 + t * (2 + t * (-3 + t * 0.5))}}, x.u = Vec{{2 + t * (-6 + t * 1.5)}};
    return x;
  };
  const State a = at(0.3), b = at(0.9);
  Between between(nullptr);
  for (const double r : {0.0, 0.2, 0.5, 1.0}) {
    State x;
    between.on_cubic(a, b, r, x);
    const State exact = at(x.t);
    EXPECT_NEAR(x.t, 0.3 + 0.6 * r, 1e-15);
    EXPECT_NEAR(x.q[0], exact.q[0], 1e-15);
    EXPECT_NEAR(x.u[0], exact.u[0], 2e-15);
  }
  Vec half;
  between.half_way(a.q, b.q, half);
  EXPECT_EQ(half[0], 0.5 * a.q[0] + 0.5 * b.q[0]);
}

// A free top, run to rounding: the position is off by h⁴; the velocity, h³ elsewhere, by h⁴ in the middle.
TEST(Between, OfRotationsIsOfFourthOrderInTheMiddle) {
  const auto top = std::make_shared<SpinningTop>(Vec3(1, 2, 3.2), Vec3::Zero(), Vec3(0, 0, 1), 5, 0);
  const Vec q0{{1, 0, 0, 0}}, u0{{0.7, -1.3, 1.1}};
  const auto state_at = [&](double t) {
    return run({top, 0, t, q0, u0},
               {parse_spec<SchemeSpec>("runge-kutta:tableau=dop-8", "scheme"), ToleranceSteps{.rtol = 1e-13}})
        .final;
  };
  Between between(top.get());
  State a;
  a.q = q0, a.u = u0;
  double turned[2], speed[2];
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 0.2 : 0.1;
    const State b = state_at(h), exact = state_at(h / 2);
    State x;
    between.on_cubic(a, b, 0.5, x);
    Vec off(3);
    top->difference(exact.q, x.q, off);
    turned[k] = off.norm(), speed[k] = (x.u - exact.u).norm();
    State end;
    between.on_cubic(a, b, 1, end);
    top->difference(b.q, end.q, off);
    EXPECT_LT(off.norm() + (end.u - b.u).norm(), 1e-14);
  }
  EXPECT_NEAR(std::log2(turned[0] / turned[1]), 4, 0.3);
  EXPECT_NEAR(std::log2(speed[0] / speed[1]), 4, 0.3);
  // without forces a turn about an axis of inertia goes evenly
  Vec half(4), way(3);
  State b;
  b.q.resize(4);
  top->retract(q0, Vec{{0.4, 0, 0}}, b.q);
  between.half_way(q0, b.q, half);
  top->difference(q0, half, way);
  EXPECT_NEAR(way[0], 0.2, 1e-15);
}

}  // namespace
}  // namespace saltus::test_between
