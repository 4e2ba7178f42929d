// The fields of bodies in space, section `space` of a scene. Vectors are lists of three numbers, in inertial
// axes unless said otherwise.
#pragma once
#include <optional>

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

/// A shape and its sizes.
struct SceneSolid {
  Word shape;
  Value radius, length, height;
  std::vector<Value> size, radii, axis, spacing;
  std::vector<std::vector<Value>> points, triangles, heights;
  bool open = false;
  template <class V>
  void fields(V&& v) {
    v(Note{"shape",
           "sphere, box, capsule, cylinder, cone, ellipsoid, disk, hull or point; of what is fixed also mesh "
           "and "
           "heights; nothing touches it when left out"},
      shape);
    v(Note{"radius", "of a sphere, capsule, cylinder, disk, or the base of a cone", false, "m"}, radius);
    v(Note{"length", "of a capsule, between the centres of its ends", false, "m"}, length);
    v(Note{"height", "of a cylinder or cone", false, "m"}, height);
    v(Note{"size", "of a box: three lengths", false, "m"}, size);
    v(Note{"radii", "of an ellipsoid: three half lengths", false, "m"}, radii);
    v(Note{"points", "of a hull or mesh, in the frame of the body; a hull is shifted to its centre of mass"},
      points);
    v(Note{"triangles",
           "of a mesh: numbers of three points each from 0, against the clock seen from outside"},
      triangles);
    v(Note{"open", "of a mesh: it has a border, and is touched from outside only (false)"}, open);
    v(Note{"heights", "above its plane z = 0, rows along y, centred"}, heights);
    v(Note{"spacing", "of heights: along x and y", false, "m"}, spacing);
    v(Note{"axis",
           "of a capsule, cylinder, disk, or of a cone to its tip, in the frame of the body; [0, 0, 1] when "
           "left "
           "out"},
      axis);
  }
};

/// A part of a body.
struct SceneSpacePart : SceneSolid, SceneTurn {
  std::vector<Value> position;
  Value density;
  template <class V>
  void fields(V&& v) {
    SceneSolid::fields(v);
    v(Note{"position", "of its centre, in the frame of the body", false, "m"}, position);
    SceneTurn::fields(v);
    v(Note{"density", "mass per volume; of all parts or of none", false, "kg/m^3"}, density);
  }
};

struct SceneSpaceBody : SceneSolid, SceneTurn {
  Word material, group;
  Value mass, density;
  OneOrMany<Value> inertia;
  std::vector<Value> position, velocity, spin, spin_body, force, torque;
  Named<SceneSpacePart> parts;
  bool fixed = false, contact = true;
  template <class V>
  void fields(V&& v) {
    SceneSolid::fields(v);
    v(Note{"parts",
           "shapes of a body that has several. Where its inertia is left out, their frame is shifted to the "
           "centre "
           "of mass; else its origin is the centre of mass"},
      parts);
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
    v(Note{"force", "at the centre of mass: three numbers, or formulas of t, bodies and coordinates", false,
           "N"},
      force);
    v(Note{"torque", "the same, in inertial axes", false, "N m"}, torque);
    v(Note{"material", "a name of `materials`"}, material);
    v(Note{"group", "bodies with the same word here do not touch each other"}, group);
    v(Note{"fixed",
           "an obstacle without mass: stands still, or moves at `velocity` and `spin` whatever pushes"},
      fixed);
    v(Note{"contact", "touches other bodies and walls (true)"}, contact);
  }
};

/// Bodies in rows, columns and layers.
struct SceneSpaceGrid {
  std::vector<Value> count, step;
  Value shift;
  template <class V>
  void fields(V&& v) {
    v(Note{"count", "bodies along x, y and z: [4, 4, 2]", true}, count);
    v(Note{"step", "from one to the next along x, y and z", true, "m"}, step);
    v(Note{"shift", "of every second layer along x; 0 when left out", false, "m"}, shift);
  }
};

/// Bodies at random places.
struct SceneSpacePacking {
  Value count, seed, distance, spread;
  std::vector<Value> lower, upper;
  bool turned = false;
  template <class V>
  void fields(V&& v) {
    v(Note{"count", "number of bodies", true}, count);
    v(Note{"lower", "corner of the box that they are in: [x, y, z]", true, "m"}, lower);
    v(Note{"upper", "the opposite corner", true, "m"}, upper);
    v(Note{"seed", "of the places; run.seed when left out"}, seed);
    v(Note{"distance", "least distance of the balls around two bodies; 0 when left out", false, "m"},
      distance);
    v(Note{"spread", "of spheres: radii are scaled by 1 ± spread, uniform; masses follow"}, spread);
    v(Note{"turned", "with random orientations (false)"}, turned);
  }
};

/// Equal bodies NAME.1, NAME.2, …
struct SceneSpaceGroup : SceneSpaceBody {
  std::optional<SceneSpaceGrid> grid;
  std::optional<SceneSpacePacking> packing;
  template <class V>
  void fields(V&& v) {
    SceneSpaceBody::fields(v);
    v(Note{"grid", "rows, columns and layers; `position` is that of the first body"}, grid);
    v(Note{"packing", "random places, none overlapping"}, packing);
  }
};

