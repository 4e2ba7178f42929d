// Random numbers that depend on seed, name and index only.
#include <gtest/gtest.h>

#include <set>

#include "saltus/core/random.hpp"

namespace saltus::test_random {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The known answers that its authors publish with the generator (Random123, kat_vectors: philox4x32 10).
TEST(IndexedRandom, PhiloxGivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(IndexedRandom, MomentsAreThoseOfTheDistributions) {
  const IndexedRandom random(7, "radius");
  constexpr int n = 200'000;
  double sum = 0, squares = 0, normal = 0, normal_squares = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.uniform(i), z = random.normal(i);
    ASSERT_TRUE(x >= 0 && x < 1);
    sum += x, squares += x * x, normal += z, normal_squares += z * z, fourth += z * z * z * z;
  }
  // four deviations of the means
  EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1. / 12 / n));
  EXPECT_NEAR(squares / n, 1. / 3, 4 * std::sqrt(4. / 45 / n));
  EXPECT_NEAR(normal / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(normal_squares / n, 1, 4 * std::sqrt(2. / n));
  EXPECT_NEAR(fourth / n, 3, 4 * std::sqrt(96. / n));
}

TEST(IndexedRandom, SeedsNamesIndicesAndTriesAreDifferentNumbers) {
  std::set<double> seen;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 40})
    for (const char* name : {"radius", "mass"})
      for (const std::uint64_t i : {0ull, 1ull, 5'000'000'000ull})
        for (const std::uint32_t k : {0u, 1u}) seen.insert(IndexedRandom(seed, name).uniform(i, k));
  EXPECT_EQ(seen.size(), 36u);
  EXPECT_EQ(IndexedRandom(3, "mass").uniform(17), IndexedRandom(3, "mass").uniform(17));
}

}  // namespace
}  // namespace saltus::test_random
