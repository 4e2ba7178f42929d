// What is wrong with the start of a scene's system, in the terms of the scene.
#pragma once
#include "saltus/run/run.hpp"
#include "saltus/scene/scene.hpp"

namespace saltus {

/// Complains about masses, forces, penetrations and joints at the start, each where it stands in the file.
void check_start(const Scene& scene, std::span<const std::string> coordinates, const Problem& problem,
                 Complaints& complaints);

}  // namespace saltus
