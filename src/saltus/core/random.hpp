// Our own generator of random numbers: a seed means the same numbers on every machine.
#pragma once
#include <cstdint>

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

}  // namespace saltus
