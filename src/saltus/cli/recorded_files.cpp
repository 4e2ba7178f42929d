#include "saltus/cli/recorded_files.hpp"

#include <algorithm>
#include <filesystem>

#include "saltus/scene/outputs.hpp"

namespace saltus::cli {
namespace {

namespace fs = std::filesystem;

fs::path resolved(const std::string& name) {
  std::error_code trouble;
  const fs::path out = fs::weakly_canonical(fs::absolute(name, trouble), trouble);
  return trouble ? fs::path(name) : out;
}

// By where links lead; names themselves were checked with the scene.
bool leaves_folder(const std::string& name) {
  fs::path part;  // a link that leads nowhere yet is followed when it is written
  std::error_code trouble;
  for (const auto& next : fs::path(name))
    if (fs::is_symlink(part /= next, trouble) && !fs::exists(part, trouble)) return true;
  const fs::path here = resolved("."), there = resolved(name);
  return std::mismatch(here.begin(), here.end(), there.begin(), there.end()).first != here.end();
}

}  // namespace

void check_recorded_files(const LoadedScene& scene) {
  Complaints complaints;
  for (const Word* w : recorded_files(scene.scene)) {
    if (leaves_folder(w->text))
      complaints.add(w->place, w->path, leaves_folder_text(w->text));
    else if (resolved(w->text) == resolved(scene.file))
      complaints.add(w->place, w->path, std::string(overwrites_scene_text));
  }
  complaints.raise(scene.file);
}

}  // namespace saltus::cli
