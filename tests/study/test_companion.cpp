// The companion of a run by tolerance beside it and after it: the same bits, whatever happens to the run.
#include "saltus/study/companion.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "saltus/core/threads/thread_tandem.hpp"
#include "saltus/study/error_estimate.hpp"

namespace saltus::test_companion {
namespace {

MeasuredCase by_tolerance_of(std::string_view name, double rtol, double t_end = 0) {
  MeasuredCase c{make_problem(name, {}), by_tolerance(rtol), find_problem(name).resolve({})};
  if (t_end > 0) c.problem.problem.t_end = t_end;
  return c;
}

// Without threads: the second finds the first at its end, and never waits.
struct OneByOne final : Tandem {
  void run(const std::function<void()>& first, const std::function<void()>& second) override {
    ++runs;
    first();
    second();
  }
  void lock() override {}
  void unlock() override {}
  void wait() override { ADD_FAILURE() << "the first is over"; }
  void wake() override {}
  int runs = 0;
};

struct Outcome {
  RunResult result;
  std::optional<ErrorEstimate> estimate;
  std::vector<double> values;
};
Outcome estimated(const MeasuredCase& c, Tandem* tandem, const Sink& sink = {}) {
  const Measures measures({parse_measure("energy.final"), parse_measure("max.abs_u")}, c.parameters);
  RunControl control;
  control.tandem = tandem;
  Outcome out;
  out.values = run_with_estimate(measures, c, control, out.result, out.estimate, sink);
  return out;
}

void expect_same(double a, double b, std::string_view name) {
  EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << name << ": " << a << " and " << b;
}
void expect_same(const Vec& a, const Vec& b, std::string_view name) {
  ASSERT_EQ(a.size(), b.size()) << name;
  for (int i = 0; i < a.size(); ++i) expect_same(a[i], b[i], name);
}
void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.values, b.values);
  expect_same(a.result.final.q, b.result.final.q, "q");
  EXPECT_EQ(a.result.warnings, b.result.warnings);
  EXPECT_EQ(a.result.message, b.result.message);
  ASSERT_EQ(a.estimate.has_value(), b.estimate.has_value());
  if (!a.estimate) return;
  const ErrorEstimate &x = *a.estimate, &y = *b.estimate;
  expect_same(x.q_final, y.q_final, "bars of q");
  expect_same(x.u_final, y.u_final, "bars of u");
  expect_same(x.q_sup, y.q_sup, "bar of q");
  expect_same(x.u_hausdorff, y.u_hausdorff, "graph distance");
  expect_same(x.event_times, y.event_times, "event times");
  expect_same(x.known_until, y.known_until, "known until");
  for (std::size_t k = 0; k < x.measures.size(); ++k) expect_same(x.measures[k], y.measures[k], "measure");
}

TEST(Companion, BesideItsRunItHasTheBitsOfOneAfterIt) {
  const MeasuredCase cases[] = {
      by_tolerance_of("bouncing-ball", 1e-8), by_tolerance_of("rocking-bar", 1e-8),
      by_tolerance_of("woodpecker", 1e-7),    by_tolerance_of("impact-oscillator", 1e-9),
      by_tolerance_of("elastic-bar", 1e-6),   by_tolerance_of("collinear-chain", 1e-9),
      by_tolerance_of("ball-column", 1e-6),   by_tolerance_of("pendulum", 1e-11, 400),  // states are dropped
  };
  for (const MeasuredCase& c : cases) {
    SCOPED_TRACE(c.problem.problem.system->contact_name(0));
    const Outcome after = estimated(c, nullptr);
    ThreadTandem threads;
    OneByOne one;
    for (int k = 0; k < 3; ++k) expect_same(after, estimated(c, &threads));
    expect_same(after, estimated(c, &one));
  }
}

TEST(Companion, IsMadeBesideTheRunWhereThatIsPossible) {
  const Measures none({}, {});
  const auto beside = [&](const MeasuredCase& c) {
    OneByOne tandem;
    RunControl control;
    control.tandem = &tandem;
    const Method method = *companion_of(c.method);
    const Repeated k{none, c, method, control};
    EXPECT_TRUE(may_run_beside(k));
    RunTrace trace(c.problem.problem);
    RunResult result;
    const auto out = run_beside(
        k, [&](const Sink& s) { result = run(c.problem.problem, c.method, s); }, trace, result);
    EXPECT_EQ(tandem.runs, 1);
    EXPECT_EQ(result.status, RunStatus::finished);
    return out;
  };
  EXPECT_TRUE(beside(by_tolerance_of("bouncing-ball", 1e-8)));
  EXPECT_TRUE(beside(by_tolerance_of("pendulum", 1e-11, 400)));
  OneByOne tandem;
  RunControl control;
  const MeasuredCase ball = by_tolerance_of("bouncing-ball", 1e-8),
                     chain = by_tolerance_of("bead-collision", 1e-8);
  EXPECT_FALSE(may_run_beside({none, ball, ball.method, control})) << "no tandem";
  control.tandem = &tandem;
  EXPECT_FALSE(may_run_beside({none, chain, chain.method, control}))
      << "a chain takes the step ends of its run";
}

TEST(Companion, EndsWithARunThatDoesNotFinish) {
  const MeasuredCase c = by_tolerance_of("pendulum", 1e-10, 100);
  for (int k = 0; k < 20; ++k) {
    ThreadTandem tandem;
    int pieces = 0;
    EXPECT_THROW(estimated(c, &tandem,
                           [&](const Segment&) {
                             if (++pieces == 10 * k + 1) throw std::runtime_error("the disk is full");
                           }),
                 std::runtime_error);
  }
  std::atomic<bool> interrupt = false;
  ThreadTandem tandem;
  RunControl control;
  control.tandem = &tandem, control.interrupt = &interrupt;
  const Measures none({}, {});
  RunResult result;
  std::optional<ErrorEstimate> estimate;
  int pieces = 0;
  run_with_estimate(none, c, control, result, estimate, [&](const Segment&) { interrupt = ++pieces >= 50; });
  EXPECT_EQ(result.status, RunStatus::interrupted);
  EXPECT_FALSE(estimate);
}

}  // namespace
}  // namespace saltus::test_companion
