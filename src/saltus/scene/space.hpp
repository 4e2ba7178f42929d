// Bodies in space of a scene: from its fields to a SpatialSystem.
#pragma once
#include "saltus/scene/compiler.hpp"
#include "saltus/scene/space_names.hpp"

namespace saltus {

/// A force that is a formula of more than the time: on a body, or along a coordinate of a joint.
struct SpacePush {
  enum class On : std::uint8_t { force, torque, joint };
  On on;
  int index = 0;  ///< of a body, or a joint
  JointCoordinate what = JointCoordinate::angle;
  std::vector<Formula> formulas;
};

struct SpaceOfScene {
  std::shared_ptr<const SpatialSystem> system;  ///< null after a complaint
  Vec q0, u0;
  std::vector<std::string> velocities;  ///< names; those of the coordinates are the compiler's
  std::shared_ptr<SpaceNames> names;    ///< for formulas
  std::vector<SpacePush> pushes;        ///< not compiled yet: they may name everything
};
/// Bodies, joints and what acts on them; coordinates are added to the compiler's.
SpaceOfScene read_space(SceneCompiler& compiler);
/// Whether formulas stand beside the bodies, or act on them.
bool has_space_formulas(const SceneCompiler& compiler);
/// A force along a coordinate of a body or joint, `here` in the section `forces`.
void push_along(SceneCompiler& compiler, int coordinate, Graph::Id force, const Word& here,
                FormulaData& data);
/// The forces that are formulas of bodies.
void add_space_pushes(SceneCompiler& compiler, FormulaData& data);

}  // namespace saltus
