// Samples of parameters: distributions against closed forms, Sobol's sequence against SciPy and by its
// defining property, points that depend on seed and number only; tables of points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "saltus/study/point_table.hpp"
#include "saltus/study/sampling/samples.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace saltus::test_sampling {
namespace {

using testing::message_of;

Samples make(const std::vector<std::string>& texts, std::size_t points, Samples::Kind kind,
             std::optional<std::uint64_t> seed) {
  std::vector<SampledParameter> list;
  for (const auto& t : texts) list.push_back(parse_sample(t));
  return {std::move(list), points, kind, seed};
}

TEST(Distribution, ValuesAreTheInverseOfTheDistributionFunction) {
  // closed forms F(x) = u
  const struct {
    const char* text;
    double (*share)(double);
  } cases[] = {
      {"uniform(2, 6)", [](double x) { return (x - 2) / 4; }},
      {"loguniform(1e-3, 10)", [](double x) { return std::log(x / 1e-3) / std::log(1e4); }},
      {"normal(1, 0.5)", [](double x) { return 0.5 * std::erfc(-(x - 1) / (0.5 * std::sqrt(2.0))); }},
      {"lognormal(0.3, 0.2)",
       [](double x) { return 0.5 * std::erfc(-(std::log(x) - 0.3) / (0.2 * std::sqrt(2.0))); }},
      {"triangular(0, 1, 4)", [](double x) { return x < 1 ? x * x / 4 : 1 - (4 - x) * (4 - x) / 12; }},
      {"triangular(0, 0, 2)", [](double x) { return 1 - (2 - x) * (2 - x) / 4; }},
      {"normal(0, 1, -1, 2)",
       [](double x) {
         const auto f = [](double y) { return 0.5 * std::erfc(-y / std::sqrt(2.0)); };
         return (f(x) - f(-1)) / (f(2) - f(-1));
       }},
  };
  for (const auto& c : cases) {
    const Distribution d = Distribution::parse(c.text);
    double before = -infinity;
    for (double u = 1e-6; u < 1; u += 0.0123) {
      const double x = d.number(u);
      EXPECT_NEAR(c.share(x), u, 1e-13) << c.text;
      EXPECT_GT(x, before) << c.text;
      EXPECT_GE(x, d.bounds().first) << c.text;
      EXPECT_LE(x, d.bounds().second) << c.text;
      EXPECT_EQ(parse_number(d.value(u), "x"), x) << c.text;
      before = x;
    }
  }
}

TEST(Distribution, TheNormalQuantileIsGoodToRounding) {
  // SciPy's norm.ppf
  const std::pair<double, double> known[] = {{1e-300, -37.0470962993612}, {1e-10, -6.361340902404056},
                                             {0.01, -2.3263478740408408}, {0.3, -0.5244005127080409},
                                             {0.975, 1.959963984540054},  {0.5, 0}};
  for (const auto& [p, x] : known) EXPECT_NEAR(normal_quantile(p), x, 4e-16 * (1 + std::abs(x) * 4)) << p;
  for (int k = 1; k < 1000; ++k)  // relative error of the tail, both branches
    for (const double p : {k * 1e-3, k * 1e-9, k * 1e-30}) {
      const double x = normal_quantile(p), back = 0.5 * std::erfc(-x / std::sqrt(2.0));
      EXPECT_NEAR(back / p, 1, 1e-15 * (4 + x * x)) << p;
    }
}

TEST(Distribution, WholeNumbersAndChoicesAreEquallyLikely) {
  const Distribution dice = Distribution::parse("integer(1, 6)");
  std::vector<int> count(7);
  for (int k = 0; k < 6000; ++k) ++count[static_cast<std::size_t>(dice.number((k + 0.5) / 6000))];
  EXPECT_EQ(count, (std::vector<int>{0, 1000, 1000, 1000, 1000, 1000, 1000}));
  EXPECT_EQ(dice.value(0.5), "4");
  const Distribution word = Distribution::parse("choice(drum, stirrer)");
  EXPECT_EQ(word.value(0), "drum");
  EXPECT_EQ(word.value(0.4999), "drum");
  EXPECT_EQ(word.value(0.5), "stirrer");
  EXPECT_EQ(word.value(1 - 0x1p-53), "stirrer");
  EXPECT_EQ(Distribution::parse("choice(a:x=1,y=2; b)").value(0.1), "a:x=1,y=2");
}

TEST(Distribution, MistakesAreNamed) {
  for (const auto& [text, words] : {
           std::pair{"unifrom(0, 1)", "did you mean 'uniform'"},
           {"uniform(1, 0)", "a < b"},
           {"uniform(1)", "two numbers"},
           {"uniform(0, x)", "x"},
           {"uniform(0, inf)", "finite"},
           {"loguniform(0, 1)", "0 < a"},
           {"normal(1, 0)", "s > 0"},
           {"normal(1, 1, 2)", "bounds"},
           {"normal(0, 1, 20, 21)", "less than"},
           {"lognormal(1, -1)", "s > 0"},
           {"triangular(0, 2, 1)", "a <= c"},
           {"integer(0.5, 2)", "whole"},
           {"choice(a,,b)", "empty"},
           {"0.5", "no distribution"},
           {"uniform(0, 1", "no distribution"},
           {"", "no distribution"},
       })
    EXPECT_NE(message_of([&, text = text] { Distribution::parse(text); }).find(words), std::string::npos)
        << text << ": " << message_of([&, text = text] { Distribution::parse(text); });
  EXPECT_NE(message_of([] { parse_sample("uniform(0, 1)"); }).find("name="), std::string::npos);
}

TEST(Sobol, IsThePublishedSequenceIn128Dimensions) {
  const Sobol sobol(Sobol::most_dimensions);
  std::ifstream in(testing::test_data("sobol.txt"));
  std::string line;
  std::getline(in, line);
  int lines = 0;
  while (std::getline(in, line)) {
    std::istringstream numbers(line);
    std::uint64_t k = 0, x = 0;
    numbers >> k;
    for (std::size_t j = 0; j < Sobol::most_dimensions; ++j) {
      ASSERT_TRUE(numbers >> x);
      EXPECT_EQ(sobol.at(k, j), x) << k << " " << j;
    }
    ++lines;
  }
  EXPECT_EQ(lines, 9);
  EXPECT_NE(message_of([] { Sobol(129); }).find("128"), std::string::npos);
}

// The first 2^m points have one in each of 2^m equal intervals of every coordinate, and of the first two one
// in each box of area 2^-m whose sides are powers of two; scrambling keeps both.
TEST(Sobol, PlainAndScrambledPointsAreEverywhereOnce) {
  constexpr std::size_t m = 10, n = 1u << m;
  for (const bool scrambled : {false, true}) {
    const auto samples = make(std::vector<std::string>(128, "x=uniform(0, 1)"), n, Samples::Kind::sobol,
                              scrambled ? std::optional<std::uint64_t>(5) : std::nullopt);
    for (std::size_t j = 0; j < 128; ++j) {
      std::vector<int> count(n);
      for (std::size_t k = 0; k < n; ++k) ++count[static_cast<std::size_t>(samples.share(k, j) * n)];
      EXPECT_EQ(count, std::vector<int>(n, 1)) << j << scrambled;
    }
    for (std::size_t wide = 0; wide <= m; ++wide) {
      std::set<std::pair<std::size_t, std::size_t>> boxes;
      for (std::size_t k = 0; k < n; ++k)
        boxes.emplace(static_cast<std::size_t>(samples.share(k, 0) * static_cast<double>(1u << wide)),
                      static_cast<std::size_t>(samples.share(k, 1) * static_cast<double>(1u << (m - wide))));
      EXPECT_EQ(boxes.size(), n) << wide << scrambled;
    }
  }
}

TEST(Sobol, IntegratesFarBetterThanRandomPoints) {
  // ∫ Π (1 + (x_j − 1/2)) = 1 in eight dimensions
  const std::vector<std::string> cube(8, "x=uniform(0, 1)");
  constexpr std::size_t n = 1 << 14;
  const auto error = [&](Samples::Kind kind, std::optional<std::uint64_t> seed) {
    const auto samples = make(cube, n, kind, seed);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      double f = 1;
      for (std::size_t j = 0; j < 8; ++j) f *= 0.5 + samples.share(k, j);
      sum += f / n - 1.0 / n;
    }
    return std::abs(sum);
  };
  double random = 0, scrambled = 0;  // root mean squares over seeds
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    random += std::pow(error(Samples::Kind::random, seed), 2) / 20;
    scrambled += std::pow(error(Samples::Kind::sobol, seed), 2) / 20;
  }
  const double variance = std::pow(1 + 1.0 / 12, 8) - 1;  // of f: random points have √(variance/n)
  EXPECT_NEAR(std::sqrt(random) / std::sqrt(variance / n), 1, 0.5);
  EXPECT_LT(std::sqrt(scrambled), std::sqrt(random) / 30);
  EXPECT_LT(error(Samples::Kind::sobol, {}), std::sqrt(random) / 3);
}

