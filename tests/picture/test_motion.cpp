#include <gtest/gtest.h>

#include <cmath>

#include "saltus/catalog/catalog.hpp"
#include "saltus/picture/curves.hpp"
#include "saltus/picture/motion.hpp"
#include "saltus/run/run.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_motion {

struct Played {
  CatalogProblem p;
  Trajectory trajectory;
  std::shared_ptr<const Drawing> drawing;
};
Played play(const std::string& text) {
  const auto scene = load_scene_text(text, "test.yaml");
  Played out{scene->entry.make({}, {}), {}, scene->drawing({})};
  const Method m = out.p.method_named ? out.p.method : unnamed_method(out.p.method, out.p.problem);
  EXPECT_EQ(run(out.p.problem, m, out.trajectory.sink()).status, RunStatus::finished);
  return out;
}

const std::string ball =
    "saltus: 1\n"
    "materials: {default: {e_n: 0.5, mu: 0.3}}\n"
    "bodies: {ball: {shape: disk, radius: 0.1, mass: 1, position: [0, 1], velocity: [0.5, 0]}}\n"
    "walls: {floor: {normal: [0, 1]}}\n"
    "run: {t_end: 1, rtol: 1e-8}\n";

TEST(MovingPicture, BodiesAreWhereTheTrajectoryHasThem) {
  const Played run = play(ball);
  const MovingPicture m = motion_of(run.p.problem, run.trajectory, nullptr);
  ASSERT_EQ(m.shapes.size(), 2u);
  const auto& body = m.shapes[0];
  EXPECT_EQ(body.name, "ball");
  EXPECT_EQ(body.kind, MovingPicture::Kind::round);
  EXPECT_EQ(m.shapes[1].kind, MovingPicture::Kind::wall);
  for (int i = 0; i < m.frames(); i += 37) {
    const Vec q = run.trajectory.q(m.t[i]);
    const float* v = m.frame(i) + body.first;
    EXPECT_NEAR(v[0], q[0], 1e-6);
    EXPECT_NEAR(v[1], q[1], 1e-6);
    EXPECT_NEAR(2 * std::atan2(v[5], v[6]), std::remainder(q[2], 2 * M_PI), 1e-5);
    EXPECT_NEAR(std::hypot(v[3], v[4], std::hypot(v[5], v[6])), 1, 1e-6);
  }
}

// Free fall from 0.9 m: the ball hits with −√(2·9.81·0.9) and leaves with half of it.
TEST(MovingPicture, AnImpactHasTheLimitsOfBothSides) {
  const Played run = play(ball);
  const MovingPicture m = motion_of(run.p.problem, run.trajectory, nullptr);
  int pairs = 0;
  for (int i = 0; i + 1 < m.frames(); ++i) {
    if (m.t[i] != m.t[i + 1]) continue;
    if (pairs++ > 0) continue;
    const double speed = std::sqrt(2 * 9.81 * 0.9);
    EXPECT_NEAR(m.frame(i)[m.shapes[0].first + 8], -speed, 1e-5);
    EXPECT_NEAR(m.frame(i + 1)[m.shapes[0].first + 8], speed / 2, 1e-5);
    ASSERT_EQ(m.act_start[i + 2] - m.act_start[i + 1], 1) << "the impulse belongs to the right limit";
    const float* act = m.acts.data() + 8 * static_cast<std::size_t>(m.act_start[i + 1]);
    EXPECT_NEAR(act[1], 0, 1e-6);
    EXPECT_NEAR(act[4], 1.5 * speed, 1e-4);  // m (u⁺ − u⁻)
  }
  EXPECT_GT(pairs, 1);
}

