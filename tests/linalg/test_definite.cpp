// The sign of the pivots against the eigenvalues, on every pattern.
#include <gtest/gtest.h>

#include <random>

#include "saltus/linalg/definite.hpp"
#include "support/allocations.hpp"
#include "support/dense.hpp"

namespace saltus::test_definite {
namespace {

std::vector<Pattern> patterns(int n) {
  Pattern::Entries ring;
  for (int i = 0; i < n; ++i) ring.emplace_back(i, (i + 1) % n), ring.emplace_back((i + 1) % n, i);
  return {{Pattern::diagonal, 0, nullptr},
          {Pattern::blocks, 3, nullptr},
          {Pattern::banded, 2, nullptr},
          {Pattern::dense, 0, nullptr},
          {Pattern::sparse, 0, std::make_shared<const Pattern::Entries>(std::move(ring))}};
}

// Symmetric, with about as much on the diagonal as beside it: definite or not by chance.
Matrix random_matrix(const Pattern& pattern, int n, double diagonal, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  Matrix A(n, pattern);
  A.for_each([&](int i, int j, double) {
    if (i > j) return;
    const double x = i == j ? diagonal + number(random) : number(random);
    A.set(i, j, x);
    if (i != j) A.set(j, i, x);
  });
  return A;
}

double smallest_eigenvalue(const Matrix& A) {
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(A.size(), A.size());
  A.for_each([&](int i, int j, double x) { D(i, j) = x; });
  return testing::eigenvalues(D).real().minCoeff();
}

TEST(Definite, APivotIsNegativeWhereAnEigenvalueIs) {
  std::mt19937 random(7);
  std::vector<double> room;
  for (const Pattern& pattern : patterns(9))
    for (const double diagonal : {0.9, 1.5, 2.0, 3.0, 5.0}) {
      for (int k = 0; k < 40; ++k) {
        const Matrix A = random_matrix(pattern, 9, diagonal, random);
        const double least = smallest_eigenvalue(A);
        if (std::abs(least) < 1e-10) continue;
        const NegativePivot found = negative_pivot(A, room);
        if (pattern.kind != Pattern::sparse) {
          EXPECT_EQ(bool(found), least < 0) << pattern.kind << " " << least;
        }
        if (found) {
          EXPECT_LT(least, 0);  // of a sparse matrix, necessary conditions only
          EXPECT_LT(found.value, 0);
          EXPECT_LT(found.row, 9);
        }
      }
    }
}

TEST(Definite, ASparseMatrixIsJudgedByItsMinors) {
  Matrix A(9, patterns(9).back());
  for (int i = 0; i < 9; ++i) A.set(i, i, 1);
  std::vector<double> room;
  EXPECT_FALSE(negative_pivot(A, room));
  A.set(3, 4, 1.5), A.set(4, 3, 1.5);
  EXPECT_TRUE(negative_pivot(A, room));
  A.set(3, 4, 0), A.set(4, 3, 0), A.set(7, 7, -1e-3);
  EXPECT_EQ(negative_pivot(A, room).row, 7);
}

// Singular masses, of coordinates without inertia or of redundant ones, are left to the factorisation.
TEST(Definite, RoundingOfASingularMatrixIsNoNegativePivot) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> room;
  for (int k = 0; k < 200; ++k) {
    Eigen::MatrixXd B(6, 4);
    for (double& x : B.reshaped()) x = number(random);
    const Eigen::MatrixXd S = B * B.transpose();
    Matrix A(6, {Pattern::dense, 0, nullptr});
    A.for_each([&](int i, int j, double) { A.set(i, j, S(i, j)); });
    EXPECT_FALSE(negative_pivot(A, room));
  }
}

TEST(Definite, NothingIsAllocatedOnceWarm) {
  std::mt19937 random(3);
  std::vector<double> room;
  for (const Pattern& pattern : patterns(9)) {
    const Matrix A = random_matrix(pattern, 9, 5, random);
    negative_pivot(A, room);
    const std::size_t before = testing::allocations();
    negative_pivot(A, room);
    EXPECT_EQ(testing::allocations(), before);
  }
}

}  // namespace
}  // namespace saltus::test_definite
