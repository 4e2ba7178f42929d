// Bodies in space of a scene: from its fields to a SpatialSystem.
#pragma once
#include "saltus/scene/compiler.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus {

struct SpaceOfScene {
  std::shared_ptr<const SpatialSystem> system;  ///< null after a complaint
  Vec q0, u0;
  std::vector<std::string> velocities;  ///< names; those of the coordinates are the compiler's
};
SpaceOfScene compile_space(SceneCompiler& compiler);

}  // namespace saltus
