// Walls that move as prescribed: half-planes, and circles seen from outside or from inside.
#pragma once
#include <cmath>
#include <string>
#include <variant>

#include "saltus/core/types.hpp"

namespace saltus {

using Vec2 = Eigen::Vector2d;

/// The vector turned by 90° to the left.
inline Vec2 left_of(const Vec2& a) {
  return {-a[1], a[0]};
}

/// Everything on the side of `normal` is free.
struct Plane {
  Vec2 point{0, 0}, normal{0, 1};
};
/// An obstacle, or with `inside` a drum: the bodies are within.
struct Circle {
  Vec2 centre{0, 0};
  double radius = 1;
  bool inside = false;
};

/// At rest until `start`; then it turns about the pivot at the rate omega while the pivot moves at a constant
/// velocity. A drum turns about its centre, a stirrer about the centre of the vessel, a belt moves along
/// itself.
struct Motion {
  Vec2 pivot{0, 0}, velocity{0, 0};
  double omega = 0, start = 0;
};

struct Boundary {
  std::string name;
  std::variant<Plane, Circle> shape;
  Motion motion = {};
  int material = 0;
};

/// A boundary at one time: its point (of the plane, or centre) with velocity and acceleration, its turn.
struct Pose {
  Vec2 point, velocity{0, 0}, acceleration{0, 0};
  double cosine = 1, sine = 0, omega = 0;

  Vec2 turned(const Vec2& a) const { return {cosine * a[0] - sine * a[1], sine * a[0] + cosine * a[1]}; }
};

inline Pose pose_at(const Boundary& boundary, double t) {
  const auto* circle = std::get_if<Circle>(&boundary.shape);
  const Vec2& point = circle ? circle->centre : std::get<Plane>(boundary.shape).point;
  const Motion& m = boundary.motion;
  Pose pose{point};
  if (t < m.start) return pose;
  pose.cosine = std::cos(m.omega * (t - m.start));
  pose.sine = std::sin(m.omega * (t - m.start));
  pose.omega = m.omega;
  const Vec2 arm = pose.turned(point - m.pivot);
  pose.point = m.pivot + (t - m.start) * m.velocity + arm;
  pose.velocity = m.velocity + m.omega * left_of(arm);
  pose.acceleration = -m.omega * m.omega * arm;
  return pose;
}

}  // namespace saltus
