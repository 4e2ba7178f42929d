// The fields of bodies in space, section `space` of a scene. Vectors are lists of three numbers, in inertial
// axes unless said otherwise.
#pragma once
#include "saltus/scene/entry.hpp"

namespace saltus {

/// How a body is turned: at most one of them.
struct SceneTurn {
  std::vector<Value> quaternion, axis_angle, euler;
  std::vector<std::vector<Value>> matrix;
  template <class V>
  void fields(V&& v) {
    v(Note{"quaternion", "orientation at the start, body to space: [w, x, y, z], of any length but 0"},
      quaternion);
    v(Note{"axis_angle", "the same as [x, y, z, angle]: turned about this axis by this angle in radians"},
      axis_angle);
    v(Note{"euler", "the same by angles [φ, θ, ψ] in radians: Rz(φ) Rx(θ) Rz(ψ)", false, "rad"}, euler);
    v(Note{"matrix", "the same as three rows; a rotation"}, matrix);
  }
};

struct SceneSpaceBody : SceneTurn {
  Word shape, material, group;
  Value radius, length, height, mass, density;
  OneOrMany<Value> inertia;
  std::vector<Value> size, axis, position, velocity, spin, spin_body, force, torque;
  std::vector<std::vector<Value>> points;
  bool fixed = false, contact = true;
  template <class V>
  void fields(V&& v) {
    v(Note{"shape", "sphere, box, capsule, cylinder, disk, hull or point; nothing touches it when left out"},
      shape);
    v(Note{"radius", "of a sphere, capsule, cylinder or disk", false, "m"}, radius);
    v(Note{"length", "of a capsule, between the centres of its ends", false, "m"}, length);
    v(Note{"height", "of a cylinder", false, "m"}, height);
    v(Note{"size", "of a box: three lengths", false, "m"}, size);
    v(Note{"points", "of a hull, in the frame of the body; shifted to its centre of mass"}, points);
    v(Note{"axis", "of a capsule, cylinder or disk, in the frame of the body; [0, 0, 1] when left out"},
      axis);
    v(Note{"mass", "mass; or give the density", false, "kg"}, mass);
    v(Note{"density", "mass per volume", false, "kg/m^3"}, density);
    v(Note{"inertia",
           "about the centre of mass, in the frame of the body: one number, three principal moments, or [xx, "
           "yy, zz, "
           "xy, xz, yz]; that of a homogeneous body when left out",
           false, "kg m^2"},
      inertia);
    v(Note{"position", "of the centre of mass at the start", false, "m"}, position);
    SceneTurn::fields(v);
    v(Note{"velocity", "of the centre of mass at the start", false, "m/s"}, velocity);
    v(Note{"spin", "angular velocity at the start, in inertial axes", false, "rad/s"}, spin);
    v(Note{"spin_body", "the same in the frame of the body, instead", false, "rad/s"}, spin_body);
    v(Note{"force", "that always acts at the centre of mass", false, "N"}, force);
    v(Note{"torque", "that always acts", false, "N m"}, torque);
    v(Note{"material", "a name of `materials`"}, material);
    v(Note{"group", "bodies with the same word here do not touch each other"}, group);
    v(Note{"fixed",
           "an obstacle without mass: stands still, or moves at `velocity` and `spin` whatever pushes"},
      fixed);
    v(Note{"contact", "touches other bodies and walls (true)"}, contact);
  }
};

struct SceneSpaceWall {
  Word material;
  std::vector<Value> point, normal, velocity, spin, pivot;
  std::vector<Formula> moves;
  Value start;
  template <class V>
  void fields(V&& v) {
    v(Note{"point", "a point of the plane; the origin when left out", false, "m"}, point);
    v(Note{"normal", "away from the wall", true}, normal);
    v(Note{"velocity", "of the pivot", false, "m/s"}, velocity);
    v(Note{"spin", "angular velocity, in inertial axes", false, "rad/s"}, spin);
    v(Note{"pivot", "what it turns about; `point` when left out", false, "m"}, pivot);
    v(Note{"moves", "how far it is displaced: three formulas of t and parameters"}, moves);
    v(Note{"start", "when the motion begins; 0 when left out", false, "s"}, start);
    v(Note{"material", "a name of `materials`"}, material);
  }
};

struct SceneSpaceJoint {
  Word type, a, b;
  std::vector<Value> at, at_b, axis, axis_b;
  Value length;
  bool contact = false;
  template <class V>
  void fields(V&& v) {
    v(Note{"type", "ball, hinge, slider, universal, cylindrical, planar, fixed or distance", true}, type);
    v(Note{"a", "a body", true}, a);
    v(Note{"b", "another body; the ground when left out"}, b);
    v(Note{"at", "its point, in space at the start; the centre of a when left out", false, "m"}, at);
    v(Note{"at_b", "the point on b, where it is another one (distance), in space at the start", false, "m"},
      at_b);
    v(Note{"axis",
           "of a hinge, slider, cylindrical or universal joint; normal of a planar one; at the start"},
      axis);
    v(Note{"axis_b", "the other axis of a universal joint, at right angles to the first"}, axis_b);
    v(Note{"length", "of a distance; that of the start when left out", false, "m"}, length);
    v(Note{"contact", "its bodies touch each other (false)"}, contact);
  }
};

struct SceneSpaceSpring {
  Word a, b;
  std::vector<Value> at_a, at_b;
  Value stiffness, damping, length;
  template <class V>
  void fields(V&& v) {
    v(Note{"a", "a body", true}, a);
    v(Note{"b", "another body; the ground when left out"}, b);
    v(Note{"at_a", "where it holds a, in space at the start; its centre when left out", false, "m"}, at_a);
    v(Note{"at_b", "where it holds b, in space at the start; its centre when left out", false, "m"}, at_b);
    v(Note{"stiffness", "force per length", false, "N/m"}, stiffness);
    v(Note{"damping", "force per rate of the length", false, "N s/m"}, damping);
    v(Note{"length", "without force; that of the start when left out", false, "m"}, length);
  }
};

struct SceneSpace {
  Named<SceneSpaceBody> bodies;
  Named<SceneSpaceWall> walls;
  Named<SceneSpaceJoint> joints;
  Named<SceneSpaceSpring> springs;
  std::vector<Value> gravity;
  Value contact_margin;
  template <class V>
  void fields(V&& v) {
    v(Note{"bodies",
           "rigid bodies: coordinates NAME.x, .y, .z, .qw, .qx, .qy, .qz; velocities NAME.vx, .vy, .vz in "
           "inertial axes, NAME.wx, .wy, .wz in the frame of the body",
           true},
      bodies);
    v(Note{"walls", "half-spaces that the bodies touch, fixed or moving"}, walls);
    v(Note{"joints", "between bodies, or a body and the ground"}, joints);
    v(Note{"springs", "springs and dampers between points of bodies"}, springs);
    v(Note{"gravity", "acceleration; [0, 0, -9.81 m/s^2] when left out", false, "m/s^2"}, gravity);
    v(Note{"contact_margin",
           "pairs farther apart, which no step closes, are not listed, where there are many", false, "m"},
      contact_margin);
  }
};

}  // namespace saltus
