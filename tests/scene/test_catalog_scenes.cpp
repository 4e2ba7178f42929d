// Problems of the catalog written as scenes move as those in C++ do.
#include <gtest/gtest.h>

#include <sstream>

#include "saltus/odae/checked_odae.hpp"
#include "saltus/odae/odae_system.hpp"
#include "saltus/planar/boundary.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/scene/load.hpp"
#include "scene/catalog_scenes.hpp"

namespace saltus::test_catalog_scenes {
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

// Beside the motion: all that a scheme may ask of an overdetermined DAE, at states that are not on the way.
TEST(CatalogScenes, OverdeterminedDaesHaveTheDerivativesOfTheModelsInCpp) {
  int checked = 0;
  for (const auto& c : testing::special_scenes) {
    const CatalogProblem known = make_problem(c.problem, settings_of(c.settings));
    if (known.problem.system->family() != Family::odae) continue;
    const CatalogProblem scene = load_scene_text(std::string("saltus: 1") + c.scene, c.problem,
                                                 std::vector<std::string>{"run.t_end=1"})
                                     ->entry.make({}, {});
    const auto &a = static_cast<const OdaeSystem&>(*known.problem.system),
               &b = static_cast<const OdaeSystem&>(*scene.problem.system);
    const Vec y = 1.1 * known.problem.q0.array() + 0.2, z = 0.9 * known.problem.u0.array() + 0.3;
    const Vec psi = Vec::Constant(a.m(), 0.7);
    const auto collect = [&](const OdaeSystem& s) {
      std::vector<Mat> out;
      const auto vector = [&](int n, auto&& f) {
        Vec x(n);
        f(x);
        out.emplace_back(x);
      };
      const auto matrix = [&](int rows, int columns) -> Mat* {
        out.emplace_back(Mat::Zero(rows, columns));
        return &out.back();
      };
      out.reserve(20);
      const int ny = s.ny(), nz = s.nz(), m = s.m();
      vector(ny, [&](Vec& x) { CheckedOdae(s).velocity(0, y, z, x); });
      vector(nz, [&](Vec& x) { CheckedOdae(s).force(0, y, z, x); });
      vector(nz, [&](Vec& x) { CheckedOdae(s).reaction(0, y, z, psi, x); });
      vector(m, [&](Vec& x) { CheckedOdae(s).gap(0, y, x); });
      vector(m, [&](Vec& x) { CheckedOdae(s).rate(0, y, z, x); });
      vector(m, [&](Vec& x) { CheckedOdae(s).bias(0, y, z, x); });
      Mat *v_y = matrix(ny, ny), *v_z = matrix(ny, nz), *f_y = matrix(nz, ny), *f_z = matrix(nz, nz);
      Mat *r_y = matrix(nz, ny), *r_z = matrix(nz, nz), *r_psi = matrix(nz, m), *G = matrix(m, ny);
      Mat *rate_y = matrix(m, ny), *rate_z = matrix(m, nz), *N = matrix(nz, m);
      CheckedOdae(s).velocity_jacobians(0, y, z, v_y, v_z);
      CheckedOdae(s).force_jacobians(0, y, z, f_y, f_z);
      CheckedOdae(s).reaction_jacobians(0, y, z, psi, r_y, r_z, r_psi);
      CheckedOdae(s).gap_jacobian(0, y, *G);
      CheckedOdae(s).rate_jacobians(0, y, z, rate_y, rate_z);
      if (s.has_unilateral()) CheckedOdae(s).impact_directions(0, y, z, *N);
      return out;
    };
    const auto mine = collect(b), theirs = collect(a);
    ASSERT_EQ(mine.size(), theirs.size());
    for (std::size_t k = 0; k < mine.size(); ++k)
      EXPECT_LT((mine[k] - theirs[k]).cwiseAbs().maxCoeff(), 1e-12 * (1 + theirs[k].cwiseAbs().maxCoeff()))
          << c.problem << " " << c.settings << ", quantity " << k;
    if (std::string(c.scene).find("kinetic") != std::string::npos) {
      EXPECT_NEAR(energy_of(a, 0, y, z), energy_of(b, 0, y, z),
                  1e-12 * (1 + std::abs(energy_of(a, 0, y, z))));
    }
    ++checked;
  }
  EXPECT_EQ(checked, 6);
}

TEST(CatalogScenes, EveryProblemIsWrittenAsAScene) {
  for (const auto& entry : catalog()) {
    const auto named = [&](const auto& c) { return entry.name == c.problem; };
    EXPECT_TRUE(std::any_of(std::begin(testing::catalog_scenes), std::end(testing::catalog_scenes), named) ||
                std::any_of(std::begin(testing::special_scenes), std::end(testing::special_scenes), named) ||
                entry.name == "disk-mixer")  // by its statistics
        << entry.name;
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
}  // namespace saltus::test_catalog_scenes
