// The LU by fronts against the dense one, on random graphs of small blocks: solutions and sign.
#include <gtest/gtest.h>

#include <random>

#include "saltus/linalg/frontal_lu.hpp"
#include "support/dense.hpp"

namespace saltus::test_frontal_lu {
namespace {

// 1 + Σ B over pairs of `bodies`, each pair with all of the entries of its two bodies
Eigen::SparseMatrix<double> random_matrix(std::mt19937& random, int bodies, int block, int pairs,
                                          double size) {
  std::uniform_real_distribution<double> number(-size, size);
  std::uniform_int_distribution<int> body(0, bodies - 1);
  const int n = bodies * block;
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < n; ++k) entries.emplace_back(k, k, 1);
  for (int p = 0; p < pairs; ++p) {
    const int two[2] = {body(random), p % 3 == 0 ? 0 : body(random)};
    for (const int a : two)
      for (const int b : two)
        for (int i = 0; i < block; ++i)
          for (int j = 0; j < block; ++j) entries.emplace_back(a * block + i, b * block + j, number(random));
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

TEST(FrontalLu, AgreesWithTheDenseOne) {
  std::mt19937 random(3);
  int negative = 0;
  for (int k = 0; k < 60; ++k) {
    const int block = k % 2 == 0 ? 3 : 6, bodies = 1 + k, pairs = k % 4 * bodies;
    const auto A = random_matrix(random, bodies, block, pairs, k % 5 == 0 ? 1 : 0.05);
    FrontalLu lu;
    lu.analyze(A);
    for (const double scale : {1.0, 3.0}) {  // twice with one pattern
      const Eigen::SparseMatrix<double> B = scale * A;
      ASSERT_TRUE(lu.factorize(B));
      const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(A.rows(), -1, 2);
      Eigen::VectorXd b = B * x;
      lu.solve(b.data());
      const testing::DenseLu dense = testing::dense_lu_of(B);
      EXPECT_LE((b - x).norm(), 1e-12 / dense.rcond * x.norm()) << "matrix " << k;
      EXPECT_EQ(lu.sign(), dense.sign) << "matrix " << k;
      negative += dense.sign < 0;
    }
  }
  EXPECT_GT(negative, 0);  // both signs occur
}

TEST(FrontalLu, SaysWhenAMatrixIsSingularOrNotFinite) {
  std::mt19937 random(4);
  auto A = random_matrix(random, 10, 3, 15, 0.1);
  FrontalLu lu;
  lu.analyze(A);
  Eigen::SparseMatrix<double> zero = 0 * A;
  EXPECT_FALSE(lu.factorize(zero));
  A.valuePtr()[5] = std::nan("");
  EXPECT_FALSE(lu.factorize(A));
}

}  // namespace
}  // namespace saltus::test_frontal_lu
