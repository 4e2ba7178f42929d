// The beads of a chain: radii and materials, masses and the stiffness of contacts that follow from them, and
// the beads and contacts that differ from the rest.
#pragma once
#include "saltus/chain/sphere_materials.hpp"
#include "saltus/scene/chain_values.hpp"

namespace saltus {

class ChainBeads {
 public:
  using Quantity = ChainValues::Quantity;
  ChainBeads(SceneCompiler& compiler, const SceneChain& chain, int beads);

  /// A quantity with what defects say about it.
  Vec values(const SceneAlong& along, Value SceneDefect::*of_defect, const Quantity& quantity,
             double missing);
  bool has_defect(Value SceneDefect::*of_defect) const;

  /// Radii; empty where they are not given.
  const Vec& radius() const { return radius_; }
  Vec masses();
  /// Of all contacts; those of the ends are for walls, and 0 where nothing says what they are.
  Vec stiffness();

 private:
  struct Place {
    int index = 0;
    const SceneDefect* defect = nullptr;
  };
  void find_defects();
  void read_spheres();
  std::optional<SphereMaterial> material(const Word& name);
  SphereMaterial wall_material(const SceneChainEnd& end, int bead);
  Sphere sphere(int bead) const { return {radius_[bead], of_bead(bead)}; }
  const SphereMaterial& of_bead(int bead) const { return materials_[static_cast<std::size_t>(name_[bead])]; }
  bool has_spheres() const { return radius_.size() > 0 && !materials_.empty(); }
  /// Complains that this is missing, unless something is wrong with radius or material.
  bool need_spheres(std::string_view what);

  SceneCompiler& c_;
  const SceneChain& s_;
  ChainValues values_;
  int N_;
  std::vector<Place> beads_, contacts_;  // that differ
  Vec radius_;
  std::vector<SphereMaterial> materials_;
  std::vector<int> name_;  // of each bead's material
};

}  // namespace saltus
