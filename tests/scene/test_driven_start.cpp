// What is driven starts as its motion does; contradictions are named.
#include <gtest/gtest.h>

#include "saltus/core/error.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_driven_start {
namespace {

Problem problem_of(const std::string& text) {
  return load_scene_text(text, "start.yaml", {})->entry.make({}, {}).problem;
}
std::string refusal_of(const std::string& text) {
  try {
    problem_of(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// A crank with a motor on its axle, and a rod at its end; `crank` and `links` are added to theirs.
std::string crank(const std::string& more = "", const std::string& links = "") {
  return "saltus: 1\nbodies:\n"
         "  crank: {shape: box, size: [0.2 m, 0.02 m], mass: 1 kg, position: [0.1 m, 0 m]" +
         more +
         "}\n  rod: {shape: box, size: [0.4 m, 0.02 m], mass: 1 kg, position: [0.4 m, 0 m]}\nlinks:\n"
         "  axle: {type: revolute, a: crank, at: [0 m, 0 m]}\n"
         "  pin: {type: revolute, a: crank, b: rod, at: [0.2 m, 0 m]}\n" +
         links + "motors: {drive: {link: axle, speed: 2 rad/s}}\nrun: {t_end: 1 s, h: 1 ms}\n";
}

TEST(Start, APrescribedCoordinateStartsWhereAndAsFastAsItsMotion) {
  const Problem p = problem_of(
      "saltus: 1\ncoordinates: {x: {}, y: {start: 1}}\nmass: {x: 1, y: 2}\n"
      "motions: {x: 2 + 3*t}\nrun: {t_end: 1, h: 0.01}\n");
  EXPECT_DOUBLE_EQ(p.q0[0], 2);
  EXPECT_NEAR(p.u0[0], 3, 1e-12);
  EXPECT_EQ(p.u0[1], 0);
  double largest = 0;
  run(p, {}, [&](const Segment& s) { largest = std::max(largest, std::abs(s.end.q[0] - 2 - 3 * s.end.t)); });
  EXPECT_LE(largest, 1e-12);
}

TEST(Start, WhatIsLinkedToADrivenBodyStartsWithIt) {
  const Problem p = problem_of(crank());
  EXPECT_NEAR(p.u0[1], 0.2, 1e-9);  // the middle of the crank, upwards
  EXPECT_NEAR(p.u0[2], 2, 1e-9);
  EXPECT_NEAR(p.u0[4] - 0.2 * p.u0[5], 0.4, 1e-9);  // the end of the rod goes with the end of the crank
  // the rod takes what an impulse at its end gives it: v = P/m, ω = −P l/I with l = 0.2, I = (0.4² +
  // 0.02²)/12
  EXPECT_NEAR(p.u0[5], -p.u0[4] * 0.2 / ((0.16 + 0.0004) / 12), 1e-7);
}

TEST(Start, VelocitiesThatContradictTheMotionAreRefusedWithBothValues) {
  const std::string x = refusal_of(
      "saltus: 1\ncoordinates: {x: {velocity: 1}}\nmass: {x: 1}\nmotions: {x: 3*t}\nrun: {t_end: 1, h: "
      "0.01}\n");
  EXPECT_NE(x.find("motion of x starts at the rate 3"), std::string::npos) << x;
  EXPECT_NE(x.find("make 1"), std::string::npos) << x;
  const std::string spin = refusal_of(crank(", spin: 0 rad/s"));
  EXPECT_NE(spin.find("drive starts at the rate 2"), std::string::npos) << spin;
  EXPECT_EQ(refusal_of(crank(", spin: 2 rad/s")), "");
}

TEST(Start, LinksThatHoldWhatAMotorDrivesAreNamed) {
  const std::string second = "  second: {type: revolute, a: crank, at: [0.2 m, 0 m]}\n";
  const std::string text = refusal_of(crank("", second));
  EXPECT_NE(text.find("'axle', 'second', 'drive' cannot all hold"), std::string::npos) << text;
  EXPECT_EQ(text.find("'pin'"), std::string::npos) << text;
}

TEST(Start, RedundantLinksThatAgreeRun) {
  std::string text = crank("", "  second: {type: revolute, a: crank, at: [0.2 m, 0 m]}\n");
  text.erase(text.find("motors:"), text.find("run:") - text.find("motors:"));
  const CatalogProblem p = load_scene_text(text, "start.yaml", {})->entry.make({}, {});
  const RunResult r = run(p.problem, p.method);
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
}

}  // namespace
}  // namespace saltus::test_driven_start
