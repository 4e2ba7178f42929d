// Step size adjustment around switching points: what must not stall, pass over or go unsaid.
#include "support/switching.hpp"

#include <cmath>

#include "saltus/reference/reference.hpp"
#include "saltus/system/linear_system.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"

namespace saltus::test_switching {
namespace {

using testing::run_switching, testing::switching, testing::SwitchingRun;

TEST(Switching, TreatsEveryProblemOfTheCatalog) {
  for (const char* name : {"bouncing-ball", "impact-oscillator", "collinear-chain", "rocking-bar",
                           "sliding-block", "pendulum", "ball-column"}) {
    const Settings settings =
        std::string(name) == "ball-column" ? Settings{{"n", "5"}, {"gap", "0.01"}, {"e", "0.3"}} : Settings{};
    const CatalogProblem p = make_problem(name, settings);
    const SwitchingRun r = run_switching(p.problem, switching(1e-7, 0.02, 1e-8));
    EXPECT_EQ(r.result.status, RunStatus::finished) << name;
    EXPECT_LT(compare(r.path, *p.reference, {false, 1e-9}).q_sup, 2e-6) << name;
    EXPECT_LT(r.result.residuals.gap, 1e-6) << name;
  }
}

TEST(Switching, WorksWithOtherBaseSchemes) {
  const CatalogProblem p = make_problem("falling-mass");
  for (const SchemeSpec& scheme : {SchemeSpec(MoreauJean{}), SchemeSpec(MoreauProjected{})}) {
    Trajectory path;
    const RunResult r = run(p.problem, {scheme, switching(1e-6, 0.05, 1e-7), AutomaticSolver{}}, path.sink());
    EXPECT_EQ(r.status, RunStatus::finished);
    EXPECT_LT(compare(path, *p.reference, {false, 1e-9}).q_sup, 1e-4) << to_text(scheme);
  }
}

// It was taken, and a bouncing block came out with a restitution that was wrong by 0.7 at every step size.
TEST(Switching, RefusesGeneralizedAlpha) {
  const CatalogProblem p = make_problem("falling-mass");
  const auto text = testing::message_of([&] {
    run(p.problem, {GeneralizedAlpha{}, switching(1e-6, 0.05, 1e-7), AutomaticSolver{}});
  });
  EXPECT_NE(text.find("does not go with scheme generalized-alpha: its accelerations"), std::string::npos)
      << text;
}

TEST(Switching, DoesNotHangOnTheSolver) {
  for (const char* name : {"falling-mass", "sliding-mass", "belt-block"}) {
    const CatalogProblem p = make_problem(name);
    const SwitchingSteps steps = std::get<SwitchingSteps>(p.method.stepping);
    const SwitchingRun reference = run_switching(p.problem, steps);
    for (const SolverSpec& solver :
         {SolverSpec(Psor{1e-13}), SolverSpec(Pjor{1e-13}), SolverSpec(SemismoothNewton{})}) {
      const SwitchingRun r = run_switching(p.problem, steps, solver);
      ASSERT_EQ(r.path.events().size(), reference.path.events().size()) << name << " " << to_text(solver);
      for (std::size_t k = 0; k < r.path.events().size(); ++k) {
        const Event &a = r.path.events()[k], &b = reference.path.events()[k];
        EXPECT_EQ(a.kind, b.kind);
        EXPECT_EQ(a.to, b.to);
        EXPECT_NEAR(a.t, b.t, 3 * steps.h_min) << name << " " << to_text(solver);
      }
    }
  }
}

// x = (t − c)² − w² is below zero for |t − c| < w, and no midpoint of the doubling steps falls in there: once
// the dip lies inside a step, once a step ends in it.
TEST(Switching, DoesNotPassOverAContact) {
  for (double centre : {1.0, 0.78643}) {
    const double w = 0.05;
    LinearSystem::Data d;
    d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
    d.M.set(0, 0, 1);
    d.f = Vec::Constant(1, 2.0);
    d.contacts.push_back({"edge", Unilateral{1}, {{{0, 1.0}}}, 0, 0});
    const Problem dip{std::make_shared<LinearSystem>(std::move(d)), 0, 2,
                      Vec::Constant(1, centre * centre - w * w), Vec::Constant(1, -2 * centre)};
    const SwitchingRun r = run_switching(dip, switching(1e-6, 1.5, 1, 1));
    ASSERT_EQ(r.events_of(EventKind::impact).size(), 1u) << centre;
    EXPECT_NEAR(r.events_of(EventKind::impact)[0].t, centre - w, 1e-5);
    EXPECT_LT(r.result.residuals.gap, 1e-6);
  }
}

TEST(Switching, NamesWhatIsWrongWithItsOptions) {
  const Problem p = make_problem("falling-mass").problem;
  const auto message = [&](const SwitchingSteps& s) {
    return testing::message_of([&] { run(p, {MoreauMidpoint{}, s, AutomaticSolver{}}); });
  };
  EXPECT_NE(message(switching(0.1, 0.01, 1e-6)).find("h_min = 0.1 exceeds h_max = 0.01"), std::string::npos);
  EXPECT_NE(message(switching(0, 0.01, 1e-6)).find("switching.h_min = 0"), std::string::npos);
  EXPECT_NE(message(switching(1e-18, 0.01, 1e-6)).find("rounding"), std::string::npos);
  EXPECT_NE(message(switching(1e-6, 0.01, 0)).find("cannot both be zero"), std::string::npos);
  EXPECT_NE(message(switching(1e-6, 0.01, -1)).find("switching.atol = -1"), std::string::npos);
  SwitchingSteps s = switching(1e-6, 0.01, 1e-6);
  s.n_max = 1;
  EXPECT_NE(message(s).find("switching.n_max"), std::string::npos);
  s = switching(1e-6, 0.01, 1e-6);
  s.power = 3;
  EXPECT_NE(message(s).find("switching.power"), std::string::npos);
  EXPECT_NE(testing::message_of([&] {
              run(p, {RungeKutta{}, switching(1e-6, 0.01, 1e-6), AutomaticSolver{}});
            }).find("event-capturing"),
            std::string::npos);
}

TEST(Switching, SaysSoWhenAStepFailsAndKeepsWhatItHas) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.forcing = [](double t, double* h) { h[0] += t < 0.5 ? 1 : std::nan(""); };
  const Problem p{std::make_shared<LinearSystem>(std::move(d)), 0, 1, Vec::Zero(1), Vec::Zero(1)};
  const SwitchingRun r = run_switching(p, switching(1e-6, 0.1, 1e-8));
  EXPECT_EQ(r.result.status, RunStatus::failed);
  EXPECT_NE(r.result.message.find("force[0]"), std::string::npos) << r.result.message;
  EXPECT_NEAR(r.path.t(r.path.size() - 1), 0.5, 2e-6);
  EXPECT_NEAR(r.result.final.q[0], 0.125, 1e-5);
}

TEST(Switching, SaysWhenHMinKeepsItFromTheTolerance) {
  const SwitchingRun r =
      run_switching(make_problem("impact-oscillator", {}, 0.3).problem, switching(1e-3, 5e-3, 1e-13));
  EXPECT_EQ(r.result.status, RunStatus::finished);
  EXPECT_GT(r.result.stats.above_tolerance, 0);
  EXPECT_NE(r.result.message.find("missed the tolerance"), std::string::npos) << r.result.message;
}

TEST(Switching, EmitsEveryStepOnceWithoutHolesAndRepeatsItsBits) {
  for (const char* name : {"falling-mass", "woodpecker"}) {
    const CatalogProblem p = make_problem(name);
    double last = 0;
    long count = 0;
    Trajectory paths[2];
    RunResult results[2];
    for (int k = 0; k < 2; ++k)
      results[k] = run(p.problem, p.method, [&, k](const Segment& s) {
        EXPECT_GT(s.end.t, s.begin.t);
        if (k == 0) {
          EXPECT_EQ(s.begin.t, last) << name;
          last = s.end.t, ++count;
        }
        paths[k](s);
      });
    EXPECT_EQ(last, p.problem.t_end);
    EXPECT_EQ(count, results[0].stats.steps);
    ASSERT_EQ(paths[0].size(), paths[1].size());
    for (int i = 0; i < paths[0].size(); ++i) EXPECT_EQ(paths[0].q(i), paths[1].q(i));
  }
}

TEST(Switching, DoesNotAllocateOnceWarm) {
#if SALTUS_COUNTS_ALLOCATIONS
  const CatalogProblem p = make_problem("woodpecker", {}, 0.5);
  std::size_t before = 0, after = 0;
  const RunResult r = run(p.problem, p.method, [&](const Segment& s) {
    if (before == 0 && s.end.t > 0.3) before = testing::allocations();
    after = testing::allocations();
  });
  ASSERT_EQ(r.status, RunStatus::finished);
  ASSERT_GT(before, 0u);
  EXPECT_EQ(after, before);
#else
  GTEST_SKIP() << "another allocator is at work";
#endif
}

}  // namespace
}  // namespace saltus::test_switching
