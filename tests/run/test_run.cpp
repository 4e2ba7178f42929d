// The driver: step counts, failures that keep what was computed, events, trajectories.
#include "saltus/run/run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/catalog/problems.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/system/linear_system.hpp"
#include "saltus/system/model.hpp"
#include "support/errors.hpp"

namespace saltus::test_run {
namespace {

using testing::message_of;

TEST(Steps, AreRoundedUpToAnInteger) {
  EXPECT_EQ(step_count(0, 1, 0.3), 4);
  EXPECT_EQ(step_count(0, 1, 0.1), 10);
  EXPECT_EQ(step_count(0, 5, 1e-3), 5000);
  EXPECT_EQ(step_count(2, 2, 0.1), 0);
  EXPECT_EQ(step_count(0, 1, 7), 1);
  for (double h : {0.0, -1e-3, std::nan(""), infinity})
    EXPECT_NE(message_of([&] { step_count(0, 1, h); }).find("h = "), std::string::npos);
  EXPECT_NE(message_of([] { step_count(0, 1, 1e-300); }).find("larger"), std::string::npos);
}

TEST(Steps, EndExactlyAtTheEndTime) {
  const CatalogProblem p = make_problem("bouncing-ball", {}, 0.7);
  const RunResult r = run(p.problem, {MoreauJean{}, FixedSteps{0.03}, AutomaticSolver{}});
  EXPECT_EQ(r.final.t, 0.7);
  EXPECT_EQ(r.stats.steps, 24);
}

TEST(Run, RefusesBadMethods) {
  const CatalogProblem p = make_problem("bouncing-ball");
  const auto said = [&](const Method& m) { return message_of([&] { run(p.problem, m); }); };
  EXPECT_NE(said({MoreauJean{2, 1}, FixedSteps{}, AutomaticSolver{}}).find("theta"), std::string::npos);
  EXPECT_NE(said({MoreauJean{std::nan(""), 1}, FixedSteps{}, AutomaticSolver{}}).find("theta"),
            std::string::npos);
  for (double h : {0.0, -1.0, std::nan("")})
    EXPECT_NE(said({MoreauJean{}, FixedSteps{h}, AutomaticSolver{}}).find("h ="), std::string::npos);
  Problem none;
  EXPECT_NE(message_of([&] { run(none, {}); }).find("no system"), std::string::npos);
}

// A force that turns NaN mid-run: the run stops, names it, and keeps the finite part.
TEST(Run, StopsWhenAForceTurnsNaNAndKeepsWhatItHad) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.forcing = [](double t, double* h) { h[0] += t > 0.5 ? std::nan("") : 1.0; };
  Problem p{std::make_shared<LinearSystem>(std::move(d)), 0, 1, Vec::Zero(1), Vec::Zero(1)};
  for (const SchemeSpec& scheme :
       {SchemeSpec(MoreauJean{}), SchemeSpec(MoreauMidpoint{}), SchemeSpec(MoreauProjected{})}) {
    Trajectory trajectory;
    const RunResult r = run(p, {scheme, FixedSteps{1e-2}, AutomaticSolver{}}, trajectory.sink());
    EXPECT_EQ(r.status, RunStatus::failed);
    EXPECT_NE(r.message.find("force[0] = nan"), std::string::npos) << r.message;
    EXPECT_NE(r.message.find("t = 0.5"), std::string::npos) << r.message;
    EXPECT_NEAR(r.final.t, 0.5, 0.011);
    EXPECT_GE(trajectory.size(), 50);
    for (int i = 0; i < trajectory.size(); ++i) EXPECT_TRUE(trajectory.u(i).allFinite());
  }
}

// Too few sweeps for a column of balls: said, with the contact, the time and the residual.
TEST(Run, SaysWhenTheContactSolverDidNotConverge) {
  const CatalogProblem p = make_problem("ball-column", {{"n", "200"}}, 0.1);
  Psor few;
  few.max_iterations = 3;
  const RunResult r = run(p.problem, {MoreauJean{}, FixedSteps{1e-2}, few});
  EXPECT_EQ(r.status, RunStatus::failed);
  EXPECT_NE(r.message.find("ball "), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("psor"), std::string::npos) << r.message;
  EXPECT_GT(r.residuals.contact, few.tolerance);
}

TEST(Run, CanBeInterrupted) {
  const CatalogProblem p = make_problem("bouncing-ball");
  std::atomic<bool> stop{false};
  RunControl control;
  control.interrupt = &stop;
  const RunResult r = run(
      p.problem, {}, [&](const Segment& s) { stop = s.end.t > 1; }, control);
  EXPECT_EQ(r.status, RunStatus::interrupted);
  EXPECT_NEAR(r.final.t, 1, 3e-3);
}

TEST(Events, OfTheBallAreImpactsThenOneClosing) {
  const CatalogProblem p = make_problem("bouncing-ball");
  Trajectory t;
  const RunResult r =
      run(p.problem, {MoreauJean{0.5, 1}, FixedSteps{5.0 / 3170}, AutomaticSolver{}}, t.sink());
  ASSERT_GE(t.events().size(), 8u);
  double lost = 0;
  for (std::size_t i = 0; i + 1 < t.events().size(); ++i) EXPECT_LE(t.events()[i].t, t.events()[i + 1].t);
  for (int i = 0; i < 5; ++i) {
    const Event& e = t.events()[i];
    EXPECT_EQ(e.kind, EventKind::impact);
    EXPECT_NEAR(e.t, 3 - std::pow(2.0, 1 - i), 0.02);
    EXPECT_NEAR(e.u_plus[0], -0.5 * e.u_minus[0], 1e-12);
    EXPECT_LT(e.t_before, e.t);
  }
  for (const Event& e : t.events())
    if (e.kind == EventKind::impact) lost += e.energy_loss;
  EXPECT_NEAR(lost, r.energy_initial - r.energy_final, 0.02);
  EXPECT_EQ(t.events().back().kind, EventKind::close);
}

TEST(Events, OfTheBlockAreSlipThenStick) {
  const CatalogProblem p = make_problem("sliding-block");
  Trajectory t;
  run(p.problem, p.method, t.sink());
  ASSERT_EQ(t.events().size(), 2u);
  EXPECT_EQ(t.events()[0].kind, EventKind::close);
  EXPECT_EQ(t.events()[1].kind, EventKind::stick);
  EXPECT_NEAR(t.events()[1].t, p.reference->breaks(0, 2).front(), 2e-3);
}

TEST(Events, TheForcedOscillatorClosesAndOpens) {
  const CatalogProblem p = make_problem("impact-oscillator", {{"preset", "acary-c"}});
  Trajectory t;
  run(p.problem, p.method, t.sink());
  double closed = std::nan(""), opened = std::nan("");
  for (const Event& e : t.events()) {
    if (e.kind == EventKind::close) closed = e.t;
    if (e.kind == EventKind::open) opened = e.t;
  }
  EXPECT_NEAR(closed, 2.689, 0.03);
  EXPECT_NEAR(opened, 3.8959, 0.01);
}

TEST(Trajectories, HaveLimitsFromBothSidesAndImpulses) {
  Trajectory t;
  const auto one = [](double x) { return Vec::Constant(1, x).eval(); };
  t.add(0, one(1), one(0));
  t.add(1, one(0), one(-2));
  t.add(1, one(0), one(1));
  t.add(2, one(0), one(-1));
  EXPECT_EQ(t.u(1.0, Side::left)[0], -2);
  EXPECT_EQ(t.u(1.0, Side::right)[0], 1);
  EXPECT_EQ(t.u(0.5)[0], -1);
  EXPECT_EQ(t.u(1.5)[0], 0);
  EXPECT_EQ(t.q(0.5)[0], 0.5);
  EXPECT_NE(message_of([&] { t.add(1.5, one(0), one(0)); }).find("comes after"), std::string::npos);

  const CatalogProblem p = make_problem("bouncing-ball", {{"m", "3"}}, 8);
  Trajectory ball;
  const RunResult r = run(p.problem, {MoreauJean{}, FixedSteps{1e-3}, AutomaticSolver{}}, ball.sink());
  // momentum balance over the whole run and over the phase of rest
  EXPECT_NEAR(ball.impulse(0, 0, 0, 8), 3 * r.final.u[0] + 2 * 8, 1e-10);
  EXPECT_NEAR(ball.impulse(0, 0, 7, 8), 2 * 1.0, 1e-9);
}

}  // namespace
}  // namespace saltus::test_run
