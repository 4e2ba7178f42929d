// Rigid bodies of a scene: from its fields to the bodies of a RigidSystem, and to formulas where they are
// linked, sprung or driven.
#pragma once
#include "saltus/scene/compiler.hpp"

namespace saltus {

/// All bodies: those of `bodies`, of `groups`, then the walls. NAME.x, NAME.y and, unless it is a point,
/// NAME.angle become coordinates of the compiler.
void add_body_coordinates(SceneCompiler& compiler);

/// Links, springs and motors. Returns the pairs of bodies that are linked: they do not touch.
std::vector<std::pair<int, int>> add_body_formulas(SceneCompiler& compiler, FormulaData& data);

/// Null in a scene without bodies.
std::shared_ptr<const RigidSystem> rigid_system(SceneCompiler& compiler,
                                                std::vector<std::pair<int, int>> linked);

/// A vector in this unit.
Vec2 vector_of(SceneCompiler& compiler, const Pair& pair, std::string_view unit,
               const Vec2& missing = {0, 0});
/// A direction, of length 1; x and y are both numbers or both lengths. Nothing after a complaint: `need` says
/// where and what when it is not given.
std::optional<Vec2> direction_of(SceneCompiler& compiler, const Pair& pair, const Word& need,
                                 std::string_view text);

}  // namespace saltus
