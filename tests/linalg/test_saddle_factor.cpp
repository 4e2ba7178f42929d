// Saddle-point systems: against dense factors on every pattern, redundant and contradictory rows, linear
// cost.
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/linalg/saddle_factor.hpp"
#include "support/allocations.hpp"
#include "support/dense.hpp"

namespace saltus::test_saddle_factor {
namespace {

using Dense = Eigen::MatrixXd;
using Saddle = SaddleFactor<double>;

SparseRows sparse_rows(const Dense& Wt) {
  SparseRows out;
  for (int i = 0; i < Wt.rows(); ++i, out.end_row())
    for (int j = 0; j < Wt.cols(); ++j)
      if (Wt(i, j) != 0) out.add(j, Wt(i, j));
  return out;
}

Dense random_numbers(SplitMix64& random, int rows, int columns) {
  Dense out(rows, columns);
  for (double& x : out.reshaped()) x = random.between(-1, 1);
  return out;
}

// A matrix on a pattern that behaves like a mass plus something unsymmetric.
Matrix random_matrix_on(SplitMix64& random, int n, const Pattern& pattern) {
  Matrix out(n, pattern);
  Dense sums = Dense::Zero(n, 1);
  Matrix places(n, pattern);
  places.for_each([&](int i, int j, double) {
    if (i == j) return;
    const double x = random.between(-1, 1);
    out.set(i, j, x), sums(i) += std::abs(x);
  });
  for (int i = 0; i < n; ++i) out.set(i, i, sums(i) + random.between(0.1, 2));
  return out;
}

Dense dense_of(const Matrix& A) {
  Dense out = Dense::Zero(A.size(), A.size());
  A.for_each([&](int i, int j, double x) { out(i, j) += x; });
  return out;
}

Dense saddle_of(const Dense& A, const Dense& Wt, const Dense& Dt) {
  const auto n = A.rows(), m = Wt.rows();
  Dense K = Dense::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = A, K.topRightCorner(n, m) = -Dt.transpose(), K.bottomLeftCorner(m, n) = Wt;
  return K;
}

Pattern sparse_pattern(SplitMix64& random, int n, int count) {
  Pattern::Entries entries;
  for (int k = 0; k < count; ++k)
    entries.emplace_back(static_cast<int>(random.between(0, n)), static_cast<int>(random.between(0, n)));
  return {Pattern::sparse, 0, std::make_shared<const Pattern::Entries>(entries)};
}

std::vector<Pattern> patterns(SplitMix64& random, int n) {
  return {{Pattern::diagonal, 0, nullptr},
          {Pattern::blocks, 3, nullptr},
          {Pattern::banded, 2, nullptr},
          {Pattern::dense, 0, nullptr},
          sparse_pattern(random, n, 2 * n)};
}

TEST(SaddleFactor, AgreesWithDenseOnEveryPattern) {
  SplitMix64 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 12, m = trial % 7;
    for (const Pattern& pattern : patterns(random, n)) {
      const Matrix A = random_matrix_on(random, n, pattern);
      const Dense Wt = random_numbers(random, m, n), Dt = Wt + 0.1 * random_numbers(random, m, n);
      const SparseRows W = sparse_rows(Wt), D = sparse_rows(Dt);
      const Saddle::Block a{0.5, &A};
      const Saddle::Rows w{2, &W};
      Saddle factor;
      ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &D}));
      EXPECT_FALSE(factor.redundant());
      const Vec right = random_numbers(random, n + m, 1);
      const Vec expected = testing::solve_dense(saddle_of(0.5 * dense_of(A), 2 * Wt, Dt), right);
      Vec x = right;
      factor.solve(x.data());
      EXPECT_LT((x - expected).norm(), 1e-9 * (1 + expected.norm())) << trial;
      x = right;
      EXPECT_LT(factor.solve_refined(x.data()), 1e-14);
      EXPECT_LT((x - expected).norm(), 1e-11 * (1 + expected.norm())) << trial;

