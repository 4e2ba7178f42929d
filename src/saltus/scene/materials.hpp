// The materials of a scene.
#pragma once
#include "saltus/planar/material.hpp"
#include "saltus/scene/compiler.hpp"

namespace saltus {

struct Materials {
  std::vector<std::string> names = {"default"};
  MaterialTable table;
};
Materials materials_of(SceneCompiler& compiler);

}  // namespace saltus
