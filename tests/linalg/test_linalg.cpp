// Matrices on patterns and their factors, against Eigen's dense algebra.
#include <gtest/gtest.h>

#include <random>

#include "saltus/core/error.hpp"
#include "saltus/linalg/factor.hpp"
#include "saltus/linalg/matrix.hpp"
#include "saltus/linalg/sparse_rows.hpp"
#include "support/dense.hpp"

namespace saltus::test_linalg {
namespace {

using Dense = Eigen::MatrixXd;

Pattern diagonal() {
  return {Pattern::diagonal, 0, nullptr};
}
Pattern blocks(int width) {
  return {Pattern::blocks, width, nullptr};
}
Pattern banded(int width) {
  return {Pattern::banded, width, nullptr};
}
Pattern dense() {
  return {Pattern::dense, 0, nullptr};
}
Pattern sparse(Pattern::Entries entries) {
  return {Pattern::sparse, 0, std::make_shared<const Pattern::Entries>(std::move(entries))};
}
Pattern open() {
  return {Pattern::sparse, 0, nullptr};
}
Pattern arrow(int n) {  // last row and column
  Pattern::Entries e;
  for (int i = 0; i < n; ++i) e.emplace_back(i, n - 1), e.emplace_back(n - 1, i);
  return sparse(e);
}

bool inside(const Pattern& p, int i, int j) {
  switch (p.kind) {
    case Pattern::diagonal:
      return i == j;
    case Pattern::blocks:
      return i / p.width == j / p.width;
    case Pattern::banded:
      return std::abs(i - j) <= p.width;
    case Pattern::dense:
      return true;
    case Pattern::sparse:
      return p.is_open() || i == j ||
             std::find(p.entries->begin(), p.entries->end(), std::pair(i, j)) != p.entries->end();
  }
  return false;
}

Dense to_dense(const Matrix& A) {
  Dense out(A.size(), A.size());
  for (int i = 0; i < A.size(); ++i)
    for (int j = 0; j < A.size(); ++j) out(i, j) = A(i, j);
  return out;
}

Matrix random_matrix(int n, const Pattern& p, unsigned seed, double boost = 0) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  Matrix A(n, p);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (inside(p, i, j)) A.set(i, j, u(rng) + (i == j ? boost : 0));
  return A;
}

std::vector<Pattern> all_patterns(int n) {
  return {diagonal(), blocks(1), blocks(2), blocks(n), banded(0),
          banded(1),  banded(3), dense(),   arrow(n),  open()};
}

TEST(Matrix, StoresWhatThePatternHoldsAndThrowsBeyond) {
  constexpr int n = 12;
  for (const Pattern& p : all_patterns(n)) {
    Matrix A(n, p);
    double value = 1;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        if (inside(p, i, j)) {
          A.set(i, j, value);
          A.add(i, j, 0.5);
          EXPECT_EQ(A(i, j), value + 0.5);
        } else {
          EXPECT_EQ(A(i, j), 0);
          EXPECT_THROW(A.set(i, j, 1), Error);
        }
        value += 1;
      }
    A.set_zero();
    EXPECT_EQ(to_dense(A).norm(), 0);
  }
  Matrix A(3, dense());
  EXPECT_THROW(A.set(3, 0, 1), Error);
  EXPECT_THROW(A.set(0, -1, 1), Error);
  EXPECT_THROW(Matrix(5, blocks(2)), Error);
  EXPECT_THROW(Matrix(-1, dense()), Error);
  EXPECT_THROW(Matrix(2, sparse({{0, 2}})), Error);
}

