// Problems of the catalog in scenes.
#pragma once
#include "saltus/scene/compiler.hpp"

namespace saltus {

/// Whether the scene describes more than its ready system.
bool mixes_ready(const Scene& scene);

/// The problem with the parameters that the scene says; nothing after a complaint.
std::optional<SceneCompiler::Ready> make_ready(const SceneReady& ready, SceneCompiler& compiler,
                                               std::optional<double> t_end);

}  // namespace saltus