/// A container of six walls.
struct SceneSpaceBox {
  std::vector<Value> lower, upper;
  OneOrMany<Word> open;
  Word material;
  template <class V>
  void fields(V&& v) {
    v(Note{"lower", "corner: [x, y, z]", true, "m"}, lower);
    v(Note{"upper", "the opposite corner", true, "m"}, upper);
    v(Note{"open", "sides that are not there: left, right (along x), front, back (y), bottom, top (z)"},
      open);
    v(Note{"material", "a name of `materials`"}, material);
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

/// What acts on a coordinate of a joint.
struct SceneJointAction {
  Value start, e, friction, stiffness, rest, damping, most;
  std::vector<Value> limits;
  Formula force, speed, follow;
  template <class V>
  void fields(V&& v) {
    v(Note{"start", "its value at the start; 0 when left out"}, start);
    v(Note{"limits", "[smallest, largest]: hit with restitution e"}, limits);
    v(Note{"e", "restitution at the limits; 0 when left out"}, e);
    v(Note{"friction", "dry friction: the largest torque (of an angle) or force"}, friction);
    v(Note{"stiffness", "of a spring: torque per angle, or force per length"}, stiffness);
    v(Note{"rest", "where the spring has no force; 0 when left out"}, rest);
    v(Note{"damping", "torque or force per rate"}, damping);
    v(Note{"force", "torque or force on it: a formula of t, bodies and coordinates"}, force);
    v(Note{"speed", "of a motor: the rate that it keeps, a formula of t"}, speed);
    v(Note{"most", "the largest torque or force of the motor; any when left out"}, most);
    v(Note{"follow", "a drive: the coordinate is this formula of t"}, follow);
  }
};

struct SceneSpaceJoint {
  Word type, a, b;
  std::vector<Value> at, at_b, axis, axis_b, across;
  Value length, pitch, e;
  bool contact = false;
  std::optional<SceneJointAction> angle, angle_2, shift, shift_2, swing;
  template <class V>
  void fields(V&& v) {
    v(Note{"type",
           "ball, hinge, slider, universal, cylindrical, screw, planar, fixed, distance (a rod) or rope",
           true},
      type);
    v(Note{"a", "a body", true}, a);
    v(Note{"b", "another body; the ground when left out"}, b);
    v(Note{"at", "its point, in space at the start; the centre of a when left out", false, "m"}, at);
    v(Note{"at_b",
           "the point on b, where it is another one: of a distance or rope, or to be assembled; in space "
           "at the start",
           false, "m"},
      at_b);
    v(Note{"axis",
           "of a hinge, slider, cylindrical, screw or universal joint; normal of a planar one; middle of the "
           "cone "
           "of a ball with a swing; at the start"},
      axis);
    v(Note{"axis_b",
           "the other axis of a universal joint, at right angles to the first; of others the axis on b, "
           "where it "
           "is to be assembled"},
      axis_b);
    v(Note{"across",
           "of a planar joint: the direction of its shift, at right angles to the axis; that of shift_2 "
           "follows by a quarter turn about the axis"},
      across);
    v(Note{"length", "of a distance, or the largest one of a rope; that of the start when left out", false,
           "m"},
      length);
    v(Note{"e", "restitution of a rope that becomes taut; 0 when left out"}, e);
    v(Note{"pitch", "of a screw: its way in one turn", false, "m"}, pitch);
    v(Note{"angle",
           "what acts on the angle of a about the axis (hinge, cylindrical, screw, planar, universal)"},
      angle);
    v(Note{"angle_2", "the same about the other axis of a universal joint"}, angle_2);
    v(Note{"shift",
           "what acts on the way of a along the axis (slider, cylindrical, screw), or in a planar joint"},
      shift);
    v(Note{"shift_2", "the same along the other direction of a planar joint"}, shift_2);
    v(Note{"swing", "limits of the angle between the axis on a and on b, of a ball"}, swing);
    v(Note{"contact", "its bodies touch each other (false)"}, contact);
  }
};

struct SceneSpaceGear {
  Word driver, driven;
  Value ratio;
  template <class V>
  void fields(V&& v) {
    v(Note{"driver", "a coordinate of a joint: crank.angle, rack.shift", true}, driver);
    v(Note{"driven", "another one", true}, driven);
    v(Note{"ratio", "what the driven one moves for one of the driver", true}, ratio);
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
  Named<SceneSpaceGroup> groups;
  Named<SceneSpaceWall> walls;
  Named<SceneSpaceBox> boxes;
  Named<SceneSpaceJoint> joints;
  Named<SceneSpaceSpring> springs;
  Named<SceneSpaceGear> gears;
  bool assemble = false;
  std::vector<Value> gravity;
  Value contact_margin;
  template <class V>
  void fields(V&& v) {
    v(Note{"bodies",
           "rigid bodies: coordinates NAME.x, .y, .z, .qw, .qx, .qy, .qz; velocities NAME.vx, .vy, .vz in "
           "inertial axes, NAME.wx, .wy, .wz in the frame of the body"},
      bodies);
    v(Note{"groups", "equal bodies NAME.1, NAME.2, … on a grid or at random places"}, groups);
    v(Note{"walls", "half-spaces that the bodies touch, fixed or moving"}, walls);
    v(Note{"boxes", "containers: six walls NAME.left … NAME.top around a box"}, boxes);
    v(Note{"joints", "between bodies, or a body and the ground"}, joints);
    v(Note{"springs", "springs and dampers between points of bodies"}, springs);
    v(Note{"gears", "between coordinates of joints: wheels, racks, belts, joints that mimic others"}, gears);
    v(Note{"assemble",
           "bodies are moved, as little as their masses allow, to where joints hold, and so are velocities "
           "(false)"},
      assemble);
    v(Note{"gravity", "acceleration; [0, 0, -9.81 m/s^2] when left out", false, "m/s^2"}, gravity);
    v(Note{"contact_margin",
           "pairs farther apart, which no step closes, are not listed, where there are many", false, "m"},
      contact_margin);
  }
};

}  // namespace saltus
