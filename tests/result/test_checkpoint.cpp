// A run that is cut anywhere and goes on from a file gives the bits of one that was not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "saltus/catalog/catalog.hpp"
#include "saltus/core/error.hpp"
#include "saltus/result/checkpoint.hpp"
#include "saltus/result/result.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/scene/file/load_file.hpp"
#include "support/golden.hpp"

namespace saltus::test_checkpoint {
namespace {

std::string scratch_file() {
  return (std::filesystem::temp_directory_path() / ("saltus-" + std::to_string(getpid()) + ".ckpt")).string();
}

struct Case {
  const char *problem, *scheme, *stepping;
  double t_end;
};

struct Whole {
  std::string hash;
  std::vector<std::string> states;  // after every step
  std::size_t events = 0;
  long steps = 0;
};

Whole go(const CatalogProblem& p, const Method& method, const Checkpoints& points = {}) {
  Whole out;
  const RunResult r = run(
      p.problem, method,
      [&](const Segment& s) {
        out.states.push_back(state_hash(s.end));
        out.events += s.events.size();
      },
      {}, points);
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  out.hash = state_hash(r.final), out.steps = r.stats.steps;
  return out;
}

// Cut after `at` steps, through a file.
void expect_same_after_cut(const CatalogProblem& p, const Method& method, long at, const Whole& whole,
                           const std::string& what) {
  const std::string file = scratch_file();
  Checkpoints first;
  std::size_t events = 0, events_saved = 0, seen_saved = 0, seen = 0;
  bool saved = false;
  first.every = at;
  first.save = [&](const Checkpoint& c) {
    if (saved) return;
    SavedRun s;
    s.problem = "any", s.scheme = "any", s.stepping = "any", s.solver = "any", s.at = c;
    save_checkpoint(file, s);
    saved = true, events_saved = events, seen_saved = seen;
  };
  std::atomic<bool> stop = false;
  RunControl control;
  control.interrupt = &stop;
  run(
      p.problem, method,
      [&](const Segment& s) {
        events += s.events.size();
        if (++seen == static_cast<std::size_t>(at)) stop = true;
      },
      control, first);
  ASSERT_TRUE(saved) << what;
  const SavedRun back = load_checkpoint(file);
  std::filesystem::remove(file);
  Checkpoints second;
  second.resume = &back.at;
  const Whole rest = go(p, method, second);
  ASSERT_EQ(rest.states.size() + seen_saved, whole.states.size()) << what;
  for (std::size_t i = 0; i < rest.states.size(); ++i)
    ASSERT_EQ(rest.states[i], whole.states[i + seen_saved]) << what << ", step " << i + 1 << " after the cut";
  EXPECT_EQ(events_saved + rest.events, whole.events) << what;
  EXPECT_EQ(rest.steps, whole.steps) << what;
  EXPECT_EQ(rest.hash, whole.hash) << what;
}

TEST(Checkpoint, ARunThatIsCutAnywhereGivesTheSameBits) {
  const Case cases[] = {{"bouncing-ball", "moreau-jean", "fixed:h=0.01", 3},
                        {"bouncing-ball", "moreau-midpoint", "fixed:h=0.01", 3},
                        {"bouncing-ball", "generalized-alpha", "fixed:h=0.01", 3},
                        {"bouncing-ball", "moreau-jean", "adaptive:atol=1e-3", 3},
                        {"bouncing-ball", "runge-kutta", "event-capturing:h=0.05", 5},
                        {"impact-oscillator", "moreau-jean", "fixed:h=0.01", 2},
                        {"impact-oscillator", "runge-kutta:tableau=gauss-2", "event-capturing:h=0.02", 2},
                        {"impact-oscillator", "moreau-midpoint", "switching:h_min=1e-4", 2},
                        {"sliding-block", "moreau-jean", "fixed:h=0.01", 0.5},
                        {"rocking-bar", "runge-kutta", "event-capturing:h=0.01", 1},
                        {"rocking-bar", "moreau-jean", "adaptive:atol=1e-4", 1},
                        {"sliding-block", "runge-kutta", "event-capturing:h=0.02", 1},
                        {"belt-block", "moreau-midpoint", "switching:h_min=1e-4", 10},
                        {"woodpecker", "moreau-jean", "fixed:h=0.001", 0.2},
                        {"woodpecker", "moreau-midpoint", "switching:h_min=1e-5", 0.2},
                        {"shaker", "moreau-midpoint", "switching:h_min=1e-4", 1},
                        {"disk-mixer", "moreau-jean", "fixed:h=0.001", 0.05},
                        {"bouncing-pendulum", "generalized-alpha", "fixed:h=0.01", 1},
                        {"flexible-pendulum", "generalized-alpha", "fixed:h=0.001", 0.05},
                        {"elastic-bar", "generalized-alpha", "fixed:h=0.01", 1},
                        {"trimer", "kk-theta", "fixed:h=0.01", 2},
                        {"trimer", "rk", "adaptive:atol=1e-8", 2},
                        {"homogeneous-chain", "kk-irk", "fixed:h=0.05", 3},
                        {"homogeneous-chain", "gauss-2", "adaptive:atol=1e-9", 3},
                        {"newtons-cradle", "additive-theta", "fixed:h=0.05", 3},
                        {"dimer-chain", "crank-nicolson", "fixed:h=0.05", 3},
                        {"cubic-slide", "symplectic-euler", "fixed:h=0.01", 0.5},
                        {"spherical-pendulum", "symplectic-euler", "fixed:h=0.01", 1},
                        {"bouncing-ball", "symplectic-euler", "event-location:h=0.05", 3},
                        {"bouncing-ball", "", "tolerance:rtol=1e-7", 5},
                        {"rocking-bar", "", "tolerance:rtol=1e-4", 1},
                        {"sliding-mass", "", "tolerance:rtol=1e-6", 4.5},
                        {"elastic-bar", "", "tolerance:rtol=1e-4", 1},
                        {"flexible-pendulum", "", "tolerance:rtol=1e-5", 0.01},
                        {"trimer", "", "tolerance:rtol=1e-8", 2},
                        {"spherical-pendulum", "", "tolerance:rtol=1e-6", 1}};
  for (const Case& c : cases) {
    const CatalogProblem p = make_problem(c.problem, {}, c.t_end);
    const Method method = choose_method(p.method, {c.scheme, c.stepping, "", ""});
    const std::string what = fmt::format("{}, {}, {}", c.problem, c.scheme, c.stepping);
    const Whole whole = go(p, method);
    const long n = static_cast<long>(whole.states.size());
    ASSERT_GT(n, 20) << what;
    for (long at : {1L, n / 7, n / 3, n / 2, 2 * n / 3, n - n / 9})
      expect_same_after_cut(p, method, at, whole, what);
  }
}

// A mass on a stiff spring, where Radau and the explicit pair take turns.
TEST(Checkpoint, AStiffRunByToleranceThatIsCutGivesTheSameBits) {
  const CatalogProblem p = load_scene(testing::test_data("tolerance/stiff-spring.yaml"))->entry.make({}, {});
  for (const double rtol : {1e-4, 1e-6}) {
    const Whole whole = go(p, by_tolerance(rtol));
    const long n = static_cast<long>(whole.states.size());
    for (long at = 3; at < n; at += n / 23)
      expect_same_after_cut(p, by_tolerance(rtol), at, whole, fmt::format("stiff-spring, {}", rtol));
  }
}

TEST(Checkpoint, ACutOrChangedFileIsRefused) {
  const std::string file = scratch_file();
  SavedRun s;
  s.problem = "bouncing-ball", s.scheme = "moreau-jean", s.stepping = "fixed:h=0.01", s.solver = "automatic";
  s.settings = {{"e", "0.5"}};
  s.at.state.t = 0.1, s.at.state.q = Vec::Constant(2, 1.0 / 3), s.at.state.u = Vec::Constant(2, -1e-310);
  save_checkpoint(file, s);
  const SavedRun back = load_checkpoint(file);
  EXPECT_EQ(state_hash(back.at.state), state_hash(s.at.state));
  EXPECT_EQ(back.settings, s.settings);
  std::string text = (std::stringstream() << std::ifstream(file).rdbuf()).str();
  for (std::size_t keep = 0; keep + 2 < text.size(); keep += 7) {
    std::ofstream(file) << text.substr(0, keep);
    EXPECT_THROW(load_checkpoint(file), Error) << keep;
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace saltus::test_checkpoint
