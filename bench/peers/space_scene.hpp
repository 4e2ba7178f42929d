// The scenes of the race in space, for all engines: spheres that fall from a jittered lattice into an open
// box, a wall of bricks that stands, boxes that fall into a heap. Floor z = 0, side walls |x|, |y| = half.
// What engines reach is measured from positions only: how deep bodies overlap.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

struct SpaceScene {
  using V = std::array<double, 3>;
  struct Body {
    V at, size;                  // half the edges; of a sphere its radius three times
    std::array<double, 4> turn;  // quaternion (w, x, y, z)
  };
  bool boxes = false;
  double half = 0, mass = 1, mu = 0.5;
  static constexpr double g = 10;
  std::vector<Body> bodies;

  /// spheres (n about n of them), wall (n bricks), heap (n boxes).
  SpaceScene(const std::string& kind, long n) {
    if (kind == "wall")
      wall(n);
    else
      lattice(n, kind == "heap");
  }
  /// Smallest moment of inertia first: about the axes of the body.
  V inertia(const Body& b) const {
    const V& s = b.size;
    if (!boxes) return {0.4 * mass * s[0] * s[0], 0.4 * mass * s[0] * s[0], 0.4 * mass * s[0] * s[0]};
    return {mass / 3 * (s[1] * s[1] + s[2] * s[2]), mass / 3 * (s[0] * s[0] + s[2] * s[2]),
            mass / 3 * (s[0] * s[0] + s[1] * s[1])};
  }

  struct Overlap {
    double most = 0, sum = 0;
    long count = 0;  // of pairs that are closer than 1e-3, walls and floor included
    double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  };
  Overlap overlap(const std::vector<Body>& now) const {
    Overlap out;
    const auto take = [&](double gap) {
      if (!(gap < 1e-3)) return;
      ++out.count, out.sum += std::max(0.0, -gap), out.most = std::max(out.most, -gap);
    };
    double reach = 0;
    for (const Body& b : now) {
      reach = std::max(reach, boxes ? std::hypot(b.size[0], b.size[1], b.size[2]) : b.size[0]);
      take(b.at[2] - extent(b, {0, 0, 1}));
      for (int k = 0; k < 2 && half > 0; ++k) {
        const double e = extent(b, {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, 0});
        take(half - b.at[k] - e), take(half + b.at[k] - e);
      }
    }
    std::unordered_map<std::int64_t, std::vector<int>> cells;
    const auto cell = [&](const V& x, int k) {
      return static_cast<std::int64_t>(std::floor(x[k] / (2 * reach + 1e-3)));
    };
    const auto key = [](std::int64_t x, std::int64_t y, std::int64_t z) {
      return (x * 2097152 + y) * 2097152 + z;
    };
    for (std::size_t i = 0; i < now.size(); ++i)
      cells[key(cell(now[i].at, 0), cell(now[i].at, 1), cell(now[i].at, 2))].push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < now.size(); ++i)
      for (int k = 0; k < 27; ++k) {
        const auto& x = now[i].at;
        const auto found =
            cells.find(key(cell(x, 0) + k % 3 - 1, cell(x, 1) + k / 3 % 3 - 1, cell(x, 2) + k / 9 - 1));
        if (found == cells.end()) continue;
        for (const int j : found->second)
          if (j < static_cast<int>(i)) take(distance(now[i], now[j]));
      }
    return out;
  }

 private:
  std::uint64_t seed_ = 42;
  double jitter() {  // splitmix64, in (−1, 1)
    std::uint64_t z = seed_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return std::ldexp(static_cast<double>((z ^ z >> 31) >> 11), -52) - 1;
  }
  void lattice(long n, bool heap) {
    boxes = heap;
    // as wide as high; deep heaps of very many are wide instead, so that they settle as soon
    const long side = std::max(2L, std::lround(std::cbrt(static_cast<double>(n)))),
               wide = n > 20000 ? 2 * side : side;
    const double space = heap ? 1.3 : 1.05;
    half = 0.5 * (static_cast<double>(wide) * space + 0.5);
    for (long k = 0; static_cast<long>(bodies.size()) < n; ++k) {
      const double x = static_cast<double>(k % wide), y = static_cast<double>(k / wide % wide),
                   z = static_cast<double>(k / (wide * wide)), middle = 0.5 * static_cast<double>(wide - 1);
      Body b{{(x - middle) * space + 0.02 * jitter(), (y - middle) * space + 0.02 * jitter(),
              0.6 + (heap ? 0.2 : 0) + z * space + 0.02 * jitter()},
             {0.5, 0.5, 0.5},
             {1, 0, 0, 0}};
      if (heap) {
        b.size = {0.45, 0.3, 0.25};
        double square = 0;
        for (double& q : b.turn) q = jitter(), square += q * q;
        for (double& q : b.turn) q /= std::sqrt(square);
      }
      bodies.push_back(b);
    }
  }
  void wall(long n) {
    boxes = true;
    const long rows = std::max(1L, std::lround(std::sqrt(static_cast<double>(n)))),
               columns = (n + rows - 1) / rows;
    for (long k = 0; k < n; ++k) {
      const long row = k / columns;
      const double shift = row % 2 == 0 ? 0 : 0.5;
      bodies.push_back(
          {{static_cast<double>(k % columns) + shift, 0, 0.25 * (2 * static_cast<double>(row) + 1)},
           {0.5, 0.25, 0.25},
           {1, 0, 0, 0}});
    }
  }

  static std::array<V, 3> axes(const Body& b) {
    const auto [w, x, y, z] = b.turn;
    return {V{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
            V{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
            V{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
  }
  static double dot(const V& a, const V& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  double extent(const Body& b, const V& n) const {
    if (!boxes) return b.size[0];
    const auto e = axes(b);
    return b.size[0] * std::abs(dot(e[0], n)) + b.size[1] * std::abs(dot(e[1], n)) +
           b.size[2] * std::abs(dot(e[2], n));
  }
  // of boxes by fifteen separating axes: a lower bound where they are apart, the depth where they overlap
  double distance(const Body& a, const Body& b) const {
    const V d{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]};
    if (!boxes) return std::sqrt(dot(d, d)) - a.size[0] - b.size[0];
    const auto e = axes(a), f = axes(b);
    double most = -1e30;
    const auto along = [&](V n) {
      const double length = std::sqrt(dot(n, n));
      if (length < 1e-9) return;
      for (double& x : n) x /= length;
      most = std::max(most, std::abs(dot(d, n)) - extent(a, n) - extent(b, n));
    };
    for (int i = 0; i < 3; ++i) {
      along(e[i]), along(f[i]);
      for (int j = 0; j < 3; ++j)
        along({e[i][1] * f[j][2] - e[i][2] * f[j][1], e[i][2] * f[j][0] - e[i][0] * f[j][2],
               e[i][0] * f[j][1] - e[i][1] * f[j][0]});
    }
    return most;
  }
};
