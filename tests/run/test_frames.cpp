// Bodies, contact points and forces of a run, frame by frame.
#include "saltus/run/frames.hpp"

#include <gtest/gtest.h>

#include "saltus/run/run.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_frames {
namespace {

struct Played {
  CatalogProblem p;
  Trajectory trajectory;

  explicit Played(CatalogProblem problem) : p(std::move(problem)) {
    EXPECT_EQ(run(p.problem, p.method, trajectory.sink()).status, RunStatus::finished);
  }
  const System* system() const { return as_mechanical(p.problem.system.get()); }
};

Played scene(const std::string& bodies) {
  return Played(load_scene_text(
                    "saltus: 1\nmaterials: {default: {mu: 0.5}}\nwalls: {floor: {normal: [0, 1]}}\nbodies: " +
                        bodies + "\nrun: {t_end: 0.2, h: 1e-3}\n",
                    "s.yaml")
                    ->entry.make({}, {}));
}

TEST(RunFrames, ADiskAtRestPressesWithItsWeightWhereItTouches) {
  const Played played = scene("{ball: {shape: disk, radius: 0.1, mass: 2, position: [0.3, 0.1]}}");
  RunFrames frames(played.system(), played.trajectory);
  double since = 0;
  EXPECT_TRUE(frames.at(0, since).contacts.empty());
  for (int i = 50; i < played.trajectory.size(); i += 50) {
    const RunFrame& f = frames.at(i, since);
    ASSERT_TRUE(f.has_sketch);
    ASSERT_EQ(f.sketch.rounds.size(), 1u);
    ASSERT_EQ(f.contacts.size(), 1u);
    EXPECT_EQ(f.contacts[0].body, 0);
    EXPECT_NEAR(f.contacts[0].x, 0.3, 1e-12);
    EXPECT_NEAR(f.contacts[0].y, 0, 1e-12);
    EXPECT_NEAR(f.contacts[0].Py / f.dt, 2 * 9.81, 1e-9);
    EXPECT_NEAR(f.contacts[0].Px, 0, 1e-12);
    since = f.t;
  }
  EXPECT_EQ(frames.lost(), 0);
}

// The lever of each contact says where it is: below the corners, which share the weight.
TEST(RunFrames, ContactsOfABoxAreAtItsCorners) {
  const Played played = scene("{box: {shape: box, size: [1, 0.5], mass: 1, position: [2, 0.25]}}");
  RunFrames frames(played.system(), played.trajectory);
  const RunFrame& f = frames.at(played.trajectory.size() - 1, 0);
  ASSERT_EQ(f.contacts.size(), 2u);
  double weight = 0;
  for (const ContactAct& a : f.contacts) {
    EXPECT_NEAR(std::abs(a.x - 2), 0.5, 1e-9);
    EXPECT_NEAR(a.y, 0, 1e-9);
    weight += a.Py / f.dt;
  }
  EXPECT_NEAR(f.contacts[0].x + f.contacts[1].x, 4, 1e-9);
  EXPECT_NEAR(weight, 9.81, 1e-9);
}

// Systems without a picture have the impulses on their velocities, all of them in one frame or another.
TEST(RunFrames, WithoutAPictureImpulsesAddUpOnTheVelocities) {
  const Played played(make_problem("bouncing-ball", {}));
  RunFrames frames(played.system(), played.trajectory);
  double since = played.trajectory.t(0), sum = 0;
  for (int i = 0; i < played.trajectory.size(); i += 7) {
    const RunFrame& f = frames.at(i, since);
    ASSERT_FALSE(f.has_sketch);
    sum += f.impulse[0];
    since = f.t;
  }
  sum += frames.at(played.trajectory.size() - 1, since).impulse[0];
  double all = 0;
  for (const auto& atom : played.trajectory.atoms()) all += played.trajectory.impulse(atom, 0);
  EXPECT_GT(all, 0);
  EXPECT_NEAR(sum, all, 1e-12 * all);
  EXPECT_EQ(frames.lost(), 0);
}

}  // namespace
}  // namespace saltus::test_frames
