// The picture of a scene: its section `draw`, or points that its formulas name.
#pragma once
#include <memory>

#include "saltus/picture/drawing.hpp"
#include "saltus/scene/compiler.hpp"

namespace saltus {

/// Null where the scene draws nothing. Before the system is compiled, which takes the formulas with it.
std::shared_ptr<const Drawing> compile_drawing(SceneCompiler& compiler);

}  // namespace saltus
