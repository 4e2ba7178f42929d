// Rigid bodies of the plane as coordinates and formulas of the same graph as everything else.
//
// Contact of two bodies: disks and points by the distance of their centres; a corner of a polygon and another
// polygon by the distance to that polygon's best separating side; a disk and a polygon by the nearest point.
#pragma once
#include "saltus/scene/compiler.hpp"

namespace saltus {

/// NAME.x, NAME.y and, unless it is a point, NAME.angle, with their start.
void add_body_coordinates(SceneCompiler& compiler);
/// Masses, gravity, contacts, links and springs.
void add_bodies(SceneCompiler& compiler, FormulaData& data);

}  // namespace saltus
