// Joints between bodies of space: rows that are held at zero. With P the point of a joint on each body, d =
// P_b − P_a, and a₁a₂a₃, b₁b₂b₃ axes fixed in the bodies, a₃ that of the joint:
//
//     ball  d     hinge  d, a₁·b₃, a₂·b₃     universal  d, a₁·b₂     fixed  d, a₁·b₃, a₂·b₃, a₁·b₂
//     slider  a₁·d, a₂·d, a₁·b₃, a₂·b₃, a₁·b₂     cylindrical  a₁·d, a₂·d, a₁·b₃, a₂·b₃
//     planar  a₃·d, a₁·b₃, a₂·b₃     distance  |d| − l
//
// d is in the axes of space: the multipliers of ball, hinge, universal and fixed joints begin with the force
// on b. Rows a·b are multiplied by a length of the bodies, so that all rows of a joint are lengths.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "saltus/spatial/space_frame.hpp"

namespace saltus {

struct SpaceJoint {
  enum class Kind : std::uint8_t { ball, hinge, universal, fixed, slider, cylindrical, planar, distance };
  std::string name;
  Kind kind = Kind::ball;
  int a = -1, b = -1;                       ///< bodies
  Vec3 point_a{0, 0, 0}, point_b{0, 0, 0};  ///< in the frames of the bodies, from their centres
  Mat3 axes_a = Mat3::Identity(), axes_b = Mat3::Identity();  ///< columns, in the frames of the bodies
  double length = 0;                                          ///< of a distance
  double scale = 1;                                           ///< of rows without a length
};

std::string_view to_string(SpaceJoint::Kind kind);
int rows_of(SpaceJoint::Kind kind);

/// One row of a joint at one configuration: g, ∂g by displacements and (inertial) turns of both bodies, and
/// g̈ where the velocities are held.
struct JointRow {
  double gap = 0, bias = 0, drift = 0;
  Vec3 move_a, turn_a, move_b, turn_b;
};
/// All rows, rows_of(kind) of them; bias where the frames have velocities.
void joint_rows(const SpaceJoint& joint, const SpaceFrame& a, const SpaceFrame& b, JointRow* out);

}  // namespace saltus
