#include "saltus/reference/graph_distance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <vector>

#include "saltus/core/error.hpp"

namespace saltus::test_graph_distance {
namespace {

using Polyline = std::vector<GraphPoint>;

/// 0 until the jump at `at`, then `height`, on [0, 2].
Polyline step(double at, double height) {
  return {{0, 0}, {at, 0}, {at, height}, {2, height}};
}

/// Random walk in time with jumps, repeated points and clusters at one time.
Polyline random_polyline(std::mt19937_64& random, int size) {
  std::uniform_real_distribution<double> uniform(0, 1);
  Polyline p;
  double t = uniform(random) - 0.5;
  for (int i = 0; i < size; ++i) {
    const double kind = uniform(random);
    if (kind < 0.1 && !p.empty()) {
      p.push_back(p.back());
      continue;
    }
    if (kind > 0.4) t += uniform(random) * 0.3;
    p.push_back({t, kind > 0.9 && !p.empty() ? p.back().x : 2 * uniform(random) - 1});
  }
  return p;
}

/// Ternary search on the convex distance, independent of the closed form under test.
double point_to_segment(GraphPoint p, GraphPoint q0, GraphPoint q1) {
  const auto at = [&](double s) {
    return std::max(std::abs(p.t - q0.t - s * (q1.t - q0.t)), std::abs(p.x - q0.x - s * (q1.x - q0.x)));
  };
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double u = low + (high - low) / 3, v = high - (high - low) / 3;
    (at(u) < at(v) ? high : low) = at(u) < at(v) ? v : u;
  }
  return std::min({at(0), at(1), at(low)});
}

double brute_directed(const Polyline& a, const Polyline& b, int samples) {
  double result = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i)
    for (int s = 0; s <= samples; ++s) {
      const double u = double(s) / samples;
      const GraphPoint p{a[i].t + u * (a[i + 1].t - a[i].t), a[i].x + u * (a[i + 1].x - a[i].x)};
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j + 1 < b.size(); ++j)
        nearest = std::min(nearest, point_to_segment(p, b[j], b[j + 1]));
      result = std::max(result, nearest);
    }
  return result;
}

double longest_segment(const Polyline& a) {
  double longest = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i)
    longest = std::max({longest, a[i + 1].t - a[i].t, std::abs(a[i + 1].x - a[i].x)});
  return longest;
}

Polyline shifted(Polyline p, double dt, double dx) {
  for (GraphPoint& q : p) q = {q.t + dt, q.x + dx};
  return p;
}

template <class F>
Polyline sampled(int size, double end, F&& x) {
  Polyline p;
  p.reserve(size);
  for (int i = 0; i < size; ++i) p.push_back({end * i / (size - 1), x(end * i / (size - 1))});
  return p;
}

double cpu_seconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

TEST(GraphDistance, StepsInClosedForm) {
  EXPECT_NEAR(hausdorff_distance(step(1, 1), step(1.1, 1)), 0.1, 1e-9);
  EXPECT_NEAR(hausdorff_distance(step(1, 1), step(1, 1.2)), 0.2, 1e-9);
  EXPECT_NEAR(hausdorff_distance(step(1, 1), step(1.3, 1.2)), 0.3, 1e-9);
}

TEST(GraphDistance, LinesInClosedForm) {
  EXPECT_NEAR(hausdorff_distance(Polyline{{0, 0}, {1, 0}}, Polyline{{0, -1}, {1, 1}}), 1, 1e-9);
  EXPECT_NEAR(hausdorff_distance(Polyline{{0, 0}, {1, 10}}, Polyline{{0, -1}, {1, 9}}), 1, 1e-9);
}

TEST(GraphDistance, TwoPolylines) {
  const Polyline a{{0, 0}, {0.4, 0.7}, {0.9, -0.3}, {1.5, 0.2}, {2, 1.1}};
  const Polyline b{{0, 0.2}, {0.5, -0.1}, {0.5, 0.9}, {1.2, 0.9}, {1.2, -0.6}, {2, 0.4}};
  EXPECT_NEAR(hausdorff_distance(a, b), 0.7000000000000002, 1e-8);
}

