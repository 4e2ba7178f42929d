// Steps of varying length: Radau IIA on stiff motion, and who makes the steps.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/scheme/runge_kutta/controlled_flow.hpp"
#include "saltus/system/model.hpp"
#include "support/allocations.hpp"

namespace saltus::test_controlled_flow {
namespace {

// x" = −k (x − cos t) − c (x' + sin t) − cos t, whose smooth motion is cos t (Prothero and Robinson), beside
// a pendulum that is nothing of the kind.
struct Stiff {
  static constexpr int dof = 2;
  double k = 1, c = 0.5;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S&, const V<S>&) const {
    return Eigen::Matrix<S, 2, 2>::Identity();
  }
  template <class S>
  V<S> force(const S& t, const V<S>& q, const V<S>& u) const {
    using std::cos, std::sin;
    return {-k * (q[0] - cos(t)) - c * (u[0] + sin(t)) - cos(t), -4 * sin(q[1])};
  }
  template <class S>
  Eigen::Matrix<S, 0, 1> gaps(const S&, const V<S>&) const {
    return {};
  }
  std::vector<Law> laws() const { return {}; }
};

const ErrorScales ones{Vec::Ones(2), Vec::Ones(2), 1}, small{1e-8 * Vec::Ones(2), 1e-8 * Vec::Ones(2), 6};

TEST(RadauTableau, IsThatOfTheListAndHasItsOrder) {
  for (const int s : {2, 3}) {
    const Tableau t = radau_iia(s), &known = find_tableau(t.name);
    EXPECT_LT((t.A - known.A).norm(), 1e-14);
    EXPECT_EQ(order(t), 2 * s - 1);
  }
  for (const int s : {5, 7}) {
    const Tableau t = radau_iia(s);
    EXPECT_TRUE(is_stiffly_accurate(t));
    for (int k = 1; k < 2 * s; ++k)  // B(2s − 1)
      EXPECT_NEAR((t.b.array() * t.c.array().pow(k - 1)).sum(), 1.0 / k, 1e-15) << k;
    for (int k = 1; k <= s; ++k)  // C(s)
      EXPECT_LT((t.A * t.c.array().pow(k - 1).matrix() - Vec(t.c.array().pow(k) / k)).norm(), 1e-15) << k;
    EXPECT_LT(std::abs(stability(t, {-1e9, 1e9})), 1e-6);
  }
}

// Halved steps: the end is of order 2s, the estimate and the inside of order s + 1 in one step.
TEST(RadauStep, StepEstimateAndDenseOutputHaveTheirOrders) {
  const auto system = make_system(Stiff{});
  for (const int s : {3, 5}) {
    Faults faults;
    ClosedDynamics dynamics(*system, faults);
    RadauStep step(dynamics, s, 2);
    const Vec q{{1, 0}}, u{{0, 0}};
    const ErrorScales tight{1e-13 * Vec::Ones(2), 1e-13 * Vec::Ones(2), 6};
    double end[2], inside[2], estimate[2];
    Vec q1, u1;
    for (const int k : {0, 1}) {
      const double h = (s == 3 ? 0.4 : 1.2) / (k + 1);
      ASSERT_EQ(step.attempt(0, q, u, h, tight), StepStatus::ok);
      estimate[k] = step.error(ones);
      ASSERT_EQ(step.inside(h, q1, u1), StepStatus::ok);
      end[k] = std::hypot(q1[0] - std::cos(h), u1[0] + std::sin(h));
      inside[k] = 0;
      for (const double x : {0.1, 0.25, 0.4, 0.55, 0.8}) {
        ASSERT_EQ(step.inside(x * h, q1, u1), StepStatus::ok);
        inside[k] = std::max(inside[k], std::hypot(q1[0] - std::cos(x * h), u1[0] + std::sin(x * h)));
      }
    }
    EXPECT_GT(std::log2(end[0] / end[1]), 2 * s - 0.8) << s;
    EXPECT_NEAR(std::log2(inside[0] / inside[1]), s + 1, 0.7) << s;
    EXPECT_NEAR(std::log2(estimate[0] / estimate[1]), s + 1, 0.7) << s;
  }
}

struct Drive {
  int steps = 0;
  double error = 0, longest = 0;
};

// From 0 to 10 with the control of a run, errors allowed as in `small`.
Drive drive(const Stiff& model, ControlledFlow& flow, std::size_t* allocations = nullptr) {
  Drive out;
  Vec q{{1, 0.5}}, u{{0, 0}}, q1 = q, u1 = u;
  double h = 1e-3;
  for (double t = 0; t < 10;) {
    const double s = std::min(h, 10 - t);
    const StepStatus status = flow.attempt(t, q, u, s, small);
    EXPECT_LT(++out.steps, 200000) << model.k;
    if (out.steps >= 200000) return out;
    const double error = status == StepStatus::ok ? flow.error(small) : infinity;
    h = s * std::clamp(flow.growth(error), 0.2, 6.0);
    if (!(error <= 1)) continue;
    flow.step(t, q, u, s, q1, u1);
    h = std::min(h, flow.accept(small));
    t += s, q.swap(q1), u.swap(u1);
    out.longest = std::max(out.longest, s);
    out.error = std::max(out.error, std::abs(q[0] - std::cos(t)));
    if (allocations && *allocations == 0 && out.steps >= 20) *allocations = testing::allocations();
  }
  return out;
}

TEST(ControlledFlow, StiffMotionIsRadausAndItsStepsDoNotShrinkWithTheStiffness) {
  int steps = 0;
  for (const double k : {1e6, 1e8, 1e10}) {
    const Stiff model{k, 0.2 * std::sqrt(k)};
    const auto system = make_system(Stiff(model));
    Faults faults;
    ControlledFlow flow(*system, dop_853(), 1e-8, faults);
    const Drive d = drive(model, flow);
    EXPECT_GT(flow.stiff_steps(), d.steps / 2) << k;
    EXPECT_LT(d.error, 1e-7) << k;
    EXPECT_GT(d.longest * std::sqrt(k), 100) << k;
    steps = std::max(steps, d.steps);
  }
  EXPECT_LT(steps, 400);
}

TEST(ControlledFlow, MotionThatIsNotStiffIsThePairs) {
  const Stiff model;
  const auto system = make_system(Stiff(model));
  for (const DensePair* pair : {&dopri_5(), &dop_853()}) {
    Faults faults;
    ControlledFlow flow(*system, *pair, 1e-8, faults);
    const Drive d = drive(model, flow);
    EXPECT_EQ(flow.stiff_steps(), 0) << pair->name;
    EXPECT_LT(d.error, 1e-7) << pair->name;
  }
}

TEST(ControlledFlow, WarmStepsDoNotAllocate) {
  if (!SALTUS_COUNTS_ALLOCATIONS) GTEST_SKIP() << "sanitizers own malloc";
  const Stiff model{1e8, 2e3};
  const auto system = make_system(Stiff(model));
  Faults faults;
  ControlledFlow flow(*system, dop_853(), 1e-8, faults);
  std::size_t before = 0;
  drive(model, flow, &before);
  ASSERT_GT(before, 0u);
  EXPECT_EQ(testing::allocations(), before);
}

}  // namespace
}  // namespace saltus::test_controlled_flow
