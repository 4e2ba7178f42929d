#include "saltus/planar/rigid_touch.hpp"

#include <algorithm>

namespace saltus {

std::vector<PolygonSide> sides_of(const std::vector<Vec2>& corners) {
  std::vector<PolygonSide> out;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Vec2 edge = corners[(k + 1) % corners.size()] - corners[k], along = edge.normalized();
    const Vec2 normal = -left_of(along);
    out.push_back({corners[k], along, normal, edge.norm(), normal.dot(corners[k])});
  }
  return out;
}

Touch round_touch(const Frame& a, const Vec2& arm_a, double r_a, const Frame& b, const Vec2& arm_b,
                  double r_b) {
  const Vec2 d = (a.x + arm_a) - (b.x + arm_b);
  const double D = r_b < 0 ? -d.norm() : d.norm();
  Touch out{false, D - r_a - r_b, r_a, r_b, 0, {1, 0}, arm_a, arm_b};
  if (D != 0) out.n = d / D, out.curvature = 1 / D;  // any direction will do when the points coincide
  return out;
}

Touch flat_touch(const Frame& a, const Vec2& arm_a, double r_a, const Frame& b, const Vec2& n,
                 double offset) {
  const Vec2 arm_b = a.x + arm_a - b.x;
  return {true, n.dot(arm_b) - offset - r_a, r_a, -r_a, 0, n, arm_a, arm_b};
}

Touch disk_polygon_touch(const Frame& disk, double radius, const Frame& polygon,
                         const std::vector<PolygonSide>& sides) {
  const Vec2 p = polygon.seen(disk.x);
  double depth = -infinity, nearest = infinity;
  const PolygonSide *highest = nullptr, *closest = nullptr;
  Vec2 foot{0, 0};
  bool at_corner = false;
  for (const PolygonSide& s : sides) {
    const double height = s.normal.dot(p) - s.offset, place = s.along.dot(p - s.from);
    const Vec2 at = s.from + std::clamp(place, 0.0, s.length) * s.along;
    if (height > depth) depth = height, highest = &s;
    if (const double square = (p - at).squaredNorm(); square < nearest)
      nearest = square, closest = &s, foot = at, at_corner = !(place > 0 && place < s.length);
  }
  if (!highest || !closest) return round_touch(disk, {0, 0}, radius, polygon, {0, 0}, 0);  // not finite
  if (depth > 0 && at_corner) return round_touch(disk, {0, 0}, radius, polygon, polygon.turned(foot), 0);
  const PolygonSide& side = depth > 0 ? *closest : *highest;
  return flat_touch(disk, {0, 0}, radius, polygon, polygon.turned(side.normal), side.offset);
}

int best_side(const Frame& a, const std::vector<Vec2>& corners, const Frame& b,
              const std::vector<PolygonSide>& sides, double* height) {
  double best = 0;
  int which = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    double lowest = infinity;
    for (const Vec2& corner : corners)
      lowest = std::min(lowest, sides[i].normal.dot(b.seen(a.x + a.turned(corner))) - sides[i].offset);
    if (i == 0 || best < lowest) best = lowest, which = static_cast<int>(i);
  }
  if (height) *height = best;
  return which;
}

int facing_side(const Frame& b, const std::vector<PolygonSide>& sides, const Vec2& direction) {
  const auto along = [&](const PolygonSide& s) { return b.turned(s.normal).dot(direction); };
  const auto less = [&](const PolygonSide& x, const PolygonSide& y) { return along(x) < along(y); };
  return static_cast<int>(std::max_element(sides.begin(), sides.end(), less) - sides.begin());
}

Touch corner_touch(const Frame& a, const Vec2& corner, const Frame& b, const std::vector<PolygonSide>& sides,
                   int best, double favour) {
  const Vec2 arm = a.turned(corner), p = b.seen(a.x + arm);
  double highest = 0, taken = 0;
  std::size_t which = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const double less = static_cast<int>(i) == best ? 0 : favour;
    const double value = sides[i].normal.dot(p) - sides[i].offset - less;
    if (i == 0 || highest < value) highest = value, which = i, taken = less;
  }
  return flat_touch(a, arm, 0, b, b.turned(sides[which].normal), sides[which].offset + taken);
}

Touch nearest_side_touch(const Frame& a, const Vec2& corner, const Frame& b,
                         const std::vector<PolygonSide>& sides) {
  return corner_touch(a, corner, b, sides, 0, 0);
}

// n·left(arm) = −t·arm
TouchVector gradient_of(const Touch& touch) {
  const Vec2& n = touch.n;
  const Vec2 t = left_of(n);
  TouchVector w;
  w << n, -t.dot(touch.arm_a), -n, t.dot(touch.arm_b);
  return w;
}

// With s the change of t·(p_a − p_b): round points turn n by s/D; a side turns it by θ_b (and b's arm then
// ends at p_a, which does not turn with b). Points that turn about a centre fall towards it.
TouchMatrix hessian_of(const Touch& touch) {
  const Vec2& n = touch.n;
  const Vec2 t = left_of(n);
  const double a = n.dot(touch.arm_a), b = n.dot(touch.arm_b);
  TouchVector s;
  s << t, a, -t, (touch.flat ? 0 : -b);
  TouchMatrix H = TouchMatrix::Zero();
  if (touch.flat)
    H.row(5) += s.transpose(), H.col(5) += s;
  else
    H = touch.curvature * s * s.transpose();
  H(2, 2) -= a;
  H(5, 5) += touch.flat ? -b : b;
  return H;
}

TouchBias bias_of(const Touch& touch, const Frame& a, const Frame& b) {
  const Vec2 t = left_of(touch.n), w = a.velocity(touch.arm_a) - b.velocity(touch.arm_b);
  const double along = t.dot(w), turn = touch.flat ? b.omega : touch.curvature * along;
  const double lever_a = (turn - a.omega) * t.dot(touch.arm_a);
  const double lever_b = touch.flat ? touch.n.dot(w) : (turn - b.omega) * t.dot(touch.arm_b);
  return {touch.n.dot(a.acceleration_of(touch.arm_a) - b.acceleration_of(touch.arm_b)) +
              (touch.flat ? 2 : 1) * turn * along,
          -turn * touch.n.dot(a.v - b.v) + t.dot(a.acceleration - b.acceleration) + a.omega * lever_a -
              b.omega * lever_b};
}

}  // namespace saltus