// Both ends of the line touch b, its middle is 1/2 away from either wall.
TEST(GraphDistance, MaximumInsideASegment) {
  const Polyline a{{0, 0}, {1, 0}}, b{{0, 0}, {0, 5}, {1, 5}, {1, 0}};
  EXPECT_NEAR(directed_distance(a, b), 0.5, 1e-9);
  const Polyline half{{0, 0}, {0, 0.2}, {0.1, 5}, {1, 0}};  // no symmetry
  EXPECT_NEAR(directed_distance(a, half), brute_directed(a, half, 20000), 1e-4);
  EXPECT_GT(directed_distance(a, half), 0.3);
}

TEST(GraphDistance, OneSided) {
  const Polyline part{{0, 0}, {1, 0}}, whole{{0, 0}, {3, 0}};
  EXPECT_EQ(directed_distance(part, whole), 0);
  EXPECT_NEAR(directed_distance(whole, part), 2, 1e-9);
  EXPECT_NEAR(directed_distance(whole, part, 1e-10, 1.5), 2, 1e-9);
  EXPECT_EQ(directed_distance(whole, part, 1e-10, 2.5), 2.5);
}

TEST(GraphDistance, Degenerate) {
  const Polyline point{{1, 2}}, same(5, {1, 2}), other{{1.5, 4}}, none;
  EXPECT_EQ(hausdorff_distance(point, same), 0);
  EXPECT_EQ(hausdorff_distance(point, other), 2);
  EXPECT_EQ(hausdorff_distance(point, Polyline{{0, 2}, {3, 2}}), 2);
  EXPECT_EQ(hausdorff_distance(Polyline{{0, 0}}, Polyline{{0, 0}, {0, 0}}, 0), 0);
  EXPECT_THROW(hausdorff_distance(none, point), Error);
  EXPECT_THROW(hausdorff_distance(point, none), Error);
  EXPECT_THROW(directed_distance(Polyline{{0, 0}, {1, 0}, {0.5, 0}}, point), Error);
}

TEST(GraphDistance, NotFinite) {
  const Polyline good{{0, 0}, {1, 0}};
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Polyline& p : {Polyline{{0, 0}, {1, bad}, {2, 0}}, Polyline{{0, 0}, {bad, 0}, {2, 0}}}) {
      EXPECT_TRUE(std::isnan(hausdorff_distance(good, p)));
      EXPECT_TRUE(std::isnan(hausdorff_distance(p, good)));
      EXPECT_TRUE(std::isnan(directed_distance(p, good)));
    }
}

// The accuracy asked for is absolute; what double cannot resolve is not waited for.
TEST(GraphDistance, LargeAndSmallScales) {
  for (const double scale : {1e-12, 1e-3, 1e6, 1e12, 1e100}) {
    const Polyline a{{0, 0}, {scale, 0}}, b{{0, 0}, {0, 5 * scale}, {scale, 5 * scale}, {scale, 0}};
    EXPECT_NEAR(directed_distance(a, b, 0), 0.5 * scale, 1e-12 * scale);
  }
}

TEST(GraphDistance, AgreesWithBruteForce) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const Polyline a = random_polyline(random, 2 + round % 12), b = random_polyline(random, 2 + round % 7);
    const int samples = 100;
    const double exact = directed_distance(a, b), below = brute_directed(a, b, samples);
    EXPECT_GE(exact, below - 1e-9) << round;  // a sample cannot exceed the supremum
    EXPECT_LE(exact, below + longest_segment(a) / (2 * samples) + 1e-9) << round;
    EXPECT_GE(hausdorff_distance(a, b), exact - 1e-9) << round;
  }
}

TEST(GraphDistance, IsAMetric) {
  std::mt19937_64 random(5);
  const auto draw = [&] { return random_polyline(random, 1 + static_cast<int>(random() % 60)); };
  for (int round = 0; round < 300; ++round) {
    const Polyline a = draw(), b = draw(), c = draw();
    const double ab = hausdorff_distance(a, b), ac = hausdorff_distance(a, c), cb = hausdorff_distance(c, b);
    EXPECT_LE(hausdorff_distance(a, a), 1e-10) << round;
    EXPECT_NEAR(ab, hausdorff_distance(b, a), 2e-10) << round;
    EXPECT_LE(ab, ac + cb + 3e-10) << round;
    EXPECT_NEAR(ab, std::max(directed_distance(a, b), directed_distance(b, a)), 2e-10) << round;
  }
}

