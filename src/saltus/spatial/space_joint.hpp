// Joints between bodies of space: rows that are held at zero. With P the point of a joint on each body, d =
// P_b − P_a, and a₁a₂a₃, b₁b₂b₃ axes fixed in the bodies, a₃ that of the joint:
//
//     ball  d     hinge  d, a₁·b₃, a₂·b₃     universal  d, a₁·b₂     fixed  d, a₁·b₃, a₂·b₃, a₁·b₂
//     slider  a₁·d, a₂·d, a₁·b₃, a₂·b₃, a₁·b₂     cylindrical  a₁·d, a₂·d, a₁·b₃, a₂·b₃
//     planar  a₃·d, a₁·b₃, a₂·b₃     distance  |d| − l     rope  none
//     screw  as cylindrical, and a₃·d − (pitch/2π) θ
//
// What a joint leaves free has coordinates, which limits, friction, springs, motors and gears act on:
//
//     angle  θ = atan2(b₁·a₂, b₁·a₁), about a₃ (hinge, cylindrical, screw, planar); universal: of b₂ about a₁
//     angle_2  universal: about b₂          shift  a₃·d (slider, cylindrical, screw), a₁·d (planar)
//     shift_2  a₂·d (planar)                swing  between a₃ and b₃ (ball)         length  |d| (rope)
//
// An angle of orientations is known up to whole turns; whoever counts them says near which value it is.
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
  enum class Kind : std::uint8_t {
    ball,
    hinge,
    universal,
    fixed,
    slider,
    cylindrical,
    planar,
    distance,
    screw,
    rope
  };
  std::string name;
  Kind kind = Kind::ball;
  int a = -1, b = -1;                       ///< bodies
  Vec3 point_a{0, 0, 0}, point_b{0, 0, 0};  ///< in the frames of the bodies, from their centres
  Mat3 axes_a = Mat3::Identity(), axes_b = Mat3::Identity();  ///< columns, in the frames of the bodies
  double length = 0;                                          ///< of a distance
  double scale = 1;                                           ///< of rows without a length
  double pitch = 0;                                           ///< of a screw: its way in a turn
};

std::string_view to_string(SpaceJoint::Kind kind);
int rows_of(SpaceJoint::Kind kind);

enum class JointCoordinate : std::uint8_t { angle, angle_2, shift, shift_2, swing, length };
inline constexpr int joint_coordinates = 6;
std::string_view to_string(JointCoordinate coordinate);
bool has_coordinate(SpaceJoint::Kind kind, JointCoordinate coordinate);
inline bool is_angle(JointCoordinate c) {
  return c == JointCoordinate::angle || c == JointCoordinate::angle_2;
}

/// One row of a joint at one configuration: g, ġ, ∂g by displacements and (inertial) turns of both bodies,
/// and g̈ where the velocities are held.
struct JointRow {
  double gap = 0, rate = 0, bias = 0;
  Vec3 move_a, turn_a, move_b, turn_b;
};
/// All rows, rows_of(kind) of them; rate and bias where the frames have velocities. `angle`: near that of a
/// screw.
void joint_rows(const SpaceJoint& joint, const SpaceFrame& a, const SpaceFrame& b, double angle,
                JointRow* out);
/// A coordinate of a joint as a row; an angle is the one nearest to `near`. Of a swing it is the cosine.
JointRow coordinate_row(const SpaceJoint& joint, JointCoordinate what, const SpaceFrame& a,
                        const SpaceFrame& b, double near);

}  // namespace saltus
