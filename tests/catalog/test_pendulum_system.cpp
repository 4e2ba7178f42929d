// The pendulum's written-out derivatives against a model whose derivatives come from dual numbers.
#include "saltus/catalog/pendulum_system.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/system/checked.hpp"
#include "saltus/system/model.hpp"

namespace saltus::test_pendulum_system {
namespace {

struct Pendulum {
  static constexpr int dof = 3;
  PendulumData p;
  template <class S>
  using V = Eigen::Matrix<S, 3, 1>;
  template <class S>
  Eigen::Matrix<S, 3, 3> mass(const S&, const V<S>&) const {
    return V<S>(S(p.m), S(p.m), S(p.J)).asDiagonal();
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return V<S>(S(0), S(-p.m * p.g), S(0));
  }
  template <class S>
  V<S> gaps(const S&, const V<S>& q) const {
    using std::cos, std::sin;
    return V<S>(q[0] - p.L * cos(q[2]), q[1] - p.L * sin(q[2]), q[0] - p.x_min);
  }
  std::vector<Law> laws() const { return {Equality{2}, Unilateral{p.e}}; }
};

Eigen::Matrix3d dense(const Matrix& A) {
  return Eigen::Matrix3d::NullaryExpr(
      [&](Eigen::Index i, Eigen::Index j) { return A(static_cast<int>(i), static_cast<int>(j)); });
}

Eigen::Matrix3d dense(const SparseRows& rows) {
  Eigen::Matrix3d out = Eigen::Matrix3d::Zero();
  for (int r = 0; r < 3; ++r)
    for (const auto& e : rows.row(r)) out(r, e.column) += e.value;
  return out;
}

TEST(PendulumSystem, DerivativesAreThoseOfDualNumbers) {
  const PendulumData p{1.3, 2, 0.7, 9.81, 0.4, 0.5};
  const PendulumSystem written(p, true);
  const ModelSystem<Pendulum> dual(Pendulum{p});
  const Vec q{{0.3, -1.1, 0.8}}, u{{0.4, -0.2, 2.1}}, a{{3, -4, 1.7}};
  const double lambda[] = {1.9, -0.6, 0.3};
  ContactSet x, y;
  Curvature cx, cy;
  Matrix Mx(3, written.shape().mass), My(3, dual.shape().mass), Kx(3, written.shape().jacobian),
      Ky(3, dual.shape().jacobian);
  Vec fx(3), fy(3);
  const auto fill = [&](const auto& system, ContactSet& set, Curvature& c, Matrix& M, Matrix& K, Vec& f) {
    const CheckedSystem at(system);
    at.mass(0, q, M), at.force(0, q, u, f);
    at.list(0, q, set), at.directions(0, q, set), at.bias(0, q, u, set);
    at.curvature(0, q, u, a, lambda, K, c);
  };
  fill(written, x, cx, Mx, Kx, fx), fill(dual, y, cy, My, Ky, fy);
  EXPECT_LT((fx - fy).norm(), 1e-15);
  EXPECT_LT((dense(Mx) - dense(My)).norm(), 1e-15);
  EXPECT_LT((dense(Kx) - dense(Ky)).norm(), 1e-14);
  EXPECT_GT(dense(Ky).norm(), 0.1);
  EXPECT_LT((dense(x.Wt) - dense(y.Wt)).norm(), 1e-15);
  EXPECT_LT((dense(cx.velocity) - dense(cy.velocity)).norm(), 1e-14);
  EXPECT_LT((dense(cx.acceleration) - dense(cy.acceleration)).norm(), 1e-14);
  EXPECT_GT(dense(cy.acceleration).norm(), 0.1);
  for (int r = 0; r < 3; ++r) {
    EXPECT_NEAR(x.gap[r], y.gap[r], 1e-15);
    EXPECT_NEAR(x.bias[r], y.bias[r], 1e-14);
  }
}

}  // namespace
}  // namespace saltus::test_pendulum_system