TEST(GraphDistance, CollinearPointsChangeNothing) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    const Polyline a = random_polyline(random, 30), b = random_polyline(random, 20);
    Polyline fine;
    for (std::size_t i = 0; i + 1 < a.size(); ++i) {
      fine.push_back(a[i]);
      for (int s = 1; s < 7; ++s)
        fine.push_back({a[i].t + (a[i + 1].t - a[i].t) * s / 7, a[i].x + (a[i + 1].x - a[i].x) * s / 7});
    }
    fine.push_back(a.back());
    EXPECT_NEAR(hausdorff_distance(fine, b), hausdorff_distance(a, b), 2e-10);
    EXPECT_LE(hausdorff_distance(fine, a), 1e-10);
  }
}

TEST(GraphDistance, ShiftsAreForgiven) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 0.1);
  for (int round = 0; round < 100; ++round) {
    Polyline a = random_polyline(random, 40);
    a.push_back({a.back().t, a.back().x + 50});  // a big jump
    a.push_back({a.back().t + 1, a.back().x});
    const double s = uniform(random);
    EXPECT_LE(hausdorff_distance(a, shifted(a, s, 0)), s + 1e-10);
    EXPECT_LE(hausdorff_distance(a, shifted(a, 0, s)), s + 1e-10);
    EXPECT_NEAR(hausdorff_distance(step(1, 50), step(1 + s, 50)), s, 1e-9);
  }
}

TEST(GraphDistance, ManyPointsAgreeWithBruteForce) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 5; ++round) {
    const Polyline a = random_polyline(random, 150),
                   b = shifted(random_polyline(random, 100), 0, 0.2 * round);
    const double exact = directed_distance(a, b), below = brute_directed(a, b, 10);
    EXPECT_GE(exact, below - 1e-9) << round;
    EXPECT_LE(exact, below + longest_segment(a) / 20 + 1e-9) << round;
  }
}

// 10^6 points each; the work must not be quadratic, whatever the distance. The limit is far above the need.
TEST(GraphDistance, AMillionPoints) {
  constexpr int n = 1000000;
  const auto f = [](double t) { return std::sin(3 * t) + (std::fmod(t, 0.37) < 0.11 ? 0.5 : 0.0); };
  const Polyline a = sampled(n, 10, f),
                 other = sampled(n, 10, [&](double t) { return f(t) + 0.3 * std::cos(t); });
  Polyline cluster = a;
  for (int i = n / 3; i < 2 * n / 3; ++i) cluster[i].t = cluster[n / 3].t;
  Polyline ball{{0, 1}};  // velocity of a bouncing ball, e = 0.999: jumps accumulate before t = 2000
  for (double v = 1; ball.size() < n; v *= 0.999) {
    ball.push_back({ball.back().t + 2 * v, -v});
    ball.push_back({ball.back().t, 0.999 * v});
  }
  const double start = cpu_seconds();
  EXPECT_NEAR(hausdorff_distance(a, shifted(a, 1e-3, 0)), 1e-3, 1e-9);
  EXPECT_NEAR(hausdorff_distance(a, shifted(a, 0, 0.3)), 0.3, 1e-9);
  EXPECT_LE(hausdorff_distance(a, a), 1e-10);
  const double far = hausdorff_distance(a, other), wide = hausdorff_distance(a, cluster);
  EXPECT_TRUE(far > 0.1 && far <= 0.3 + 1e-9) << far;
  EXPECT_TRUE(wide > 0.5 && wide < 10.0 / 3) << wide;
  EXPECT_NEAR(hausdorff_distance(ball, shifted(ball, 0, 1e-3)), 1e-3, 1e-9);
  EXPECT_LT(cpu_seconds() - start, 60);
}

TEST(GridNorms, SumsAndSup) {
  GridNorms norms;
  EXPECT_EQ(norms.sup() + norms.l1() + norms.l2(), 0);
  norms.add(3, 0.5);
  norms.add(-4, 0.25);
  EXPECT_DOUBLE_EQ(norms.sup(), 4);
  EXPECT_DOUBLE_EQ(norms.l1(), 2.5);
  EXPECT_DOUBLE_EQ(norms.l2(), std::sqrt(8.5));
}

TEST(GridNorms, NaNStays) {
  GridNorms norms;
  norms.add(1, 1);
  norms.add(std::numeric_limits<double>::quiet_NaN(), 1);
  norms.add(2, 1);
  EXPECT_TRUE(std::isnan(norms.sup()) && std::isnan(norms.l1()) && std::isnan(norms.l2()));
}

}  // namespace
}  // namespace saltus::test_graph_distance
