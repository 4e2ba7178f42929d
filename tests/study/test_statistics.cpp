// Statistics of families: closed forms, ill-conditioned lists, groups, and the same bits in any order of
// finishing.
#include "saltus/study/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "saltus/core/error.hpp"
#include "saltus/study/sweep.hpp"
#include "saltus/study/sweep_reduction.hpp"
#include "support/errors.hpp"

namespace saltus::test_statistics {
namespace {

using testing::message_of;

Reduction asked(const std::string& text) {
  return parse_reduction(std::vector<std::string>{text});
}
Summary of(std::vector<double> values, const std::string& text) {
  const auto range = range_of(values);
  return summarize(values, asked(text), range);
}

TEST(Statistics, OfOneToNAreTheClosedForms) {
  for (const int n : {1, 2, 5, 1000}) {
    std::vector<double> x(static_cast<std::size_t>(n));
    std::iota(x.begin(), x.end(), 1.0);
    const Summary s = of(x, "summary");
    EXPECT_EQ(s.count, static_cast<std::size_t>(n));
    EXPECT_EQ(s.mean, (n + 1) / 2.0);
    if (n > 1)
      EXPECT_NEAR(s.sd, std::sqrt(n * (n + 1.0) / 12), 1e-13 * n);
    else
      EXPECT_TRUE(std::isnan(s.sd));
    EXPECT_EQ(s.min, 1);
    EXPECT_EQ(s.max, n);
    const double p[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(s.quantiles[k], 1 + p[k] * (n - 1), 1e-12 * n);
  }
}

TEST(Statistics, QuantilesAreThoseOfNumPy) {
  // numpy.quantile([3, 1, 4, 1, 5, 9, 2, 6], [0, 0.1, 0.5, 0.9, 1])
  const Summary s = of({3, 1, 4, 1, 5, 9, 2, 6}, "quantile=0:0.1:0.5:0.9:1");
  const double expected[] = {1, 1, 3.5, 6.9, 9};
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(s.quantiles[k], expected[k], 1e-14) << k;
}

TEST(Statistics, NoDigitsAreLostToLargeMeansOrManyValues) {
  // a small spread on a large mean: sums of squares would lose all of it
  std::vector<double> x;
  for (int i = 0; i < 100'000; ++i) x.push_back(1e9 + (i % 2 ? 0.25 : -0.25));
  Summary s = of(x, "mean,sd");
  EXPECT_EQ(s.mean, 1e9);
  EXPECT_NEAR(s.sd, 0.25 * std::sqrt(1e5 / (1e5 - 1)), 1e-15);
  // terms that cancel: the sum is 1
  s = of({1e16, 1, -1e16, 1e-3, -1e-3}, "mean");
  EXPECT_EQ(s.mean, 0.2);
  // sizes whose sums and squares leave the range of numbers
  s = of({1.5e308, 1.5e308, 1.2e308}, "mean,sd");
  EXPECT_NEAR(s.mean / 1.4e308, 1, 1e-15);
  EXPECT_NEAR(s.sd / (0.3e308 / std::sqrt(3)), 1, 1e-14);
  s = of({1e-300, 3e-300}, "mean,sd");
  EXPECT_NEAR(s.mean / 2e-300, 1, 1e-15);
  EXPECT_NEAR(s.sd / (std::sqrt(2) * 1e-300), 1, 1e-15);
  EXPECT_EQ(of({0, 0, 0}, "mean,sd").sd, 0);
}

TEST(Statistics, WhatIsNotFiniteIsLeftOut) {
  const Summary s = of({1, std::nan(""), infinity, 3, -infinity}, "summary,histogram=2");
  EXPECT_EQ(s.count, 2u);
  EXPECT_EQ(s.mean, 2);
  EXPECT_EQ(s.histogram, (std::vector<std::size_t>{1, 1}));
  const Summary none = of({std::nan("")}, "summary,histogram=2");
  EXPECT_EQ(none.count, 0u);
  EXPECT_TRUE(std::isnan(none.mean) && std::isnan(none.min) && std::isnan(none.quantiles[0]));
  EXPECT_FALSE(none.bins);
}

TEST(Statistics, HistogramsCountEveryValueOnce) {
  std::vector<double> x;
  for (int i = 0; i <= 100; ++i) x.push_back(i / 100.0);  // many lie on edges
  for (const std::size_t n : {1u, 3u, 7u, 10u, 100u}) {
    const Summary s = of(x, "histogram=" + std::to_string(n));
    EXPECT_EQ(std::accumulate(s.histogram.begin(), s.histogram.end(), std::size_t(0)), 101u);
    ASSERT_TRUE(s.bins);
    for (std::size_t i = 0; i < n; ++i) {
      const auto inside = std::count_if(x.begin(), x.end(), [&](double v) {
        return v >= s.bins->edge(i) && (v < s.bins->edge(i + 1) || (i + 1 == n && v <= s.bins->edge(n)));
      });
      EXPECT_EQ(s.histogram[i], static_cast<std::size_t>(inside)) << n << " " << i;
    }
  }
  const Summary cut = of(x, "histogram=5:0.2:0.7");
  EXPECT_EQ(cut.below, 20u);
  EXPECT_EQ(cut.above, 30u);
  EXPECT_EQ(of({2, 2, 2}, "histogram=4").histogram, (std::vector<std::size_t>{3, 0, 0, 0}));  // no width
}

TEST(Statistics, MistakesAreNamed) {
  for (const auto& [text, words] : {std::pair{"men", "did you mean 'mean'"},
                                    {"mean=2", "takes no value"},
                                    {"quantile", "which?"},
                                    {"quantile=2", "from 0 to 1"},
                                    {"histogram", "BINS"},
                                    {"histogram=0", "1 to"},
                                    {"histogram=5:1:0", "LOW < HIGH"},
                                    {"histogram=5:1", "BINS"},
                                    {"", "unknown"},
                                    {"mean,,sd", "unknown"}})
    EXPECT_NE(message_of([&, text = text] { asked(text); }).find(words), std::string::npos) << text;
}

// A sweep with values that are known: m = e · 10 + k, where k is the number of the sample.
struct Family {
  SweepPoints points{{parse_axis("e=list:1,2,3")}};
  std::unique_ptr<MemoryRows> rows;

  explicit Family(const std::vector<std::size_t>& order) {
    points.samples.emplace(std::vector{parse_sample("x=uniform(0, 1)")}, 50, Samples::Kind::random, 4);
    rows = std::make_unique<MemoryRows>(points.count(), 1);
    for (const std::size_t i : order) {
      SweepRow row;
      row.status = i % 10 == 7 ? SweepRow::Status::failed : SweepRow::Status::finished;
      const double noise = 1e-3 * std::sin(static_cast<double>(i));
      row.values = {static_cast<double>(i / 50 + 1) * 10 + noise + points.samples->number(i % 50, 0)};
      if (i % 3 == 0) row.errors = {i % 2 == 0 ? 1e-6 : std::nan("")};
      rows->add(i, row);
    }
  }
};

TEST(ReducedSweep, HasTheSameBitsInAnyOrderOfFinishing) {
  std::vector<std::size_t> order(150);
  std::iota(order.begin(), order.end(), 0u);
  std::vector<Measure> measures;
  measures.push_back(parse_measure("m = steps"));
  const Reduction all = asked("summary,histogram=8");
  std::string first;
  std::mt19937 random(1);
  for (int k = 0; k < 5; ++k) {
    const Family f(order);
    std::string text;
    for (const auto& by : {std::vector<std::string>{}, {"e"}, {"x=4"}, {"e", "x=3"}})
      text += reduced_csv(reduce(f.points, *f.rows, all, by), measures, all);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
    std::shuffle(order.begin(), order.end(), random);
  }
}

TEST(ReducedSweep, GroupsHoldWhatBelongsToThem) {
  std::vector<std::size_t> order(150);
  std::iota(order.begin(), order.end(), 0u);
  const Family f(order);
  const Reduction all = asked("mean,min,max");
  const auto by_e = reduce(f.points, *f.rows, all, std::vector<std::string>{"e"});
  ASSERT_EQ(by_e.groups.count(), 3u);
  for (std::size_t g = 0; g < 3; ++g) {
    const Summary& s = by_e.measures[0].groups[g];
    EXPECT_EQ(by_e.points[g], 50u);
    EXPECT_EQ(by_e.finished[g], 45u);
    EXPECT_EQ(s.count, 45u);
    EXPECT_NEAR(s.mean, 10.0 * static_cast<double>(g + 1) + 0.5,
                5 * std::sqrt(1 / 12.0 / 45));  // five standard errors
    EXPECT_NEAR(by_e.measures[0].bars[g], 1e-6, 1e-20);
  }
  EXPECT_EQ(by_e.measures[0].without_digits, 25u);
  const auto both = reduce(f.points, *f.rows, all, std::vector<std::string>{"e", "x=4"});
  ASSERT_EQ(both.groups.count(), 12u);
  std::size_t total = 0;
  for (std::size_t g = 0; g < 12; ++g) {
    const Summary& s = both.measures[0].groups[g];
    total += s.count;
    if (s.count == 0) continue;
    const double low = 10.0 * static_cast<double>(g / 4 + 1) + 0.25 * static_cast<double>(g % 4);
    EXPECT_GE(s.min, low - 1e-3);
    EXPECT_LE(s.max, low + 0.25 + 1e-3);
  }
  EXPECT_EQ(total, 135u);
}

TEST(ReducedSweep, GroupsByTablesWordsAndNumbers) {
  SweepPoints points;
  points.table.emplace("kind,size\na,1\nb,2\na,3\nc,10\n", "t.csv");
  const auto group = [&](const std::string& by) {
    const SweepGroups groups(points, std::vector<std::string>{by});
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < 4; ++k) out.push_back(groups.of(k));
    return out;
  };
  EXPECT_EQ(group("kind"), (std::vector<std::size_t>{0, 1, 0, 2}));
  EXPECT_EQ(group("size=3"), (std::vector<std::size_t>{0, 0, 0, 2}));
  EXPECT_EQ(group("size"), (std::vector<std::size_t>{0, 1, 2, 3}));
  for (const auto& [by, words] :
       {std::pair{"kid", "did you mean 'kind'"}, {"kind=3", "kind"}, {"size=0", "intervals"}})
    EXPECT_NE(message_of([&, by = by] { group(by); }).find(words), std::string::npos) << by;
  const std::vector<std::string> twice = {"kind", "kind"}, three = {"kind", "size", "kind"};
  EXPECT_NE(message_of([&] { SweepGroups(points, twice); }).find("twice"), std::string::npos);
  EXPECT_NE(message_of([&] { SweepGroups(points, three); }).find("one or two"), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_statistics