TEST(Matrix, MergedPatternHoldsBoth) {
  constexpr int n = 12;
  for (const Pattern& a : all_patterns(n))
    for (const Pattern& b : all_patterns(n)) {
      const Pattern both = merge(a, b, n);
      Matrix M(n, both);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          if (inside(a, i, j) || inside(b, i, j)) M.set(i, j, 1);  // throws outside
    }
  EXPECT_EQ(merge(diagonal(), diagonal(), n).kind, Pattern::diagonal);
  EXPECT_EQ(merge(diagonal(), blocks(3), n).kind, Pattern::blocks);
  EXPECT_EQ(merge(blocks(3), blocks(3), n).kind, Pattern::blocks);
  EXPECT_EQ(merge(blocks(3), banded(1), n).kind, Pattern::banded);
  EXPECT_EQ(merge(banded(2), arrow(n), n).kind, Pattern::sparse);
  EXPECT_EQ(merge(banded(2), dense(), n).kind, Pattern::dense);
  EXPECT_TRUE(merge(open(), arrow(n), n).is_open() && merge(arrow(n), open(), n).is_open());
}

TEST(Matrix, AddScaledMultiplyAndBilinearAgreeWithEigen) {
  constexpr int n = 12;
  unsigned seed = 1;
  for (const Pattern& a : all_patterns(n))
    for (const Pattern& b : all_patterns(n)) {
      const Matrix A = random_matrix(n, a, ++seed), B = random_matrix(n, b, ++seed);
      Matrix M(n, merge(a, b, n));
      M.add_scaled(1, A);
      M.add_scaled(-2.5, B);
      const Dense expected = to_dense(A) - 2.5 * to_dense(B);
      EXPECT_LT((to_dense(M) - expected).norm(), 1e-14);
      const Vec x = Vec::LinSpaced(n, -1, 2), z = Vec::LinSpaced(n, 3, -1);
      Vec y = z;
      M.multiply_add(0.5, x, y);
      EXPECT_LT((y - (z + 0.5 * expected * x)).norm(), 1e-12);
      EXPECT_NEAR(M.bilinear(x, z), x.dot(expected * z), 1e-11);
    }
  Matrix A(3, dense());
  EXPECT_THROW(A.add_scaled(1, Matrix(4, dense())), Error);
  Matrix D(3, diagonal());
  EXPECT_THROW(D.add_scaled(1, random_matrix(3, dense(), 1)), Error);
}

TEST(Matrix, AnOpenPatternFollowsWhatIsAdded) {
  constexpr int n = 40;
  Matrix A(n, open());
  Factor F;
  for (int round = 0; round < 6; ++round) {  // another band in each
    A.set_zero();
    for (int i = 0; i < n; ++i) {
      A.add(i, i, 4);
      A.add(i, (i + round) % n, 1);
      A.add((i + 2 * round) % n, i, 0.5);
    }
    EXPECT_LE(A.sparse().nonZeros(), 5 * n);  // those of this round and of the one before
    Vec x = Vec::Ones(n);
    ASSERT_TRUE(F.factorize(A));
    F.solve(x);
    EXPECT_LT((to_dense(A) * x - Vec::Ones(n)).norm(), 1e-12);
  }
  A.set_zero(), A.set_zero();
  EXPECT_EQ(A.sparse().nonZeros(), n);
  const Matrix full = random_matrix(n, dense(), 3, 5);  // more than there are spare places
  A.add_scaled(1, full);
  EXPECT_EQ(to_dense(A), to_dense(full));
}

TEST(Matrix, KnowsWhetherItIsFinite) {
  for (const Pattern& p : all_patterns(4)) {
    if (p.kind == Pattern::banded && p.width > 1) continue;
    Matrix A(4, p);
    EXPECT_TRUE(A.all_finite());
    A.set(1, 1, std::nan(""));
    EXPECT_FALSE(A.all_finite());
  }
}

TEST(Factor, SolvesOnEveryPattern) {
  constexpr int n = 12;
  unsigned seed = 100;
  for (const Pattern& p : all_patterns(n))
    for (int trial = 0; trial < 20; ++trial) {
      const Matrix A = random_matrix(n, p, ++seed, trial % 2 ? 4 : 0);  // half of them need row exchanges
      Factor F;
      ASSERT_TRUE(F.factorize(A));
      EXPECT_EQ(F.size(), n);
      EXPECT_EQ(F.bad_row(), -1);
      const Vec b = Vec::LinSpaced(n, -1, 2);
      Vec x = b;
      F.solve(x);
      EXPECT_LT((to_dense(A) * x - b).norm(), 1e-12 * (1 + to_dense(A).norm() * x.norm()));
    }
}

