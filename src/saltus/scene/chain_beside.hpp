// A chain in one scene with bodies, beams or formulas: its beads become coordinates bead0, bead1, …, its
// contacts compliant contacts chain0, chain1, … of the general engine, with masses, springs and dashpots.
// Other parts meet it by contacts and forces that name these coordinates. A chain alone keeps its own engine.
#pragma once
#include <optional>

#include "saltus/scene/chains.hpp"
#include "saltus/scene/node.hpp"

namespace saltus {

/// Whether a scene with a chain has anything beside it.
bool has_parts_beside(const Scene& scene);
/// The scene without `chain`, its beads among the coordinates; nothing after a complaint.
std::optional<SceneNode> beads_as_coordinates(const SceneNode& tree, SceneCompiler& compiler);

}  // namespace saltus
