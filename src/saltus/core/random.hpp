// Our own generators of random numbers: a seed means the same numbers on every machine.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace saltus {

/// Steele, Lea, Flood 2014: a counter through a mixing function.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  /// uniform in [0, 1)
  double next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double between(double a, double b) { return a + (b - a) * next(); }

 private:
  std::uint64_t state_;
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): four random words of a counter and a key.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> x,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xd2511f53ull * x[0], b = 0xcd9e8d57ull * x[2];
    x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9e3779b9u, key[1] += 0xbb67ae85u;
  }
  return x;
}

/// Random numbers without a state: each depends on the seed, the name of what is random, and its index. So
/// they are the same in whatever order, and by however many threads or processes, they are asked for.
class IndexedRandom {
 public:
  IndexedRandom(std::uint64_t seed, std::string_view name)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {
    for (const char c : name) name_ = (name_ ^ static_cast<unsigned char>(c)) * 16777619u;  // FNV-1a
  }
  /// uniform in [0, 1); every try is another number
  double uniform(std::uint64_t index, std::uint32_t number = 0) const {
    return fraction(words(index, number), 0);
  }
  /// mean 0, deviation 1 (Box and Muller)
  double normal(std::uint64_t index, std::uint32_t number = 0) const {
    const auto w = words(index, number);
    return std::sqrt(-2 * std::log(1 - fraction(w, 0))) * std::cos(2 * std::numbers::pi * fraction(w, 2));
  }

 private:
  using Words = std::array<std::uint32_t, 4>;
  Words words(std::uint64_t index, std::uint32_t number) const {
    return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), number, name_},
                  key_);
  }
  static double fraction(const Words& w, int at) {
    const std::uint64_t bits = static_cast<std::uint64_t>(w[at]) << 32 | w[at + 1];
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }
  std::array<std::uint32_t, 2> key_;
  std::uint32_t name_ = 2166136261u;
};

}  // namespace saltus
