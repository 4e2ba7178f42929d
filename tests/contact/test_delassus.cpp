// Delassus' operator in its three forms against the dense product Wᵀ A⁻¹ W.
#include <gtest/gtest.h>

#include <random>

#include "saltus/contact/delassus.hpp"
#include "saltus/core/error.hpp"
#include "support/dense.hpp"

namespace saltus::test_delassus {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Form = Delassus::Form;

struct Contacts {
  Matrix A;
  Factor factor;
  SparseRows Wt;
  std::vector<int> sizes;
  Dense expected;
};

// A on the pattern, not symmetric; W with repeated columns, and one contact between fixed bodies (an empty
// row)
Contacts make_contacts(int dofs, const Pattern& pattern, std::vector<int> sizes, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  Contacts s;
  s.sizes = std::move(sizes);
  s.A = Matrix(dofs, pattern);
  Dense full = Dense::Zero(dofs, dofs);
  for (int i = 0; i < dofs; ++i)
    for (int j = 0; j < dofs; ++j) {
      const int w = pattern.width;
      const bool inside = i == j || pattern.kind == Pattern::dense ||
                          (pattern.kind == Pattern::blocks && i / w == j / w) ||
                          (pattern.kind == Pattern::banded && std::abs(i - j) <= w);
      if (!inside) continue;
      full(i, j) = u(rng) + (i == j ? 4 : 0);
      s.A.set(i, j, full(i, j));
    }
  EXPECT_TRUE(s.factor.factorize(s.A));
  int rows = 0;
  for (const int n : s.sizes) rows += n;
  Dense W = Dense::Zero(rows, dofs);
  for (int r = 0; r < rows; ++r) {
    const int entries = r == 1 ? 0 : 1 + r % 4;
    for (int k = 0; k < entries; ++k) {
      const int column = (r * 5 + k * (r % 3)) % dofs;  // k · 0: the same column again
      const double value = u(rng);
      s.Wt.add(column, value);
      W(r, column) += value;
    }
    s.Wt.end_row();
  }
  s.expected = Dense::Zero(rows, rows);
  if (rows > 0) s.expected = W * Dense(testing::solve_dense(Eigen::MatrixXd(full), W.transpose()));
  return s;
}

void expect_operator(const Delassus& G, const Contacts& s) {
  const int n = G.rows();
  const double tiny = 1e-13 * (1 + s.expected.norm());
  Dense all(n, n);
  G.to_dense(all.data());
  EXPECT_LT((all - s.expected).norm(), tiny);
  const Vec P = Vec::LinSpaced(n, -1, 2);
  Vec y(n);
  G.apply(P.data(), y.data());
  EXPECT_LT((y - s.expected * P).norm(), tiny * P.norm());
  for (int i = 0; i < G.blocks(); ++i) {
    const int at = G.offset(i), m = G.block_size(i);
    const Eigen::Map<const Dense> block(G.block(i), m, m);
    EXPECT_LT((block - s.expected.block(at, at, m, m)).norm(), tiny);
    double sums[max_block_rows];
    G.row_sums(i, sums);
    for (int a = 0; a < m; ++a) {
      const double exact = s.expected.row(at + a).cwiseAbs().sum();
      EXPECT_GE(sums[a], exact - tiny);
      if (G.form() != Form::product) {
        EXPECT_NEAR(sums[a], exact, tiny);
      }
    }
    if (G.form() == Form::product) continue;
    Dense row = Dense::Zero(m, n);
    G.for_row(i, [&](int j, const double* g) {
      row.middleCols(G.offset(j), G.block_size(j)) = Eigen::Map<const Dense>(g, m, G.block_size(j));
    });
    EXPECT_LT((row - s.expected.middleRows(at, m)).norm(), tiny);
  }
}

void expect_sweeps(Delassus& G, const Contacts& s) {
  Vec P = Vec::LinSpaced(G.rows(), 1, -1);
  const double tiny = 1e-12 * (1 + s.expected.norm());
  G.begin_sweep(P.data());
  for (int i = 0; i < G.blocks(); ++i) {
    double y[max_block_rows], d[max_block_rows];
    G.row(i, P.data(), y);
    const Vec exact = s.expected * P;
    for (int a = 0; a < G.block_size(i); ++a) {
      EXPECT_NEAR(y[a], exact[G.offset(i) + a], tiny);
      d[a] = 0.3 * a - 0.2 * i;
      P[G.offset(i) + a] += d[a];
    }
    G.update(i, d);
  }
}

class DelassusForms : public ::testing::TestWithParam<Pattern> {};

TEST_P(DelassusForms, AgreeWithTheDenseProduct) {
  std::vector<std::vector<int>> cases = {{1}, {2, 1}, {1, 1, 1, 1, 1, 1}, {3, 1, 2, 6, 3, 3, 1}};
  cases.emplace_back(30, 3);  // by velocities of bodies
  cases.push_back(cases.back()), cases.back()[4] = 6, cases.back()[9] = 4;
  unsigned seed = 1;
  for (const auto& sizes : cases) {
    const Contacts s = make_contacts(12, GetParam(), sizes, ++seed);
    for (const Form form : {Form::automatic, Form::dense, Form::sparse, Form::product}) {
      Delassus G;
      G.build(s.factor, s.Wt, s.sizes, form);
      ASSERT_EQ(G.blocks(), static_cast<int>(sizes.size()));
      expect_operator(G, s);
      expect_sweeps(G, s);
    }
  }
}

TEST_P(DelassusForms, ForgetTheProblemBefore) {
  Delassus G;
  unsigned seed = 50;
  for (const Form form :
       {Form::product, Form::dense, Form::sparse, Form::product, Form::sparse, Form::dense}) {
    const Contacts s =
        make_contacts(12, seed % 2 ? GetParam() : Pattern{Pattern::diagonal, 0, nullptr}, {2, 1, 3}, seed);
    ++seed;
    G.build(s.factor, s.Wt, s.sizes, form);
    expect_operator(G, s);
    expect_sweeps(G, s);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, DelassusForms,
    ::testing::Values(Pattern{Pattern::diagonal, 0, nullptr}, Pattern{Pattern::blocks, 1, nullptr},
                      Pattern{Pattern::blocks, 3, nullptr}, Pattern{Pattern::banded, 1, nullptr},
                      Pattern{Pattern::banded, 4, nullptr}, Pattern{Pattern::dense, 0, nullptr},
                      Pattern{Pattern::sparse, 0, nullptr}));

TEST(Delassus, ChoosesItsForm) {
  const auto form_for = [](const Pattern& p, int rows) {
    const Contacts s = make_contacts(12, p, std::vector<int>(rows, 1), 3);
    Delassus G;
    G.build(s.factor, s.Wt, s.sizes);
    return G.form();
  };
  EXPECT_EQ(form_for({Pattern::diagonal, 0, nullptr}, 5), Form::sparse);
  EXPECT_EQ(form_for({Pattern::blocks, 3, nullptr}, 5), Form::sparse);
  EXPECT_EQ(form_for({Pattern::banded, 1, nullptr}, 5), Form::dense);
  EXPECT_EQ(form_for({Pattern::dense, 0, nullptr}, 2001), Form::product);
}

TEST(Delassus, WideBlocksAreTreatedToo) {
  constexpr int width = 66;  // wider than the room on the stack
  const Contacts s = make_contacts(2 * width, {Pattern::blocks, width, nullptr}, {2, 1, 3}, 9);
  Delassus G;
  G.build(s.factor, s.Wt, s.sizes);
  expect_operator(G, s);
}

TEST(Delassus, StampsChangeWithEveryBuild) {
  const Contacts s = make_contacts(12, {Pattern::diagonal, 0, nullptr}, {1, 2}, 4);
  Delassus G, H;
  G.build(s.factor, s.Wt, s.sizes);
  const auto first = G.stamp();
  G.build(s.factor, s.Wt, s.sizes);
  EXPECT_NE(G.stamp(), first);
  H.build(s.factor, s.Wt, s.sizes);
  EXPECT_NE(H.stamp(), G.stamp());
  const Delassus copy = G;
  EXPECT_EQ(copy.stamp(), G.stamp());
}

TEST(Delassus, TakesAMatrixEntryByEntry) {
  const std::vector<double> values = {2, 1, 0, 1, 3, -1, 0, -1, 4};
  const std::vector<int> sizes = {1, 2};
  Delassus G;
  G.build_dense(values, sizes);
  EXPECT_EQ(G.form(), Form::dense);
  EXPECT_EQ(G.block(1)[1], -1);
  const double P[] = {1, 2, 3};
  double y[3];
  G.apply(P, y);
  EXPECT_EQ(y[0], 4);
  EXPECT_EQ(y[1], 4);
  EXPECT_EQ(y[2], 10);
  EXPECT_THROW(G.build_dense(std::vector<double>(8), sizes), Error);
}

TEST(Delassus, RefusesRowsThatDoNotMatch) {
  const Contacts s = make_contacts(12, {Pattern::diagonal, 0, nullptr}, {1, 2}, 4);
  Delassus G;
  EXPECT_THROW(G.build(s.factor, s.Wt, std::vector<int>{1, 3}), Error);
}

TEST(Delassus, EmptyProblem) {
  const Contacts s = make_contacts(3, {Pattern::diagonal, 0, nullptr}, {}, 4);
  Delassus G;
  EXPECT_EQ(G.rows(), 0);
  G.build(s.factor, s.Wt, s.sizes);
  EXPECT_EQ(G.rows(), 0);
  EXPECT_EQ(G.blocks(), 0);
}

}  // namespace
}  // namespace saltus::test_delassus
