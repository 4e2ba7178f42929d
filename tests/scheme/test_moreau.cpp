// Moreau's schemes: single steps and runs against golden values, restitution, energy, friction, order,
// memory.
#include <cmath>
#include <numeric>

#include "saltus/reference/graph_distance.hpp"
#include "saltus/scheme/moreau/moreau_projected_stepper.hpp"
#include "saltus/study/convergence.hpp"
#include "saltus/system/linear_system.hpp"
#include "support/allocations.hpp"
#include "support/problems.hpp"

namespace saltus::test_moreau {
namespace {

using testing::expect_golden, testing::golden, testing::golden_ids, testing::Json, testing::oscillator_of;

Vec vec(const Json& j) {
  Vec v(j.is_array() ? j.size() : 1);
  for (long i = 0; i < v.size(); ++i) v[i] = j.is_array() ? j[i].get<double>() : j.get<double>();
  return v;
}

std::shared_ptr<const LinearSystem> two_balls(const Json& p) {
  LinearSystem::Data d;
  d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, p["m1"]);
  d.M.set(1, 1, p["m2"]);
  d.f = Vec{
      {-p["m1"].get<double>() * p["grav"].get<double>(), -p["m2"].get<double>() * p["grav"].get<double>()}};
  d.contacts.push_back({"1/floor", Unilateral{p["rho"][0]}, {{{0, 1.0}}}, 0, 0});
  d.contacts.push_back({"2/1", Unilateral{p["rho"][1]}, {{{0, -1.0}, {1, 1.0}}}, 0, 0});
  return std::make_shared<LinearSystem>(std::move(d));
}

TEST(MoreauJean, SingleStepsMatchTheGoldenValues) {
  const auto ids = golden_ids("moreau1-");
  ASSERT_EQ(ids.size(), 16u);
  for (const auto& id : ids) {
    const auto& g = golden(id);
    const auto& p = g["parameters"];
    std::shared_ptr<const DynamicSystem> system;
    if (p.contains("grav")) {
      system = two_balls(p);
    } else {
      Json one = p;
      one.erase("q");
      one.erase("v");
      system = oscillator_of(one).build(1).problem.system;
    }
    const auto stepper = make_stepper(MoreauJean{p["theta"], p["gamma"]}, *system, AutomaticSolver{});
    const State x0 = stepper->start(0, vec(p["q"]), vec(p["v"]));
    State x1 = x0;
    const StepReport report = stepper->step(x0, p["h"], x1);
    EXPECT_EQ(report.status, StepStatus::ok) << id;
    const auto& e = g["expected"];
    for (long i = 0; i < x1.q.size(); ++i) {
      expect_golden(g, x1.q[i], e["q1"][i], "q");
      expect_golden(g, x1.u[i], e["v1"][i], "v");
      const auto* record = x1.contacts.find(i);
      expect_golden(g, record ? x1.contacts.impulse[record->offset] : 0.0, e["P"][i], "P");
    }
  }
}

TEST(MoreauProjected, SingleStepsMatchTheGoldenValuesInBothReadings) {
  const auto ids = golden_ids("proj19-");
  ASSERT_EQ(ids.size(), 8u);
  for (const auto& id : ids) {
    const auto& g = golden(id);
    const auto& p = g["parameters"];
    Json one = p;
    one.erase("q");
    one.erase("v");
    const auto system = oscillator_of(one).build(1).problem.system;
    MoreauProjected options{p["theta"], p["gamma"],
                            id.find("monolithic") != std::string::npos
                                ? MoreauProjected::Coupling::monolithic
                                : MoreauProjected::Coupling::decoupled};
    MoreauProjectedStepper stepper(static_cast<const System&>(*system), options, AutomaticSolver{});
    const State x0 = stepper.start(0, vec(p["q"]), vec(p["v"]));
    State x1 = x0;
    EXPECT_EQ(stepper.step(x0, p["h"], x1).status, StepStatus::ok) << id;
    expect_golden(g, x1.q[0], g["expected"]["q1"][0], "q");
    expect_golden(g, x1.u[0], g["expected"]["v1"][0], "v");
    expect_golden(g, stepper.tau(0), g["expected"]["tau"][0], "tau");
  }
}

// v as a step function: the graph with horizontal steps, for the golden v_Hstairs.
double stairs_distance(const Trajectory& t, const Reference& reference) {
  Trajectory stairs;
  for (int i = 0; i < t.size(); ++i) {
    if (i > 0) stairs.add(t.t(i), t.q(i), t.u(i - 1));
    stairs.add(t.t(i), t.q(i), t.u(i));
  }
  return compare(stairs, reference, {.chords = true}).u_hausdorff;
}

TEST(MoreauJean, RunsMatchTheGoldenErrorsInEveryNorm) {
  const auto ids = golden_ids("moreau-run-");
  ASSERT_EQ(ids.size(), 19u);
  for (const auto& id : ids) {
    const auto& g = golden(id);
    const auto& p = g["parameters"];
    const int N = p["N"];
    const CatalogProblem problem = testing::problem_of(p, 5);
    Trajectory trajectory;
    Method m{MoreauJean{p["theta"], p["gamma"]}, FixedSteps{5.0 / N}, AutomaticSolver{}};
    const RunResult r = run(problem.problem, m, trajectory.sink());
    ASSERT_EQ(r.status, RunStatus::finished) << id << r.message;
    ASSERT_EQ(r.stats.steps, N);
    const TrajectoryError e = compare(trajectory, *problem.reference, {.chords = true});
    const auto& x = g["expected"]["errors"];
    expect_golden(g, e.q_l1, x["q_L1"], "q_L1");
    expect_golden(g, e.q_l2, x["q_L2"], "q_L2");
    expect_golden(g, e.q_sup, x["q_Linf"], "q_Linf");
    expect_golden(g, e.u_l1, x["v_L1"], "v_L1");
    expect_golden(g, e.u_l2, x["v_L2"], "v_L2");
    expect_golden(g, e.u_sup, x["v_Linf"], "v_Linf");
    expect_golden(g, e.u_hausdorff, x["v_H"], "v_H");
    expect_golden(g, stairs_distance(trajectory, *problem.reference), x["v_Hstairs"], "v_Hstairs");
    expect_golden(g, -r.residuals.gap, std::min(0.0, x["gmin"].get<double>()), "gmin");
    expect_golden(g, trajectory.q(N / 2)[0], g["expected"]["q_mid"], "q_mid");
    expect_golden(g, trajectory.u(N / 2)[0], g["expected"]["v_mid"], "v_mid");
    expect_golden(g, r.final.q[0], g["expected"]["q_N"], "q_N");
    expect_golden(g, r.final.u[0], g["expected"]["v_N"], "v_N");
    std::size_t percussions = 0;
    for (const auto& a : trajectory.atoms()) percussions += a.rows == 1;
    EXPECT_EQ(percussions, g["expected"]["n_percussions"].get<std::size_t>()) << id;
  }
}

// Figure 2 of Acary 2012: slopes fitted over 15 step sizes, two decades.
TEST(MoreauJean, ObservedOrdersAreThoseOfFigure2) {
  const auto ids = golden_ids("moreau-order-");
  ASSERT_EQ(ids.size(), 8u);
  for (const auto& id : ids) {
    const auto& g = golden(id);
    const auto& p = g["parameters"];
    const std::string example = p["example"];
    const CatalogProblem problem =
        example == "ball"
            ? make_problem("bouncing-ball", {}, 5)
            : make_problem("impact-oscillator",
                           {{"preset", fmt::format("acary-{}", static_cast<char>(std::tolower(example[3])))}},
                           5);
    std::vector<double> h;
    for (int N : p["N"]) h.push_back(5.0 / N);
    const Method m{MoreauJean{p["theta"], p["gamma"]}, FixedSteps{}, AutomaticSolver{}};
    const auto order = convergence(problem, m, h, {}, {.chords = true}).order;
    const std::pair<const char*, double> slopes[] = {{"q_L1", order.q_l1},    {"q_Linf", order.q_sup},
                                                     {"v_L1", order.u_l1},    {"v_L2", order.u_l2},
                                                     {"v_Linf", order.u_sup}, {"v_H", order.u_hausdorff}};
    for (const auto& [norm, slope] : slopes) {
      const auto& range = g["tolerance"]["value"][norm];
      EXPECT_GE(slope, range[0].get<double>()) << id << " " << norm;
      EXPECT_LE(slope, range[1].get<double>()) << id << " " << norm;
      EXPECT_NEAR(slope, g["expected"][norm].get<double>(), 1e-3)
          << id << " " << norm;  // the same runs, elsewhere
    }
  }
}

TEST(MoreauJean, EnergyIsConservedByTheMidpointWithElasticImpacts) {
  const auto& g = golden("energy-theta-half");
  const auto& p = g["parameters"];
  const CatalogProblem problem = oscillator_of(p).build(p["T"]);
  const auto& system = testing::system_of(problem);
  double worst = 0, e0 = energy_of(system, 0, problem.problem.q0, problem.problem.u0);
  run(problem.problem, {MoreauJean{p["theta"], p["gamma"]}, FixedSteps{5.0 / 333}, AutomaticSolver{}},
      [&](const Segment& s) {
        worst = std::max(worst, std::abs(energy_of(system, s.end.t, s.end.q, s.end.u) / e0 - 1));
      });
  EXPECT_LE(worst, g["tolerance"]["value"].get<double>());
}

TEST(MoreauJean, ElasticBallKeepsItsEnergyForTenThousandBounces) {
  BouncingBall ball;
  ball.e = 1;
  const double T = 2e4 + 1;  // a bounce takes 2 s
  const CatalogProblem p = ball.build(T);
  long impacts = 0;
  const RunResult r =
      run(p.problem, {MoreauJean{0.5, 1}, FixedSteps{0.0137}, AutomaticSolver{}}, [&](const Segment& s) {
        for (const Event& e : s.events) impacts += e.kind == EventKind::impact;
      });
  EXPECT_GE(impacts, 9900);
  EXPECT_NEAR(r.energy_final, r.energy_initial, 1e-10 * r.energy_initial);
}

// |u⁺ + e u⁻| ≤ 1e-12 (|u⁻| + |g| h) at each impact, whatever e and h: there is no velocity threshold.
class Restitution : public ::testing::TestWithParam<int> {};

TEST_P(Restitution, IsMetAtEveryStepSize) {
  BouncingBall ball;
  ball.e = GetParam() / 10.0;
  ball.f = -9.81;
  const SchemeSpec schemes[] = {MoreauJean{0.5, 1}, MoreauJean{1, 1}, MoreauJean{0, 0.5}, MoreauMidpoint{},
                                MoreauProjected{}};
  for (const auto& scheme : schemes)
    for (double h : {1e-1, 3.7e-2, 1.1e-2, 1e-3, 1.3e-4, 1e-5}) {
      const CatalogProblem p = ball.build(h < 1e-4 ? 1.0 : 3.0);
      long impacts = 0;
      run(p.problem, {scheme, FixedSteps{h}, AutomaticSolver{}}, [&](const Segment& s) {
        for (const Event& e : s.events)
          if (e.kind == EventKind::impact) {
            ++impacts;
            const double u = e.u_minus[0];
            EXPECT_LE(std::abs(e.u_plus[0] + ball.e * u), 1e-12 * (std::abs(u) + 9.81 * h))
                << to_text(scheme) << " e = " << ball.e << " h = " << h << " t = " << s.end.t;
            EXPECT_LE(std::abs(s.end.u[0] + ball.e * u), 1e-12 * (std::abs(u) + 9.81 * h));
          }
      });
      EXPECT_GE(impacts, 1) << to_text(scheme) << " h = " << h;
    }
}
INSTANTIATE_TEST_SUITE_P(ZeroToOne, Restitution, ::testing::Range(0, 11));

TEST(Friction, BlockBelowTheFrictionAngleDoesNotCreepInAMillionSteps) {
  const CatalogProblem p = make_problem("sliding-block", {{"v0", "0.5"}}, 1000);
  const double stop = p.reference->breaks(0, 1000).front();
  double worst = 0, first = std::nan(""), last = 0;
  const RunResult r =
      run(p.problem, {MoreauJean{}, FixedSteps{1e-3}, AutomaticSolver{}}, [&](const Segment& s) {
        if (s.end.t < stop + 2e-3) return;
        worst = std::max(worst, s.end.u.lpNorm<Eigen::Infinity>());
        if (std::isnan(first)) first = s.end.q[0];
        last = s.end.q[0];
      });
  EXPECT_EQ(r.stats.steps, 1000000);
  EXPECT_LE(worst, 1e-14);
  EXPECT_LE(std::abs(last - first), 1e-11);
}

TEST(Friction, SlidingIsFirstOrderAndExactWhileItSlips) {
  for (const char* angle : {"0.3", "-0.3", "0.7"})
    for (const SchemeSpec& scheme :
         {SchemeSpec(MoreauJean{0.5, 1}), SchemeSpec(MoreauMidpoint{}), SchemeSpec(MoreauProjected{})}) {
      const CatalogProblem p = make_problem("sliding-block", {{"angle", angle}});
      Trajectory trajectory;
      run(p.problem, {scheme, FixedSteps{1.7e-3}, AutomaticSolver{}}, trajectory.sink());
      const TrajectoryError e = compare(trajectory, *p.reference);
      EXPECT_LT(e.u_sup, 0.02) << angle << to_text(scheme);
      EXPECT_LT(e.q_sup, 2e-4) << angle << to_text(scheme);
    }
}

// Smooth motion (no contact): order 2 for θ = 1/2 and the midpoint rule without damping, order 1 for θ ∈ {0,
// 1}.
TEST(Order, OnSmoothMotion) {
  ImpactOscillator o;
  o.q0 = 3, o.A = 40, o.B = 2, o.Omega = 3, o.c = 0;  // stays away from the wall
  const double h[] = {0.04, 0.02, 0.01, 0.005};
  const std::pair<SchemeSpec, double> expected[] = {{MoreauJean{0.5, 1}, 2},
                                                    {MoreauJean{0, 1}, 1},
                                                    {MoreauJean{1, 1}, 1},
                                                    {MoreauMidpoint{}, 2},
                                                    {MoreauProjected{}, 2}};
  for (const auto& [scheme, order] : expected) {
    const auto table =
        convergence(o.build(1), {scheme, FixedSteps{}, AutomaticSolver{}}, h, {}, {false, 1e-9});
    EXPECT_NEAR(table.order.q_sup, order, 0.1) << to_text(scheme);
    EXPECT_NEAR(table.order.u_sup, order, 0.1) << to_text(scheme);
  }
}

// Through impacts every scheme is of order 1 in q and in the L1 norm and graph of u.
TEST(Order, ThroughImpactsForEveryScheme) {
  std::vector<double> h;
  for (int N : {101, 142, 200, 281, 396, 556, 783, 1101, 1549, 2179, 3066, 4313, 6067, 8535, 12007})
    h.push_back(5.0 / N);
  ImpactOscillator o;
  for (const SchemeSpec& scheme :
       {SchemeSpec(MoreauMidpoint{}), SchemeSpec(MoreauProjected{1, 1, MoreauProjected::Coupling::decoupled}),
        SchemeSpec(MoreauProjected{0.5, 1, MoreauProjected::Coupling::monolithic})}) {
    const auto table = convergence(o.build(5), {scheme, FixedSteps{}, AutomaticSolver{}}, h);
    EXPECT_NEAR(table.order.q_sup, 1, 0.3) << to_text(scheme);
    EXPECT_NEAR(table.order.u_l1, 1, 0.3) << to_text(scheme);
    EXPECT_NEAR(table.order.u_hausdorff, 1, 0.3) << to_text(scheme);
    EXPECT_NEAR(table.order.u_l2, 0.5, 0.35) << to_text(scheme);
    EXPECT_NEAR(table.order.u_sup, 0, 0.45) << to_text(scheme);
  }
}

TEST(MoreauProjected, GapsAreNonNegativeOnTheGrid) {
  for (const auto coupling : {MoreauProjected::Coupling::decoupled, MoreauProjected::Coupling::monolithic})
    for (const char* name : {"bouncing-ball", "impact-oscillator", "rocking-bar"}) {
      const CatalogProblem p = make_problem(name);
      const RunResult r =
          run(p.problem, {MoreauProjected{0.5, 1, coupling}, FixedSteps{3.1e-3}, AutomaticSolver{}});
      EXPECT_EQ(r.status, RunStatus::finished) << r.message;
      EXPECT_LE(r.residuals.gap, 1e-14) << name;
    }
}

TEST(Joints, DriftIsSmallForMoreauAndGoneWhenProjected) {
  const CatalogProblem p = make_problem("pendulum");
  const RunResult a = run(p.problem, {MoreauJean{0.5, 1}, FixedSteps{1e-3}, AutomaticSolver{}});
  const RunResult b = run(p.problem, {MoreauProjected{}, FixedSteps{1e-3}, AutomaticSolver{}});
  EXPECT_LE(a.residuals.velocity, 1e-12);
  EXPECT_LT(a.residuals.position, 2e-2);
  EXPECT_LE(b.residuals.position, 1e-13);
}

TEST(Joints, PendulumConvergesWithOrderOneOrBetter) {
  const CatalogProblem p = make_problem("pendulum");
  const double h[] = {4e-3, 2e-3, 1e-3, 5e-4};
  for (const SchemeSpec& scheme : {SchemeSpec(MoreauJean{0.5, 1}), SchemeSpec(MoreauJean{1, 1}),
                                   SchemeSpec(MoreauMidpoint{}), SchemeSpec(MoreauProjected{})}) {
    const auto table = convergence(p, {scheme, FixedSteps{}, AutomaticSolver{}}, h, {}, {false, 1e-9});
    EXPECT_GE(table.order.q_sup, 0.9) << to_text(scheme);
    EXPECT_LT(table.rows.back().error.q_sup, 0.15) << to_text(scheme);
  }
}

TEST(Memory, AWarmStepLoopDoesNotAllocateAndRepeatsItsBits) {
  struct Case {
    const char* problem;
    Settings settings;
  };
  const Case cases[] = {{"bouncing-ball", {}},
                        {"impact-oscillator", {{"preset", "acary-c"}}},
                        {"sliding-block", {}},
                        {"ball-column", {{"n", "50"}}},
                        {"collinear-chain", {{"n", "20"}}},
                        {"rocking-bar", {}},
                        {"pendulum", {}}};
  const SchemeSpec schemes[] = {MoreauJean{}, MoreauMidpoint{}, MoreauProjected{},
                                MoreauProjected{0.5, 1, MoreauProjected::Coupling::monolithic}};
  for (const auto& c : cases)
    for (const auto& scheme : schemes) {
      const CatalogProblem p = make_problem(c.problem, c.settings);
      const double h = 2e-3;
      const auto march = [&](Stepper& stepper) {
        State a = stepper.start(0, p.problem.q0, p.problem.u0), b = a;
        for (State* x : {&a, &b}) x->contacts.closed.reserve(64), x->contacts.impulse.reserve(64);
        const int n = static_cast<int>(p.problem.t_end / h);
        const auto go = [&] {
          for (int k = 0; k < n; ++k) {
            stepper.step(a, h, b);
            std::swap(a, b);
          }
        };
        go();  // warm-up over the whole motion
        a.t = 0, a.q = p.problem.q0, a.u = p.problem.u0, a.contacts.clear();
        const std::size_t before = testing::allocations();
        go();
        const std::size_t after = testing::allocations();
#if SALTUS_COUNTS_ALLOCATIONS
        EXPECT_EQ(after - before, 0u) << c.problem << " " << to_text(scheme);
#else
        (void)before, (void)after;
#endif
        return a;
      };
      const auto s1 = make_stepper(scheme, *p.problem.system, AutomaticSolver{});
      const auto s2 = make_stepper(scheme, *p.problem.system, AutomaticSolver{});
      const State x = march(*s1), y = march(*s2);
      for (long i = 0; i < x.q.size(); ++i) {
        EXPECT_EQ(x.q[i], y.q[i]) << c.problem;
        EXPECT_EQ(x.u[i], y.u[i]) << c.problem;
      }
    }
}

// A scheme and a system of different families: refused, naming the schemes that fit.
struct FirstOrder final : DynamicSystem {
  Family family() const override { return Family::first_order; }
  double energy(double, In, In, Workspace&) const override { return 0; }
};

TEST(Families, MustMatch) {
  try {
    make_stepper(MoreauJean{}, FirstOrder{}, AutomaticSolver{});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("mechanical"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("first-order"), std::string::npos) << e.what();
  }
  const auto fitting = schemes_for(Family::mechanical);
  EXPECT_NE(std::find(fitting.begin(), fitting.end(), "moreau-midpoint"), fitting.end());
}

}  // namespace
}  // namespace saltus::test_moreau