      // the same with a shift to complex numbers
      using Complex = std::complex<double>;
      const SaddleFactor<Complex>::Block b{{0.5, 0.7}, &A};
      const SaddleFactor<Complex>::Rows v{{2, -1}, &W};
      SaddleFactor<Complex> shifted;
      ASSERT_TRUE(shifted.factorize({{&b, 1}, {&v, 1}, &D}));
      Eigen::MatrixXcd K = saddle_of(dense_of(A), Wt, Dt).cast<Complex>();
      K.topLeftCorner(n, n) *= Complex(0.5, 0.7), K.bottomLeftCorner(m, n) *= Complex(2, -1);
      Eigen::VectorXcd z = right.cast<Complex>();
      const Eigen::VectorXcd wanted = testing::solve_dense(K, z);
      shifted.solve(z.data());
      EXPECT_LT((z - wanted).norm(), 1e-9 * (1 + wanted.norm())) << trial;
    }
  }
}

// Rows that repeat combinations of others, consistent right-hand sides: v is that of the complete orthogonal
// decomposition, λ has the least norm in its weights.
TEST(SaddleFactor, RedundantRowsHaveMultipliersOfLeastNorm) {
  SplitMix64 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 12, own = 2 + trial % 5, copies = 1 + trial % 4, m = own + copies;
    Dense Wt(m, n);
    Wt.topRows(own) = random_numbers(random, own, n);
    for (int k = 0; k < copies; ++k)
      Wt.row(own + k) =
          random.between(-2, 2) * Wt.row(k % own) + random.between(-2, 2) * Wt.row((k + 1) % own);
    Eigen::PermutationMatrix<Eigen::Dynamic> order(m);
    order.setIdentity();
    for (int k = m - 1; k > 0; --k)
      std::swap(order.indices()[k], order.indices()[static_cast<int>(random.between(0, k + 1))]);
    Wt = order * Wt;
    Matrix A(n, {Pattern::diagonal, 0, nullptr});
    for (int i = 0; i < n; ++i) A.set(i, i, random.between(0.1, 10));
    const SparseRows W = sparse_rows(Wt);
    const Saddle::Block a{1, &A};
    const Saddle::Rows w{1, &W};
    Saddle factor;
    ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &W}));
    EXPECT_TRUE(factor.redundant());
    Vec right(n + m);
    right.head(n) = random_numbers(random, n, 1);
    right.tail(m) = Wt * random_numbers(random, n, 1);
    Vec x = right;
    factor.solve_least_norm(x.data());
    EXPECT_LT(factor.left_over(x.data(), right.data()), 1e-11);

    const Dense inverse = testing::inverse(dense_of(A));
    const Vec weight = (Wt * inverse * Wt.transpose()).diagonal().cwiseSqrt();
    const Dense S = weight.cwiseInverse().asDiagonal() * (Wt * inverse * Wt.transpose()) *
                    weight.cwiseInverse().asDiagonal();
    Vec r = right.tail(m) - Wt * inverse * right.head(n);
    r = weight.cwiseInverse().asDiagonal() * r;
    const Vec lambda = weight.cwiseInverse().asDiagonal() * testing::least_norm_solution(S, r, 1e-10);
    const Vec v = inverse * (right.head(n) + Wt.transpose() * lambda);
    EXPECT_LT((x.head(n) - v).norm(), 1e-9 * (1 + v.norm())) << trial;
    EXPECT_LT((x.tail(m) - lambda).norm(), 1e-8 * (1 + lambda.norm())) << trial;
  }
}

