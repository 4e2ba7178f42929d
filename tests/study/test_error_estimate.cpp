// Error bars: events of two runs are matched as they should be, extremes are those of the dense output, true
// errors are inside the bars, and what has no digit says so.
#include "saltus/study/error_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/study/digits.hpp"
#include "saltus/study/event_match.hpp"
#include "saltus/study/tightening.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus::test_error_estimate {
namespace {

using enum EventKind;

EventMark mark(double t, std::uint64_t contact, EventKind kind) {
  return {t, t - 1e-9, contact, kind};
}

EventMatch matched(const std::vector<EventMark>& a, const std::vector<EventMark>& b) {
  return match_events(a, b, 10, 0.01);
}

MeasuredCase by_tolerance_of(std::string_view name, const Settings& settings, double rtol) {
  MeasuredCase c{make_problem(name, settings), by_tolerance(rtol), find_problem(name).resolve(settings)};
  return c;
}

struct Outcome {
  RunResult result;
  std::vector<double> values;
  std::optional<ErrorEstimate> estimate;
};
Outcome estimated(const MeasuredCase& c, const std::vector<std::string>& texts = {}) {
  std::vector<Measure> list;
  for (const auto& t : texts) list.push_back(parse_measure(t));
  const Measures measures(std::move(list), c.parameters);
  Outcome out;
  out.values = run_with_estimate(measures, c, {}, out.result, out.estimate);
  return out;
}

TEST(EventMatch, SimultaneousContactsMayComeInEitherOrder) {
  const auto m = matched({mark(1, 0, impact), mark(1, 7, impact)}, {mark(1, 7, impact), mark(1, 0, impact)});
  EXPECT_FALSE(m.difference);
  EXPECT_EQ(m.pairs.size(), 2u);
}

TEST(EventMatch, BouncesBeforeARestAreNoDifference) {
  const auto m =
      matched({mark(1, 0, impact), mark(2, 0, impact), mark(2.5, 0, accumulation), mark(4, 0, open)},
              {mark(1, 0, impact), mark(2, 0, impact), mark(2.4, 0, impact), mark(2.45, 0, impact),
               mark(2.5, 0, close), mark(4, 0, open)});
  EXPECT_FALSE(m.difference);
  ASSERT_EQ(m.pairs.size(), 4u);
  EXPECT_EQ(m.pairs[2].second.kind, close);
}

TEST(EventMatch, TheFirstDifferenceIsTold) {
  const auto m = matched({mark(1, 0, impact), mark(3, 5, impact), mark(6, 0, impact)},
                         {mark(1, 0, impact), mark(6, 0, impact), mark(7, 5, open)});
  ASSERT_TRUE(m.difference);
  EXPECT_EQ(m.difference->event.contact, 5u);
  EXPECT_EQ(m.difference->t, 3);
  EXPECT_TRUE(m.difference->in_first);
  const auto n = matched({}, {mark(2, 3, slip)});
  ASSERT_TRUE(n.difference);
  EXPECT_FALSE(n.difference->in_first);
}

TEST(EventMatch, AnEventAtTheVeryEndMayBeMissing) {
  EXPECT_FALSE(matched({mark(9.995, 0, impact)}, {}).difference);
  EXPECT_TRUE(matched({mark(9.9, 0, impact)}, {}).difference);
}

// Exact solutions, so that bars can be checked over the whole run.
TEST(ErrorEstimate, TrueErrorsAreInsideTheBars) {
  struct Row {
    const char* problem;
    Settings settings;
  };
  for (const Row& row : {Row{"bouncing-ball", {}}, Row{"bouncing-ball", {{"e", "0.5"}}},
                         Row{"impact-oscillator", {}}, Row{"sliding-block", {}}, Row{"pendulum", {}}})
    for (const double rtol : {1e-5, 1e-7, 1e-9}) {
      MeasuredCase c = by_tolerance_of(row.problem, row.settings, rtol);
      if (!c.problem.reference) continue;
      const Outcome out =
          estimated(c, {"q = error.q_sup", "end = error.q_final", "graph = error.u_hausdorff"});
      SCOPED_TRACE(fmt::format("{} {}", row.problem, rtol));
      ASSERT_EQ(out.result.status, RunStatus::finished) << out.result.message;
      ASSERT_TRUE(out.estimate);
      const double rounding = 1e-13;  // of the reference
      EXPECT_LE(out.values[0], out.estimate->q_sup + rounding);
      EXPECT_LE(out.values[1], out.estimate->q_final.maxCoeff() + rounding);
      EXPECT_LE(out.values[2], out.estimate->u_hausdorff + 1e-9);  // to what graphs are compared
      EXPECT_LE(out.estimate->q_sup, 100 * rtol * out.estimate->q_size.maxCoeff());  // not useless
    }
}

TEST(ErrorEstimate, BarsGoThroughFormulas) {
  const MeasuredCase c = by_tolerance_of("bouncing-ball", {}, 1e-6);
  const Outcome out = estimated(c, {"z = final.q[0]", "twice = 2*final.q[0]", "square = final.q[0]^2",
                                    "count = events.impact", "work = steps", "nothing = 0*final.q[0]"});
  ASSERT_TRUE(out.estimate);
  const auto& bars = out.estimate->measures;
  EXPECT_DOUBLE_EQ(bars[0], out.estimate->q_final[0]);
  EXPECT_NEAR(bars[1] / bars[0], 2, 1e-6);
  EXPECT_NEAR(bars[2] / bars[0], 2 * std::abs(out.values[0]), 1e-3);
  EXPECT_EQ(bars[4], 0);
  EXPECT_EQ(bars[5], 0);
}

TEST(ErrorEstimate, OnlyRunsByToleranceHaveOne) {
  MeasuredCase c = by_tolerance_of("bouncing-ball", {}, 1e-6);
  c.method = c.problem.method;
  ASSERT_FALSE(std::holds_alternative<ToleranceSteps>(c.method.stepping));
  EXPECT_FALSE(companion_of(c.method));
  EXPECT_FALSE(estimated(c).estimate);
}

TEST(ErrorEstimate, TheCompanionIsTighterUnlessThereIsNothingTighter) {
  const auto rtol = [](double x) {
    return std::get<ToleranceSteps>(companion_of(by_tolerance(x))->stepping).rtol;
  };
  EXPECT_NEAR(rtol(1e-6), 1e-7, 1e-20);
  EXPECT_NEAR(rtol(1e-13), 1e-12, 1e-25);
}

// x = cos t from 1: the largest |u| is 1 at π/2, the smallest x −1 at π, both within steps.
TEST(Extremes, AreThoseOfTheDenseOutput) {
  MeasuredCase c = by_tolerance_of("impact-oscillator", {}, 1e-9);
  const double at = std::acos(-1.0);
  LinearSystem::Data d;
  d.M = d.K = Matrix(1, Pattern{Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1), d.K.set(0, 0, 1);
  c.problem.problem.system = std::make_shared<LinearSystem>(std::move(d));
  c.problem.problem.q0 = Vec::Constant(1, 1), c.problem.problem.u0 = Vec::Zero(1);
  c.problem.problem.t_end = 5, c.problem.reference.reset();
  const Outcome out = estimated(c, {"min.q[0]", "argmin.q[0]", "max.abs_u[0]", "argmax.abs_u[0]"});
  EXPECT_NEAR(out.values[0], -1, 1e-9);
  EXPECT_NEAR(out.values[1], at, 1e-8);
  EXPECT_NEAR(out.values[2], 1, 1e-9);
  EXPECT_NEAR(out.values[3], at / 2, 1e-8);
}

TEST(Digits, AreReachedByTighterTolerances) {
  std::vector<Measure> list;
  list.push_back(parse_measure("z = final.q[0]"));
  const MeasuredCase c = by_tolerance_of("impact-oscillator", {}, 1e-3);  // parabolas would be exact
  const Measures measures(std::move(list), c.parameters);
  const DigitsFound found = find_digits(measures, c, 8, {});
  EXPECT_TRUE(found.missing.empty());
  EXPECT_LT(std::get<ToleranceSteps>(found.method.stepping).rtol, 1e-6);
  RunResult result;
  std::optional<ErrorEstimate> estimate;
  const auto values =
      run_with_estimate(measures, {c.problem, found.method, c.parameters}, {}, result, estimate);
  EXPECT_LE(estimate->measures[0], 1e-8 * std::max(std::abs(values[0]), estimate->measure_sizes[0]));
}

TEST(Tightening, EndsWithTheBestOfTheRuns) {
  const Method asked = by_tolerance(1e-6);
  const auto rtol_of = [](const Method& m) { return std::get<ToleranceSteps>(m.stepping).rtol; };
  RunResult result;
  result.final.t = 1;
  ErrorEstimate estimate;
  estimate.known_until = 1;
  const auto error = [&](double relative) -> ErrorEstimate& {
    estimate.relative = relative;
    return estimate;
  };
  std::shared_ptr<CompanionRun> none;
  {
    Tightening good;
    EXPECT_FALSE(good.next(asked, result, error(2e-6), none)) << "good enough";
    EXPECT_EQ(estimate.runs, 1);
  }
  Tightening helps;
  const auto second = helps.next(asked, result, error(1e-4), none);
  ASSERT_TRUE(second);
  EXPECT_LT(rtol_of(*second), 1e-7);
  EXPECT_FALSE(helps.next(*second, result, error(1e-6), none));
  EXPECT_EQ(estimate.runs, 2);
  EXPECT_EQ(estimate.asked_rtol, 1e-6);
  EXPECT_FALSE(estimate.settled);

  Tightening vain;
  const auto again = vain.next(asked, result, error(1e-4), none);
  ASSERT_TRUE(again);
  const auto best = vain.next(*again, result, error(3e-4), none);
  ASSERT_TRUE(best) << "the first was better";
  EXPECT_EQ(rtol_of(*best), 1e-6);
  EXPECT_FALSE(vain.next(*best, result, error(1e-4), none));
  EXPECT_EQ(estimate.runs, 3);
  EXPECT_TRUE(estimate.settled);
}

}  // namespace
}  // namespace saltus::test_error_estimate
