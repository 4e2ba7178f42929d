// Generalized-α on systems of its own kind: random multibody systems, any r, energy, impact times, friction,
// many contacts, other schemes' problems, memory, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "saltus/catalog/flexible_problems.hpp"
#include "saltus/catalog/problems.hpp"
#include "saltus/run/run.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"
#include "saltus/system/model.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"

namespace saltus::test_generalized_alpha_systems {
namespace {

using Levels = GeneralizedAlpha::Levels;

GeneralizedAlpha with(Levels levels, double rho_inf = 0.8) {
  GeneralizedAlpha o;
  o.levels = levels, o.rho_inf = rho_inf;
  return o;
}

RunResult run_with(const CatalogProblem& p, const GeneralizedAlpha& o, double h, const Sink& sink = {}) {
  return run(p.problem, {o, FixedSteps{h}, AutomaticSolver{}}, sink);
}

// Four coordinates, a mass, forces and a joint that all depend on the configuration through random waves.
struct RandomSystem {
  static constexpr int dof = 4;
  double c[40];
  bool holding_contact = false;  // a contact that gravity keeps closed
  explicit RandomSystem(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (double& x : c) x = unit(random);
  }
  template <class S>
  using V = Eigen::Matrix<S, 4, 1>;
  template <class S>
  S wave(int k, const V<S>& q) const {
    using std::sin;
    return sin(c[k] + c[k + 1] * q[0] + c[k + 2] * q[1] + c[k + 3] * q[2] + c[k + 4] * q[3]);
  }
  template <class S>
  Eigen::Matrix<S, 4, 4> mass(const S&, const V<S>& q) const {
    Eigen::Matrix<S, 4, 4> B;
    for (int i = 0; i < 16; ++i) B(i / 4, i % 4) = 0.3 * wave(i, q);
    Eigen::Matrix<S, 4, 4> M = B * B.transpose();
    for (int i = 0; i < 4; ++i) M(i, i) += S(1);
    return M;
  }
  template <class S>
  V<S> force(const S& t, const V<S>& q, const V<S>& u) const {
    using std::cos;
    V<S> f;
    for (int i = 0; i < 4; ++i)
      f[i] = -2 * wave(20 + i, q) - 0.3 * u[i] + 0.2 * u[i] * u[(i + 1) % 4] + cos(2 * t + c[i]);
    if (holding_contact) f[3] += S(-20);
    return f;
  }
  template <class S>
  Eigen::Matrix<S, Eigen::Dynamic, 1> gaps(const S&, const V<S>& q) const {
    Eigen::Matrix<S, Eigen::Dynamic, 1> g(holding_contact ? 2 : 1);
    const V<S> zero = V<S>::Zero();
    g[0] = q[0] + 0.5 * (wave(30, q) - wave(30, zero)) - 0.3 * q[1] * q[2];
    if (holding_contact) g[1] = q[3] + 0.2 * q[0] * q[1] + 0.1 * q[2] * q[2];
    return g;
  }
  std::vector<Law> laws() const {
    if (holding_contact) return {Equality{1}, Unilateral{0.5}};
    return {Equality{1}};
  }
};

// A start with no velocity at q = 0, where the joint holds.
State final_state(const System& system, const GeneralizedAlpha& options, double h, double t_end,
                  Vec* acceleration = nullptr, Vec* lambda = nullptr) {
  GeneralizedAlphaStepper stepper(system, options);
  State x = stepper.start(0, Vec::Zero(4), Vec::Zero(4)), next = x;
  for (long k = std::lround(t_end / h); k > 0; --k) {
    EXPECT_EQ(stepper.step(x, h, next).status, StepStatus::ok);
    std::swap(x, next);
  }
  if (acceleration) *acceleration = stepper.acceleration();
  if (lambda) *lambda = stepper.lambda();
  return x;
}

TEST(GeneralizedAlpha, RandomMultibodySystemsRunAtOrderTwoWithAndWithoutAClosedContact) {
  for (unsigned seed : {1u, 2u, 3u})
    for (bool contact : {false, true}) {
      RandomSystem model(seed);
      model.holding_contact = contact;
      const auto system = make_system(model);
      GeneralizedAlpha o = with(Levels::pva);
      o.tolerance = 1e-12;
      State x[3];
      Vec a[3], lambda[3];
      for (int i = 0; i < 3; ++i) x[i] = final_state(*system, o, 4e-3 / (1 << i), 1, &a[i], &lambda[i]);
      const auto order = [](const Vec& coarse, const Vec& mid, const Vec& fine) {
        return std::log2((coarse - mid).norm() / (mid - fine).norm());
      };
      EXPECT_NEAR(order(x[0].q, x[1].q, x[2].q), 2, 0.1) << seed << contact;
      EXPECT_NEAR(order(x[0].u, x[1].u, x[2].u), 2, 0.1) << seed << contact;
      EXPECT_NEAR(order(a[0], a[1], a[2]), 2, 0.1) << seed << contact;
      EXPECT_NEAR(order(lambda[0], lambda[1], lambda[2]), 2, 0.1) << seed << contact;
    }
}

// A double pendulum of points with rods as joints, masses that couple, and a stop; coordinates beyond the
// fourth rest and touch nothing.
template <int n>
struct Rods {
  static constexpr int dof = n;
  template <class S>
  using V = Eigen::Matrix<S, n, 1>;
  template <class S>
  Eigen::Matrix<S, n, n> mass(const S&, const V<S>& q) const {
    Eigen::Matrix<S, n, n> M = Eigen::Matrix<S, n, n>::Identity();
    M(0, 0) = M(1, 1) = S(2);
    M(0, 2) = M(2, 0) = S(0.3) + S(0.1) * q[0] * q[0];
    return M;
  }
  template <class S>
  V<S> force(const S&, const V<S>& q, const V<S>&) const {
    V<S> f = V<S>::Zero();
    f[1] = S(-20), f[3] = S(-10) - S(5) * q[3] * q[3] * q[3];
    return f;
  }
  template <class S>
  Eigen::Matrix<S, 3, 1> gaps(const S&, const V<S>& q) const {
    const S x = q[2] - q[0], y = q[3] - q[1];
    return {0.5 * (q[0] * q[0] + q[1] * q[1] - S(1)), 0.5 * (x * x + y * y - S(1)), q[2] + S(0.4)};
  }
  std::vector<Law> laws() const { return {Equality{1}, Equality{1}, Unilateral{0.6}}; }
};

// Up to four coordinates an iteration takes a way of its own: it must be the same iteration.
TEST(GeneralizedAlpha, SmallSystemsAndTheSameWithIdleCoordinatesMoveAlike) {
  const Vec q{{0.8, -0.6, 1.6, 0, 0, 0}};
  for (Levels levels : {Levels::pva, Levels::pvv}) {
    const auto go = [&](const System& system, int n, int* closings) {
      GeneralizedAlphaStepper stepper(system, with(levels));
      State x = stepper.start(0, q.head(n), Vec::Zero(n)), next = x;
      for (int k = 0; k < 1500; ++k) {
        EXPECT_EQ(stepper.step(x, 1e-3, next).status, StepStatus::ok);
        *closings += next.contacts.find(2) != nullptr;
        std::swap(x, next);
      }
      return x;
    };
    int closings = 0, again = 0;
    const State small = go(*make_system(Rods<4>{}), 4, &closings),
                large = go(*make_system(Rods<6>{}), 6, &again);
    EXPECT_GE(closings, 1);
    EXPECT_EQ(closings, again);
    EXPECT_LT((small.q - large.q.head(4)).norm(), 1e-8);
    EXPECT_LT((small.u - large.u.head(4)).norm(), 1e-7);
    EXPECT_EQ(large.u.tail(2).norm(), 0);
  }
}

// With exact second derivatives Newton's iteration converges in very few steps; without, it would not.
TEST(GeneralizedAlpha, SecondDerivativesOfModelsKeepNewtonQuadratic) {
  const auto system = make_system(RandomSystem(4));
  GeneralizedAlpha o = with(Levels::pva);
  o.tolerance = 1e-12;
  GeneralizedAlphaStepper stepper(*system, o);
  State x = stepper.start(0, Vec::Zero(4), Vec::Zero(4)), next = x;
  for (int k = 0; k < 20; ++k) {
    const StepReport r = stepper.step(x, 0.05, next);
    EXPECT_EQ(r.status, StepStatus::ok);
    EXPECT_LE(r.newton_iterations, 4);
    std::swap(x, next);
  }
}

TEST(GeneralizedAlpha, StarRowsDoNotDependOnRAndPrintedOnesDo) {
  const auto problem = BouncingPendulum{}.build(2);
  const auto final = [&](GeneralizedAlpha o, double r) {
    o.r = r;
    const RunResult result = run_with(problem, o, 1e-3);
    return std::pair{result.final.q, result.status};
  };
  for (Levels levels : {Levels::pva, Levels::pvv}) {
    const auto [q, status] = final(with(levels, 0.9), 1);
    ASSERT_EQ(status, RunStatus::finished);
    for (double r : {1e-3, 1e-1, 1e1, 1e3}) {
      const auto [other, ok] = final(with(levels, 0.9), r);
      EXPECT_EQ(ok, RunStatus::finished) << r;
      EXPECT_LT((other - q).lpNorm<Eigen::Infinity>(), 1e-8) << r;
    }
  }
  GeneralizedAlpha printed = with(Levels::pva, 0.9);
  printed.inactive = GeneralizedAlpha::Inactive::printed;
  const auto [q, status] = final(printed, 1);
  EXPECT_EQ(status, RunStatus::finished);
  const auto [other, ok] = final(printed, 1e-3);
  EXPECT_TRUE(ok != RunStatus::finished || (other - q).lpNorm<Eigen::Infinity>() > 1e-5);
}

double energy_rise(const CatalogProblem& p, const GeneralizedAlpha& o, double h) {
  const auto& system = static_cast<const System&>(*p.problem.system);
  double rise = 0;
  run_with(p, o, h, [&](const Segment& s) {
    rise = std::max(rise, energy_of(system, s.end.t, s.end.q, s.end.u) -
                              energy_of(system, s.begin.t, s.begin.q, s.begin.u));
  });
  return rise;
}

TEST(GeneralizedAlpha, StarRowsCreateNoEnergyAfterImpactsPrintedOnesDo) {
  const auto problem = BouncingPendulum{}.build(4);
  GeneralizedAlpha o = with(Levels::pva, 0.9);
  const double coarse = energy_rise(problem, o, 1e-3), fine = energy_rise(problem, o, 2.5e-4);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_LT(fine, 0.5 * coarse);
  o.inactive = GeneralizedAlpha::Inactive::printed;
  EXPECT_NEAR(energy_rise(problem, o, 1e-3), 1.7e-2, 2e-3);
}

TEST(GeneralizedAlpha, ImpactTimesOfTheBouncingPendulumConvergeAtLeastAtOrderOne) {
  BouncingPendulum data;
  BouncingPendulumHistory exact;
  bouncing_pendulum_reference(data, 4, &exact);
  ASSERT_GT(exact.impacts.size(), 6u);
  const auto problem = data.build(1.9);
  // An impact's error is a few steps, more or less as the steps happen to meet it and the ones before: the
  // mean over many step sizes, four octaves apart.
  double error[2] = {0, 0};
  for (int level = 0; level < 2; ++level)
    for (int j = 0; j < 24; ++j) {
      const double h = 2e-3 / std::pow(16, level) * std::pow(2, -j / 24.0);
      std::vector<double> times;
      run_with(problem, with(Levels::pva), h, [&](const Segment& s) {
        for (const Event& e : s.events)
          if (e.kind == EventKind::impact) times.push_back(0.5 * (e.t + e.t_before));
      });
      for (int i = 0; i < 4; ++i) error[level] += std::abs(times.at(i) - exact.impacts[i][0]) / 96;
    }
  EXPECT_GT(std::log(error[0] / error[1]) / std::log(16), 0.9);
  EXPECT_LT(error[1], 3 * 2e-3 / 16);
}

TEST(GeneralizedAlpha, TheBouncingPendulumClosesWhenItShould) {
  double closed = -1;
  const auto r = run_with(BouncingPendulum{}.build(4), with(Levels::pva), 1e-3, [&](const Segment& s) {
    const bool now = s.end.contacts.find(1) != nullptr;
    if (!now) closed = -1;
    if (now && closed < 0) closed = s.end.t;
  });
  EXPECT_EQ(r.status, RunStatus::finished);
  EXPECT_NEAR(closed, 2.2405988, 0.02);
  EXPECT_LT(r.residuals.position, 1e-10);
  EXPECT_LT(r.residuals.velocity, 1e-9);
  EXPECT_LT(r.residuals.acceleration, 1e-6);
  EXPECT_LT(r.residuals.contact_position, 1e-11);
  EXPECT_LT(r.residuals.contact_acceleration, 1e-6);
}

TEST(GeneralizedAlpha, ABlockSlidesAtOrderTwoSticksWithoutCreepAndNeverTurnsBack) {
  SlidingBlock block;
  block.angle = 0.3, block.mu = 0.5, block.v0 = 2;  // stops and stays: tan 0.3 < 0.5
  const double a = block.g * (std::sin(block.angle) - block.mu * std::cos(block.angle));
  const double stop = -block.v0 / a, length = -0.5 * block.v0 * block.v0 / a;
  ASSERT_GT(stop, 0);
  for (Levels levels : {Levels::pva, Levels::pvv})
    for (auto newton : {GeneralizedAlpha::Newton::coupled, GeneralizedAlpha::Newton::decoupled}) {
      GeneralizedAlpha o = with(levels);
      o.newton = newton;
      const auto sliding = run_with(block.build(0.4), o, 1e-2);  // constant deceleration: exact
      ASSERT_EQ(sliding.status, RunStatus::finished) << sliding.message;
      EXPECT_NEAR(sliding.final.u[0], 2 + a * 0.4, 1e-7);
      EXPECT_NEAR(sliding.final.q[0], 2 * 0.4 + 0.5 * a * 0.16, 1e-7);
      double lowest = infinity, at_rest = -1, at_end = -1;
      const auto r = run_with(block.build(20), o, 1e-2, [&](const Segment& s) {
        lowest = std::min(lowest, s.end.u[0]);
        if (s.end.t < stop + 0.5) at_rest = s.end.q[0];
        at_end = s.end.q[0];
      });
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      EXPECT_NEAR(at_end, length, 1e-3);
      EXPECT_NEAR(at_end, at_rest, 1e-9);
      EXPECT_GT(lowest, -1e-9);
    }
}

// A ball thrown with spin-free tangential velocity: friction at the impact takes μ (1 + e) of the normal
// velocity, or all of the tangential one, whichever is less.
TEST(GeneralizedAlpha, FrictionAtAnImpactTakesWhatCoulombAllows) {
  for (double mu : {0.1, 0.3, 5.0}) {
    LinearSystem::Data d;
    d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
    d.M.set(0, 0, 1), d.M.set(1, 1, 1);
    d.f = Vec{{0, -10}};
    d.contacts.push_back({"ball/floor", Coulomb{mu, 0.5, 0, 1}, {{{1, 1.0}}, {{0, 1.0}}}, 0, 0});
    const Problem p{std::make_shared<LinearSystem>(std::move(d)), 0, 0.6, Vec{{0, 1}}, Vec{{3, 0}}};
    Vec before, after;
    const RunResult r =
        run(p, {with(Levels::pva), FixedSteps{1e-3}, AutomaticSolver{}}, [&](const Segment& s) {
          if (!s.events.empty() && before.size() == 0) before = s.begin.u, after = s.end.u;
        });
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    ASSERT_EQ(before.size(), 2);
    EXPECT_NEAR(after[1], -0.5 * before[1], 1e-9);
    // the impulse of the step is m (v⁺ − v⁻) + m g h
    const double normal = after[1] - before[1] + 10 * 1e-3;
    EXPECT_NEAR(after[0], std::max(0.0, 3 - mu * normal), 1e-8) << mu;
  }
}

TEST(GeneralizedAlpha, ManyContactsAtOnceColumnsAndRockingBars) {
  BallColumn column;
  column.n = 20, column.gap = 0.01, column.e = 0.3;
  for (auto newton : {GeneralizedAlpha::Newton::coupled, GeneralizedAlpha::Newton::decoupled}) {
    GeneralizedAlpha o = with(Levels::pva);
    o.newton = newton;
    const RunResult r = run_with(column.build(2), o, 1e-3);
    EXPECT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_LT(r.residuals.gap, 1e-9);
    EXPECT_LT(r.final.u.norm(), 1e-6);  // it rests
  }
  const auto bar = RockingBar{}.build(1.5);
  const RunResult r = run_with(bar, with(Levels::pva), 1e-3);
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT(r.energy_final, r.energy_initial);
}

TEST(GeneralizedAlpha, AWarmStepLoopDoesNotAllocateAndRepeatsItsBits) {
  for (auto newton : {GeneralizedAlpha::Newton::coupled, GeneralizedAlpha::Newton::decoupled})
    for (const bool bar : {false, true}) {
      const auto problem = bar ? ElasticBar{}.build(2) : BouncingPendulum{}.build(4);
      const auto& system = static_cast<const System&>(*problem.problem.system);
      GeneralizedAlpha o;
      o.newton = newton;
      GeneralizedAlphaStepper stepper(system, o);
      const State start = stepper.start(0, problem.problem.q0, problem.problem.u0);
      State x = start, next = start;
      Vec q[2];
      std::size_t count = 0;
      for (Vec& end : q) {
        x = start;
        for (int k = 0; k < 800; ++k) {
          if (k == 2) count = testing::allocations();  // the first steps resize what a fresh state lacks
          stepper.step(x, 2e-3, next);
          std::swap(x, next);
        }
        count = testing::allocations() - count;
        end = x.q;
      }
      if (SALTUS_COUNTS_ALLOCATIONS) {
        EXPECT_EQ(count, 0u) << bar;
      }
      EXPECT_EQ(q[0], q[1]);
    }
}

TEST(GeneralizedAlpha, RefusesWhatItCannotDoWithARemedy) {
  const auto ball = BouncingBall{}.build(1);
  const auto& system = static_cast<const System&>(*ball.problem.system);
  const auto says = [](const System& of, const GeneralizedAlpha& o) {
    return testing::message_of([&] { GeneralizedAlphaStepper(of, o); });
  };
  EXPECT_NE(says(system, with(Levels::p)).find("use pva or pvv"), std::string::npos);
  GeneralizedAlpha hht = with(Levels::pva, 0.2);
  hht.parameters = GeneralizedAlpha::Parameters::hht;
  EXPECT_NE(says(system, hht).find("[0.5, 1]"), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_generalized_alpha_systems
