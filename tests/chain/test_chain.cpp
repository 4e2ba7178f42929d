// What chains and their schemes must do whatever the parameters: forces, invariants, orders, cost, messages.
#include <gtest/gtest.h>

#include <random>

#include "saltus/chain/spheres.hpp"
#include "saltus/scheme/chain_stepper.hpp"
#include "saltus/scheme/first_order_rk.hpp"
#include "saltus/study/convergence.hpp"
#include "support/allocations.hpp"
#include "support/chains.hpp"
#include "support/errors.hpp"

namespace saltus {
namespace {
using namespace testing;

const char* const schemes[] = {"cnX", "cnY", "glX", "glY", "theta", "irk"};

// Random masses, stiffness and damping per contact, some attachments, walls at both ends.
ChainData random_chain(int n, unsigned seed, bool free_and_uniform = false) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(0.5, 2);
  ChainData d;
  d.m.resize(n), d.k.resize(n + 1), d.gamma.resize(n + 1);
  for (int i = 0; i < n; ++i) d.m[i] = u(random);
  for (int i = 0; i <= n; ++i) d.k[i] = u(random), d.gamma[i] = free_and_uniform ? 0.1 : 0.1 * u(random);
  if (free_and_uniform) {
    d.k[0] = d.k[n] = 0;
  } else {
    d.K = Vec::Zero(n), d.F = Vec::Zero(n);
    for (int i = 0; i < n; i += 2) d.K[i] = 0.1 * u(random), d.F[i] = 0.1 * u(random) - 0.1;
    d.left = 0.1, d.right = -0.15 * n;
  }
  return d;
}
struct Start {
  Vec x, v;
};
Start random_start(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  Start s{Vec(n), Vec(n)};
  for (int i = 0; i < n; ++i) s.x[i] = -0.1 * i + 0.1 * u(random), s.v[i] = u(random);
  return s;
}

TEST(Chain, JacobianIsTheDerivativeOfTheRightHandSide) {
  for (double beta : {1.0, 1.5, 2.5, 1.8})
    for (Formulation f : {Formulation::x, Formulation::y}) {
      ChainData d = random_chain(6, 3);
      d.beta = beta, d.formulation = f;
      const Chain chain(d);
      const Start s = random_start(6, 4);
      Vec y(12), a(12), b(12);
      chain.pack(0, s.x, s.v, y);
      Matrix J(12, chain.pattern());
      chain.jacobian(0, y, J);
      for (int j = 0; j < 12; ++j) {
        const double e = 1e-6;
        Vec p = y, m = y;
        p[j] += e, m[j] -= e;
        chain.rhs(0, p, a), chain.rhs(0, m, b);
        for (int i = 0; i < 12; ++i) EXPECT_NEAR((a[i] - b[i]) / (2 * e), J(i, j), 2e-7) << i << " " << j;
      }
    }
}

TEST(Chain, TheTwoFormulationsAreOneEquation) {
  ChainData d = random_chain(8, 5);
  const Start s = random_start(8, 6);
  Vec q[2] = {Vec(8), Vec(8)}, u[2] = {Vec(8), Vec(8)};
  for (Formulation f : {Formulation::x, Formulation::y}) {
    d.formulation = f;
    Problem p{std::make_shared<Chain>(d), 0, 1, s.x, s.v};
    Method m;
    m.scheme = rk("herk-5"), m.stepping = FixedSteps{1e-3};
    const RunResult r = run(p, m);
    q[static_cast<int>(f)] = r.final.q, u[static_cast<int>(f)] = r.final.u;
  }
  EXPECT_LT((q[0] - q[1]).lpNorm<Eigen::Infinity>(), 1e-6);  // contacts open: order 3/2 in x
  EXPECT_LT((u[0] - u[1]).lpNorm<Eigen::Infinity>(), 1e-5);
}

// Positions alone against the full system with all stages and velocities, any tableau, both formulations.
TEST(Chain, PositionOnlyStepsEqualTheGeneralEngine) {
  for (const char* tableau :
       {"gauss-2", "gauss-4", "gauss-6", "radau-iia-1", "radau-iia-3", "radau-iia-5", "lobatto-iiia-2",
        "lobatto-iiia-4", "lobatto-iiic-2", "lobatto-iiic-4", "lobatto-iiic-6"})
    for (Formulation f : {Formulation::x, Formulation::y})
      for (Rk::Newton newton : {Rk::Newton::full, Rk::Newton::simplified}) {
        ChainData d = random_chain(7, 11);
        d.formulation = f;
        const Chain chain(d);
        const Start s = random_start(7, 12);
        Rk reduced = rk(tableau), general = reduced;
        general.newton = newton, general.tolerance = reduced.tolerance = 1e-14;
        const auto a = make_stepper(reduced, chain, AutomaticSolver{});
        const auto b = make_stepper(general, chain, AutomaticSolver{});
        State x = a->start(0, s.x, s.v), xa = x, y = b->start(0, s.x, s.v), yb = y;
        ASSERT_EQ(a->step(x, 0.05, xa).status, StepStatus::ok) << tableau;
        ASSERT_EQ(b->step(y, 0.05, yb).status, StepStatus::ok) << tableau;
        EXPECT_LT((xa.q - yb.q).lpNorm<Eigen::Infinity>(), 1e-13) << tableau << " " << static_cast<int>(f);
        EXPECT_LT((xa.u - yb.u).lpNorm<Eigen::Infinity>(), 5e-13) << tableau << " " << static_cast<int>(f);
      }
}

TEST(Chain, FreeChainsKeepTheirMomentumToRounding) {
  for (const char* name : schemes) {
    ChainData d = random_chain(40, 21, true);
    const ChainScheme s = chain_scheme(name);
    d.formulation = s.formulation[0] == 'x' ? Formulation::x : Formulation::y;
    const auto chain = std::make_shared<Chain>(d);
    const Start start = random_start(40, 22);
    Method m;
    m.scheme = s.scheme, m.stepping = FixedSteps{0.05};
    double worst = 0;
    const double p0 = chain->momentum(start.v);
    const RunResult r = run({chain, 0, 20, start.x, start.v}, m, [&](const Segment& g) {
      worst = std::max(worst, std::abs(chain->momentum(g.end.u) - p0));
    });
    EXPECT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_LT(worst, 1e-12) << name;
  }
}

TEST(Chain, EnergyNeverGrowsWithDamping) {
  for (const char* name : schemes) {
    const ChainScheme s = chain_scheme(name);
    const auto p = make_problem("dimer-chain", {{"formulation", s.formulation}});
    Method m;
    m.scheme = s.scheme, m.stepping = FixedSteps{0.1};
    double last = 0.5, growth = 0;
    run(p.problem, m, [&](const Segment& g) {
      const double e = chain_of(p).energy(g.end.t, g.end.q, g.end.u);
      growth = std::max(growth, e - last), last = e;
    });
    EXPECT_LE(growth, 1e-12) << name;
  }
  const auto p = make_problem("dimer-chain");
  Vec x, v;
  double last = 0.5, growth = 0;
  for (int i = 0; i <= 3000; ++i) {
    p.reference->state(0.01 * i, Side::right, x, v);
    const double e = chain_of(p).energy(0, x, v);
    growth = std::max(growth, e - last), last = e;
  }
  EXPECT_LE(growth, 1e-12);
}

TEST(Chain, GaussKeepsTheEnergyOfAHertzChainBoundedOver100000Steps) {
  const auto p = make_problem(
      "homogeneous-chain", {{"gamma", "0"}, {"n", "8"}, {"left_wall", "true"}, {"right_wall", "true"}}, 5000);
  Method m;
  m.scheme = Gauss2{}, m.stepping = FixedSteps{0.05};
  double low = infinity, high = 0;
  const RunResult r = run(p.problem, m, [&](const Segment& g) {
    const double e = chain_of(p).energy(0, g.end.q, g.end.u);
    low = std::min(low, e), high = std::max(high, e);
  });
  EXPECT_EQ(r.stats.steps, 100000);
  EXPECT_GT(low, 0.5 * (1 - 2e-3));
  EXPECT_LT(high, 0.5 * (1 + 2e-3));
}

TEST(Chain, WithoutDampingTheTailoredSchemesAreTheClassicalOnes) {
  const auto final_state = [](const char* name) {
    const ChainScheme s = chain_scheme(name);
    const auto p = make_problem("dimer-chain", {{"gamma", "0"}, {"formulation", s.formulation}}, 10);
    Method m;
    m.scheme = s.scheme, m.stepping = FixedSteps{0.1};
    return run(p.problem, m).final;
  };
  const State gauss = final_state("glX"), trapezoid = final_state("cnX");
  for (const char* name : {"glY", "irk"}) EXPECT_LT((final_state(name).q - gauss.q).norm(), 1e-12) << name;
  for (const char* name : {"cnY", "theta"})
    EXPECT_LT((final_state(name).q - trapezoid.q).norm(), 1e-12) << name;
}

// The θ-method is Crank–Nicolson of a regularised model (docs/chains.md).
TEST(Chain, ThetaIsCrankNicolsonInOtherVariables) {
  ChainData d = random_chain(12, 31, true);
  const Chain chain(d);
  const Start s = random_start(12, 32);
  const double h = 0.2, gamma = 0.1;
  const auto stepper = make_stepper(KkTheta{}, chain, AutomaticSolver{});
  State a = stepper->start(0, s.x, s.v), b = a;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(stepper->step(a, h, b).status, StepStatus::ok);
    Vec ga(12), gb(12);
    chain.conservative(a.q, ga), chain.conservative(b.q, gb);
    const Vec Xa = a.q - gamma * gamma / 4 * ga, Xb = b.q - gamma * gamma / 4 * gb;
    const Vec Wa = a.aux - gamma / 2 * ga, Wb = b.aux - gamma / 2 * gb;
    EXPECT_LT((Xb - Xa - h / 2 * (a.u + b.u)).lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_LT((Wb - Wa - h / 2 * (ga + gb)).lpNorm<Eigen::Infinity>(), 1e-12);
    std::swap(a, b);
  }
}

double observed_order(const Settings& settings, const char* name, double end, double from, double to,
                      int count, bool gamma_is_h, bool envelope) {
  std::vector<double> h, e;
  for (int i = 0; i < count; ++i) {
    const double goal = from * std::pow(to / from, static_cast<double>(i) / (count - 1));
    const double step = end / std::ceil(end / goal * (1 - 1e-12));
    Settings s = settings;
    if (gamma_is_h) s.emplace_back("gamma", text(step));
    h.push_back(step), e.push_back(chain_error("trimer", s, name, step, end).largest());
  }
  // Errors of Gauss' method oscillate with h when contacts break. 19 steps give slopes anywhere from 1.8
  // to 2.0 (x) and 2.1 to 2.7 (y), depending on how they are fitted; with 120 all fits agree to 0.1.
  if (envelope)
    for (std::size_t i = 1; i < e.size(); ++i) e[i] = std::max(e[i], e[i - 1]);
  return fitted_order(h, e);
}

TEST(Chain, OrdersAreThoseOfThePaper) {
  const Settings breaking = {{"preset", "impact"}}, smooth = {{"preset", "compressed"}};
  EXPECT_NEAR(observed_order(breaking, "cnX", 5, 1e-3, 2e-2, 8, false, false), 1.6, 0.15);
  EXPECT_NEAR(observed_order(breaking, "cnY", 5, 1e-3, 1e-1, 6, false, false), 2, 0.02);
  EXPECT_NEAR(observed_order(breaking, "glX", 5, 1e-3, 2e-2, 120, false, true), 1.5, 0.15);
  EXPECT_NEAR(observed_order(breaking, "glY", 5, 1e-3, 2e-2, 120, false, true), 2.5, 0.15);
  for (const char* name : {"cnX", "cnY"})
    EXPECT_NEAR(observed_order(smooth, name, 1.5, 1e-3, 1e-1, 5, false, false), 2, 0.02);
  for (const char* name : {"glX", "glY"})
    EXPECT_NEAR(observed_order(smooth, name, 1.5, 5e-3, 1e-1, 5, false, false), 4, 0.06);
  EXPECT_NEAR(observed_order(smooth, "theta", 1.5, 1e-3, 1e-2, 4, true, false), 2, 0.08);
  EXPECT_NEAR(observed_order(smooth, "irk", 1.5, 1e-3, 1e-2, 4, true, false), 3, 0.08);
  EXPECT_NEAR(observed_order(breaking, "theta", 5, 1e-3, 1e-2, 4, true, false), 2, 0.08);
  EXPECT_NEAR(observed_order(breaking, "irk", 5, 2e-4, 1e-2, 8, true, false), 2.5, 0.12);
}

TEST(Chain, OnlyBeadsThatMoveAreSolvedForAndNothingIsLost) {
  const auto p = make_problem("homogeneous-chain", {{"n", "400"}, {"reference", "none"}}, 30);
  const auto stepper = make_stepper(KkIrk{}, *p.problem.system, AutomaticSolver{});
  const auto full = make_stepper(KkIrk{}, *p.problem.system, AutomaticSolver{});
  State a = stepper->start(0, p.problem.q0, p.problem.u0), b = a;
  // a bead at the far end that drifts away keeps the whole chain in the window
  Vec moving = p.problem.u0;
  moving[399] = 1e-3;
  State c = full->start(0, p.problem.q0, moving), e = c;
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(stepper->step(a, 0.1, b).status, StepStatus::ok);
    ASSERT_EQ(full->step(c, 0.1, e).status, StepStatus::ok);
    std::swap(a, b), std::swap(c, e);
  }
  EXPECT_LT((a.q - c.q).head(390).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_LT((a.u - c.u).head(390).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_EQ(a.q[399], 0);
}

// Explicit steps with one force vector per stage against the engine for any first-order system: one damping
// (s = γ g), and everything different (s, local springs, walls).
TEST(Chain, ExplicitStepsEqualTheGeneralEngine) {
  for (const bool uniform : {true, false})
    for (double beta : {1.0, 1.5, 2.5, 1.8})
      for (const char* tableau : {"herk-1", "herk-4", "herk-5", "bogacki-shampine-3"}) {
        ChainData d = random_chain(700, 41, uniform);  // three blocks
        d.beta = beta;
        const Chain chain(d);
        const Start s = random_start(700, 42);
        Rk special = rk(tableau), general = special;
        general.newton = Rk::Newton::full;
        const auto a = make_stepper(special, chain, AutomaticSolver{});
        const auto b = make_stepper(general, chain, AutomaticSolver{});
        const bool estimates = a->estimate_error(1e-4, 1e-3) > 0;
        EXPECT_EQ(estimates, b->estimate_error(1e-4, 1e-3) > 0);
        State x = a->start(0, s.x, s.v), x1 = x, y = b->start(0, s.x, s.v), y1 = y;
        for (int k = 0; k < 5; ++k) {
          const StepReport r = a->step(x, 0.05, x1), general_report = b->step(y, 0.05, y1);
          ASSERT_EQ(r.status, StepStatus::ok);
          if (estimates) {
            EXPECT_NEAR(r.error / general_report.error, 1, 1e-6) << tableau << beta;
          }
          std::swap(x, x1), std::swap(y, y1);
        }
        EXPECT_LT((x.q - y.q).lpNorm<Eigen::Infinity>(), 1e-13 * 70) << tableau << beta;
        EXPECT_LT((x.u - y.u).lpNorm<Eigen::Infinity>(), 1e-12) << tableau << beta;
        if (uniform) {  // free ends
          EXPECT_NEAR(chain.momentum(x.u), chain.momentum(s.v), 1e-12) << tableau << beta;
        }
      }
}

TEST(Chain, AdaptiveStepsMeetTheirToleranceWithEveryKindOfScheme) {
  for (const SchemeSpec& scheme :
       {SchemeSpec{rk("herk-5")}, SchemeSpec{rk("bogacki-shampine-3")}, SchemeSpec{Gauss2{}}}) {
    double last = infinity;
    for (double tolerance : {1e-4, 1e-6, 1e-8}) {
      const auto p = make_problem("dimer-chain");
      AdaptiveSteps stepping;
      stepping.atol = tolerance, stepping.h = 1;
      Trajectory path;
      const RunResult r = run(p.problem, {scheme, stepping, AutomaticSolver{}}, path.sink());
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      EXPECT_EQ(r.final.t, 30);
      Vec x, v;
      p.reference->state(30, Side::right, x, v);
      const double error = (r.final.q - x).lpNorm<Eigen::Infinity>();
      EXPECT_LT(error, 3e3 * std::pow(tolerance, 0.9)) << to_text(scheme);
      EXPECT_LT(error, last) << to_text(scheme);
      last = error;
    }
  }
}

TEST(Chain, AnImpactOnALongChainDoesNotTouchBeadsAtRest) {
  for (const SchemeSpec& scheme : {SchemeSpec{rk("herk-5")}, SchemeSpec{KkIrk{}}}) {
    std::vector<Vec> ends;
    for (const char* n : {"60", "3000"}) {
      const auto p = make_problem("dimer-chain", {{"n", n}, {"reference", "none"}}, 30);
      const auto stepper = make_stepper(scheme, *p.problem.system, AutomaticSolver{});
      State a = stepper->start(0, p.problem.q0, p.problem.u0), b = a;
      int k = 0;
      for (; k < 600; ++k) {
        ASSERT_EQ(stepper->step(a, 0.05, b).status, StepStatus::ok);
        std::swap(a, b);
        if (k % 7 == 0) b = State(a);   // a copy carries what it knows
        if (k % 11 == 0) b.moved = {};  // and nobody minds one that knows nothing
      }
      EXPECT_LT(a.moved.end, 60);
      ends.push_back(a.q.head(55)), ends.push_back(a.u.head(55));
      EXPECT_EQ(a.q.tail(a.q.size() > 60 ? 2900 : 1).lpNorm<Eigen::Infinity>(), 0);
    }
    // the whole chain by the engine that knows nothing of fronts
    Rk general = rk(std::holds_alternative<Rk>(scheme) ? "herk-5" : "gauss-4");
    general.newton = Rk::Newton::full;
    if (std::holds_alternative<Rk>(scheme)) {
      const auto p = make_problem("dimer-chain", {{"n", "300"}, {"reference", "none"}}, 30);
      const RunResult r = run(p.problem, {general, FixedSteps{0.05}, AutomaticSolver{}});
      EXPECT_LT((r.final.q.head(55) - ends[0]).lpNorm<Eigen::Infinity>(), 1e-12);
      EXPECT_LT((r.final.u.head(55) - ends[1]).lpNorm<Eigen::Infinity>(), 1e-12);
    }
    EXPECT_LT((ends[0] - ends[2]).lpNorm<Eigen::Infinity>(), 1e-15) << to_text(scheme);
    EXPECT_LT((ends[1] - ends[3]).lpNorm<Eigen::Infinity>(), 1e-15) << to_text(scheme);
  }
}

TEST(Chain, AWarmStepLoopDoesNotAllocateAndRepeatsItsBits) {
  if (!SALTUS_COUNTS_ALLOCATIONS) GTEST_SKIP() << "sanitizers own malloc";
  std::vector<SchemeSpec> all = {CrankNicolson{}, Gauss2{}, AdditiveTheta{}, KkTheta{}, KkIrk{}};
  for (const char* t : {"gauss-6", "radau-iia-5", "lobatto-iiic-6", "herk-5"}) all.push_back(rk(t));
  Rk general = rk("gauss-4");
  for (Rk::Newton n : {Rk::Newton::full, Rk::Newton::simplified}) general.newton = n, all.push_back(general);
  const auto p = make_problem("dimer-chain", {{"reference", "none"}});
  for (const SchemeSpec& scheme : all) {
    Vec ends[2];
    for (Vec& end : ends) {
      const auto stepper = make_stepper(scheme, *p.problem.system, AutomaticSolver{});
      State a = stepper->start(0, p.problem.q0, p.problem.u0), b = a;
      for (int i = 0; i < 3; ++i) stepper->step(a, 0.05, b), std::swap(a, b);
      const auto before = allocations();
      for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(stepper->step(a, 0.05, b).status, StepStatus::ok);
        std::swap(a, b);
      }
      EXPECT_EQ(allocations(), before) << to_text(scheme);
      end = a.q;
    }
    EXPECT_EQ(ends[0], ends[1]) << to_text(scheme);
  }
}

TEST(Chain, ForcesOfSpheresAreHertz) {
  const Sphere a{0.01, {}}, b{0.02, {200e9, 0.25, 7000}};
  const double E = 1 / ((1 - 0.09) / 193e9 + (1 - 0.0625) / 200e9), R = 0.01 * 0.02 / 0.03;
  EXPECT_NEAR(hertz_stiffness(a, b) / (4.0 / 3 * E * std::sqrt(R)), 1, 1e-14);
  const ChainData d = chain_of({a, b, a}, 1e-6);
  EXPECT_EQ(d.k[0], 0);
  EXPECT_EQ(d.k[1], d.k[2]);
  EXPECT_NEAR(d.m[0], 4.0 / 3 * M_PI * 1e-6 * 8000, 1e-12);
  EXPECT_NE(message_of([] { chain_of({{-1, {}}}, 0); }).find("sphere 0: radius = -1"), std::string::npos);
}

TEST(Chain, AHeldPrecompressionRestsAndGravityDeflectsIt) {
  for (const char* wall : {"false", "true"}) {
    const auto p = make_problem(
        "homogeneous-chain",
        {{"v0", "0"}, {"overlap", "0.1"}, {"hold", "true"}, {"left_wall", wall}, {"right_wall", wall}}, 20);
    const RunResult r = run(p.problem, p.method);
    EXPECT_LT((r.final.q - p.problem.q0).lpNorm<Eigen::Infinity>(), 1e-13);
  }
  const auto p = make_problem(
      "homogeneous-chain",
      {{"v0", "0"}, {"n", "5"}, {"gravity", "0.1"}, {"right_wall", "true"}, {"gamma", "1"}}, 2000);
  const RunResult r = run(p.problem, p.method);
  for (int n = 1; n <= 5; ++n)  // contact n carries the beads above it
    EXPECT_NEAR(chain_of(p).force(n, r.final.q, r.final.u), 0.1 * n, 1e-6) << n;
}

TEST(Chain, BadInputIsRefusedWithQuantityAndRemedy) {
  const auto with = [](auto change) {
    return message_of([&] {
      ChainData d = random_chain(4, 1);
      change(d);
      Chain chain(d);
    });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(with([](ChainData& d) { d.beta = 0.9; }), "beta = 0.9"));
  EXPECT_TRUE(has(with([](ChainData& d) { d.k[2] = -1; }), "stiffness[2] = -1"));
  EXPECT_TRUE(has(with([](ChainData& d) { d.gamma[1] = -0.1; }), "gamma[1] = -0.1"));
  EXPECT_TRUE(has(with([](ChainData& d) { d.m[0] = 0; }), "mass[0] = 0"));
  EXPECT_TRUE(has(with([](ChainData& d) { d.K[0] = std::nan(""); }), "local stiffness[0]"));
  EXPECT_TRUE(has(with([](ChainData& d) { d.k.resize(3); }), "stiffness has 3 entries, 5 are needed"));
  EXPECT_TRUE(has(message_of([] { tailored_tableau(-0.1); }), "C11 = -0.1"));
  EXPECT_TRUE(has(message_of([] { make_problem("trimer", {{"beta", "0.5"}}); }), "trimer.beta = 0.5"));
  EXPECT_TRUE(has(message_of([] {
                    make_problem("dimer-chain", {{"gamma", "-1"}});
                  }),
                  "dimer-chain.gamma = -1"));
  const auto scheme_on = [](const SchemeSpec& s, const ChainData& d) {
    return message_of([&] { make_stepper(s, Chain(d), AutomaticSolver{}); });
  };
  EXPECT_TRUE(has(scheme_on(KkIrk{}, random_chain(4, 1)), "gamma differs in this chain: use gauss-2"));
  ChainData d = random_chain(4, 1, true);
  d.beta = 2.5;
  EXPECT_TRUE(has(scheme_on(KkTheta{}, d), "beta = 2.5"));
  EXPECT_TRUE(has(scheme_on(MoreauJean{}, d), "schemes that fit: rk, crank-nicolson, gauss-2"));
  const auto p = make_problem("trimer");
  Method m = p.method;
  m.stepping = SwitchingSteps{};
  EXPECT_TRUE(
      has(message_of([&] { run(p.problem, m); }), "first-order systems take fixed or adaptive steps"));
  AdaptiveSteps exact;
  exact.atol = 0;
  m.stepping = exact;
  EXPECT_TRUE(has(message_of([&] { run(p.problem, m); }), "atol and rtol cannot both be zero"));
}

TEST(Chain, UnsolvableStagesAreReportedWithTimeAndBead) {
  const auto p = make_problem("dimer-chain", {{"eps", "1e-4"}, {"n", "51"}, {"reference", "none"}}, 10);
  Method m;
  m.scheme = KkIrk{}, m.stepping = FixedSteps{0.02};
  const RunResult r = run(p.problem, m);
  EXPECT_EQ(r.status, RunStatus::failed);
  EXPECT_GT(r.stats.rejected, 0);
  EXPECT_NE(r.message.find("of bead"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("C11 = gamma/(2h) = 1.5"), std::string::npos) << r.message;
  m.scheme = Gauss2{};
  EXPECT_EQ(run(p.problem, m).status, RunStatus::finished);
}

// A step far too large: solved in parts, and the run says so; or given up, with time and bead.
TEST(Chain, StepsTooLargeForNewtonAreCutOrTheRunStops) {
  const auto p = make_problem(
      "dimer-chain", {{"formulation", "x"}, {"gamma", "0.5"}, {"eps", "0.01"}, {"reference", "none"}}, 40);
  Method m;
  m.scheme = Gauss2{}, m.stepping = FixedSteps{4};
  const RunResult r = run(p.problem, m);
  EXPECT_GT(r.stats.rejected, 0) << r.message;
  const char* expected = r.status == RunStatus::finished ? "had to be cut into smaller ones" : "of bead";
  EXPECT_NE(r.message.find(expected), std::string::npos) << r.message;
  AdaptiveSteps stepping;
  stepping.h = stepping.h0 = 4, stepping.atol = 1e-3;
  m.stepping = stepping;
  const RunResult adaptive = run(p.problem, m);
  EXPECT_EQ(adaptive.status, RunStatus::finished) << adaptive.message;
  EXPECT_TRUE(adaptive.final.q.allFinite());
}

}  // namespace
}  // namespace saltus
