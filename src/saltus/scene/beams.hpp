// Beams of a scene: NAME.K.x, NAME.K.y and NAME.K.angle of node K become coordinates, except those that a
// support holds. Contacts, joints and forces at their nodes are formulas like any others.
#pragma once
#include "saltus/scene/compiler.hpp"

namespace saltus {

void add_beam_coordinates(SceneCompiler& compiler);

}  // namespace saltus
