// Place and turn of a body of space at one time, and how they move. All vectors are in inertial axes.
#pragma once
#include <array>
#include <memory>

#include "saltus/spatial/rotation.hpp"
#include "saltus/system/time_function.hpp"

namespace saltus {

struct SpaceFrame {
  Vec3 x{0, 0, 0}, v{0, 0, 0};  ///< centre of mass
  Mat3 R = Mat3::Identity();
  Vec3 omega{0, 0, 0};
  Vec3 acceleration{0, 0, 0}, alpha{0, 0, 0};  ///< of bodies that move as prescribed; others: 0

  Vec3 turned(const Vec3& r) const { return R * r; }
  Vec3 seen(const Vec3& p) const {
    return R.transpose() * (p - x);
  }  ///< a point of space, in the body's frame
  Vec3 velocity(const Vec3& arm) const { return v + cross(omega, arm); }
};

/// Of a body that moves as prescribed: at rest until `start`; then it turns about the pivot with a constant
/// angular velocity, while the pivot moves with a constant velocity and, where there are formulas, along
/// these.
struct SpaceMotion {
  Vec3 pivot{0, 0, 0}, velocity{0, 0, 0}, omega{0, 0, 0};
  double start = 0;
  /// The displacement along an axis, and its rate as a function of its own: value and rate of the second are
  /// velocity and acceleration.
  struct Along {
    std::shared_ptr<const TimeFunction> place, rate;
  };
  std::array<Along, 3> along = {};

  bool moves() const {
    return !velocity.isZero() || !omega.isZero() || along[0].place || along[1].place || along[2].place;
  }
};

/// Of a body that rests at (x, R) until its motion starts.
SpaceFrame frame_at(const Vec3& x, const Mat3& R, const SpaceMotion& motion, double t);

}  // namespace saltus
