// Step size adjustment around switching points: the falling and the sliding mass of Studer, Leine and Glocker
// 2008 against closed forms and golden values.
#include "support/switching.hpp"

#include <cmath>

#include "support/errors.hpp"
#include "support/studer.hpp"

namespace saltus::test_switching_masses {
namespace {

using testing::expect_studer, testing::Json, testing::numbers, testing::run_switching, testing::studer,
    testing::switching, testing::SwitchingRun;

// ---- 10.1, the falling mass

SwitchingRun falling_mass(Substeps substeps = Substeps::odd, bool always = false, double t_end = 1.2) {
  SwitchingSteps s = switching(1e-5, 0.05, 1e-8);
  s.substeps = substeps;
  if (always) s.restitution = SwitchingSteps::Restitution::always;
  return run_switching(make_problem("falling-mass", {}, t_end).problem, s);
}

TEST(FallingMass, HitsAccumulatesRestsAndTheStepGrowsAgain) {
  const double t1 = std::sqrt(2 * 0.07 / 9.81);
  expect_studer("E01_exact", {t1, std::sqrt(2 * 9.81 * 0.07), accumulation_time({1, -9.81, 0.7, 0.07, 0})});
  for (const bool always : {true, false}) {
    const SwitchingRun r = falling_mass(Substeps::odd, always);
    ASSERT_EQ(r.result.status, RunStatus::finished) << r.result.message;
    const auto impacts = r.events_of(EventKind::impact);
    ASSERT_GE(impacts.size(), 10u);
    std::vector<double> first;
    for (int k = 0; k < 10; ++k) first.push_back(impacts[k].t);
    expect_studer("E02_impacts", first);
    for (int k = 0; k < 10; ++k)  // the bracket is honest up to the error that earlier impacts have left
      EXPECT_LE(impacts[k].t - impacts[k].t_before, 2.001e-5);
    expect_studer("E03_accumulation", {impacts.back().t});
    expect_studer("E04_rest", {std::abs(r.result.final.q[0]), std::abs(r.result.final.u[0])});
    expect_studer("E05_n_impacts", {static_cast<double>(impacts.size())});
    expect_studer("E06_n_switch", {static_cast<double>(r.result.stats.switches)});
    const RunStats& s = r.result.stats;
    const auto e = numbers(studer("E07_stats")["expected"]);
    EXPECT_NEAR(static_cast<double>(s.calculated), e[0], 0.25 * e[0]);
    EXPECT_NEAR(static_cast<double>(s.steps), e[1], 0.25 * e[1]);
    EXPECT_NEAR(static_cast<double>(s.detections), e[2], 0.25 * e[2]);
    EXPECT_NEAR(static_cast<double>(s.base_steps), e[4], 0.25 * e[4]);
    double largest = 0;
    for (int i = 0; i + 1 < r.path.size(); ++i) {
      if (r.path.t(i) > 0.7) largest = std::max(largest, r.h(i));
      if (r.h(i) > 1e-4 && r.path.t(i) < 0.119) {
        EXPECT_EQ(r.order[i], 2);  // E09: a parabola
      }
    }
    expect_studer("E08_late_dt", {largest});
  }
}

TEST(FallingMass, StepsGrowAndStopAsInTheTraceOfThePrototype) {
  const SwitchingRun r = falling_mass();
  const Json& rows = studer("E10_trace")["expected"];
  for (std::size_t k = 0; k + 2 < rows.size(); ++k) {  // the last two are cut short by the search and t_end
    EXPECT_NEAR(r.path.t(static_cast<int>(k) + 1), rows[k][0], 1e-9) << k;
    EXPECT_NEAR(r.h(static_cast<int>(k) + 1), rows[k][1], 1e-9) << k;
  }
}

TEST(FallingMass, EvenSubstepsKeepTheStepSmallAfterTheAccumulation) {
  const auto mean_step = [](const SwitchingRun& r) {
    double first = 0, count = 0;
    for (int i = 0; i < r.path.size(); ++i)
      if (r.path.t(i) > 0.75) count == 0 ? first = r.path.t(i) : 0, ++count;
    return (0.9 - first) / (count - 1);
  };
  expect_studer("E11_even_fails", {mean_step(falling_mass(Substeps::all, true, 0.9))});
  EXPECT_GT(mean_step(falling_mass(Substeps::odd, true, 0.9)), 0.01);
  EXPECT_GT(mean_step(falling_mass(Substeps::all, false, 0.9)),
            0.01);  // no restitution while closed: cured too
}

// ---- 10.2, the sliding mass

TEST(SlidingMass, ClosedFormHasTheGoldenValues) {
  const auto reference = sliding_mass_reference({});
  const auto turn = numbers(studer("F01_turn")["expected"]);
  Vec q, u;
  reference->state(turn[0], Side::right, q, u);
  EXPECT_NEAR(u.norm(), turn[1], 1e-10);
  for (double d : {-1e-4, 1e-4}) {
    Vec v;
    reference->state(turn[0] + d, Side::right, q, v);
    EXPECT_GT(v.norm(), u.norm());
  }
  reference->state(turn[2], Side::right, q, u);
  EXPECT_NEAR(u[0], 0, 1e-10);
  EXPECT_NEAR(q[0], turn[3], 1e-10);
  EXPECT_NEAR(q[1], turn[4], 1e-10);
  EXPECT_NEAR(u[1], turn[5], 1e-10);
  reference->state(3, Side::right, q, u);
  expect_studer("F02_tB", {q[0], q[1], u[0], u[1], u.norm()});
  const auto stick = numbers(studer("F03_stick")["expected"]);
  EXPECT_NEAR(reference->breaks(3.1, 9).at(0), stick[0], 1e-10);
  reference->state(4, Side::right, q, u);
  EXPECT_NEAR(q[0], stick[1], 1e-10);
  EXPECT_NEAR(q[1], stick[2], 1e-10);
}

// m u̇ = F − a u/|u| by a plain Runge–Kutta method, for the other cases of the closed form
TEST(SlidingMass, ClosedFormSolvesTheEquationOfMotion) {
  const SlidingMass cases[] = {{1, 2, 2, -0.2, -2.5, -0.25, 3},
                               {2, 3, 1, 2, 1, -0.5, 0.7},
                               {1, 2, 1, 1, 0, 2, 1},
                               {1, 1, -1, 0.1, 4, 0, 2}};
  for (const SlidingMass& p : cases) {
    const auto reference = sliding_mass_reference(p);
    Eigen::Vector4d x(0, 0, p.ux, p.uy);
    const double end = 0.9 * std::min(p.t_off, reference->breaks(0, 1e9).at(0));
    const int n = 20000;
    const auto rate = [&](const Eigen::Vector4d& y) {
      const double v = std::hypot(y[2], y[3]);
      return Eigen::Vector4d(y[2], y[3], (p.Fx - p.a * y[2] / v) / p.m, (p.Fy - p.a * y[3] / v) / p.m);
    };
    for (int k = 0; k < n; ++k) {
      const double h = end / n;
      const Eigen::Vector4d a = rate(x), b = rate(x + h / 2 * a), c = rate(x + h / 2 * b),
                            d = rate(x + h * c);
      x += h / 6 * (a + 2 * b + 2 * c + d);
    }
    Vec q, u;
    reference->state(end, Side::right, q, u);
    EXPECT_NEAR((q - x.head(2)).norm(), 0, 1e-9);
    EXPECT_NEAR((u - x.tail(2)).norm(), 0, 1e-9);
  }
}

TEST(SlidingMass, TurnsAndSticksOnTime) {
  const auto turn = numbers(studer("F01_turn")["expected"]), stick = numbers(studer("F03_stick")["expected"]);
  const Problem p = make_problem("sliding-mass").problem;
  SwitchingRun r = run_switching(p, switching(1e-5, 0.1, 1e-8));
  ASSERT_EQ(r.result.status, RunStatus::finished);
  ASSERT_EQ(r.path.events().size(), 1u);  // F05
  expect_studer("F03_stick", {r.path.events()[0].t, r.result.final.q[0], r.result.final.q[1]});

  r = run_switching(p, switching(1e-7, 0.1, 1e-9));
  EXPECT_NEAR(r.path.events().at(0).t, stick[0], 1e-6);
  EXPECT_NEAR(r.result.final.q[0], stick[1], 1e-6);
  EXPECT_NEAR(r.result.final.q[1], stick[2], 1e-6);
  r = run_switching(make_problem("sliding-mass", {}, turn[2]).problem, switching(1e-7, 0.1, 1e-9));
  EXPECT_NEAR(r.result.final.u[0] / 2.5, 0, 1e-6);  // the time of turning, by the acceleration there
  EXPECT_NEAR(r.result.final.q[0], turn[3], 1e-6);
  EXPECT_NEAR(r.result.final.q[1], turn[4], 1e-6);
  r = run_switching(make_problem("sliding-mass", {}, 3).problem, switching(1e-5, 0.1, 1e-8));
  expect_studer("F04_scheme_tB",
                {r.result.final.q[0], r.result.final.q[1], r.result.final.u[0], r.result.final.u[1]});
}

TEST(SlidingMass, FrictionIsOnTheDiscToTenDigitsInEverySubstep) {
  const CatalogProblem p = make_problem("sliding-mass");
  const auto stepper = make_stepper(MoreauMidpoint{}, *p.problem.system, AutomaticSolver{});
  for (double h : {0.02, 1e-3, 1e-5, 1e-7}) {
    State a = stepper->start(0, p.problem.q0, p.problem.u0), b = a;
    for (int k = 0; k < 50; ++k) {
      stepper->step(a, h, b);
      std::swap(a, b);
      ASSERT_EQ(a.contacts.mode(0), Mode::slip);
      const double off = std::hypot(a.contacts.impulse[0], a.contacts.impulse[1]) / (2 * h) - 1;
      EXPECT_NEAR(off, 0, 1e-10);
      expect_studer("F06_force", {off});
    }
  }
}

TEST(SlidingMass, WithoutTheBreakpointTheJumpOfTheForceIsMissed) {
  Problem p = make_problem("sliding-mass").problem;
  Vec exact, u;
  sliding_mass_reference({})->state(4.5, Side::right, exact, u);
  const double with = (run_switching(p, switching(1e-5, 0.1, 1e-8)).result.final.q - exact).norm();
  p.breakpoints.clear();
  const double without = (run_switching(p, switching(1e-5, 0.1, 1e-8)).result.final.q - exact).norm();
  EXPECT_LT(with, 1e-8);
  expect_studer("F07_no_breakpoint", {without});
}

TEST(Breakpoints, NoDriverStepsAcross) {
  const CatalogProblem p = make_problem("sliding-mass");
  const Stepping all[] = {FixedSteps{0.013}, AdaptiveSteps{}, switching(1e-5, 0.1, 1e-8)};
  for (const auto& stepping : all) {
    bool across = false, at = false;
    const RunResult r =
        run(p.problem, {MoreauMidpoint{}, stepping, AutomaticSolver{}}, [&](const Segment& s) {
          across = across || (s.begin.t < 3 && s.end.t > 3);
          at = at || s.end.t == 3;
        });
    EXPECT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_TRUE(at && !across) << to_text(stepping);
  }
  Problem ball = make_problem("bouncing-ball").problem;
  ball.breakpoints = {0.333, 7, -1, 0.333};
  bool at = false;
  run(ball, {RungeKutta{}, EventCapturing{}, AutomaticSolver{}},
      [&](const Segment& s) { at = at || s.end.t == 0.333; });
  EXPECT_TRUE(at);
  EXPECT_EQ(stretches(ball), (std::vector<double>{0.333, 5}));
  ball.breakpoints = {std::nan("")};
  EXPECT_NE(testing::message_of([&] { stretches(ball); }).find("breakpoint"), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_switching_masses