TEST(Samples, DependOnSeedAndNumberOnly) {
  const std::vector<std::string> two = {"a=uniform(0, 1)", "b=normal(0, 1)"};
  for (const auto kind : {Samples::Kind::random, Samples::Kind::sobol}) {
    const auto few = make(two, 10, kind, 3), many = make(two, 1000, kind, 3), other = make(two, 10, kind, 4);
    int same = 0;
    for (std::size_t k = 10; k-- > 0;)
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_EQ(few.value(k, j), many.value(k, j));
        same += few.value(k, j) == other.value(k, j);
      }
    EXPECT_EQ(same, 0);
  }
  // the same numbers on every machine; those of a program in Python
  const auto random = make(two, 10, Samples::Kind::random, 7);
  EXPECT_EQ(random.value(0, 0), "0.6093945245681751");
  EXPECT_EQ(random.value(9, 0), "0.7536371580922041");
  const auto sobol = make(two, 10, Samples::Kind::sobol, 7);
  EXPECT_EQ(sobol.value(0, 0), "0.9329727808035431");
  EXPECT_EQ(sobol.value(9, 0), "0.32977902118009955");
}

TEST(Samples, RandomOnesAreUniformAndIndependent) {
  constexpr std::size_t n = 100'000, d = 6;
  const auto samples = make(std::vector<std::string>(d, "x=uniform(0, 1)"), n, Samples::Kind::random, 1);
  // chi-squared of 100 cells has mean 99 and deviation 14; correlations have deviation 1/√n
  for (std::size_t j = 0; j < d; ++j) {
    std::vector<double> count(100);
    for (std::size_t k = 0; k < n; ++k) ++count[static_cast<std::size_t>(samples.share(k, j) * 100)];
    double chi = 0;
    for (const double c : count) chi += (c - n / 100.0) * (c - n / 100.0) / (n / 100.0);
    EXPECT_NEAR(chi, 99, 70) << j;
    for (std::size_t i = 0; i <= j; ++i) {
      double sum = 0;  // of neighbours in the sequence where i = j
      for (std::size_t k = 1; k < n; ++k)
        sum += 12 * (samples.share(i == j ? k - 1 : k, i) - 0.5) * (samples.share(k, j) - 0.5);
      EXPECT_LT(std::abs(sum) / n, 5 / std::sqrt(n)) << i << " " << j;
    }
  }
}

