// Materials of beads by name: Young's modulus, Poisson's ratio and density, each set with its source. They
// are values of a kind of material; for a comparison with measurements use those of the beads at hand.
#pragma once
#include <span>

#include "saltus/chain/spheres.hpp"

namespace saltus {

struct NamedMaterial {
  std::string_view name, what;
  SphereMaterial material;
  std::string_view source;
};
std::span<const NamedMaterial> sphere_materials();
/// Null for a name that is not in the list.
const NamedMaterial* find_sphere_material(std::string_view name);

}  // namespace saltus