TEST(MovingPicture, DrawingsFollowTheirFormulas) {
  const Played run = play(
      "saltus: 1\nparameters: {l: 2}\ncoordinates: {a: {start: 0.5}}\n"
      "mass: {a: 1}\nforces: {a: -a}\n"
      "draw:\n"
      "  bob: {point: [l*sin(a), -l*cos(a)], radius: 0.1, colour: 3, trail: true}\n"
      "  rod: {line: [[0, 0], [l*sin(a), -l*cos(a)]]}\n"
      "  note: {text: \"a =\", at: [0, 1], value: a}\n"
      "run: {t_end: 3, rtol: 1e-9}\n");
  ASSERT_TRUE(run.drawing);
  const MovingPicture m = motion_of(run.p.problem, run.trajectory, run.drawing.get());
  ASSERT_EQ(m.shapes.size(), 3u);
  EXPECT_EQ(m.width, 3 + 6 + 4);
  for (int i = 0; i < m.frames(); i += 50) {
    const double a = 0.5 * std::cos(m.t[i]);  // the exact motion
    const float* v = m.frame(i);
    EXPECT_NEAR(v[0], 2 * std::sin(a), 1e-6);
    EXPECT_NEAR(v[1], -2 * std::cos(a), 1e-6);
    EXPECT_EQ(v[3], 0);
    EXPECT_NEAR(v[6], v[0], 0);
    EXPECT_NEAR(v[12], a, 1e-6);
  }
}

TEST(MovingPicture, PointsThatFormulasNameAreDrawnAndJoinedWhereTheirDistanceIsConstant) {
  const Played run = play(
      "saltus: 1\nparameters: {l: 2}\ncoordinates: {a: {start: 0.5}, s: {start: 1}}\n"
      "let: {x1: l*sin(a), y1: -l*cos(a), x2: x1 + s, y2: y1}\n"
      "mass: {a: 1, s: 1}\nforces: {a: -a}\nrun: {t_end: 1, rtol: 1e-6}\n");
  ASSERT_TRUE(run.drawing);
  int points = 0, lines = 0;
  for (const auto& item : run.drawing->items) (item.kind == Drawing::Kind::point ? points : lines) += 1;
  EXPECT_EQ(points, 2);
  EXPECT_EQ(lines, 1);  // from the origin to the first; the second slides
}

TEST(MovingPicture, EveryProblemOfTheCatalogHasAPicture) {
  for (const CatalogEntry& e : catalog()) {
    const CatalogProblem p = e.make({}, {});
    Trajectory trajectory;
    trajectory.add(p.problem.t0, p.problem.q0, p.problem.u0);
    trajectory.add(p.problem.t0 + 1, p.problem.q0, p.problem.u0);
    const MovingPicture m = motion_of(p.problem, trajectory, nullptr, {3, 0});
    EXPECT_EQ(m.frames(), 3) << e.name;
    EXPECT_FALSE(m.shapes.empty()) << e.name;
    EXPECT_EQ(m.values.size(), static_cast<std::size_t>(3 * m.width)) << e.name;
    EXPECT_LT(m.box[0], m.box[2]) << e.name;
  }
}

TEST(MovingPicture, ManyNumbersMeanFewerFrames) {
  const Played run = play(ball);
  PictureOptions options;
  options.numbers = 2000;
  const MovingPicture m = motion_of(run.p.problem, run.trajectory, nullptr, options);
  EXPECT_LE(m.values.size(), 4500u);
  EXPECT_GT(m.frames(), 10);
}

TEST(Curves, HaveBothLimitsAndTheEnergy) {
  const Played run = play(ball);
  const Curves c = curves_of(run.p.problem, run.trajectory);
  EXPECT_GE(c.samples.size(), 1500);
  EXPECT_EQ(c.energy.size(), static_cast<std::size_t>(c.samples.size()));
  EXPECT_NEAR(c.energy.front(), 9.81 + 0.125, 1e-9);
  int jumps = 0;
  for (int i = 1; i < c.samples.size(); ++i)
    jumps += c.samples.t(i) == c.samples.t(i - 1) && c.samples.u(i)[1] > 0 && c.samples.u(i - 1)[1] < 0;
  EXPECT_GT(jumps, 1);
}

TEST(Draw, ComplaintsHavePlaces) {
  const auto list = scene_complaints(
      "saltus: 1\ncoordinates: {a: {start: 0.5}}\nmass: {a: 1}\n"
      "draw:\n"
      "  p: {point: [b, 1]}\n"
      "  q: {point: [a]}\n"
      "  r: {line: [[0, 0]]}\n"
      "  s: {text: \"x\"}\n"
      "  u: {colour: 1}\n"
      "run: {t_end: 1}\n",
      "draw.yaml");
  std::vector<int> lines;
  for (const Complaint& c : list) lines.push_back(c.place.line);
  EXPECT_EQ(lines, (std::vector<int>{5, 6, 7, 8, 9}));
}

}  // namespace saltus::test_motion
