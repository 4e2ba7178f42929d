// The fields of bodies and of what belongs to them.
#pragma once
#include "saltus/law/compliance.hpp"
#include "saltus/scene/entry.hpp"
#include "saltus/scene/layout_fields.hpp"

namespace saltus {

struct SceneMaterial {
  Value mu, e_n, e_t, rolling, spinning, young, poisson, density;
  Choice<CompliantLaw> law;
  template <class V>
  void fields(V&& v) {
    v(Note{"mu", "coefficient of friction; of a pair √(μ₁ μ₂)"}, mu);
    v(Note{"e_n", "normal restitution; of a pair the larger"}, e_n);
    v(Note{"e_t", "tangential restitution; of a pair the larger"}, e_t);
    v(Note{"rolling", "rolling moment by normal force; of a pair the larger", false, "m"}, rolling);
    v(Note{"spinning", "the same moment about the normal, of bodies in space", false, "m"}, spinning);
    v(Note{"law",
           "instead of the others: a compliant, smooth material; also against rigid ones, and in series with "
           "others of the same law"},
      law);
    v(Note{"young", "Young's modulus, for beads of a chain", false, "Pa"}, young);
    v(Note{"poisson", "Poisson's ratio, for beads of a chain"}, poisson);
    v(Note{"density", "mass per volume, for beads of a chain", false, "kg/m^3"}, density);
  }
  bool of_beads() const { return young.given() || poisson.given() || density.given(); }
};

struct SceneBody {
  Word shape, material;
  Value radius, mass, inertia, density, angle, spin;
  Pair position, velocity, size;
  std::vector<Pair> points;
  bool fixed = false, contact = true;
  template <class V>
  void fields(V&& v) {
    v(Note{"shape", "point, disk, box or polygon", true}, shape);
    v(Note{"radius", "of a disk", false, "m"}, radius);
    v(Note{"size", "width and height of a box"}, size);
    v(Note{"points", "corners of a convex polygon, against the clock; shifted to its centre of mass"},
      points);
    v(Note{"mass", "mass; or give the density", false, "kg"}, mass);
    v(Note{"density", "mass per area", false, "kg/m^2"}, density);
    v(Note{"inertia", "about the centre of mass; that of a homogeneous body when left out", false, "kg m^2"},
      inertia);
    v(Note{"position", "of the centre of mass at the start"}, position);
    v(Note{"angle", "at the start", false, "rad"}, angle);
    v(Note{"velocity", "at the start"}, velocity);
    v(Note{"spin", "angular velocity at the start", false, "rad/s"}, spin);
    v(Note{"material", "a name of `materials`"}, material);
    v(Note{"fixed",
           "an obstacle without mass: stands still, or moves at `velocity` and `spin` whatever pushes"},
      fixed);
    v(Note{"contact", "touches other bodies and walls (true)"}, contact);
  }
};

/// Equal bodies NAME.1, NAME.2, …: the fields of a body and where they stand.
struct SceneGroup : SceneBody {
  Choice<SceneLayout> layout;
  bool self_contact = true;
  template <class V>
  void fields(V&& v) {
    SceneBody::fields(v);
    v(Note{"layout", "where the bodies stand; `position` is added to it", true}, layout);
    v(Note{"self_contact", "the bodies of the group touch each other (true)"}, self_contact);
  }
};

struct SceneWall {
  Word shape, material;
  Pair point, normal, size, velocity, pivot;
  Value radius, angle, spin, start;
  template <class V>
  void fields(V&& v) {
    v(Note{"shape", "plane (when left out), circle, drum (the inside of a circle) or box"}, shape);
    v(Note{"point", "a point of the plane, or the centre"}, point);
    v(Note{"normal", "of a plane, away from the wall"}, normal);
    v(Note{"radius", "of a circle or a drum", false, "m"}, radius);
    v(Note{"size", "width and height of a box"}, size);
    v(Note{"angle", "of a box", false, "rad"}, angle);
    v(Note{"spin", "it turns at this rate about `pivot`", false, "rad/s"}, spin);
    v(Note{"pivot", "`point` when left out"}, pivot);
    v(Note{"velocity", "of the pivot"}, velocity);
    v(Note{"start", "when the motion begins; 0 when left out", false, "s"}, start);
    v(Note{"material", "a name of `materials`"}, material);
  }
};

struct SceneJoint {
  Word type, a, b;
  Pair at, axis;
  Value distance, ratio;
  template <class V>
  void fields(V&& v) {
    v(Note{"type", "revolute, prismatic, weld, distance or gear", true}, type);
    v(Note{"a", "a body", true}, a);
    v(Note{"b", "another body; the ground when left out"}, b);
    v(Note{"at", "where, in the plane at the start (revolute, prismatic)"}, at);
    v(Note{"axis", "direction of a prismatic joint at the start"}, axis);
    v(Note{"distance", "of the centres (distance); that of the start when left out", false, "m"}, distance);
    v(Note{"ratio", "turns of b for one of a (gear); -1 when left out"}, ratio);
  }
};

struct SceneSpring {
  Word a, b;
  Pair at_a, at_b;
  Value stiffness, damping, length;
  template <class V>
  void fields(V&& v) {
    v(Note{"a", "a body", true}, a);
    v(Note{"b", "another body; the ground when left out"}, b);
    v(Note{"at_a", "where it holds a, in the plane at the start; its centre when left out"}, at_a);
    v(Note{"at_b", "where it holds b, in the plane at the start; its centre when left out"}, at_b);
    v(Note{"stiffness", "force per length", false, "N/m"}, stiffness);
    v(Note{"damping", "force per rate of the length", false, "N s/m"}, damping);
    v(Note{"length", "without force; that of the start when left out", false, "m"}, length);
  }
};

/// Torque or force, or a speed that is held with at most `limit`.
struct SceneMotor {
  Word body, link;
  Formula torque, force, speed;
  Value limit;
  template <class V>
  void fields(V&& v) {
    v(Note{"body", "turns this body against the ground"}, body);
    v(Note{"link", "drives this link: its angle (revolute), or its way along the axis (prismatic)"}, link);
    v(Note{"torque", "a formula of coordinates, velocities, t and parameters"}, torque);
    v(Note{"force", "the same, along a prismatic link"}, force);
    v(Note{"speed", "a speed to hold, instead of a torque or force; a formula of t and parameters"}, speed);
    v(Note{"limit", "largest torque or force that holds the speed; none when left out"}, limit);
  }
};

}  // namespace saltus
