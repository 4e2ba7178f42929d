// A body between a floor and a press that closes: there is no motion, and no scheme and no solver finds one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "saltus/run/run.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_squeezed {
namespace {

// Impossible from t = 1 on
const std::string point = R"yaml(saltus: 1
coordinates: {x: {start: 0.5}}
mass: {x: 1}
contacts:
  floor: {gap: x, law: {name: unilateral, e: 0}}
  press: {gap: 1 - t - x, law: {name: unilateral, e: 0}}
run: {t_end: 1.5, h: 2e-3}
)yaml";
// Impossible from t = 0.1 on
std::string box(double mu) {
  return fmt::format(
      "saltus: 1\nmaterials: {{default: {{mu: {}, e_n: 0}}}}\nwalls: {{floor: {{point: [0, 0], normal: [0, "
      "1]}}}}\n"
      "bodies:\n  box: {{shape: box, size: [0.4, 0.2], mass: 1, position: [0, 0.1]}}\n"
      "  press: {{shape: box, size: [0.4, 0.2], position: [0, 0.4], fixed: true, velocity: [0, -1]}}\n"
      "run: {{t_end: 0.15, h: 1e-3}}\n",
      mu);
}

RunResult squeeze(const std::string& text, std::vector<std::string> sets) {
  const CatalogProblem p = load_scene_text(text, "squeeze", sets)->entry.make({}, {});
  return run(p.problem, p.method);
}

void expect_refused(const RunResult& r, double from, const std::string& what) {
  EXPECT_EQ(r.status, RunStatus::failed) << what << ": " << r.message << " gap " << r.residuals.gap;
  EXPECT_LE(r.final.t, from + 0.02) << what << ": " << r.message;
  EXPECT_LE(r.residuals.gap, 0.02) << what << ": " << r.message;
}

class Squeezed : public ::testing::TestWithParam<std::string> {};

TEST_P(Squeezed, NoSolverCallsItSolved) {
  const std::string set = "run.solver=" + GetParam();
  for (const char* scheme : {"moreau-jean", "moreau-midpoint", "moreau-jean:theta=1"}) {
    const std::string with = std::string("run.scheme=") + scheme;
    const RunResult r = squeeze(point, {set, with});
    expect_refused(r, 1, GetParam() + " " + scheme);
    EXPECT_NE(r.message.find("contact floor"), std::string::npos) << r.message;
    EXPECT_NE(r.message.find("contact press"), std::string::npos) << r.message;
    EXPECT_NE(r.message.find("contradict"), std::string::npos) << r.message;
    for (const double mu : {0.0, 0.5})
      expect_refused(squeeze(box(mu), {set, with}), 0.1,
                     fmt::format("{} {} mu = {}", GetParam(), scheme, mu));
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Squeezed,
                         ::testing::Values("automatic", "automatic:tolerance=1e-10",
                                           "automatic:tolerance=1e-6", "semismooth-newton",
                                           "semismooth-newton:tolerance=1e-8", "psor", "psor:tolerance=1e-6",
                                           "pjor", "lemke", "interior-point"));

TEST(SqueezedBodies, NoSchemeFinishes) {
  for (const char* line : {"moreau-projected", "moreau-projected:coupling=decoupled", "generalized-alpha",
                           "generalized-alpha:strategy=1", "generalized-alpha:levels=pvv",
                           "generalized-alpha:newton=decoupled", "runge-kutta", "symplectic-euler"})
    expect_refused(squeeze(point, {std::string("run.scheme=") + line}), 1, line);
  for (const char* stepping : {"adaptive:h=0.01", "switching"})
    for (const char* scheme : {"moreau-jean", "moreau-midpoint"})
      expect_refused(
          squeeze(point, {std::string("run.scheme=") + scheme, std::string("run.stepping=") + stepping}), 1,
          std::string(scheme) + " " + stepping);
}

// Two contacts that hold a body from both sides, and a guide it just fits: possible.
TEST(SqueezedBodies, WhatJustFitsRuns) {
  const std::string guide = R"yaml(saltus: 1
coordinates: {x: {velocity: 95.53364891256061}, y: {velocity: 29.552020666133956}, a: {start: 0}}
mass: {x: 1, y: 1, a: 0.1}
contacts:
  lower: {gap: y*cos(0.3) - x*sin(0.3) + 0.1*sin(a), law: {name: unilateral, e: 0}}
  upper: {gap: x*sin(0.3) - y*cos(0.3) - 0.1*sin(a), law: {name: unilateral, e: 0}}
run: {t_end: 0.1, h: 1e-3}
)yaml";
  for (const char* solver : {"automatic", "semismooth-newton", "interior-point"}) {
    const RunResult r = squeeze(guide, {std::string("run.solver=") + solver});
    EXPECT_EQ(r.status, RunStatus::finished) << solver << ": " << r.message;
    EXPECT_LT(r.residuals.gap, 1e-9) << solver;
  }
}

}  // namespace
}  // namespace saltus::test_squeezed
