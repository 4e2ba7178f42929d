// Random numbers that are the same everywhere: splitmix64 and our own distributions, because those of the
// standard library differ from one to the other, and a seed must name a scene for good.
#pragma once
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace saltus::mechanisms {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {
    for (int i = 0; i < 3; ++i) next();  // neighbouring seeds differ in few bits
  }
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * (static_cast<double>(next() >> 11) * 0x1.0p-53);
  }
  double log_uniform(double lo, double hi) { return std::exp(uniform(std::log(lo), std::log(hi))); }
  int integer(int lo, int hi) {  ///< both ends included
    return lo + static_cast<int>(next() % static_cast<std::uint64_t>(hi - lo + 1));
  }
  bool chance(double p) { return uniform(0, 1) < p; }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[next() % list.size()];
  }
  /// Restitution as scenes have it: often one of the two ends.
  double restitution() {
    const int kind = integer(0, 3);
    return kind == 0 ? 0 : kind == 1 ? 1 : uniform(0.05, 0.95);
  }

 private:
  std::uint64_t state_;
};

}  // namespace saltus::mechanisms
