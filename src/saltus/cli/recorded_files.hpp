// What a scene writes, checked against the disk.
#pragma once
#include "saltus/scene/load.hpp"

namespace saltus::cli {

/// Where links lead, files of `record` stay in the folder of the run, and none is the scene itself. Throws
/// SceneError. The scene judges names by their text only.
void check_recorded_files(const LoadedScene& scene);

}  // namespace saltus::cli
