// The fields of a beam.
#pragma once
#include "saltus/scene/entry.hpp"

namespace saltus {

struct SceneBeam {
  Pair from, to, section, velocity;
  AtLeast<1> elements{4};
  Value area, inertia, shear_area, young, poisson, density, damping, drag, spin;
  Word first, last, mass;
  template <class V>
  void fields(V&& v) {
    v(Note{"from", "where it begins, without deformation: node 0", true}, from);
    v(Note{"to", "where it ends, without deformation: the last node", true}, to);
    v(Note{"elements", "number of elements (4); nodes are 0, 1, …"}, elements);
    v(Note{"section", "width across the plane and height in it, of a rectangle; or give area and inertia"},
      section);
    v(Note{"area", "of the cross section", false, "m^2"}, area);
    v(Note{"inertia", "second moment of area", false, "m^4"}, inertia);
    v(Note{"shear_area", "five sixths of the area when left out", false, "m^2"}, shear_area);
    v(Note{"young", "Young's modulus", true, "Pa"}, young);
    v(Note{"poisson", "Poisson's ratio (0.3)"}, poisson);
    v(Note{"density", "mass per volume", true, "kg/m^3"}, density);
    v(Note{"first", "support of node 0: clamped, hinged or free (when left out)"}, first);
    v(Note{"last", "support of the last node: clamped, hinged or free (when left out)"}, last);
    v(Note{"damping", "stress per rate of strain over Young's modulus (0)", false, "s"}, damping);
    v(Note{"drag", "force per momentum (0)", false, "1/s"}, drag);
    v(Note{"mass", "consistent (when left out) or lumped"}, mass);
    v(Note{"velocity", "at the start, of all nodes"}, velocity);
    v(Note{"spin", "angular velocity at the start, about node 0", false, "rad/s"}, spin);
  }
};

}  // namespace saltus
