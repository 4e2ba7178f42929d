// The system of a scene: its formulas and its bodies as one.
#pragma once
#include "saltus/scene/compiler.hpp"

namespace saltus {

struct SceneSystem {
  std::shared_ptr<const DynamicSystem> system;  ///< null after a complaint
  Vec q0, u0;
};
SceneSystem compile_system(SceneCompiler& compiler);
/// Where the scene has velocities and constraints; `start` holds the coordinates' start.
SceneSystem compile_odae(SceneCompiler& compiler, SceneSystem start);

}  // namespace saltus
