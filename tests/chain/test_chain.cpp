// What chains must do whatever their parameters: forces, invariants, messages.
#include <gtest/gtest.h>

#include "saltus/chain/spheres.hpp"
#include "saltus/scheme/first_order/chain_stepper.hpp"
#include "saltus/scheme/first_order/first_order_rk.hpp"
#include "saltus/system/checked_first_order.hpp"
#include "support/chains.hpp"
#include "support/errors.hpp"

namespace saltus::test_chain {
namespace {
using namespace testing;

const char* const schemes[] = {"cnX", "cnY", "glX", "glY", "theta", "irk"};

TEST(Chain, JacobianIsTheDerivativeOfTheRightHandSide) {
  for (double beta : {1.0, 1.5, 2.5, 1.8})
    for (Formulation f : {Formulation::x, Formulation::y}) {
      ChainData d = random_chain(6, 3);
      d.beta = beta, d.formulation = f;
      const Chain chain(d);
      const ChainStart s = random_start(6, 4);
      Vec y(12), a(12), b(12);
      chain.pack(0, s.x, s.v, y);
      Matrix J(12, chain.pattern());
      CheckedFirstOrder(chain).jacobian(0, y, J);
      for (int j = 0; j < 12; ++j) {
        const double e = 1e-6;
        Vec p = y, m = y;
        p[j] += e, m[j] -= e;
        CheckedFirstOrder(chain).rhs(0, p, a), CheckedFirstOrder(chain).rhs(0, m, b);
        for (int i = 0; i < 12; ++i) EXPECT_NEAR((a[i] - b[i]) / (2 * e), J(i, j), 2e-7) << i << " " << j;
      }
    }
}

TEST(Chain, TheTwoFormulationsAreOneEquation) {
  ChainData d = random_chain(8, 5);
  const ChainStart s = random_start(8, 6);
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
        const ChainStart s = random_start(7, 12);
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
    const ChainStart start = random_start(40, 22);
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
      const double e = energy_of(chain_of(p), g.end.t, g.end.q, g.end.u);
      growth = std::max(growth, e - last), last = e;
    });
    EXPECT_LE(growth, 1e-12) << name;
  }
  const auto p = make_problem("dimer-chain");
  Vec x, v;
  double last = 0.5, growth = 0;
  for (int i = 0; i <= 3000; ++i) {
    p.reference->state(0.01 * i, Side::right, x, v);
    const double e = energy_of(chain_of(p), 0, x, v);
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
    const double e = energy_of(chain_of(p), 0, g.end.q, g.end.u);
    low = std::min(low, e), high = std::max(high, e);
  });
  EXPECT_EQ(r.stats.steps, 100000);
  EXPECT_GT(low, 0.5 * (1 - 2e-3));
  EXPECT_LT(high, 0.5 * (1 + 2e-3));
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
    EXPECT_NEAR(chain_of(p).force(n, r.final.q, r.final.u, {}), 0.1 * n, 1e-6) << n;
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
  EXPECT_TRUE(has(message_of([&] { run(p.problem, m); }), "use stepping fixed or adaptive"));
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
}  // namespace saltus::test_chain
