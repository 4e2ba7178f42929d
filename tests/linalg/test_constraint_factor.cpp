// Multipliers of redundant constraints: least norm, unique accelerations, sparsity, contradictions.
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/linalg/constraint_factor.hpp"
#include "support/allocations.hpp"
#include "support/dense.hpp"

namespace saltus::test_constraint_factor {
namespace {

using Dense = Eigen::MatrixXd;

SparseRows rows_of(const Dense& Wt) {
  SparseRows out;
  for (int i = 0; i < Wt.rows(); ++i, out.end_row())
    for (int j = 0; j < Wt.cols(); ++j)
      if (Wt(i, j) != 0) out.add(j, Wt(i, j));
  return out;
}

Factor factor_of(const Dense& M, Pattern pattern) {
  Matrix A(static_cast<int>(M.rows()), pattern);
  for (int i = 0; i < M.rows(); ++i)
    for (int j = 0; j < M.cols(); ++j)
      if (M(i, j) != 0) A.set(i, j, M(i, j));
  Factor out;
  EXPECT_TRUE(out.factorize(A));
  return out;
}

Dense random_matrix(SplitMix64& random, int rows, int columns) {
  Dense out(rows, columns);
  for (double& x : out.reshaped()) x = random.between(-1, 1);
  return out;
}

// Consistent right-hand sides on every pattern of the mass, with rows that repeat others: the accelerations
// are those of a complete orthogonal decomposition, and nothing is left.
TEST(ConstraintFactor, RedundantRowsDoNotChangeTheAccelerations) {
  SplitMix64 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 12, m = 3 + trial % 6;
    Dense Wt = random_matrix(random, m, n);
    const int copies = trial % 4;
    Dense all(m + copies, n);
    all.topRows(m) = Wt;
    for (int k = 0; k < copies; ++k)
      all.row(m + k) = random.between(-2, 2) * Wt.row(k % m) + random.between(-2, 2) * Wt.row((k + 1) % m);
    Dense M = Dense::Zero(n, n);
    Pattern pattern;
    if (trial % 3 == 0) {
      pattern.kind = Pattern::diagonal;
      for (int i = 0; i < n; ++i) M(i, i) = random.between(0.1, 10);
    } else if (trial % 3 == 1) {
      pattern = {Pattern::blocks, 3, nullptr};
      for (int b = 0; b < n; b += 3) {
        const Dense A = random_matrix(random, 3, 3);
        M.block(b, b, 3, 3) = A * A.transpose() + Dense::Identity(3, 3);
      }
    } else {
      const Dense A = random_matrix(random, n, n);
      M = A * A.transpose() + Dense::Identity(n, n);
    }
    const Factor mass = factor_of(M, pattern);
    ConstraintFactor factor;
    ASSERT_TRUE(factor.factorize(mass, rows_of(all)));
    const Vec target = random_matrix(random, n, 1);  // some acceleration: its rows are consistent
    Vec lambda = all * target;
    const Vec wanted = lambda;
    EXPECT_LT(factor.solve(lambda.data()), 1e-12);
    Vec a = Vec::Zero(n);
    factor.add(lambda.data(), a.data());
    const Dense lifted = testing::inverse(M) * all.transpose(), S = all * lifted;
    const Vec expected = lifted * testing::least_norm_solution(S, wanted);
    EXPECT_LT((a - expected).norm(), 1e-10 * (1 + expected.norm())) << trial;
    EXPECT_LT((all * a - wanted).norm(), 1e-11 * (1 + wanted.norm())) << trial;
  }
}

// A table on four feet, its weight off the middle: the least-norm forces are a plane over the feet.
TEST(ConstraintFactor, FourFeetShareTheLoadAsAPlane) {
  Dense Wt(4, 3);  // z, and two turns
  Wt << 1, 1, 1, 1, 1, -1, 1, -1, -1, 1, -1, 1;
  const Factor mass = factor_of(Dense::Identity(3, 3), {Pattern::diagonal, 0, nullptr});
  ConstraintFactor factor;
  ASSERT_TRUE(factor.factorize(mass, rows_of(Wt)));
  Vec lambda = Wt * Vec{{4, 1, 0}};
  EXPECT_LT(factor.solve(lambda.data()), 1e-14);
  EXPECT_LT((lambda - Vec{{1.25, 1.25, 0.75, 0.75}}).norm(), 1e-6);  // rounding over σ
  EXPECT_LT((Wt.transpose() * lambda - Vec{{4, 1, 0}}).norm(), 1e-12);
}

TEST(ConstraintFactor, AContradictionLeavesARest) {
  Dense Wt(2, 2);
  Wt << 1, 0, 1, 0;  // the same row twice, with different demands
  const Factor mass = factor_of(Dense::Identity(2, 2), {Pattern::diagonal, 0, nullptr});
  ConstraintFactor factor;
  ASSERT_TRUE(factor.factorize(mass, rows_of(Wt)));
  Vec x{{1, 2}};
  EXPECT_GT(factor.solve(x.data()), 0.1);
}

// Columns that carry friction make S unsymmetric.
TEST(ConstraintFactor, SlippingColumns) {
  SplitMix64 random(7);
  const Dense Wt = random_matrix(random, 4, 9), Dt = Wt + 0.3 * random_matrix(random, 4, 9);
  const Factor mass = factor_of(Dense::Identity(9, 9) * 2, {Pattern::diagonal, 0, nullptr});
  ConstraintFactor factor;
  ASSERT_TRUE(factor.factorize(mass, rows_of(Wt), rows_of(Dt)));
  const Vec wanted = random_matrix(random, 4, 1);
  Vec lambda = wanted;
  EXPECT_LT(factor.solve(lambda.data()), 1e-13);
  EXPECT_LT((Wt * Dt.transpose() / 2 * lambda - wanted).norm(), 1e-12);
}

// A chain of links, two rows a joint: linear cost, no memory once it is warm.
TEST(ConstraintFactor, ChainsAreSolvedWithoutAllocation) {
  const auto chain = [](int links) {
    SparseRows Wt;
    for (int i = 0; i < links; ++i)
      for (int k = 0; k < 2; ++k) {
        if (i > 0) Wt.add(3 * (i - 1) + k, -1), Wt.add(3 * (i - 1) + 2, k == 0 ? 0.3 : 0.8);
        Wt.add(3 * i + k, 1), Wt.add(3 * i + 2, k == 0 ? 0.5 : -0.7);
        Wt.end_row();
      }
    return Wt;
  };
  Matrix M(3 * 160, {Pattern::diagonal, 0, nullptr});
  for (int i = 0; i < M.size(); ++i) M.set(i, i, i % 3 == 2 ? 0.1 : 1);
  Factor mass;
  ASSERT_TRUE(mass.factorize(M));
  const SparseRows Wt = chain(160);
  ConstraintFactor factor;
  Vec x(Wt.rows()), wanted(Wt.rows());
  for (int i = 0; i < x.size(); ++i) wanted[i] = std::sin(i);
  std::size_t before = 0;
  for (int k = 0; k < 3; ++k) {
    if (k == 1) before = testing::allocations();
    ASSERT_TRUE(factor.factorize(mass, Wt));
    x = wanted;
    EXPECT_LT(factor.solve(x.data()), 1e-12);
  }
  if (SALTUS_COUNTS_ALLOCATIONS) {
    EXPECT_EQ(testing::allocations(), before);
  }
  Vec a = Vec::Zero(M.size());
  factor.add(x.data(), a.data());
  for (int r = 0; r < Wt.rows(); ++r) EXPECT_NEAR(Wt.dot(r, a.data()), wanted[r], 1e-10);
}

}  // namespace
}  // namespace saltus::test_constraint_factor
