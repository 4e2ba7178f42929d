// Measures: what a formula may name, and that it means what the run says.
#include "saltus/study/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::test_measure {
namespace {

MeasuredCase case_of(std::string_view name, const Settings& settings, double h) {
  MeasuredCase c{make_problem(name, settings), {}, find_problem(name).resolve(settings)};
  c.method = c.problem.method;
  c.method.stepping = with_step(c.method.stepping, h);
  return c;
}

std::vector<double> measured(const MeasuredCase& c, const std::vector<std::string>& texts,
                             RunResult& result) {
  std::vector<Measure> list;
  for (const auto& t : texts) list.push_back(parse_measure(t));
  return Measures(std::move(list), c.parameters).run(c, {}, result);
}

std::string error_of(const MeasuredCase& c, const std::string& text) {
  try {
    RunResult result;
    measured(c, {text}, result);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Measure, QuantitiesAreThoseOfTheRun) {
  const MeasuredCase c = case_of("collinear-chain", {{"n", "4"}, {"e", "0.8"}}, 0.013);
  Trajectory x;
  const RunResult r = run(c.problem.problem, c.method, x.sink());
  double max_u2 = -infinity, min_q = infinity, t_max = 0, max_abs = 0, impacts = 0;
  for (int i = 0; i < x.size(); ++i) {
    if (x.u(i)[2] > max_u2) max_u2 = x.u(i)[2], t_max = x.t(i);
    for (int k = 0; k < 4; ++k)
      min_q = std::min(min_q, x.q(i)[k]), max_abs = std::max(max_abs, std::abs(x.u(i)[k]));
  }
  for (const auto& e : x.events()) impacts += e.kind == EventKind::impact;
  ASSERT_GT(impacts, 2);
  const TrajectoryError error = compare(x, *c.problem.reference);
  RunResult result;
  const auto values = measured(c,
                               {"final.q[3]",
                                "final.u[-1]",
                                "max.u[2]",
                                "argmax.u[2]",
                                "min.q",
                                "max.abs_u",
                                "energy.initial",
                                "energy.final",
                                "events",
                                "events.impact",
                                "steps",
                                "status",
                                "error.q_sup",
                                "error.u_l1",
                                "error.u_hausdorff",
                                "p.e",
                                "e*n",
                                "h",
                                "final.t",
                                "t_end",
                                "force_evaluations"},
                               result);
  const double expected[] = {r.final.q[3],
                             r.final.u[3],
                             max_u2,
                             t_max,
                             min_q,
                             max_abs,
                             r.energy_initial,
                             r.energy_final,
                             static_cast<double>(x.events().size()),
                             impacts,
                             static_cast<double>(r.stats.steps),
                             0,
                             error.q_sup,
                             error.u_l1,
                             error.u_hausdorff,
                             0.8,
                             0.8 * 4,
                             0.013,
                             r.final.t,
                             c.problem.problem.t_end,
                             static_cast<double>(r.stats.force_evaluations)};
  ASSERT_EQ(values.size(), std::size(expected));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], expected[i]) << i;
}

TEST(Measure, FormulasHaveNames) {
  EXPECT_EQ(parse_measure(" loss = energy.initial - energy.final").name, "loss");
  EXPECT_EQ(parse_measure("energy.final / m").name, "energy.final / m");
  EXPECT_THROW(parse_measure("= 2"), Error);
  const MeasuredCase c = case_of("bouncing-ball", {{"e", "1"}}, 0.01);
  RunResult result;
  EXPECT_NEAR(measured(c, {"v = sqrt(2*energy.initial/m)"}, result)[0], 2, 1e-12);  // falls 1 m at 2 m/s²
  std::vector<Measure> twice;
  twice.push_back(parse_measure("a = 1")), twice.push_back(parse_measure("a = 2"));
  EXPECT_THROW(Measures(std::move(twice), {}), Error);
}

TEST(Measure, MistakesPointAtThePlace) {
  const MeasuredCase c = case_of("bouncing-ball", {}, 0.01);
  for (const auto& [text, words] : {std::pair{"1 + enrgy.final", "did you mean 'energy.final'"},
                                    {"final.q", "which component"},
                                    {"2*final.q[1]", "0 to 0"},
                                    {"final.u[-2]", "0 to 0"},
                                    {"steps[1]", "no components"},
                                    {"max.abs_u[7]", "0 to 0"},
                                    {"q", "unknown quantity"},
                                    {"final.abs_q[0]", "unknown quantity"},
                                    {"error.q_max", "unknown quantity"},
                                    {"events.bang", "unknown quantity"}}) {
    const std::string message = error_of(c, text);
    EXPECT_NE(message.find(words), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find("^"), std::string::npos) << message;
  }
  EXPECT_NE(error_of(case_of("disk-mixer", {{"n", "20"}}, 1e-3), "error.q_sup").find("no reference"),
            std::string::npos);
}

TEST(Measure, ARunThatEndsEarlyHasNoFinalValues) {
  MeasuredCase c = case_of("ball-column", {{"n", "200"}}, 1e-3);
  c.method.solver = parse_spec<SolverSpec>("psor:max_iterations=3", "solver");
  RunResult result;
  const auto v = measured(
      c, {"status", "final.t", "final.q[0]", "energy.final", "max.u", "error.q_sup", "events", "n"}, result);
  ASSERT_EQ(result.status, RunStatus::failed);
  EXPECT_EQ(v[0], 2);
  EXPECT_EQ(v[1], result.final.t);
  EXPECT_LT(v[1], c.problem.problem.t_end);
  for (int i = 2; i < 7; ++i) EXPECT_TRUE(std::isnan(v[i])) << i;
  EXPECT_EQ(v[7], 200);
}

}  // namespace
}  // namespace saltus::test_measure
