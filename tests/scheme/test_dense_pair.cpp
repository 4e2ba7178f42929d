// The pairs behind runs by tolerance: orders of the step, of the error estimate and of the dense output
// follow from the coefficients.
#include <gtest/gtest.h>

#include "saltus/scheme/runge_kutta/dense_pair.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"

namespace saltus::test_dense_pair {
namespace {

// The method that makes the dense output at the part x of a step, as a method with steps x h.
Tableau dense_method(const DensePair& p, double x) {
  const int n = p.all_stages(), s = p.stages;
  const Vec b = p.A.row(s), first = Vec::Unit(n, 0), last = Vec::Unit(n, s);
  std::vector<Vec> F = {b, first - b, 2 * b - first - last};
  for (int k = 0; k < p.D.rows(); ++k) F.push_back(p.D.row(k));
  Vec weights = Vec::Zero(n);
  for (int i = static_cast<int>(F.size()) - 1; i >= 0; --i)
    weights = (weights + F[i]) * (i % 2 == 0 ? x : 1 - x);
  return {"dense", "", p.A / x, weights / x, p.c / x};
}

TEST(DensePair, StepAndDenseOutputHaveTheirOrders) {
  for (const DensePair* p : {&dopri_5(), &dop_853()}) {
    const int s = p->stages;
    const Tableau step{"step", "", p->A.topLeftCorner(s, s), p->A.row(s).head(s), p->c.head(s)};
    EXPECT_EQ(order(step), p->order) << p->name;
    // closer to the start the conditions of order 7 are lost in the rounding of 1/x⁷
    for (const double x : {0.5, 0.75, 0.9}) EXPECT_EQ(order(dense_method(*p, x)), p->dense_order) << p->name;
  }
}

// b minus the weights of the error is a method too, of an order below that of the step.
TEST(DensePair, ErrorEstimatesAreDifferencesOfTwoMethods) {
  for (const DensePair* p : {&dopri_5(), &dop_853()}) {
    const int n = p->stages + 1;
    Tableau second{"second", "", p->A.topLeftCorner(n, n), p->A.row(p->stages).head(n), p->c.head(n)};
    second.b -= p->error;
    EXPECT_EQ(order(second), p->order == 5 ? 4 : 5) << p->name;
    if (p->second.size() == 0) continue;
    second.b = p->A.row(p->stages).head(n).transpose() - p->second;
    EXPECT_EQ(order(second), 3) << p->name;
  }
}

TEST(DensePair, TheTableauOfOrderEightIsAMethodOfItsOwn) {
  EXPECT_EQ(order(find_tableau("dop-8")), 8);
  EXPECT_EQ(dense_pair("dop-8"), &dop_853());
  EXPECT_EQ(dense_pair("herk-5"), &dopri_5());
  EXPECT_EQ(dense_pair("radau-iia-5"), nullptr);
}

}  // namespace
}  // namespace saltus::test_dense_pair
