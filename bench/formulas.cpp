// Problems of the catalog in C++ beside the same ones as scenes of formulas, in turns in one process: the
// fastest of several runs each, fixed steps of Moreau–Jean. Exit code 1 when a scene has less than a third of
// the speed.
//   saltus_formulas [rounds=7]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "saltus/scene/load.hpp"
#include "scene/catalog_scenes.hpp"

using namespace saltus;

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  bool good = true;
  fmt::print("{:<20} {:>12} {:>12} {:>8}\n", "problem", "C++ ns/step", "scene", "speed");
  for (const auto& c : testing::catalog_scenes) {
    const CatalogProblem known = make_problem(c.problem);
    const std::vector<std::string> end = {fmt::format("run.t_end={}", known.problem.t_end)};
    const CatalogProblem scene =
        load_scene_text(std::string("saltus: 1") + c.scene, c.problem, end)->entry.make({}, {});
    Method method;
    method.stepping = FixedSteps{known.problem.t_end / 20000};
    double best[2] = {infinity, infinity};
    for (int round = 0; round < rounds; ++round)
      for (int k = 0; k < 2; ++k) {
        const RunResult r = run((k == 0 ? known : scene).problem, method);
        if (r.status != RunStatus::finished) return fmt::print("{}: {}\n", c.problem, r.message), 1;
        best[k] = std::min(best[k], 1e9 * r.stats.cpu_seconds / static_cast<double>(r.stats.steps));
      }
    fmt::print("{:<20} {:>12.0f} {:>12.0f} {:>8.2f}\n", c.problem, best[0], best[1], best[0] / best[1]);
    good = good && 3 * best[0] >= best[1];
  }
  return good ? 0 : 1;
}
