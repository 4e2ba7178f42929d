// Scenes on the disk.
#pragma once
#include "saltus/scene/load.hpp"

namespace saltus {

/// load_scene_text of a file. Throws Error when it cannot be read.
std::shared_ptr<const LoadedScene> load_scene(const std::string& file, std::span<const std::string> sets = {},
                                              const MethodTexts& chosen = {});

}  // namespace saltus
