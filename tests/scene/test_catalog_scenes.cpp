// Problems of the catalog written as scenes move as those in C++ do.
#include <gtest/gtest.h>

#include "saltus/run/trajectory.hpp"
#include "saltus/scene/load.hpp"
#include "scene/catalog_scenes.hpp"

namespace saltus {
namespace {

TEST(CatalogScenes, MoveAsTheProblemsInCpp) {
  for (const auto& c : testing::catalog_scenes) {
    const CatalogProblem known = make_problem(c.problem);
    std::vector<std::string> end = {fmt::format("run.t_end={}", known.problem.t_end)};
    const CatalogProblem scene =
        load_scene_text(std::string("saltus: 1") + c.scene, c.problem, end)->entry.make({}, {});
    Trajectory a, b;
    const RunResult x = run(known.problem, known.method, a.sink()),
                    y = run(scene.problem, known.method, b.sink());
    EXPECT_EQ(y.status, RunStatus::finished) << c.problem << ": " << y.message;
    ASSERT_EQ(a.size(), b.size()) << c.problem;
    double worst = 0;
    for (int i = 0; i < a.size(); ++i)
      worst = std::max({worst, (a.q(i) - b.q(i)).cwiseAbs().maxCoeff(), std::abs(a.t(i) - b.t(i))});
    EXPECT_LT(worst, 1e-12) << c.problem;
    EXPECT_LT((x.final.u - y.final.u).norm(), 1e-10) << c.problem;
  }
}

TEST(CatalogScenes, EveryProblemCanBeNamedByAScene) {
  for (const auto& entry : catalog()) {
    const auto scene = load_scene_text("saltus: 1\nready: {problem: " + entry.name + "}\n", entry.name);
    const CatalogProblem a = scene->entry.make({}, {}), b = entry.make({}, {});
    EXPECT_EQ(a.problem.q0, b.problem.q0) << entry.name;
    EXPECT_EQ(a.problem.t_end, b.problem.t_end) << entry.name;
    EXPECT_EQ(to_text(a.method.scheme), to_text(b.method.scheme)) << entry.name;
  }
}

}  // namespace
}  // namespace saltus
