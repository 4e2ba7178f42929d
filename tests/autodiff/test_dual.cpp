// Dual numbers against derivatives known in closed form, first and second.
#include "saltus/autodiff/dual.hpp"

#include <gtest/gtest.h>

namespace saltus::test_dual {
namespace {

using D = Dual<double, 2>;
using D2 = Dual<Dual<double, 1>, 1>;

D variable(double x, int lane) {
  D d(x);
  d.d[lane] = 1;
  return d;
}
D2 twice(double x) {
  D2 d;
  d.v = Dual<double, 1>(x), d.v.d[0] = 1, d.d[0] = Dual<double, 1>(1.0);
  return d;
}

TEST(Dual, ArithmeticFollowsTheProductAndQuotientRules) {
  const D x = variable(1.3, 0), y = variable(-0.7, 1);
  const D f = x * y / (x - 2 * y) + 3 / x - y;
  const double a = 1.3, b = -0.7, den = a - 2 * b;
  EXPECT_NEAR(f.v, a * b / den + 3 / a - b, 1e-15);
  EXPECT_NEAR(f.d[0], b / den - a * b / (den * den) - 3 / (a * a), 1e-15);
  EXPECT_NEAR(f.d[1], a / den + 2 * a * b / (den * den) - 1, 1e-15);
}

// f, f', f'' of every function at one point.
template <class F>
void expect_derivatives(F&& f, double x, double value, double first, double second) {
  const D2 r = f(twice(x));
  EXPECT_NEAR(r.v.v, value, 1e-14);
  EXPECT_NEAR(r.v.d[0], first, 1e-13);
  EXPECT_NEAR(r.d[0].d[0], second, 1e-12);
}

TEST(Dual, FunctionsHaveTheirFirstAndSecondDerivatives) {
  const double x = 0.6, s = std::sin(x), c = std::cos(x), t = std::tan(x), e = std::exp(x),
               r = std::sqrt(1 - x * x);
  expect_derivatives([](auto z) { return sin(z); }, x, s, c, -s);
  expect_derivatives([](auto z) { return cos(z); }, x, c, -s, -c);
  expect_derivatives([](auto z) { return tan(z); }, x, t, 1 + t * t, 2 * t * (1 + t * t));
  expect_derivatives([](auto z) { return asin(z); }, x, std::asin(x), 1 / r, x / (r * r * r));
  expect_derivatives([](auto z) { return acos(z); }, x, std::acos(x), -1 / r, -x / (r * r * r));
  expect_derivatives([](auto z) { return atan(z); }, x, std::atan(x), 1 / (1 + x * x),
                     -2 * x / std::pow(1 + x * x, 2));
  expect_derivatives([](auto z) { return exp(z); }, x, e, e, e);
  expect_derivatives([](auto z) { return log(z); }, x, std::log(x), 1 / x, -1 / (x * x));
  expect_derivatives([](auto z) { return sqrt(z); }, x, std::sqrt(x), 0.5 / std::sqrt(x),
                     -0.25 * std::pow(x, -1.5));
  expect_derivatives([](auto z) { return sinh(z); }, x, std::sinh(x), std::cosh(x), std::sinh(x));
  expect_derivatives([](auto z) { return cosh(z); }, x, std::cosh(x), std::sinh(x), std::cosh(x));
  const double h = std::tanh(x);
  expect_derivatives([](auto z) { return tanh(z); }, x, h, 1 - h * h, -2 * h * (1 - h * h));
  expect_derivatives([](auto z) { return pow(z, 2.5); }, x, std::pow(x, 2.5), 2.5 * std::pow(x, 1.5),
                     3.75 * std::sqrt(x));
  expect_derivatives([](auto z) { return pow(z, z); }, x, std::pow(x, x), std::pow(x, x) * (std::log(x) + 1),
                     std::pow(x, x) * (std::pow(std::log(x) + 1, 2) + 1 / x));
  expect_derivatives([](auto z) { return abs(-z); }, x, x, 1, 0);
  expect_derivatives([](auto z) { return atan2(z, D2(2.0)); }, x, std::atan2(x, 2), 2 / (4 + x * x),
                     -4 * x / std::pow(4 + x * x, 2));
  expect_derivatives([](auto z) { return hypot(z, D2(2.0)); }, x, std::hypot(x, 2), x / std::hypot(x, 2),
                     4 / std::pow(4 + x * x, 1.5));
}

TEST(Dual, WorksInsideEigen) {
  Eigen::Matrix<D, 2, 1> v(variable(3, 0), variable(4, 1));
  const D n = v.norm();
  EXPECT_DOUBLE_EQ(n.v, 5);
  EXPECT_DOUBLE_EQ(n.d[0], 0.6);
  EXPECT_DOUBLE_EQ(n.d[1], 0.8);
  const D d = v.dot(2.0 * v);
  EXPECT_DOUBLE_EQ(d.d[1], 16);
}

}  // namespace
}  // namespace saltus::test_dual