TEST(Samples, WhatCannotBeRepeatedOrDrawnIsRefused) {
  EXPECT_NE(message_of([] { make({"e=uniform(0, 1)"}, 10, Samples::Kind::random, {}); }).find("--seed"),
            std::string::npos);
  EXPECT_NE(message_of([] { make({"e=normal(0, 1)"}, 10, Samples::Kind::sobol, {}); }).find("--seed"),
            std::string::npos);
  EXPECT_EQ(message_of([] { make({"e=normal(0, 1, -2, 2)"}, 10, Samples::Kind::sobol, {}); }), "accepted");
  EXPECT_NE(message_of([] { parse_sampling("halton"); }).find("random, sobol"), std::string::npos);
}

TEST(PointTable, CellsMayBeQuotedAndLinesLeftOut) {
  const PointTable t(
      "\xef\xbb\xbf# made by hand\r\n\r\n e , \"scheme\"\r\n0.5, \"moreau-jean:theta=1,gamma=1\"\r\n"
      "# no\n 1,\"a \"\"b\"\"\"\n\n",
      "p.csv");
  EXPECT_EQ(t.names(), (std::vector<std::string>{"e", "scheme"}));
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t.row_at(0), (std::vector<std::string>{"0.5", "moreau-jean:theta=1,gamma=1"}));
  EXPECT_EQ(t.row_at(1), (std::vector<std::string>{"1", "a \"b\""}));
  EXPECT_EQ(PointTable("e\n1", "p.csv").value(0, 0), "1");
  EXPECT_NE(t.checksum(), PointTable("e\n1", "p.csv").checksum());
}

TEST(PointTable, MistakesHaveALine) {
  for (const auto& [text, words] :
       {std::pair{"", "empty"},
        {"e,m\n", "only the names"},
        {"e,m\n1,2\n\n3\n", "p.csv:4: 1 cells, but the table has 2 columns (e, m)"},
        {"e,m\n1,\n", "p.csv:2: cell 2 is empty (column 'm')"},
        {"e,m\n1,2,\n", "p.csv:2: cell 3 is empty"},
        {"e,e\n1,2\n", "p.csv:1: there are two columns 'e'"},
        {"e,\n1,2\n", "p.csv:1: cell 2 is empty"},
        {"e\n\"1\n", "p.csv:2: a quotation mark"},
        {"e\n1\"2\n", "p.csv:2: a quotation mark"},
        {"e\n\"1\"2\n", "p.csv:2: a quotation mark"}})
    EXPECT_NE(message_of([&, text = text] { PointTable(text, "p.csv"); }).find(words), std::string::npos)
        << text << ": " << message_of([&, text = text] { PointTable(text, "p.csv"); });
}

}  // namespace
}  // namespace saltus::test_sampling
