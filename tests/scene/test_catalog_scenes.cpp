// Problems of the catalog written as scenes move as those in C++ do.
#include <gtest/gtest.h>

#include <sstream>

#include "saltus/planar/boundary.hpp"
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

// A settled bed in a turning drum is chaotic: its centre of mass is not.
TEST(CatalogScenes, ADiskMixerOfBodiesHasTheStatisticsOfTheCatalogs) {
  const CatalogProblem known = make_problem("disk-mixer", {{"n", "60"}}, 2.0);
  const double R = std::sqrt(60 * 1.0033 * 1e-4 / (0.82 * 0.4));  // mean of r² for a spread of 0.1
  const std::string text = fmt::format(R"yaml(
saltus: 1
parameters: {{R: {0}}}
materials: {{default: {{mu: 0.5, e_n: 0.1}}}}
walls: {{drum: {{shape: drum, radius: R, spin: sqrt(0.05*9.81/R), start: 0.4}}}}
groups:
  disk: {{shape: disk, radius: 0.01, mass: 0.01, layout: {{name: random-circle, count: 60, radius: {0}, spread: 0.1}}}}
run: {{t_end: 2, h: 5e-4, scheme: moreau-midpoint, solver: "automatic:tolerance=5e-5"}}
)yaml",
                                       R);
  const CatalogProblem scene = load_scene_text(text, "mixer")->entry.make({}, {});
  const auto centre = [&](const CatalogProblem& p) {
    Vec2 sum(0, 0);
    long samples = 0;
    const RunResult r = run(p.problem, p.method, [&](const Segment& s) {
      if (s.end.t < 1) return;
      for (int i = 0; i < 60; ++i) sum += Vec2(s.end.q[3 * i], s.end.q[3 * i + 1]) / (60 * R);
      ++samples;
    });
    EXPECT_EQ(r.status, RunStatus::finished) << r.message;
    return Vec2(sum / static_cast<double>(samples));
  };
  const Vec2 a = centre(known), b = centre(scene);
  EXPECT_NEAR(a[0], b[0], 0.05) << "to the side, in radii of the drum";
  EXPECT_NEAR(a[1], b[1], 0.05) << "in height";
  EXPECT_GT(std::abs(a[0]), 0.1);  // it is carried up the wall
  EXPECT_GT(a[0] * b[0], 0);
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
