// Disks that go through each other, or through boundaries, between two configurations.
#include "saltus/core/error.hpp"
#include "saltus/planar/disk_system.hpp"
#include "saltus/planar/passage.hpp"

namespace saltus {
namespace {

Way way_of(int disk, In q0, In q1) {
  const int k = 3 * disk;
  return {{q0[k], q0[k + 1]}, {q1[k] - q0[k], q1[k + 1] - q0[k + 1]}};
}

// How far a wall is below a point.
double height(const Boundary& b, const Pose& pose, const Vec2& p) {
  if (const auto* circle = std::get_if<Circle>(&b.shape)) return circle->radius - (p - pose.point).norm();
  return pose.turned(std::get<Plane>(b.shape).normal).dot(p - pose.point);
}

bool round_pair(const Way& a, double radius_a, const Way& b, double radius_b, double share, Passage& out) {
  const double reach = radius_a + radius_b, travel = (a.dx - b.dx).norm();
  const auto apart = [&](double s) {
    return apart_round(a.x + s * a.dx, radius_a, b.x + s * b.dx, radius_b);
  };
  if (!goes_through(near_stretch(a, b, reach), 2 * reach, travel, share, apart)) return false;
  out.travel = travel, out.width = 2 * reach;
  return true;
}

}  // namespace

bool DiskSystem::boundary_passes(const Boundary& boundary, int disk, const Way& way, double t0, double t1,
                                 double share, Passage& out) const {
  const double radius = data_.disks[disk].radius;
  const Pose before = pose_at(boundary, t0), after = pose_at(boundary, t1);
  const auto* circle = std::get_if<Circle>(&boundary.shape);
  if (circle && !circle->inside) {
    if (!round_pair(way, radius, {before.point, after.point - before.point}, circle->radius, share, out))
      return false;
  } else {
    const double h0 = height(boundary, before, way.x), h1 = height(boundary, after, way.x + way.dx);
    if (!goes_behind(h0, h1, 2 * radius, share)) return false;
    out.travel = h0 - h1, out.width = 2 * radius;
  }
  out.bodies = fmt::format("disk {} and {}", disk, boundary.name);
  return true;
}

// One of a pair that goes through moves by a quarter of its own width.
bool DiskSystem::passes(double t0, In q0, double t1, In q1, double share, Passage& out) const {
  const auto moves = [&](const Boundary& b) {
    return t1 > b.motion.start && (b.motion.omega != 0 || b.motion.velocity != Vec2{0, 0});
  };
  for (int a = 0; a < disks(); ++a) {
    const Way way = way_of(a, q0, q1);
    const bool fast = way.dx.norm() > share * 2 * data_.disks[a].radius;
    for (const Boundary& b : data_.boundaries)
      if ((fast || moves(b)) && boundary_passes(b, a, way, t0, t1, share, out)) return true;
    if (!fast) continue;
    for (int b = 0; b < disks(); ++b) {
      if (b == a ||
          !round_pair(way, data_.disks[a].radius, way_of(b, q0, q1), data_.disks[b].radius, share, out))
        continue;
      out.bodies = fmt::format("disk {} and disk {}", std::min(a, b), std::max(a, b));
      return true;
    }
  }
  return false;
}

}  // namespace saltus
