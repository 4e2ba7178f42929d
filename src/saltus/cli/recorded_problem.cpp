#include "saltus/cli/recorded_problem.hpp"

#include "saltus/scene/load.hpp"

namespace saltus::cli {

Settings settings_of(const ResultInfo& info) {
  Settings given;
  for (const auto& line : lines_of(info.given))
    given.emplace_back(line.substr(0, line.find('=')),
                       line.substr(std::min(line.size(), line.find('=') + 1)));
  return given;
}

CatalogProblem recorded_problem(const ResultInfo& info) {
  const Settings given = settings_of(info);
  if (info.scene.empty()) return make_problem(info.problem, given, info.t_end);
  const auto changes = lines_of(info.changes);
  return load_scene_text(info.scene, info.problem, changes)->entry.make(given, info.t_end);
}

}  // namespace saltus::cli
