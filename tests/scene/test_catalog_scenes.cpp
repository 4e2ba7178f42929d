// Problems of the catalog written as scenes move as those in C++ do.
#include <gtest/gtest.h>

#include <sstream>

#include "saltus/run/trajectory.hpp"
#include "saltus/scene/load.hpp"
#include "saltus/study/choose_method.hpp"
#include "scene/catalog_scenes.hpp"

namespace saltus {
namespace {

Settings settings_of(const std::string& text) {
  Settings out;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    out.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  return out;
}

void expect_same_motion(const CatalogProblem& known, const Method& method, const std::string& name,
                        const std::string& text) {
  const std::vector<std::string> end = {fmt::format("run.t_end={}", known.problem.t_end)};
  const CatalogProblem scene = load_scene_text("saltus: 1" + text, name, end)->entry.make({}, {});
  Trajectory a, b;
  const RunResult x = run(known.problem, method, a.sink()), y = run(scene.problem, method, b.sink());
  EXPECT_EQ(x.status, RunStatus::finished) << name << ": " << x.message;
  EXPECT_EQ(y.status, RunStatus::finished) << name << ": " << y.message;
  ASSERT_EQ(a.size(), b.size()) << name;
  double worst = 0;
  for (int i = 0; i < a.size(); ++i)
    worst = std::max({worst, (a.q(i) - b.q(i)).cwiseAbs().maxCoeff(), std::abs(a.t(i) - b.t(i))});
  EXPECT_LT(worst, 1e-12) << name;
  EXPECT_LT((x.final.u - y.final.u).norm(), 1e-10) << name;
  if (text.find("kinetic") != std::string::npos && !std::isnan(x.energy_final)) {
    EXPECT_NEAR(x.energy_final, y.energy_final, 1e-9) << name;
  }
}

TEST(CatalogScenes, MoveAsTheProblemsInCpp) {
  for (const auto& c : testing::catalog_scenes) {
    const CatalogProblem known = make_problem(c.problem);
    expect_same_motion(known, known.method, c.problem, c.scene);
  }
}

TEST(CatalogScenes, OfOtherFamiliesAndWithOtherSettingsMoveAsTheProblemsInCpp) {
  for (const auto& c : testing::special_scenes) {
    const CatalogProblem known = make_problem(c.problem, settings_of(c.settings));
    const Method method = choose_method(known.method, {c.scheme, {}, {}, {}});
    expect_same_motion(known, method, fmt::format("{} {}", c.problem, c.settings), c.scene);
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
