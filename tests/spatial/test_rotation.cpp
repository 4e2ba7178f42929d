// Maps of SO(3) against long double and against each other.
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/spatial/rotation.hpp"

namespace saltus::test_rotation {
namespace {

Vec3 some_vector(SplitMix64& random, double length) {
  Vec3 v;
  do {
    for (double& x : v) x = random.between(-1, 1);
  } while (v.norm() < 0.1);
  return v * (length / v.norm());
}

// T(φ) = ∫₀¹ exp(−s[φ]) ds, by its series in long double.
using Vec3l = Eigen::Matrix<long double, 3, 1>;
Vec3l cross_l(const Vec3l& a, const Vec3l& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3l push_by_series(const Vec3l& phi, const Vec3l& x) {
  Vec3l sum = x, term = x;
  for (int k = 1; k < 60; ++k) {
    term = -cross_l(phi, term) / static_cast<long double>(k + 1);
    sum += term;
  }
  return sum;
}

TEST(Rotation, MapsAreExactToRoundingForAllAngles) {
  SplitMix64 random(3);
  for (double angle = 1e-12; angle < 3.1; angle *= 1.17)
    for (int k = 0; k < 5; ++k) {
      const Vec3 phi = some_vector(random, angle), x = some_vector(random, 1);
      EXPECT_LT((rotation_log(rotation_exp(phi)) - phi).norm(), 1e-15 * angle);
      const Rotation p = rotation_exp(phi);
      EXPECT_NEAR(p.w * p.w + p.v.squaredNorm(), 1, 5e-16);
      const Vec3 pushed = rotation_push(phi, x);
      const Vec3l series = push_by_series(phi.cast<long double>(), x.cast<long double>());
      EXPECT_LT((pushed.cast<long double>() - series).norm(), 7e-16L) << angle;
      EXPECT_LT((rotation_lift(phi, pushed) - x).norm(), 2e-15) << angle;
    }
}

TEST(Rotation, PushIsTheDerivativeOfExp) {
  SplitMix64 random(4);
  for (int k = 0; k < 50; ++k) {
    const Vec3 phi = some_vector(random, random.between(0.1, 3)), x = some_vector(random, 1);
    const double e = 1e-5;
    const Vec3 moved =
        rotation_log(rotation_exp(phi - e * x).conjugate() * rotation_exp(phi + e * x)) / (2 * e);
    EXPECT_LT((moved - rotation_push(phi, x)).norm(), 1e-9);
  }
}

TEST(Rotation, QuaternionsAndMatricesAgree) {
  SplitMix64 random(5);
  for (int k = 0; k < 200; ++k) {
    const Rotation p = rotation_exp(some_vector(random, random.between(0, 3.14159)));
    const Mat3 R = p.matrix();
    const Vec3 x = some_vector(random, 1);
    EXPECT_LT((R * x - p(x)).norm(), 1e-15);
    EXPECT_LT((R * R.transpose() - Mat3::Identity()).norm(), 2e-15);
    EXPECT_LT(rotation_log(rotation_of(R).conjugate() * p).norm(), 2e-15);
  }
  // half turns, where the trace is −1
  for (int k = 0; k < 3; ++k) {
    const Rotation p{0, Vec3::Unit(k)};
    EXPECT_LT(rotation_log(rotation_of(p.matrix()).conjugate() * p).norm(), 1e-15);
  }
}

TEST(Rotation, MillionsOfProductsStayOfUnitLength) {
  Rotation p;
  const Rotation step = rotation_exp({0.01, -0.02, 0.015});
  double worst = 0;
  for (int k = 0; k < 1'000'000; ++k) {
    p = (p * step).normalised();
    worst = std::max(worst, std::abs(std::sqrt(p.w * p.w + p.v.squaredNorm()) - 1));
  }
  EXPECT_LT(worst, 4e-16);
  // and the angle is that of the sum
  EXPECT_LT(rotation_log(p.conjugate() * rotation_exp(Vec3(0.01, -0.02, 0.015).normalized() *
                                                      std::remainder(1e6 * Vec3(0.01, -0.02, 0.015).norm(),
                                                                     2 * std::acos(-1.0))))
                .norm(),
            1e-9);
}

}  // namespace
}  // namespace saltus::test_rotation
