// The schemes of chains against each other and the general engine: orders, steps, cost.
#include <gtest/gtest.h>

#include "saltus/scheme/first_order/chain_stepper.hpp"
#include "saltus/scheme/first_order/first_order_rk.hpp"
#include "saltus/study/convergence.hpp"
#include "support/allocations.hpp"
#include "support/chains.hpp"

namespace saltus::test_chain_schemes {
namespace {
using namespace testing;

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

// The θ-method is Crank–Nicolson of a regularised model (docs/explanation/chains.md).
TEST(Chain, ThetaIsCrankNicolsonInOtherVariables) {
  ChainData d = random_chain(12, 31, true);
  const Chain chain(d);
  const ChainStart s = random_start(12, 32);
  const double h = 0.2, gamma = 0.1;
  const auto stepper = make_stepper(KkTheta{}, chain, AutomaticSolver{});
  State a = stepper->start(0, s.x, s.v), b = a;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(stepper->step(a, h, b).status, StepStatus::ok);
    Vec ga(12), gb(12);
    chain.conservative({}, a.q, ga), chain.conservative({}, b.q, gb);
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
        const ChainStart s = random_start(700, 42);
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

}  // namespace
}  // namespace saltus::test_chain_schemes
