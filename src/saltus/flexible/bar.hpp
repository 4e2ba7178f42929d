// A straight elastic bar of n linear elements in longitudinal motion, free at both ends; node 0 faces a rigid
// wall. Coordinates are the displacements of the n + 1 nodes, positive away from the wall.
#pragma once
#include "saltus/system/linear_system.hpp"

namespace saltus {

enum class MassKind : std::uint8_t { lumped, consistent };
inline constexpr std::string_view mass_names[] = {"lumped", "consistent"};

struct BarData {
  int elements = 200;
  double length = 10, area = 1, young = 900, density = 1;
  double distance = 5;     ///< of node 0 to the wall at the start
  double restitution = 0;  ///< of node 0; a number of the mesh, not of the material
  MassKind mass = MassKind::lumped;
};

/// Mass and stiffness on their own patterns (diagonal or tridiagonal). Throws Error naming the bad quantity.
LinearSystem::Data bar_system(const BarData& data);

/// The exact motion of the continuous bar that flies at −v0 against the wall (d'Alembert): it closes at
/// d/v0, stays closed for 2L/c, c = √(E/ρ), and leaves at +v0. Displacement and velocity at X from node 0,
/// from the right where the velocity jumps (from the left with left = true).
struct BarMotion {
  double displacement = 0, velocity = 0;
};
BarMotion exact_bar_motion(const BarData& data, double v0, double X, double t, bool left = false);

}  // namespace saltus
