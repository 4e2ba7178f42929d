// Bodies of RigidSystem that go through each other between two configurations.
#include "saltus/planar/passage.hpp"
#include "saltus/planar/rigid_system.hpp"

namespace saltus {

using Kind = RigidBody::Shape;

namespace {

bool is_wall(const RigidBody& b) {
  return b.shape == Kind::plane || b.shape == Kind::drum;
}

// How far a wall is below a point.
double height(const RigidBody& wall, const Frame& f, const Vec2& p) {
  return wall.shape == Kind::plane ? f.turned({0, 1}).dot(p - f.x) : wall.radius - (p - f.x).norm();
}

}  // namespace

Way RigidSystem::way(int body, double t0, In q0, double t1, In q1) const {
  const RigidBody& b = data_.bodies[body];
  if (b.fixed()) {
    const Vec2 x0 = fixed_frame(b, t0).x, x1 = fixed_frame(b, t1).x;
    const double since = b.motion.start, w = b.motion.omega;
    const double a0 = b.angle + w * std::max(0.0, t0 - since), a1 = b.angle + w * std::max(0.0, t1 - since);
    return {x0, x1 - x0, a0, a1 - a0};
  }
  const int k = first_[body];
  Way out{{q0[k], q0[k + 1]}, {q1[k] - q0[k], q1[k + 1] - q0[k + 1]}};
  if (!b.corners.empty()) out.angle = q0[k + 2], out.turn = q1[k + 2] - q0[k + 2];
  return out;
}

// One of a pair that goes through moves by a quarter of its own width. Of bodies without one, points and
// walls, the thinnest of the others decides.
bool RigidSystem::is_fast(int body, const Way& way, double share) const {
  const RigidBody& b = data_.bodies[body];
  const Geometry& g = geometry_[body];
  if (b.shape == Kind::plane && way.turn != 0) return true;
  const double travel = way.dx.norm() + (b.corners.empty() ? 0 : std::abs(way.turn) * g.reach);
  return travel > share * (g.width > 0 && g.width < infinity ? g.width : thinnest_);
}

bool RigidSystem::pair_passes(int i, int j, const Way& a, const Way& b, double share, Passage& out) const {
  const RigidBody &x = data_.bodies[i], &y = data_.bodies[j];
  if (is_wall(x)) return !is_wall(y) && pair_passes(j, i, b, a, share, out);
  const Geometry &gx = geometry_[i], &gy = geometry_[j];
  if (is_wall(y)) {
    const double width = gx.width > 0 ? gx.width : thinnest_;
    const double h0 = height(y, b.at(0), a.x), h1 = height(y, b.at(1), a.x + a.dx);
    if (!(width < infinity) || !goes_behind(h0, h1, width, share)) return false;
    out = {x.name + " and " + y.name, h0 - h1, width};
    return true;
  }
  const double width = gx.width + gy.width;
  const double travel = (a.dx - b.dx).norm() + (x.corners.empty() ? 0 : std::abs(a.turn) * gx.reach) +
                        (y.corners.empty() ? 0 : std::abs(b.turn) * gy.reach);
  const auto apart = [&](double s) -> Apart {
    const Frame fa = a.at(s), fb = b.at(s);
    if (x.corners.empty() && y.corners.empty()) return apart_round(fa.x, x.radius, fb.x, y.radius);
    if (!x.corners.empty() && !y.corners.empty())
      return apart_polygons(fa, x.corners, gx.sides, fb, y.corners, gy.sides);
    const Touch touch = x.corners.empty() ? disk_polygon_touch(fa, x.radius, fb, gy.sides)
                                          : disk_polygon_touch(fb, y.radius, fa, gx.sides);
    return {touch.gap, touch.n};
  };
  bool found = goes_through(near_stretch(a, b, gx.reach + gy.reach), width, travel, share, apart);
  if (!x.corners.empty() && !y.corners.empty())
    found = found || corner_passes(i, j, a, b, travel, share) || corner_passes(j, i, b, a, travel, share);
  if (found) out = {x.name + " and " + y.name, travel, std::min(width, 2 * std::min(gx.width, gy.width))};
  return found;
}

// Contacts of polygons are those of corners, which have no width: one that is past the middle of the other
// body is pushed out on its far side.
bool RigidSystem::corner_passes(int i, int j, const Way& a, const Way& b, double travel, double share) const {
  const Geometry &gx = geometry_[i], &gy = geometry_[j];
  if (!(travel > share * gy.width)) return false;
  for (const Vec2& corner : data_.bodies[i].corners) {
    const auto apart = [&](double s) -> Apart {
      Frame tip = a.at(s);
      tip.x += tip.turned(corner);
      const Touch touch = disk_polygon_touch(tip, 0, b.at(s), gy.sides);
      return {touch.gap, touch.n};
    };
    if (goes_through(near_stretch(a, b, gx.reach + gy.reach), gy.width, travel, share, apart)) return true;
  }
  return false;
}

bool RigidSystem::passes(double t0, In q0, double t1, In q1, double share, Passage& out) const {
  const int n = static_cast<int>(data_.bodies.size());
  for (int i = 0; i < n; ++i) {
    const Way a = way(i, t0, q0, t1, q1);
    if (!is_fast(i, a, share)) continue;
    for (int j = 0; j < n; ++j) {
      if (j == i || features(std::min(i, j), std::max(i, j)) == 0) continue;
      if (pair_passes(i, j, a, way(j, t0, q0, t1, q1), share, out)) return true;
    }
  }
  return false;
}

}  // namespace saltus
