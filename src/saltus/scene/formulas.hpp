// The system of a scene: its formulas and its bodies as one.
#pragma once
#include "saltus/scene/compiler.hpp"
#include "saltus/system/viscoelastic.hpp"

namespace saltus {

struct SceneSystem {
  std::shared_ptr<const DynamicSystem> system;  ///< null after a complaint
  Vec q0, u0;
  const ViscoelasticSystem* soft = nullptr;  ///< the system as such, where it is (system/viscoelastic.hpp)
  std::optional<double> friction_power;      ///< of power-friction: the system is to be run as an ODAE
};
SceneSystem compile_system(SceneCompiler& compiler);
/// Where the scene has rates instead of mechanics; `start` holds the coordinates' start.
SceneSystem compile_ode(SceneCompiler& compiler, SceneSystem start);
/// Where the scene has velocities and constraints; `start` holds the coordinates' start.
SceneSystem compile_odae(SceneCompiler& compiler, SceneSystem start);

}  // namespace saltus