// The first two rows are nearly parallel, and the third, which depends on them, says what the second cannot:
// of a linkage that passes such a place accelerations are known to rounding all the same.
TEST(SaddleFactor, ARowThatSaysLittleGivesWayToOneThatSaysMore) {
  SplitMix64 random(9);
  for (const double angle : {1e-1, 1e-3, 1e-5, 4e-6, 1e-6, 0.0}) {
    const Dense basis = random_numbers(random, 2, 6);
    Dense Wt(3, 6);
    Wt.row(0) = basis.row(0), Wt.row(1) = basis.row(0) + angle * basis.row(1), Wt.row(2) = basis.row(1);
    Matrix A(6, {Pattern::diagonal, 0, nullptr});
    for (int i = 0; i < 6; ++i) A.set(i, i, random.between(0.5, 2));
    const SparseRows W = sparse_rows(Wt);
    const Saddle::Block a{1, &A};
    const Saddle::Rows w{1, &W};
    Saddle factor;
    ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &W}));
    EXPECT_TRUE(factor.redundant());
    const Dense inverse = testing::inverse(dense_of(A)), G = basis * inverse * basis.transpose();
    const Vec f = random_numbers(random, 6, 1), r = random_numbers(random, 2, 1);
    const Vec v = inverse * (f + basis.transpose() * (testing::inverse(G) * (r - basis * inverse * f)));
    Vec x(9);
    x << f, r[0], r[0] + angle * r[1], r[1];
    factor.solve_least_norm(x.data());
    EXPECT_LT((x.head(6) - v).norm(), 1e-13 * (1 + v.norm())) << angle;
    if (angle == 0) continue;
    Dense more(4, 6);  // a row that is its own, if little: it is not taken for rounding
    more << Wt, Wt.row(2) + 1e-4 * random_numbers(random, 1, 6);
    const SparseRows four = sparse_rows(more);
    const Saddle::Rows all{1, &four};
    ASSERT_TRUE(factor.factorize({{&a, 1}, {&all, 1}, &four}));
    EXPECT_EQ(factor.dropped(0) + factor.dropped(1) + factor.dropped(2) + factor.dropped(3), 1) << angle;
  }
}

TEST(SaddleFactor, FourFeetShareTheLoadAsAPlane) {
  Dense Wt(4, 3);  // z, and two turns
  Wt << 1, 1, 1, 1, 1, -1, 1, -1, -1, 1, -1, 1;
  Wt.row(3) = Vec{{1, -1, -1}}.transpose();
  Wt.row(2) = Vec{{1, -1, 1}}.transpose(), Wt.row(1) = Vec{{1, 1, -1}}.transpose();
  Matrix A(3, {Pattern::diagonal, 0, nullptr});
  for (int i = 0; i < 3; ++i) A.set(i, i, 1);
  const SparseRows W = sparse_rows(Wt);
  const Saddle::Block a{1, &A};
  const Saddle::Rows w{1, &W};
  Saddle factor;
  ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &W}));
  Vec x{{-4, -1, 0, 0, 0, 0, 0}};  // weight and its moment; nothing moves
  factor.solve_least_norm(x.data());
  EXPECT_LT((x - Vec{{0, 0, 0, 1.25, 1.25, 0.75, 0.75}}).norm(), 1e-14);
}

TEST(SaddleFactor, AContradictionIsLeftOverAndNamesItsRows) {
  Dense Wt(3, 3);
  Wt << 0, 0, 1, 1, 0, 0, 2, 0, 0;  // rows 1 and 2 demand different things of the same
  Matrix A(3, {Pattern::diagonal, 0, nullptr});
  for (int i = 0; i < 3; ++i) A.set(i, i, 2);
  const SparseRows W = sparse_rows(Wt);
  const Saddle::Block a{1, &A};
  const Saddle::Rows w{1, &W};
  Saddle factor;
  ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &W}));
  const Vec right{{0, 0, 0, 5, 1, 3}};
  Vec x = right;
  factor.solve_least_norm(x.data());
  int row = -1;
  EXPECT_GT(factor.left_over(x.data(), right.data(), &row), 0.1);
  EXPECT_TRUE(row == 1 || row == 2);
  std::vector<int> behind;
  factor.rows_behind(row, behind);
  EXPECT_EQ(behind, std::vector<int>{3 - row});
}