TEST(Factor, KeepsItsMemoryAndFollowsTheValues) {
  constexpr int n = 8;
  for (const Pattern& p : all_patterns(n)) {
    Factor F;
    for (unsigned seed = 1; seed < 4; ++seed) {
      const Matrix A = random_matrix(n, p, seed, 5);
      ASSERT_TRUE(F.factorize(A));
      Vec x = Vec::Ones(n);
      F.solve(x);
      EXPECT_LT((to_dense(A) * x - Vec::Ones(n)).norm(), 1e-12);
    }
  }
}

TEST(Factor, TakesAnotherPatternAndItsCopiesAreIndependent) {
  constexpr int n = 6;
  const Matrix A = random_matrix(n, arrow(n), 1, 5),
               B = random_matrix(n, sparse({{0, 3}, {3, 0}, {1, 4}}), 2, 5);
  Factor F;
  ASSERT_TRUE(F.factorize(A));
  const Factor copy = F;
  ASSERT_TRUE(F.factorize(B));
  Vec x = Vec::Ones(n), y = Vec::Ones(n);
  copy.solve(x);
  F.solve(y);
  EXPECT_LT((to_dense(A) * x - Vec::Ones(n)).norm(), 1e-12);
  EXPECT_LT((to_dense(B) * y - Vec::Ones(n)).norm(), 1e-12);
}

TEST(Factor, BlocksAndReciprocalsAreReachable) {
  const Matrix A = random_matrix(6, blocks(3), 7, 3), D = random_matrix(4, diagonal(), 8, 3);
  Factor F;
  ASSERT_TRUE(F.factorize(A));
  Vec x = Vec::Ones(3);
  F.solve_block(1, x.data());
  EXPECT_LT((to_dense(A).bottomRightCorner(3, 3) * x - Vec::Ones(3)).norm(), 1e-13);
  ASSERT_TRUE(F.factorize(D));
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(F.reciprocals()[i], 1 / D(i, i));
}

TEST(Factor, FindsSingularMatrices) {
  for (const Pattern& p : {diagonal(), blocks(2), banded(1), dense()}) {
    Matrix A = random_matrix(6, p, 3, 4);
    for (int j = 0; j < 6; ++j)
      if (inside(p, 3, j)) A.set(3, j, 0);
    Factor F;
    EXPECT_FALSE(F.factorize(A));
    EXPECT_GE(F.bad_row(), 0);
  }
  for (const Pattern& p :
       {blocks(3), banded(2), dense()}) {  // the last row is a combination, but for rounding
    Matrix A(3, p);
    for (int j = 0; j < 3; ++j) {
      A.set(0, j, 0.1 + 0.3 * j * j);
      A.set(1, j, 1.7 - 0.9 * j);
      A.set(2, j, A(0, j) / 3 + A(1, j) * 0.7);
    }
    Factor F;
    EXPECT_FALSE(F.factorize(A)) << p.kind;
  }
  Matrix A(1, arrow(1));
  Factor F;
  EXPECT_FALSE(F.factorize(A));
}

TEST(Factor, FreeChainIsSingularAndHeldChainIsNot) {
  constexpr int n = 50;
  Matrix K(n, banded(1));
  for (int i = 0; i + 1 < n; ++i) {
    const double k = 1 + 0.1 * i;
    K.add(i, i, k), K.add(i + 1, i + 1, k), K.add(i, i + 1, -k), K.add(i + 1, i, -k);
  }
  Factor F;
  EXPECT_FALSE(F.factorize(K));
  K.add(0, 0, 1e-3);
  EXPECT_TRUE(F.factorize(K));
}

