// The scene of the race with many disks: n disks of radius 1 ± 0.1 (centimetres) on a loose, jittered lattice
// fall into a box under gravity (981 cm/s²) and come to rest, friction 0.5, no restitution.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

struct DiskScene {
  struct Disk {
    double radius, mass, x, y;
  };
  std::vector<Disk> disks;
  double width;
  static constexpr double g = 981, mu = 0.5;

  explicit DiskScene(long n) {
    const long columns = std::max(2L, std::lround(std::sqrt(static_cast<double>(n))));
    width = 2.3 * static_cast<double>(columns);
    for (long k = 0; k < n; ++k) {
      const double radius = 1 + 0.1 * jitter(), column = static_cast<double>(k % columns),
                   row = static_cast<double>(k / columns);
      disks.push_back({radius, radius * radius, 1.15 + 2.3 * column + 0.04 * jitter(), 1.15 + 2.3 * row});
    }
  }
  /// Deepest overlap of two disks, or of a disk and the box, over the mean radius.
  double overlap(const std::vector<Disk>& at) const {
    double most = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Disk& a = at[i];
      most = std::max({most, a.radius - a.y, a.radius - a.x, a.x + a.radius - width});
      for (std::size_t j = 0; j < i; ++j)
        most = std::max(most, a.radius + at[j].radius - std::hypot(a.x - at[j].x, a.y - at[j].y));
    }
    return most;
  }

 private:
  std::uint64_t seed_ = 1;
  // splitmix64, in (−1, 1)
  double jitter() {
    std::uint64_t z = seed_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return std::ldexp(static_cast<double>((z ^ z >> 31) >> 11), -52) - 1;
  }
};
