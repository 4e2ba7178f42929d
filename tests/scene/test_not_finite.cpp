// A value that is not finite ends a run, wherever it arises and whichever scheme meets it: comparisons
// swallow NaN, so an equation may look solved with a force that is none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "saltus/run/run.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_not_finite {
namespace {

struct Source {
  std::string name, text, quantity;
  bool contact = false, joint = false;
};

// From t = 1 on the square root is NaN; 1/(1 − t) and log reach an infinity first.
std::string ball(const std::string& mass, const std::string& force, const std::string& rest = "") {
  return fmt::format(
      "saltus: 1\ncoordinates: {{x: {{start: 1, velocity: 0.1}}}}\nmass: {{x: \"{}\"}}\nforces: {{x: "
      "\"{}\"}}\n{}",
      mass, force, rest);
}
const std::vector<Source> sources = {
    {"force_nan", ball("1", "-sqrt(1 - t)"), "force"},
    {"force_of_velocity", ball("1", "-x'*sqrt(1 - t)"), "force"},
    {"force_log", ball("1", "0.01*log(max(0, 1 - t))"), "force"},
    {"force_infinite", ball("1", "1e-3/max(0, 1 - t)"), "force"},
    {"mass_infinite", ball("1 + 1e-9/max(0, 1 - t)", "-x"), "mass"},
    {"mass_nan", ball("1 + sqrt(1 - t)", "-x"), "mass"},
    {"gap_nan", ball("1", "-x", "contacts: {floor: {gap: 'x + 9 + sqrt(1 - t)', law: 'unilateral:e=0'}}\n"),
     "gap", true},
    {"gap_closed_nan",
     ball("1", "-9.81", "contacts: {floor: {gap: 'x - 0.9 + 1e-9*sqrt(1 - t)', law: 'unilateral:e=0'}}\n"),
     "gap", true},
    {"joint_nan",
     "saltus: 1\ncoordinates: {x: {start: 1}, y: {start: 0, velocity: 1}}\nmass: {x: 1, y: 1}\n"
     "joints: {rod: 'sqrt(x^2 + y^2) - 1 + 1e-9*sqrt(1 - t)'}\n",
     "gap", false, true},
};

RunResult run_scene(const Source& s, const std::string& run_line) {
  const std::string text = s.text + "run: {t_end: 3, " + run_line + "}\n";
  const CatalogProblem p = load_scene_text(text, s.name)->entry.make({}, {});
  return run(p.problem, p.method);
}

class NotFinite : public ::testing::TestWithParam<std::string> {};

TEST_P(NotFinite, EndsTheRunWithItsNameAndTime) {
  const std::string& line = GetParam();
  int tried = 0;
  for (const Source& s : sources) {
    SCOPED_TRACE(s.name + " with " + line);
    RunResult r;
    try {
      r = run_scene(s, line);
    } catch (const Error& e) {  // a scheme that does not take such scenes
      EXPECT_TRUE(s.contact || s.joint || s.quantity == "mass") << e.what();
      continue;
    }
    ++tried;
    EXPECT_EQ(r.status, RunStatus::failed) << r.message;
    EXPECT_NE(r.message.find(s.quantity), std::string::npos) << r.message;
    EXPECT_NE(r.message.find("t = 1"), std::string::npos) << r.message;
    EXPECT_LE(r.final.t, 1.01 + 1e-9) << r.message;  // explicit schemes look at the start of a step
    EXPECT_TRUE(r.final.q.allFinite() && r.final.u.allFinite());
  }
  EXPECT_GE(tried, 4);
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, NotFinite,
    ::testing::Values(
        "h: 0.01, scheme: moreau-jean", "h: 0.01, scheme: 'moreau-jean:theta=0'",
        "h: 0.01, scheme: 'moreau-jean:theta=1'", "h: 0.01, scheme: moreau-midpoint",
        "h: 0.01, scheme: moreau-projected", "h: 0.01, scheme: 'moreau-projected:coupling=decoupled'",
        "h: 0.01, scheme: generalized-alpha", "h: 0.01, scheme: 'generalized-alpha:levels=pvv'",
        "h: 0.01, scheme: 'generalized-alpha:newton=decoupled'", "h: 0.01, scheme: runge-kutta",
        "h: 0.01, scheme: 'runge-kutta:tableau=heun-2'", "h: 0.01, scheme: 'runge-kutta:tableau=radau-iia-5'",
        "h: 0.01, scheme: symplectic-euler",
        "h: 0.01, scheme: 'symplectic-euler:variant=natural', stepping: event-location",
        "h: 0.01, scheme: gauss-2", "h: 0.01, scheme: crank-nicolson", "h: 0.01, scheme: 'rk:tableau=heun-2'",
        "h: 0.01, scheme: 'rk:tableau=radau-iia-5'", "scheme: moreau-jean, stepping: adaptive",
        "scheme: moreau-midpoint, stepping: adaptive", "scheme: generalized-alpha, stepping: adaptive",
        "scheme: gauss-2, stepping: adaptive", "scheme: moreau-jean, stepping: switching",
        "scheme: moreau-midpoint, stepping: switching"));

}  // namespace
}  // namespace saltus::test_not_finite
