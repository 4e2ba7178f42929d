// Chains whose contacts differ, with gaps, local dashpots, and ends that move: against the engine for any
// system of first order, closed forms, changes of frame, and the books of energy and momentum.
#include <gtest/gtest.h>

#include "saltus/system/checked_first_order.hpp"
#include "support/allocations.hpp"
#include "support/chains.hpp"
#include "support/errors.hpp"

namespace saltus::test_chain_ends {
namespace {
using namespace testing;

/// a + b t + c sin(ω t)
class Course final : public TimeFunction {
 public:
  Course(double a, double b, double c, double omega) : a_(a), b_(b), c_(c), omega_(omega) {}
  Value at(double t) const override {
    return {a_ + b_ * t + c_ * std::sin(omega_ * t), b_ + c_ * omega_ * std::cos(omega_ * t)};
  }

 private:
  double a_, b_, c_, omega_;
};
std::shared_ptr<const TimeFunction> course(double a, double b, double c, double omega) {
  return std::make_shared<Course>(a, b, c, omega);
}

enum Feature : std::uint8_t { betas = 1, offsets = 2, dashpots = 4, walls = 8, pushes = 16, all = 31 };

ChainData chain_with(int n, unsigned seed, int features) {
  ChainData d = random_chain(n, seed);
  std::mt19937 random(seed + 1);
  std::uniform_real_distribution<double> u(0, 1);
  const double some[] = {1, 1.5, 2.5, 1.8};
  if (features & betas) {
    d.betas.resize(n + 1);
    for (int i = 0; i <= n; ++i) d.betas[i] = some[random() % 4];
  }
  if (features & offsets) {
    d.a.resize(n + 1);
    for (int i = 0; i <= n; ++i) d.a[i] = 0.1 * u(random) - 0.05;
  }
  if (features & dashpots) {
    d.C.resize(n);
    for (int i = 0; i < n; ++i) d.C[i] = i % 3 == 0 ? 0 : 0.2 * u(random);
  }
  if (features & walls) d.left_motion = course(0.05, 0.1, 0.2, 3), d.right_motion = course(0, -0.2, 0.1, 2);
  if (features & pushes) d.left_push = course(0.3, 0, 0.4, 2), d.right_push = course(0, -0.1, 0.2, 5);
  return d;
}

TEST(ChainEnds, JacobianIsTheDerivativeOfTheRightHandSide) {
  for (Formulation f : {Formulation::x, Formulation::y}) {
    ChainData d = chain_with(6, 3, all);
    d.formulation = f;
    const Chain chain(d);
    const ChainStart s = random_start(6, 4);
    const double t = 0.7;
    Vec y(12), a(12), b(12), q(6), u(6);
    chain.pack(t, s.x, s.v, y);
    chain.unpack(t, y, q, u);
    EXPECT_LT((u - s.v).lpNorm<Eigen::Infinity>(), 1e-15);
    Matrix J(12, chain.pattern());
    CheckedFirstOrder(chain).jacobian(t, y, J);
    for (int j = 0; j < 12; ++j) {
      const double e = 1e-6;
      Vec p = y, m = y;
      p[j] += e, m[j] -= e;
      CheckedFirstOrder(chain).rhs(t, p, a), CheckedFirstOrder(chain).rhs(t, m, b);
      for (int i = 0; i < 12; ++i) EXPECT_NEAR((a[i] - b[i]) / (2 * e), J(i, j), 2e-7) << i << " " << j;
    }
  }
}

// Every feature alone and all together, at a time that is not 0.
TEST(ChainEnds, PositionOnlyStepsEqualTheGeneralEngine) {
  for (const char* tableau :
       {"gauss-4", "gauss-6", "radau-iia-5", "lobatto-iiia-2", "lobatto-iiia-4", "lobatto-iiic-4"})
    for (Formulation f : {Formulation::x, Formulation::y})
      for (const int features :
           {int{betas}, int{offsets}, int{dashpots}, int{walls}, int{pushes}, int{all}}) {
        ChainData d = chain_with(7, 11, features);
        d.formulation = f;
        const Chain chain(d);
        const ChainStart s = random_start(7, 12);
        Rk reduced = rk(tableau), general = reduced;
        general.newton = Rk::Newton::full, general.tolerance = reduced.tolerance = 1e-14;
        const auto a = make_stepper(reduced, chain, AutomaticSolver{});
        const auto b = make_stepper(general, chain, AutomaticSolver{});
        State x = a->start(0.3, s.x, s.v), xa = x, y = b->start(0.3, s.x, s.v), yb = y;
        for (int k = 0; k < 3; ++k) {
          ASSERT_EQ(a->step(x, 0.05, xa).status, StepStatus::ok) << tableau;
          ASSERT_EQ(b->step(y, 0.05, yb).status, StepStatus::ok) << tableau;
          std::swap(x, xa), std::swap(y, yb);
        }
        EXPECT_LT((x.q - y.q).lpNorm<Eigen::Infinity>(), 1e-13) << tableau << " " << features;
        EXPECT_LT((x.u - y.u).lpNorm<Eigen::Infinity>(), 1e-12) << tableau << " " << features;
      }
}

TEST(ChainEnds, ExplicitStepsEqualTheGeneralEngine) {
  for (const int features : {int{betas}, int{offsets}, int{dashpots}, int{walls}, int{pushes}, int{all}})
    for (const bool one_gamma : {true, false})
      for (const char* tableau : {"herk-4", "herk-5"}) {
        ChainData d = chain_with(700, 41, features);  // three blocks
        if (one_gamma) d.gamma.setConstant(0.1), d.K.resize(0), d.F.resize(0);
        const Chain chain(d);
        const ChainStart s = random_start(700, 42);
        Rk special = rk(tableau), general = special;
        general.newton = Rk::Newton::full;
        const auto a = make_stepper(special, chain, AutomaticSolver{});
        const auto b = make_stepper(general, chain, AutomaticSolver{});
        const bool estimates = a->estimate_error(1e-4, 1e-3) > 0;
        b->estimate_error(1e-4, 1e-3);
        State x = a->start(0.3, s.x, s.v), x1 = x, y = b->start(0.3, s.x, s.v), y1 = y;
        for (int k = 0; k < 5; ++k) {
          const StepReport r = a->step(x, 0.05, x1), general_report = b->step(y, 0.05, y1);
          ASSERT_EQ(r.status, StepStatus::ok);
          if (estimates) {
            EXPECT_NEAR(r.error / general_report.error, 1, 1e-6) << tableau << features;
          }
          std::swap(x, x1), std::swap(y, y1);
        }
        EXPECT_LT((x.q - y.q).lpNorm<Eigen::Infinity>(), 1e-13 * 70) << tableau << features;
        EXPECT_LT((x.u - y.u).lpNorm<Eigen::Infinity>(), 1e-12) << tableau << features;
      }
}

TEST(ChainEnds, WhatIsTheSameForAllContactsIsNoDifferentFromOneNumber) {
  ChainData d = random_chain(9, 2), each = d;
  d.beta = 2.5, each.betas = Vec::Constant(10, 2.5), each.a = Vec::Zero(10), each.C = Vec::Zero(9);
  const ChainStart s = random_start(9, 3);
  for (const SchemeSpec& scheme : {SchemeSpec{Gauss2{}}, SchemeSpec{rk("herk-5")}}) {
    Method m;
    m.scheme = scheme, m.stepping = FixedSteps{0.05};
    const RunResult a = run({std::make_shared<Chain>(d), 0, 2, s.x, s.v}, m);
    const RunResult b = run({std::make_shared<Chain>(each), 0, 2, s.x, s.v}, m);
    EXPECT_EQ(a.final.q, b.final.q);
    EXPECT_EQ(a.final.u, b.final.u);
  }
}

// Gaps as offsets of contacts, or as displacements from where all touch.
TEST(ChainEnds, OffsetsAreDisplacementsInAnotherFrame) {
  ChainData d = random_chain(8, 5, true);
  const ChainStart s = random_start(8, 6);
  ChainData shifted = d;
  shifted.a = Vec::Zero(9);
  Vec x = s.x, moved(8);
  for (int i = 0; i < 8; ++i) moved[i] = 0.03 * i * i - 0.1 * i;
  for (int n = 1; n < 8; ++n) shifted.a[n] = moved[n - 1] - moved[n];
  for (const SchemeSpec& scheme :
       {SchemeSpec{Gauss2{}}, SchemeSpec{KkIrk{}}, SchemeSpec{KkTheta{}}, SchemeSpec{rk("herk-5")}}) {
    Method m;
    m.scheme = scheme, m.stepping = FixedSteps{0.05};
    const RunResult a = run({std::make_shared<Chain>(d), 0, 3, x, s.v}, m);
    const RunResult b = run({std::make_shared<Chain>(shifted), 0, 3, Vec(x - moved), s.v}, m);
    EXPECT_LT((a.final.q - b.final.q - moved).lpNorm<Eigen::Infinity>(), 1e-13) << to_text(scheme);
    EXPECT_LT((a.final.u - b.final.u).lpNorm<Eigen::Infinity>(), 1e-13) << to_text(scheme);
    EXPECT_NEAR(a.energy_final, b.energy_final, 1e-14);
  }
}

// A wall that moves at a constant speed is one at rest, seen from a train: all schemes must agree. Radau's
// steps in formulation x are left out: at the front of beads at rest, where overlaps are tiny and the slope
// of the damping force is not, some have to be cut.
TEST(ChainEnds, AWallAtConstantSpeedIsAWallAtRestSeenFromATrain) {
  constexpr double speed = 0.7;
  ChainData rest = random_chain(10, 8, true);
  rest.k[0] = 1.3, rest.left = -0.2;
  ChainData moving = rest;
  moving.left_motion = course(0, speed, 0, 0);
  const Vec x0 = Vec::Zero(10);
  Vec v0 = Vec::Zero(10);
  v0[0] = -speed;
  for (int i = 1; i < 10; ++i) v0[i] = -speed;
  for (const SchemeSpec& scheme :
       {SchemeSpec{Gauss2{}}, SchemeSpec{CrankNicolson{}}, SchemeSpec{KkTheta{}}, SchemeSpec{KkIrk{}},
        SchemeSpec{AdditiveTheta{}}, SchemeSpec{rk("herk-5")}, SchemeSpec{rk("radau-iia-5")}})
    for (Formulation f : {Formulation::y, Formulation::x}) {
      if (f == Formulation::x && (std::holds_alternative<AdditiveTheta>(scheme) ||
                                  to_text(scheme).find("radau") != std::string::npos))
        continue;
      rest.formulation = moving.formulation = f;
      Method m;
      m.scheme = scheme, m.stepping = FixedSteps{0.05};
      const double end = 5;
      const RunResult a = run({std::make_shared<Chain>(rest), 0, end, x0, v0}, m);
      const RunResult b = run({std::make_shared<Chain>(moving), 0, end, x0, Vec(v0.array() + speed)}, m);
      ASSERT_EQ(a.status, RunStatus::finished) << a.message;
      ASSERT_EQ(b.status, RunStatus::finished) << b.message;
      EXPECT_GT(a.final.u[0], -0.5) << "the wall was not met";
      EXPECT_LT((a.final.q.array() + end * speed - b.final.q.array()).abs().maxCoeff(), 1e-12)
          << to_text(scheme) << static_cast<int>(f);
      EXPECT_LT((a.final.u.array() + speed - b.final.u.array()).abs().maxCoeff(), 1e-12) << to_text(scheme);
    }
}

// m ẍ + C ẋ + K x = F₀ sin(ω t) from rest: exact, no contact anywhere.
TEST(ChainEnds, ADrivenDampedPendulumIsThatOfTheBooks) {
  constexpr double m = 2, C = 0.4, K = 3, F = 0.7, omega = 1.7, T = 6;
  ChainData d;
  d.m = Vec::Constant(1, m), d.k = d.gamma = Vec::Zero(2), d.K = Vec::Constant(1, K),
  d.C = Vec::Constant(1, C);
  d.right_push = course(0, 0, F, omega);
  const double decay = C / (2 * m), own = std::sqrt(K / m - decay * decay), a = K - m * omega * omega,
               b = C * omega;
  const double scale = F / (a * a + b * b);
  // x = scale (a sin ωt − b cos ωt) + e^{−decay t} (p cos + q sin)
  const double p = scale * b, q = (decay * p - scale * a * omega) / own;
  const double exact = scale * (a * std::sin(omega * T) - b * std::cos(omega * T)) +
                       std::exp(-decay * T) * (p * std::cos(own * T) + q * std::sin(own * T));
  for (const auto& [scheme, order] : {std::pair{SchemeSpec{Gauss2{}}, 4.0},
                                      {SchemeSpec{CrankNicolson{}}, 2.0},
                                      {SchemeSpec{rk("radau-iia-5")}, 5.0},
                                      {SchemeSpec{rk("herk-5")}, 5.0}})
    for (Formulation f : {Formulation::y, Formulation::x}) {
      d.formulation = f;
      double error[2];
      for (int k = 0; k < 2; ++k) {
        Method method;
        method.scheme = scheme, method.stepping = FixedSteps{0.05 / (k + 1)};
        const RunResult r = run({std::make_shared<Chain>(d), 0, T, Vec::Zero(1), Vec::Zero(1)}, method);
        error[k] = std::abs(r.final.q[0] - exact);
      }
      EXPECT_LT(error[1], 2e-3);
      EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.25) << to_text(scheme);
    }
}

// The tailored schemes leave pushes undamped (kk-theta), or refuse them, and treat walls as contacts.
TEST(ChainEnds, TailoredSchemesAndLoadsThatVary) {
  const auto message = [](const SchemeSpec& s, ChainData d) {
    return message_of([&] { make_stepper(s, Chain(std::move(d)), AutomaticSolver{}); });
  };
  ChainData d = random_chain(5, 1, true);
  d.left_push = course(0.1, 0, 0.1, 1);
  EXPECT_NE(message(KkIrk{}, d).find("would take the rate of loads"), std::string::npos);
  EXPECT_EQ(message(KkTheta{}, d), "accepted");
  d.C = Vec::Constant(5, 0.1);
  EXPECT_NE(message(KkTheta{}, d).find("dashpots of their own"), std::string::npos);
  d.C.resize(0), d.betas = Vec::Constant(6, 1.5), d.betas[2] = 1;
  EXPECT_NE(message(KkTheta{}, d).find("beta differs"), std::string::npos);

  // γ = h: order 2 and 3 with a wall that drives the chain without opening a contact
  ChainData driven = random_chain(4, 9, true);
  driven.k[0] = 1, driven.k[4] = 1, driven.a = Vec::Constant(5, 0.4);
  driven.left_motion = course(0, 0, 0.05, 2);
  const Vec none = Vec::Zero(4);
  const auto error = [&](const SchemeSpec& scheme, double h) {
    driven.gamma.setConstant(h);
    const auto chain = std::make_shared<Chain>(driven);
    Method exact, m;
    exact.scheme = rk("gauss-6"), exact.stepping = FixedSteps{0.01};
    m.scheme = scheme, m.stepping = FixedSteps{h};
    const RunResult a = run({chain, 0, 4, none, none}, exact), b = run({chain, 0, 4, none, none}, m);
    return (a.final.u - b.final.u).lpNorm<Eigen::Infinity>();
  };
  EXPECT_NEAR(std::log2(error(KkTheta{}, 0.01) / error(KkTheta{}, 0.005)), 2, 0.1);
  EXPECT_NEAR(std::log2(error(KkIrk{}, 0.01) / error(KkIrk{}, 0.005)), 3, 0.1);
}

TEST(ChainEnds, TheLedgerClosesWithTheOrderOfTheScheme) {
  const Chain chain(chain_with(12, 21, all));
  ChainData d = chain_with(12, 21, all);
  d.a = Vec::Constant(13, 0.5);  // contacts stay closed: forces are smooth
  const ChainStart s{Vec::Zero(12), 0.1 * random_start(12, 22).v};
  d.left = d.right = 0;
  const auto system = std::make_shared<Chain>(d);
  for (const auto& [scheme, order] : {std::pair{SchemeSpec{CrankNicolson{}}, 2.0},
                                      {SchemeSpec{Gauss2{}}, 4.0},
                                      {SchemeSpec{rk("herk-5")}, 4.0}}) {
    double left[2];
    for (int k = 0; k < 2; ++k) {
      Method m;
      m.scheme = scheme, m.stepping = FixedSteps{0.04 / (k + 1)};
      const RunResult r = run({system, 0, 2, s.x, s.v}, m);
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      EXPECT_GT(std::abs(r.ledger.work), 0.01);
      EXPECT_GT(r.ledger.damping, 0.01);
      left[k] = std::abs(r.ledger.remainder);
    }
    EXPECT_GT(std::log2(left[0] / left[1]), order - 0.4) << to_text(scheme);
  }
}

// d/dt Σ m v = pushes + walls + constant forces − Σ K x − Σ C v. In formulation y Σ m w + … is a sum that
// every Runge–Kutta method integrates; with loads that are polynomials of low degree, no springs and no
// walls, exactly.
TEST(ChainEnds, MomentumIsThatOfTheLoadsToRounding) {
  for (const SchemeSpec& scheme :
       {SchemeSpec{Gauss2{}}, SchemeSpec{CrankNicolson{}}, SchemeSpec{KkTheta{}}, SchemeSpec{AdditiveTheta{}},
        SchemeSpec{rk("herk-5")}, SchemeSpec{rk("radau-iia-5")}}) {
    ChainData d = random_chain(30, 31, true);
    d.left_push = course(0.2, 0.3, 0, 0), d.right_push = course(-0.1, 0.05, 0, 0);
    d.F = 0.01 * d.m;
    const auto chain = std::make_shared<Chain>(d);
    const ChainStart s = random_start(30, 32);
    Method m;
    m.scheme = scheme, m.stepping = FixedSteps{0.05};
    const RunResult r = run({chain, 0, 10, s.x, s.v}, m);
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    const double gained = 0.1 * 10 + 0.35 * 50 + 10 * d.F.sum();
    EXPECT_NEAR(chain->momentum(r.final.u) - chain->momentum(s.v), gained, 1e-11) << to_text(scheme);
  }
}

// Only what the drive has reached is computed, and it is what the whole chain does.
TEST(ChainEnds, ADrivenEndCostsWhatItHasReached) {
  for (const SchemeSpec& scheme : {SchemeSpec{rk("herk-5")}, SchemeSpec{Gauss2{}}}) {
    std::vector<Vec> ends;
    for (const int n : {60, 5000}) {
      ChainData d;
      d.m = Vec::Ones(n), d.k = Vec::Ones(n + 1), d.gamma = Vec::Constant(n + 1, 0.05);
      d.k[n] = 0;
      d.left_motion = course(0, 0, 0.2, 1.5);
      const Chain chain(d);
      const auto stepper = make_stepper(scheme, chain, AutomaticSolver{});
      State a = stepper->start(0, Vec::Zero(n), Vec::Zero(n)), b = a;
      for (int k = 0; k < 200; ++k) {
        ASSERT_EQ(stepper->step(a, 0.1, b).status, StepStatus::ok);
        std::swap(a, b);
      }
      EXPECT_EQ(a.moved.begin, 0);
      if (n == 5000) {
        EXPECT_LT(a.moved.end, 60);
      }
      ends.push_back(a.q.head(40));
    }
    EXPECT_GT(ends[0].lpNorm<Eigen::Infinity>(), 0.1);
    EXPECT_LT((ends[0] - ends[1]).lpNorm<Eigen::Infinity>(), 1e-12);
  }
}

TEST(ChainEnds, AWarmStepLoopDoesNotAllocate) {
  for (const SchemeSpec& scheme : {SchemeSpec{rk("herk-5")}, SchemeSpec{Gauss2{}}}) {
    const Chain chain(chain_with(50, 51, all));
    const ChainStart s = random_start(50, 52);
    const auto stepper = make_stepper(scheme, chain, AutomaticSolver{});
    State a = stepper->start(0, s.x, s.v), b = a;
    stepper->step(a, 0.01, b), std::swap(a, b);
    const auto before = allocations();
    for (int k = 0; k < 20; ++k) stepper->step(a, 0.01, b), std::swap(a, b);
    EXPECT_EQ(allocations() - before, 0);
  }
}

TEST(ChainEnds, BadInputIsRefusedWithQuantityAndPlace) {
  const auto with = [](auto change) {
    return message_of([&] {
      ChainData d = random_chain(4, 1);
      change(d);
      Chain chain(d);
    });
  };
  EXPECT_NE(
      with([](ChainData& d) { d.betas = Vec::Constant(5, 1.5), d.betas[3] = 0.5; }).find("beta[3] = 0.5"),
      std::string::npos);
  EXPECT_NE(with([](ChainData& d) { d.betas = Vec::Ones(4); }).find("beta has 4 entries, 5 are needed"),
            std::string::npos);
  EXPECT_NE(with([](ChainData& d) { d.C = Vec::Constant(4, -1); }).find("local damping[0] = -1"),
            std::string::npos);
  EXPECT_NE(with([](ChainData& d) { d.a = Vec::Constant(5, std::nan("")); }).find("overlap[0]"),
            std::string::npos);
}

}  // namespace
}  // namespace saltus::test_chain_ends
