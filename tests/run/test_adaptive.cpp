// Adaptive steps (58)–(61) of Acary 2012.
#include <cmath>

#include "run/capturing.hpp"

namespace saltus::test_adaptive {
namespace {

using namespace testing;

TEST(Adaptive, WorkAndErrorAreInTheGoldenRanges) {
  for (const auto& id : golden_ids("adaptive-")) {
    const auto& g = golden(id);
    if (!g["parameters"].contains("example")) continue;
    const auto& q = g["parameters"];
    AdaptiveSteps s;
    s.h = 10, s.h0 = q["h0"], s.atol = q["atol"];
    const CatalogProblem p = example(q["example"]);
    Trajectory t;
    const RunResult r = run(p.problem, {MoreauJean{q["theta"], q["gamma"]}, s, AutomaticSolver{}}, t.sink());
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    const auto& range = g["tolerance"]["value"];
    const std::pair<const char*, double> seen[] = {{"evals", static_cast<double>(r.stats.force_evaluations)},
                                                   {"rejected", static_cast<double>(r.stats.rejected)},
                                                   {"q_L1", compare(t, *p.reference, {false, 1e-9}).q_l1}};
    for (const auto& [what, x] : seen) {
      EXPECT_GE(x, range[what][0].get<double>()) << id << " " << what;
      EXPECT_LE(x, range[what][1].get<double>()) << id << " " << what;
    }
  }
}

TEST(Adaptive, BeatsConstantStepsOnTheOscillator) {
  const auto& g = golden("adaptive-gain");
  const CatalogProblem p = example("oscA");
  const auto measure = [&](const Stepping& stepping) {
    Trajectory t;
    const RunResult r = run(p.problem, {MoreauJean{0.5, 1}, stepping, AutomaticSolver{}}, t.sink());
    return std::pair{static_cast<double>(r.stats.force_evaluations),
                     compare(t, *p.reference, {false, 1e-9}).q_l1};
  };
  AdaptiveSteps s;
  s.h = 10, s.atol = 1e-5;
  const auto [work, error] = measure(s);
  const auto [fixed_work, fixed_error] = measure(FixedSteps{5.0 / 10000});
  EXPECT_LE(error, fixed_error);
  EXPECT_LE(work / fixed_work, g["tolerance"]["value"].get<double>());
}

TEST(Adaptive, ImpossibleToleranceIsSaidWithItsTime) {
  const CatalogProblem p = example("oscA");
  AdaptiveSteps s;
  s.atol = 1e-17;
  Trajectory t;
  const RunResult r = run(p.problem, {MoreauJean{1, 1}, s, AutomaticSolver{}}, t.sink());
  EXPECT_EQ(r.status, RunStatus::failed);
  EXPECT_NE(r.message.find("tolerance"), std::string::npos) << r.message;
  s.atol = 0;
  EXPECT_THROW(run(p.problem, {MoreauJean{1, 1}, s, AutomaticSolver{}}), Error);
}

// The variant that looks for events: order 1 in steps without them, fewer rejected steps at the same
// tolerance.
TEST(Adaptive, LookingForEventsRejectsFewerSteps) {
  const CatalogProblem p = example("oscA");
  AdaptiveSteps s;
  s.h = 10, s.atol = 1e-6;
  long rejected[2];
  double error[2];
  for (const bool events : {false, true}) {
    s.events = events;
    Trajectory t;
    const RunResult r = run(p.problem, {MoreauJean{0.5, 1}, s, AutomaticSolver{}}, t.sink());
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    rejected[events] = r.stats.rejected;
    error[events] = compare(t, *p.reference, {false, 1e-9}).q_l1;
  }
  EXPECT_LT(rejected[1], rejected[0]);
  EXPECT_LT(error[1], 5 * error[0]);
}

}  // namespace
}  // namespace saltus::test_adaptive
