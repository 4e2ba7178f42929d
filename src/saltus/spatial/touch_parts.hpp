// What the touches of points against surfaces have in common.
#pragma once
#include "saltus/spatial/space_touch.hpp"

namespace saltus {

/// Tangents of contacts without a direction of their own are made of this one: not along anything that users
/// are likely to write.
inline Vec3 odd_direction() {
  return Vec3(0.36398151, 0.48507125, 0.79513128).normalized();
}

/// Both contact points from the foot of b (an arm), n and the distance D of the cores.
inline void place_touch(SpaceTouch& t, const Vec3& foot, double D) {
  t.core_b = foot;
  t.gap = D - t.r - t.s;
  t.arm_a = t.core_a - t.r * t.n;
  t.arm_b = t.core_b + t.s * t.n;
}

/// Where points coincide, any direction does.
inline Vec3 direction_or(const Vec3& d, double D, const Vec3& otherwise) {
  return D > 0 ? Vec3(d / D) : otherwise;
}

}  // namespace saltus
