// Beams in scenes: names of their coordinates, supports, several at once, and what is wrong with them.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/run/run.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_beams {
namespace {

RunResult run_scene(const std::string& text, const LoadedScene** out = nullptr) {
  static std::shared_ptr<const LoadedScene> kept;
  kept = load_scene_text(text, "beam.yaml", {});
  if (out) *out = kept.get();
  const CatalogProblem p = kept->entry.make({}, {});
  return run(p.problem, p.method);
}

double coordinate(const LoadedScene& scene, const RunResult& r, const std::string& name) {
  for (std::size_t i = 0; i < scene.coordinates.size(); ++i)
    if (scene.coordinates[i] == name) return r.final.q[static_cast<Eigen::Index>(i)];
  ADD_FAILURE() << "no coordinate " << name;
  return 0;
}

constexpr const char* two = R"(saltus: 1
gravity: [0, -10]
beams:
  arm: {from: [0, 0], to: [1, 0], elements: 8, section: [0.02, 0.02], young: 1e9, density: 1000, first: clamped,
        damping: 0.2}
  stick: {from: [0, 5], to: [0, 6], elements: 2, section: [0.02, 0.02], young: 1e9, density: 1000, spin: 1}
forces: {arm.8.y: -0.5}
run: {t_end: 1, h: 1e-3, scheme: {name: SCHEME}}
)";

// A clamped one that comes to rest under its own weight and a force at its tip, a free one that falls: each
// as if it were alone.
TEST(Beams, AClampedOneBendsAndAFreeOneFallsInOneScene) {
  for (const char* scheme : {"generalized-alpha, tolerance: 1e-7", "moreau-jean, theta: 0.55"}) {
    std::string text = two;
    text.replace(text.find("SCHEME"), 6, scheme);
    const LoadedScene* scene = nullptr;
    const RunResult r = run_scene(text, &scene);
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    const double EI = 1e9 * std::pow(0.02, 4) / 12, weight = 1000 * 4e-4 * 10;
    const double tip = -(0.5 / 3 + weight / 8) / EI;
    EXPECT_NEAR(coordinate(*scene, r, "arm.8.y"), tip, 0.02 * std::abs(tip)) << scheme;
    // its ends move about a centre that falls: 5.5 − 5 t², and drifts as the spin about its end says
    const double middle = 0.5 * (coordinate(*scene, r, "stick.0.y") + coordinate(*scene, r, "stick.2.y"));
    EXPECT_NEAR(middle, 5.5 - 5, 2e-2) << scheme;
  }
}

TEST(Beams, HeldCoordinatesHaveNoName) {
  const LoadedScene* scene = nullptr;
  std::string text = two;
  text.replace(text.find("SCHEME"), 6, "generalized-alpha");
  run_scene(text, &scene);
  EXPECT_EQ(scene->coordinates.front(), "arm.1.x");
  EXPECT_EQ(scene->coordinates.size(), 24u + 9u);
}

TEST(Beams, WhatIsWrongIsSaidWhereItStands) {
  const auto says = [](const std::string& beam) {
    const auto list = scene_complaints("saltus: 1\nbeams:\n  arm: {" + beam + "}\nrun: {t_end: 1, h: 1e-3}\n",
                                       "beam.yaml", {});
    return list.empty() ? std::string("nothing") : list[0].path + ": " + list[0].message;
  };
  const std::string rest = "young: 1e9, density: 1000";
  EXPECT_NE(says("from: [0, 0], to: [1, 0], " + rest).find("needs its section"), std::string::npos);
  EXPECT_NE(says("from: [0, 0], to: [0, 0], section: [0.1, 0.1], " + rest).find("ends where it begins"),
            std::string::npos);
  EXPECT_NE(says("from: [0, 0], to: [1, 0], section: [0.1, 0.1], first: clamp, " + rest).find("clamped"),
            std::string::npos);
  EXPECT_NE(says("from: [0, 0], to: [1, 0], section: [0.1, -0.1], " + rest).find("above 0"),
            std::string::npos);
  EXPECT_NE(says("from: [0, 0], to: [1, 0], section: [0.1, 0.1], area: 1, " + rest).find("already"),
            std::string::npos);
  EXPECT_NE(
      says("from: [0, 0], to: [1, 0], section: [0.1, 0.1], young: -1, density: 1").find("beams.arm.young"),
      std::string::npos);
  EXPECT_NE(
      says("from: [0, 0], to: [1, 0], elements: 1, section: [0.1, 0.1], first: clamped, last: clamped, " +
           rest)
          .find("nothing can move"),
      std::string::npos);
}

}  // namespace
}  // namespace saltus::test_beams
