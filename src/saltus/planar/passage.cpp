#include "saltus/planar/passage.hpp"

#include <algorithm>

namespace saltus {

double width_of(const std::vector<Vec2>& corners, const std::vector<PolygonSide>& sides) {
  double width = infinity;
  for (const PolygonSide& s : sides) {
    double lowest = 0;
    for (const Vec2& c : corners) lowest = std::min(lowest, s.normal.dot(c) - s.offset);
    width = std::min(width, -lowest);
  }
  return width;
}

Apart apart_round(const Vec2& a, double radius_a, const Vec2& b, double radius_b) {
  const Vec2 d = a - b;
  const double D = d.norm();
  return {D - radius_a - radius_b, D > 0 ? Vec2(d / D) : Vec2(1, 0)};
}

Apart apart_polygons(const Frame& a, const std::vector<Vec2>& corners_a,
                     const std::vector<PolygonSide>& sides_a, const Frame& b,
                     const std::vector<Vec2>& corners_b, const std::vector<PolygonSide>& sides_b) {
  double over_b = 0, over_a = 0;
  const int side_b = best_side(a, corners_a, b, sides_b, &over_b);
  const int side_a = best_side(b, corners_b, a, sides_a, &over_a);
  if (over_b >= over_a) return {over_b, b.turned(sides_b[side_b].normal)};
  return {over_a, -a.turned(sides_a[side_a].normal)};
}

}  // namespace saltus
