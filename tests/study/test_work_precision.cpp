// Work against precision: what is counted, the knobs, and who is cheaper.
#include "saltus/figure/work_figure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus::test_work_precision {
namespace {

const WorkOptions quick{false, 0, {false, 1e-9}};

TEST(WorkPrecision, ErrorsAndWorkAreThoseOfTheRuns) {
  const CatalogProblem p = make_problem("impact-oscillator", {{"preset", "acary-a"}}, 5.0);
  const double h[] = {5.0 / 101, 5.0 / 1101};
  const WorkTable t =
      work_precision(p, {MoreauJean{1, 1}, FixedSteps{}, AutomaticSolver{}}, Knob::step, h, {}, quick);
  const ConvergenceTable c =
      convergence(p, {MoreauJean{1, 1}, FixedSteps{}, AutomaticSolver{}}, h, {}, quick.compare);
  ASSERT_EQ(t.rows.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(t.rows[i].error.q_sup, c.rows[i].error.q_sup);
    EXPECT_EQ(t.rows[i].stats.force_evaluations, c.rows[i].stats.force_evaluations);
    EXPECT_EQ(t.rows[i].value, h[i]);
  }
}

TEST(WorkPrecision, CpuTimeIsMeasuredOnShortRunsToo) {
  const CatalogProblem p = make_problem("bouncing-ball", {}, 5.0);
  const double h[] = {0.05};
  const WorkTable t = work_precision(p, p.method, Knob::step, h);
  EXPECT_GT(t.rows[0].stats.cpu_seconds, 0);
  EXPECT_LT(t.rows[0].stats.cpu_seconds, 0.02);
}

// Fig. 3 of Acary 2012: with θ = 1/2 adaptive steps are cheaper, with θ = 1 they are not.
TEST(WorkPrecision, AdaptiveStepsPayForThetaOneHalfOnly) {
  const CatalogProblem p = make_problem("impact-oscillator", {{"preset", "acary-a"}}, 5.0);
  const double h[] = {5.0 / 396, 5.0 / 1549, 5.0 / 6067, 5.0 / 12007}, tol[] = {1e-4, 3e-5, 1e-5};
  AdaptiveSteps adaptive;
  adaptive.h = 5;
  for (double theta : {0.5, 1.0}) {
    const MoreauJean scheme{theta, 1};
    const WorkTable constant =
        work_precision(p, {scheme, FixedSteps{}, AutomaticSolver{}}, Knob::step, h, {}, quick);
    const WorkTable varied =
        work_precision(p, {scheme, adaptive, AutomaticSolver{}}, Knob::tolerance, tol, {}, quick);
    const double ratio = work_ratio(varied, constant, &TrajectoryError::q_l1);
    if (theta == 0.5)
      EXPECT_GT(ratio, 2);
    else
      EXPECT_LT(ratio, 1);
  }
}

TEST(WorkPrecision, RatioOfParallelLines) {
  WorkTable a, b;
  for (double e : {1e-2, 1e-3, 1e-4}) {
    WorkRow row;
    row.error.q_sup = e;
    row.stats.force_evaluations = std::lround(10 / e);
    b.rows.push_back(row);
    row.stats.force_evaluations /= 4;
    a.rows.push_back(row);
  }
  EXPECT_NEAR(work_ratio(a, b, &TrajectoryError::q_sup), 4, 1e-9);
  EXPECT_NEAR(work_ratio(b, a, &TrajectoryError::q_sup), 0.25, 1e-9);
  EXPECT_TRUE(std::isnan(work_ratio(a, WorkTable{}, &TrajectoryError::q_sup)));
}

TEST(WorkPrecision, MistakesAreNamed) {
  const CatalogProblem p = make_problem("bouncing-ball");
  const double tol[] = {1e-4};
  EXPECT_THROW(work_precision(p, {MoreauJean{}, FixedSteps{}, AutomaticSolver{}}, Knob::tolerance, tol),
               Error);
  EXPECT_THROW(
      work_precision(p, {runge_kutta("herk-4"), AdaptiveSteps{}, AutomaticSolver{}}, Knob::tolerance, tol),
      Error);
  CatalogProblem unknown = p;
  unknown.reference = nullptr;
  EXPECT_THROW(work_precision(unknown, p.method, Knob::step, tol), Error);
}

TEST(WorkPrecision, FigureHasOneCurvePerMethod) {
  const CatalogProblem p = make_problem("bouncing-ball");
  const double h[] = {0.05, 0.02};
  EventCapturing capturing;
  const WorkTable tables[] = {
      work_precision(p, p.method, Knob::step, h, {}, quick),
      work_precision(p, {runge_kutta("herk-3"), capturing, AutomaticSolver{}}, Knob::step, h, {}, quick)};
  const auto panels = work_panels(tables, "ball");
  ASSERT_GE(panels.size(), 2u);
  ASSERT_EQ(panels[0].curves.size(), 2u);
  EXPECT_EQ(panels[0].curves[1].title, "herk-3");
  EXPECT_EQ(panels[0].x_label, "force evaluations");
}

}  // namespace
}  // namespace saltus::test_work_precision
