// Whether the joints of bodies in space hold where a run begins, and bodies moved so that they do: by
// Newton's method, in the displacements of least ∑ m|δx|² + δθᵀJδθ, and the velocities closest in the same
// sense. Rows that depend on others are the normal case: least squares. Drives, motors of any force and gears
// are rows too.
#pragma once
#include "saltus/spatial/spatial_system.hpp"

namespace saltus {

struct Assembly {
  struct Loose {
    std::string name;   ///< of a joint or gear
    bool gear = false;  ///< else a joint
    std::string text;   ///< by how much points are apart, axes are turned, bodies move apart
  };
  std::vector<Loose> loose;
};

Assembly look_at_joints(const SpatialSystem& system, const Vec& q, const Vec& u);
/// Moves q and u; what is still loose could not be assembled.
Assembly assemble(const SpatialSystem& system, Vec& q, Vec& u);

}  // namespace saltus
