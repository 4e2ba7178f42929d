// What stands in for functions that a standard library may lack does the same as they do.
#include "saltus/core/port.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "saltus/core/random.hpp"

namespace saltus::test_port {
namespace {

constexpr double untouched = -7.25;

// The number of characters read, the error and the bits.
void expect_same(const std::string& text) {
  double standard = untouched, own = untouched;
  const char *begin = text.data(), *end = begin + text.size();
  const auto a = port::from_chars(begin, end, standard);
  const auto b = port::fallback::from_chars(begin, end, own);
  EXPECT_EQ(a.ptr - begin, b.ptr - begin) << "'" << text << "'";
  EXPECT_EQ(a.ec, b.ec) << "'" << text << "'";
  if (std::isnan(standard))
    EXPECT_TRUE(std::isnan(own)) << "'" << text << "'";
  else
    EXPECT_EQ(port::bit_cast<std::uint64_t>(standard), port::bit_cast<std::uint64_t>(own))
        << "'" << text << "'";
}

TEST(Port, NumbersAreReadAlikeWithAndWithoutTheStandardFunction) {
  for (const char* text : {"",
                           "-",
                           "+1",
                           " 1",
                           "0",
                           "-0",
                           "1",
                           "1.",
                           ".",
                           ".5",
                           "-.5",
                           "1.e5",
                           "1e",
                           "1e+",
                           "1e-5x",
                           "1E+05",
                           "0x10",
                           "1_0",
                           "--1",
                           "9.81 m/s^2",
                           "4e-324",
                           "3e-324",
                           "2e-324",
                           "1e-310",
                           "2.2250738585072011e-308",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "0e999999999999",
                           "0.000e-999999",
                           "1e99999999999999999999",
                           "1e-99999999999999999999",
                           "inf",
                           "-INF",
                           "infinit",
                           "Infinity",
                           "nan",
                           "-nan",
                           "nan(",
                           "nan()",
                           "NaN(a_1)",
                           "nan(a-b)",
                           "infeed",
                           "nano",
                           "e5",
                           ".e5",
                           "1.5.2",
                           "1,5"})
    expect_same(text);
  expect_same(std::string("1\0002", 3));
  expect_same(std::string(2000, '9'));
  expect_same("0." + std::string(2000, '0') + "1e2001");
}

TEST(Port, RandomNumbersAreReadAlikeToTheLastBit) {
  SplitMix64 random(11);
  for (int k = 0; k < 20000; ++k) {
    const auto mantissa = static_cast<std::uint64_t>(random.next() * 0x1p53);
    const int digits = static_cast<int>(random.between(1, 25)),
              power = static_cast<int>(random.between(-345, 320));
    std::string text = random.next() < 0.5 ? "-" : "";
    text += std::to_string(mantissa).substr(0, static_cast<std::size_t>(digits));
    text.insert(text.size() - static_cast<std::size_t>(random.between(0, 3)) % text.size(), ".");
    expect_same(text + "e" + std::to_string(power));
  }
}

TEST(Port, BitsOfANumberAreTheSameBothWays) {
  for (const double x : {0.0, -0.0, 1.5, -1e300, 5e-324, std::numeric_limits<double>::infinity()}) {
    const auto bits = port::bit_cast<std::uint64_t>(x);
    EXPECT_EQ(port::fallback::bit_cast<std::uint64_t>(x), bits);
    EXPECT_EQ(port::fallback::bit_cast<double>(bits), x);
    EXPECT_EQ(std::signbit(port::fallback::bit_cast<double>(bits)), std::signbit(x));
  }
  EXPECT_EQ(port::bit_cast<std::uint64_t>(1.0), 0x3ff0000000000000u);
}

// B(a, 1) = 1/a, B(1/2, 1/2) = π, and symmetry
TEST(Port, BetaIsEulersIntegral) {
  for (const auto f : {&port::beta, &port::fallback::beta}) {
    EXPECT_NEAR(f(0.5, 0.5), std::acos(-1.0), 1e-14);
    for (const double a : {0.4, 0.6, 1.0, 2.5, 40.0}) {
      EXPECT_NEAR(f(a, 1) * a, 1, 1e-13);
      EXPECT_DOUBLE_EQ(f(a, 1.5), f(1.5, a));
      EXPECT_NEAR(f(a, 1.5) / port::beta(a, 1.5), 1, 1e-14);
    }
  }
}

TEST(Port, ClocksDoNotGoBack) {
  for (const auto clock : {&port::cpu_seconds, &port::fallback::steady_seconds}) {
    const double start = clock();
    double last = start;
    while (last < start + 1e-3) {
      const double now = clock();
      ASSERT_GE(now, last);
      last = now;
    }
  }
}

}  // namespace
}  // namespace saltus::test_port