// Which rows are redundant can be kept at states where they are so only roughly.
TEST(SaddleFactor, KeepsItsDecisionNearby) {
  Dense Wt(2, 3);
  Wt << 1, 2, 0, 1, 2, 0;
  Matrix A(3, {Pattern::diagonal, 0, nullptr});
  for (int i = 0; i < 3; ++i) A.set(i, i, 1);
  SparseRows W = sparse_rows(Wt);
  const Saddle::Block a{1, &A};
  const Saddle::Rows w{1, &W};
  Saddle factor;
  ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &W}));
  W.row(1)[0].value += 1e-4;
  ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &W}, Saddle::Rank::keep));
  EXPECT_TRUE(factor.redundant());
  Vec x{{0, 0, 0, 1, 1.001}};  // taken at its word, the second row would make accelerations of ten
  factor.solve_least_norm(x.data());
  EXPECT_LT(x.head(3).norm(), 1);
  ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &W}));
  EXPECT_FALSE(factor.redundant());
}

// A place that was zero when the pattern was analysed may fill later.
TEST(SaddleFactor, NoticesPlacesThatFill) {
  Matrix A(4, {Pattern::dense, 0, nullptr});
  for (int i = 0; i < 4; ++i) A.set(i, i, 1);
  const Saddle::Block a{1, &A};
  Saddle factor;
  ASSERT_TRUE(factor.factorize({.A = {&a, 1}, .Wt = {}}));
  EXPECT_EQ(factor.entries(), 4);
  A.set(0, 3, 0.5);
  ASSERT_TRUE(factor.factorize({.A = {&a, 1}, .Wt = {}}));
  Vec x{{1, 1, 1, 1}};
  factor.solve(x.data());
  EXPECT_LT((x - Vec{{0.5, 1, 1, 1}}).norm(), 1e-15);
  EXPECT_EQ(factor.analyses(), 2);
}

// Chain of revolute links, tree of them, band with contacts all along: as many entries per unknown at 160 as
// at 20, and no memory once it is warm.
TEST(SaddleFactor, ChainsTreesAndBandsHaveLinearCost) {
  const auto linked = [](int links, bool tree) {
    SparseRows Wt;
    for (int i = 0; i < links; ++i)
      for (int k = 0; k < 2; ++k) {
        const int before = tree ? (i - 1) / 2 : i - 1;
        if (i > 0) Wt.add(3 * before + k, -1), Wt.add(3 * before + 2, k == 0 ? 0.3 + 0.1 * std::sin(i) : 0.8);
        Wt.add(3 * i + k, 1), Wt.add(3 * i + 2, k == 0 ? 0.5 : -0.7);
        Wt.end_row();
      }
    return Wt;
  };
  const auto along = [](int contacts) {
    SparseRows Wt;
    for (int i = 0; i < contacts; ++i) Wt.add(3 * i, 1), Wt.end_row();
    return Wt;
  };
  for (const char* kind : {"chain", "tree", "band"}) {
    std::int64_t entries[2] = {0, 0};
    for (const int big : {0, 1}) {
      const int links = big ? 160 : 20, n = 3 * links;
      Matrix A(n,
               *kind == 'b' ? Pattern{Pattern::banded, 5, nullptr} : Pattern{Pattern::diagonal, 0, nullptr});
      A.for_each([&](int i, int j, double) { A.set(i, j, i == j ? 10.0 : std::sin(i + j)); });
      const SparseRows Wt = *kind == 'b' ? along(links) : linked(links, *kind == 't');
      const Saddle::Block a{1, &A};
      const Saddle::Rows w{1, &Wt};
      Saddle factor;
      Vec x(n + Wt.rows());
      std::size_t before = 0;
      for (int k = 0; k < 3; ++k) {
        if (k == 2) before = testing::allocations();
        ASSERT_TRUE(factor.factorize({{&a, 1}, {&w, 1}, &Wt}));
        for (int i = 0; i < x.size(); ++i) x[i] = std::sin(i);
        EXPECT_LT(factor.solve_refined(x.data()), 1e-13);
      }
      if (SALTUS_COUNTS_ALLOCATIONS) {
        EXPECT_EQ(testing::allocations(), before);
      }
      EXPECT_FALSE(factor.redundant()) << kind;
      entries[big] = factor.entries();
    }
    EXPECT_LT(static_cast<double>(entries[1]), 8.8 * static_cast<double>(entries[0])) << kind;
    EXPECT_LT(static_cast<double>(entries[1]), 160 * 90.0) << kind;
  }
}

}  // namespace
}  // namespace saltus::test_saddle_factor
