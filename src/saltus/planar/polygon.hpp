// Polygons as lists of corners, against the clock.
#pragma once
#include <cmath>
#include <vector>

#include "saltus/planar/boundary.hpp"

namespace saltus {

/// Area, centre and second moment of a polygon about its centre.
struct Area {
  double area = 0, second = 0;
  Vec2 centre{0, 0};
};
inline Area area_of(const std::vector<Vec2>& p) {
  Area out;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const Vec2 &a = p[k], &b = p[(k + 1) % p.size()];
    const double cross = a[0] * b[1] - a[1] * b[0];
    out.area += cross / 2;
    out.centre += cross / 6 * (a + b);
    out.second += cross / 12 * (a.dot(a) + a.dot(b) + b.dot(b));
  }
  out.centre /= out.area;
  out.second -= out.area * out.centre.squaredNorm();
  return out;
}

/// The first one that does not turn to the left, or with which more than a full turn is made (a star); −1:
/// none.
inline int corner_not_convex(const std::vector<Vec2>& p) {
  const std::size_t n = p.size();
  double turned = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2 a = p[k] - p[(k + n - 1) % n], b = p[(k + 1) % n] - p[k];
    const double turn = std::atan2(a[0] * b[1] - a[1] * b[0], a.dot(b));
    turned += turn;
    if (!(turn > 0 && turn < M_PI) || turned > 3 * M_PI) return static_cast<int>(k);
  }
  return -1;
}

/// Of a box about its centre.
inline std::vector<Vec2> box_corners(const Vec2& size) {
  const Vec2 h = size / 2;
  return {{-h[0], -h[1]}, {h[0], -h[1]}, {h[0], h[1]}, {-h[0], h[1]}};
}

}  // namespace saltus
