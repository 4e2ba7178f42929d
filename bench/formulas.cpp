// Problems of the catalog in C++ beside the same ones as scenes of formulas, in turns in one process: the
// fastest of several runs each, fixed steps of Moreau–Jean (equations of first order: of
// their own scheme). Reports to run.py, which has the verdict.
//   saltus_formulas [rounds=7]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "saltus/scene/load.hpp"
#include "scene/catalog_scenes.hpp"

using namespace saltus;

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  std::string cases;
  for (const auto& c : testing::catalog_scenes) {
    const CatalogProblem known = make_problem(c.problem);
    const std::vector<std::string> end = {fmt::format("run.t_end={}", known.problem.t_end)};
    const CatalogProblem scene =
        load_scene_text(std::string("saltus: 1") + c.scene, c.problem, end)->entry.make({}, {});
    Method method;
    if (scene.problem.system->family() != Family::mechanical) method.scheme = scene.method.scheme;
    method.stepping = FixedSteps{known.problem.t_end / 20000};
    double best[2] = {infinity, infinity};
    for (int round = 0; round < rounds; ++round)
      for (int k = 0; k < 2; ++k) {
        const RunResult r = run((k == 0 ? known : scene).problem, method);
        if (r.status != RunStatus::finished) return fmt::print(stderr, "{}: {}\n", c.problem, r.message), 1;
        best[k] = std::min(best[k], 1e9 * r.stats.cpu_seconds / static_cast<double>(r.stats.steps));
      }
    cases += fmt::format("{}{{\"problem\": \"{}\", \"cpp_ns\": {:.1f}, \"scene_ns\": {:.1f}}}",
                         cases.empty() ? "" : ", ", c.problem, best[0], best[1]);
  }
  fmt::print("@@{{\"cases\": [{}]}}\n", cases);
}
