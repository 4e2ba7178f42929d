// Higher-order event capturing (Acary 2012, Algorithm 1): golden values, orders, the report of accumulations.
#include <cmath>

#include "run/capturing.hpp"

namespace saltus::test_event_capturing {
namespace {

using namespace testing;

TEST(RungeKutta, OneSmoothStepMatchesTheGoldenValues) {
  for (const auto& [theirs, ours] : tableau_of) {
    const auto& g = golden("rk-" + theirs);
    const CatalogProblem p = example("oscA", 0.25);
    const RunResult r = run(p.problem, capturing(ours, 0.25, 0.01));
    EXPECT_NEAR(r.final.q[0], g["expected"]["q1"].get<double>(), 1e-13) << ours;
    EXPECT_NEAR(r.final.u[0], g["expected"]["v1"].get<double>(), 1e-13) << ours;
  }
}

// C = 1: errors below the golden bounds for every method, example and N, slope in the golden range.
TEST(EventCapturing, ErrorsStayBelowTheGoldenBounds) {
  int seen = 0;
  for (const auto& id : golden_ids("algo1-")) {
    const auto& g = golden(id);
    if (!g["parameters"].contains("method") || !g["expected"].is_object() ||
        !g["expected"].contains("q_Linf") || id.find("clean") != std::string::npos)
      continue;
    ++seen;
    const CatalogProblem p = example(g["parameters"]["example"]);
    const auto& bound = g["tolerance"]["value"]["q_Linf"];
    for (std::size_t i = 0; i < g["parameters"]["N"].size(); ++i) {
      const double e = q_error(p, capturing(tableau_of.at(g["parameters"]["method"]),
                                            5.0 / g["parameters"]["N"][i].get<double>(), 1));
      EXPECT_LE(e, bound[i].get<double>() + 2e-13) << id << " N = " << g["parameters"]["N"][i];
    }
  }
  EXPECT_EQ(seen, 40);
}

TEST(EventCapturing, TheOrderIsCleanWithASmallCriticalStep) {
  int seen = 0;
  for (const auto& id : golden_ids("algo1-clean-")) {
    const auto& g = golden(id);
    ++seen;
    const CatalogProblem p = example(g["parameters"]["example"]);
    const auto& t = g["tolerance"]["value"];
    std::vector<double> h, e;
    for (std::size_t i = 0; i < g["parameters"]["N"].size(); ++i) {
      h.push_back(5.0 / g["parameters"]["N"][i].get<double>());
      e.push_back(
          q_error(p, capturing(tableau_of.at(g["parameters"]["method"]), h.back(), g["parameters"]["C"])));
      EXPECT_GE(e.back(), t["q_Linf"][i][0].get<double>()) << id;
      EXPECT_LE(e.back(), t["q_Linf"][i][1].get<double>()) << id;
    }
    EXPECT_NEAR(fitted_order(h, e), g["expected"]["slope"].get<double>(), 0.1) << id;
  }
  EXPECT_GE(seen, 18);
}

// Every tableau there is, on motion without accumulation, with it, and with release; order p − 0.3 at least.
class EveryTableau : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryTableau, KeepsItsOrderThroughImpactsAccumulationAndRelease) {
  const std::string name(GetParam());
  const int p = order(find_tableau(name));
  for (const char* problem : {"ball", "oscA", "oscB", "oscC"}) {
    const CatalogProblem example_problem = example(problem);
    std::vector<double> h, e;
    // high orders: the steps before their errors are rounding are longer than a step over an impact wants to
    // be
    for (int N : p <= 2   ? std::array{211, 431, 863, 1709}
                 : p <= 6 ? std::array{53, 107, 211, 431}
                          : std::array{41, 53, 71, 89}) {
      h.push_back(5.0 / N);
      e.push_back(q_error(example_problem, capturing(name, h.back(), 0.01)));
      if (e.back() < 1e-12) break;  // rounding
    }
    if (e.front() > 1e-12) {  // the ball's flights are exact for p ≥ 2: from p = 5 on all of it is rounding
      // order 8 has a factor of two in h only between steps that are too long and rounding
      EXPECT_GE(fitted_order(h, e), p - (p > 6 ? 0.5 : 0.3)) << name << " " << problem;
    }
    if (p >= 4) {
      EXPECT_LT(*std::min_element(e.begin(), e.end()), 1e-7) << name << " " << problem;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, EveryTableau, ::testing::ValuesIn(tableau_names()), [](const auto& test) {
  std::string s(test.param);
  std::replace(s.begin(), s.end(), '-', '_');
  return s;
});

TEST(EventCapturing, MethodsOfOrderFourAndMoreReach1e10OnEveryExample) {
  for (const auto name : tableau_names()) {
    const std::string tableau(name);
    const int p = order(find_tableau(tableau));
    if (p < 4) continue;
    for (const char* problem : {"ball", "oscA", "oscB", "oscC"}) {
      const double h = p == 4 ? 5.0 / 3557 : 5.0 / 883;
      EXPECT_LT(q_error(example(problem), capturing(tableau, h, 0.01)), 1e-10) << tableau << " " << problem;
    }
  }
}

TEST(EventCapturing, TheBallsAccumulationIsReported) {
  const CatalogProblem p = example("ball");
  Trajectory t;
  const RunResult r = run(p.problem, capturing("radau-iia-5", 5.0 / 107, 0.01), t.sink());
  ASSERT_EQ(r.accumulations.size(), 1u);
  EXPECT_NEAR(r.accumulations[0].t, 3, r.accumulations[0].bound);
  EXPECT_LT(r.accumulations[0].bound, 1e-6);
  EXPECT_GT(r.accumulations[0].impacts, 20);
  long impacts = 0, accumulations = 0;
  for (const Event& e : t.events()) {
    impacts += e.kind == EventKind::impact;
    accumulations += e.kind == EventKind::accumulation;
    EXPECT_LE(e.t - e.t_before, 1e-9);
  }
  EXPECT_EQ(accumulations, 1);
  EXPECT_LE(impacts, 200);
  EXPECT_EQ(r.accumulations[0].impacts, impacts);
  EXPECT_EQ(std::abs(r.final.u[0]), 0);
}

// An impact without rebound is none, however late it comes.
TEST(EventCapturing, ASingleImpactIsNoAccumulation) {
  const CatalogProblem ball = BouncingBall{.f = -10, .e = 0, .q0 = 125}.build(8);
  for (const Method& method :
       {Method{.scheme = runge_kutta("herk-4"), .stepping = EventCapturing{.h = 0.1}}, by_tolerance(1e-6)}) {
    std::vector<EventKind> kinds;
    const RunResult r = run(ball.problem, method, [&](const Segment& s) {
      for (const Event& e : s.events) kinds.push_back(e.kind);
    });
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_TRUE(r.accumulations.empty());
    EXPECT_EQ(kinds, (std::vector{EventKind::impact, EventKind::close}));
  }
}

TEST(EventCapturing, AfterTheAccumulationTheContactIsPersistent) {
  const auto& g = golden("algo1-rest");
  const double allowed = g["tolerance"]["value"];
  for (const auto& name : g["parameters"]["examples"]) {
    const RunResult r = run(example(name).problem, capturing(tableau_of.at(g["parameters"]["method"]),
                                                             5.0 / g["parameters"]["N"].get<double>(), 1));
    EXPECT_NEAR(r.final.q[0], 0, allowed) << name;
    EXPECT_NEAR(r.final.u[0], 0, allowed) << name;
    EXPECT_EQ(r.final.contacts.closed.size(), 1u) << name;
  }
}

TEST(EventCapturing, NoSpuriousMicroBounceCycle) {
  const auto& g = golden("algo1-no-limit-cycle");
  const CatalogProblem p = example("oscC");
  Trajectory t;
  run(p.problem, capturing("radau-iia-5", 5.0 / 107, 1), t.sink());
  EXPECT_LE(static_cast<double>(t.events().size()), g["tolerance"]["value"].get<double>());
}

}  // namespace
}  // namespace saltus::test_event_capturing
