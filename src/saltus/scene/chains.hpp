// The chain of a scene: from its fields to a system of the fast engine.
#pragma once
#include "saltus/chain/chain.hpp"
#include "saltus/scene/compiler.hpp"

namespace saltus {

struct ChainOfScene {
  std::shared_ptr<const Chain> chain;  ///< null after a complaint
  Vec q0, u0;
  double h = 0;  ///< a step that resolves its collisions and vibrations, as of the problems of the catalog
};
ChainOfScene compile_chain(SceneCompiler& compiler);

}  // namespace saltus