TEST(Factor, AcceptsWideScales) {
  for (const Pattern& p : {diagonal(), blocks(2), banded(1), dense()}) {
    Matrix A(4, p);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        if (inside(p, i, j)) A.set(i, j, (i == j ? 1 : 0.4) * std::pow(10, 3.0 * (i + j)));
    Factor F;
    ASSERT_TRUE(F.factorize(A));
    const Vec exact = Vec::LinSpaced(4, 1, 4);
    Vec x = to_dense(A) * exact;
    F.solve(x);
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(x[i] * std::pow(10, 3.0 * i), exact[i] * std::pow(10, 3.0 * i), 1e-3);
  }
}

TEST(Factor, RefusesWhatIsNotFinite) {
  for (const Pattern& p : all_patterns(4)) {
    if (p.kind == Pattern::banded && p.width > 1) continue;
    for (const double bad : {std::nan(""), infinity}) {
      Matrix A = random_matrix(4, p, 5, 4);
      A.set(2, 2, bad);
      Factor F;
      EXPECT_FALSE(F.factorize(A)) << p.kind;
    }
  }
}

TEST(DenseLu, AgreesWithEigenAtAllSizes) {
  for (int n = 1; n <= 40; ++n) {
    const Dense A = to_dense(random_matrix(n, dense(), 200u + static_cast<unsigned>(n)));
    Dense lu = A;
    std::vector<int> pivot(n);
    ASSERT_EQ(dense_lu(n, lu.data(), pivot.data()), -1);
    Vec x = Vec::LinSpaced(n, 1, 2);
    dense_lu_solve(n, lu.data(), pivot.data(), x.data());
    const Vec expected = testing::solve_dense(A, Vec(Vec::LinSpaced(n, 1, 2)));
    EXPECT_LT((x - expected).norm(), 1e-9 * (1 + expected.norm())) << n;
  }
}

TEST(DenseLu, FloorTellsCancellationFromScale) {
  std::vector<int> pivot(2);
  Dense A{{1, 1}, {1, 1 + 1e-13}};
  EXPECT_EQ(dense_lu(2, A.data(), pivot.data(), 1e-12), 1);
  Dense B{{1, 1e20}, {0, 1}};  // triangular: nothing cancels
  EXPECT_EQ(dense_lu(2, B.data(), pivot.data(), 1e-12), -1);
}

TEST(BandedLu, AgreesWithEigenForAllWidths) {
  for (int n : {1, 2, 5, 17, 40})
    for (int w = 0; w < std::min(n, 7); ++w)
      for (const double boost : {0.0, 3.0}) {
        const Matrix A = random_matrix(n, banded(w), static_cast<unsigned>(31 * n + w), boost);
        const int stride = 3 * w + 1;
        std::vector<double> a(static_cast<std::size_t>(n) * stride, 0.0);
        for (int i = 0; i < n; ++i)
          for (int j = std::max(0, i - w); j <= std::min(n - 1, i + w); ++j)
            a[i * stride + j - i + w] = A(i, j);
        std::vector<int> pivot(n);
        ASSERT_EQ(banded_lu(n, w, a.data(), pivot.data()), -1);
        Vec x = Vec::LinSpaced(n, 1, 2);
        banded_lu_solve(n, w, a.data(), pivot.data(), x.data());
        const Vec expected = testing::solve_dense(to_dense(A), Vec(Vec::LinSpaced(n, 1, 2)));
        EXPECT_LT((x - expected).norm(), 1e-8 * (1 + expected.norm())) << n << " " << w;
      }
}

TEST(SparseRows, AppendsAndMultiplies) {
  SparseRows W;
  W.add(0, 2), W.add(3, -1), W.end_row();
  W.end_row();
  const std::vector<SparseRows::Entry> row = {{1, 4}};
  W.append_row(row);
  ASSERT_EQ(W.rows(), 3);
  const double x[] = {1, 2, 3, 4};
  EXPECT_EQ(W.dot(0, x), -2);
  EXPECT_EQ(W.dot(1, x), 0);
  EXPECT_EQ(W.dot(2, x), 8);
  double y[4] = {};
  W.add_to(0, 3, y);
  EXPECT_EQ(y[0], 6);
  EXPECT_EQ(y[3], -3);
  W.clear();
  EXPECT_EQ(W.rows(), 0);
}

}  // namespace
}  // namespace saltus::test_linalg
