// Chains of spheres: masses and Hertz stiffness from radii and material.
#pragma once
#include <vector>

#include "saltus/chain/chain.hpp"
#include "saltus/core/fields.hpp"

namespace saltus {

struct SphereMaterial {
  static constexpr std::string_view name = "material", summary = "of a sphere";
  double E = 193e9, nu = 0.3, density = 8000;  ///< steel
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"E", "Pa", "Young's modulus", Range::positive()}, E);
    v(FieldInfo{"nu", "", "Poisson's ratio", Range{-1, 0.5, false, true}}, nu);
    v(FieldInfo{"density", "kg/m^3", "mass density", Range::positive()}, density);
  }
};
struct Sphere {
  double radius = 0.01;
  SphereMaterial material;
};

double mass_of(const Sphere& sphere);
/// k of f = k d^{3/2} (Hertz): (4/3) E* √R*, 1/R* = 1/R_a + 1/R_b, 1/E* = Σ (1 − ν²)/E.
double hertz_stiffness(const Sphere& a, const Sphere& b);
/// Against a flat wall.
double hertz_stiffness(const Sphere& a, const SphereMaterial& wall);

/// A row of touching spheres, one damping, free ends (set k[0] and k[N] for walls).
ChainData chain_of(const std::vector<Sphere>& spheres, double gamma, double beta = 1.5);

}  // namespace saltus
