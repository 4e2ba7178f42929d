// Configurations that are no vectors: the four maps of a System, sums on manifolds, schemes on SO(3).
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/run/run.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/linear_system.hpp"
#include "saltus/system/sum_system.hpp"
#include "support/errors.hpp"
#include "support/spinning_top.hpp"

namespace saltus::test_rotations {
namespace {

using testing::SpinningTop;
using testing::Vec3;

std::shared_ptr<const SpinningTop> free_top() {
  return std::make_shared<SpinningTop>(Vec3(1, 2, 3.2), Vec3::Zero(), Vec3(0, 0, 1), 5, 0);
}
// Falls from nearly upright on its tip's ledge, again and again.
std::shared_ptr<const SpinningTop> bouncing_top(double e) {
  return std::make_shared<SpinningTop>(Vec3(1, 1.5, 0.8), Vec3(0, 0, 6), Vec3(0.1, 0.2, 1), 0.3, e);
}
std::shared_ptr<const System> ball() {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.f = Vec{{-9.81}};
  d.contacts.push_back({"floor", Unilateral{0.7}, {{{0, 1.0}}}, 0, 0});
  return std::make_shared<LinearSystem>(std::move(d));
}

Vec some_turn(SplitMix64& random) {
  Vec q(4);
  for (double& x : q) x = random.between(-1, 1);
  return q / q.norm();
}
Vec some_vector(SplitMix64& random, double size) {
  Vec v(3);
  for (double& x : v) x = random.between(-size, size);
  return v;
}

// retract and difference are inverse to each other, so are lift and push; push is the derivative of retract.
TEST(Rotations, TheFourMapsFitTogether) {
  const auto top = free_top();
  SplitMix64 random(1);
  for (int k = 0; k < 200; ++k) {
    const Vec q = some_turn(random), v = some_vector(random, 1.5), x = some_vector(random, 1);
    Vec p(4), back(3), pushed(3), lifted(3);
    top->retract(q, v, p);
    top->difference(q, p, back);
    EXPECT_LT((back - v).norm(), 1e-14);
    top->push(v, x, pushed);
    top->lift(v, pushed, lifted);
    EXPECT_LT((lifted - x).norm(), 1e-14);
    const double e = 1e-5;
    Vec ahead(4), behind(4), moved(3);
    top->retract(q, v + e * x, ahead), top->retract(q, v - e * x, behind);
    top->difference(behind, ahead, moved);
    EXPECT_LT((moved / (2 * e) - pushed).norm(), 1e-9);
  }
}

// Derivatives are by the displacement of q ⊕ v: three columns for four coordinates.
TEST(Rotations, DirectionsAreTangent) {
  const auto top = bouncing_top(0.5);
  const CheckedSystem at(*top);
  SplitMix64 random(2);
  ContactSet set;
  for (int k = 0; k < 50; ++k) {
    const Vec q = some_turn(random), u = some_vector(random, 2);
    const auto gap = [&](double s) {
      Vec p(4);
      top->retract(q, s * u, p);
      at.gaps(0, p, set);
      return set.gap[0];
    };
    at.list(0, q, set), at.directions(0, q, set), at.bias(0, q, u, set);
    const double rate = set.Wt.dot(0, u.data()), bias = set.bias[0], e = 1e-4, middle = set.gap[0];
    const double low = gap(-e), high = gap(e);
    EXPECT_NEAR((high - low) / (2 * e), rate, 1e-6);
    EXPECT_NEAR((high - 2 * middle + low) / (e * e), bias, 1e-5);
  }
}

// The implicit midpoint rule keeps the energy of Euler's equations.
TEST(Rotations, AFreeTopKeepsItsEnergyUnderTheMidpointRule) {
  const Problem p{free_top(), 0, 5, Vec{{1, 0, 0, 0}}, Vec{{0.4, 2, 0.3}}};
  const double start = energy_of(*p.system, 0, p.q0, p.u0);
  double worst = 0, length = 0;
  const RunResult r = run(p, {MoreauJean{0.5}, FixedSteps{0.01}}, [&](const Segment& s) {
    worst = std::max(worst, std::abs(energy_of(*p.system, s.end.t, s.end.q, s.end.u) - start));
    length = std::max(length, std::abs(s.end.q.norm() - 1));
  });
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT(worst, 1e-12 * start);
  EXPECT_LT(length, 1e-14);
}

// θ = ½ is of second order on SO(3) too, measured by the angle between two results.
TEST(Rotations, OrderOfMoreauJean) {
  const auto top = free_top();
  const auto end = [&](double h) {
    return run({top, 0, 1, Vec{{1, 0, 0, 0}}, Vec{{0.4, 2, 0.3}}}, {MoreauJean{0.5}, FixedSteps{h}}).final.q;
  };
  const Vec coarse = end(0.02), middle = end(0.01), fine = end(0.005);
  Vec a(3), b(3);
  top->difference(fine, middle, b), top->difference(middle, coarse, a);
  EXPECT_NEAR(std::log2(a.norm() / b.norm()), 2, 0.05);
}

// Every scheme either runs it, with unit quaternions and contacts that hold, or refuses it with a reason.
TEST(Rotations, EverySchemeRunsOrRefuses) {
  const Problem p{bouncing_top(0.6), 0, 3, Vec{{std::cos(0.4), std::sin(0.4), 0, 0}}, Vec{{0, 0.2, 1}}};
  const double start = energy_of(*p.system, 0, p.q0, p.u0);
  int finished = 0;
  for (const char* scheme : {"moreau-jean", "moreau-midpoint", "moreau-projected", "schatzman-paoli",
                             "generalized-alpha", "runge-kutta", "symplectic-euler"}) {
    Method m{parse_spec<SchemeSpec>(scheme, "scheme"), FixedSteps{1e-3}};
    if (std::string_view(scheme) == "runge-kutta") m.stepping = EventCapturing{};
    double length = 0;
    try {
      const RunResult r =
          run(p, m, [&](const Segment& s) { length = std::max(length, std::abs(s.end.q.norm() - 1)); });
      ASSERT_EQ(r.status, RunStatus::finished) << scheme << ": " << r.message;
      ++finished;
      EXPECT_LT(length, 1e-14) << scheme;
      EXPECT_LT(r.residuals.gap, 0.02) << scheme;
      EXPECT_LT(energy_of(*p.system, r.final.t, r.final.q, r.final.u), start) << scheme;
    } catch (const Error& e) {
      EXPECT_FALSE(std::string(e.what()).empty());
    }
  }
  EXPECT_EQ(finished, 7);
}

TEST(Rotations, AdaptiveStepsMeasureTheDisplacement) {
  const Problem p{free_top(), 0, 1, Vec{{1, 0, 0, 0}}, Vec{{0.4, 2, 0.3}}};
  AdaptiveSteps tight;
  tight.rtol = tight.atol = 1e-5;
  const RunResult r = run(p, {MoreauJean{0.5}, tight}), exact = run(p, {MoreauJean{0.5}, FixedSteps{1e-4}});
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  Vec v(3);
  static_cast<const System&>(*p.system).difference(exact.final.q, r.final.q, v);
  EXPECT_LT(v.norm(), 1e-2);
  EXPECT_GT(r.stats.steps, 20);
}

// A ball beside a top: what each does alone, it does in the sum.
TEST(Rotations, SumsWorkOnManifolds) {
  const auto sum =
      std::make_shared<SumSystem>(5, 4, std::vector<SystemPart>{{ball(), 0, 0}, {bouncing_top(0.6), 1, 1}});
  EXPECT_FALSE(sum->shape().flat);
  const Vec turn{{std::cos(0.4), std::sin(0.4), 0, 0}}, spin{{0, 0.2, 1}};
  Vec q0(5), u0(4);
  q0 << 1, turn;
  u0 << 0, spin;
  const Method method{MoreauJean{0.5}, FixedSteps{1e-3}};
  const RunResult both = run({sum, 0, 2, q0, u0}, method);
  const RunResult one = run({ball(), 0, 2, Vec{{1}}, Vec{{0}}}, method);
  const RunResult other = run({bouncing_top(0.6), 0, 2, turn, spin}, method);
  ASSERT_EQ(both.status, RunStatus::finished) << both.message;
  EXPECT_NEAR(both.final.q[0], one.final.q[0], 1e-9);
  EXPECT_LT((both.final.q.tail(4) - other.final.q).norm(), 1e-9);
  EXPECT_LT((both.final.u.tail(3) - other.final.u).norm(), 1e-8);

  Vec v{{0.3, 0.1, -0.2, 0.5}}, p(5), back(4), x(4), y(4);
  sum->retract(q0, v, p);
  EXPECT_DOUBLE_EQ(p[0], 1.3);
  sum->difference(q0, p, back);
  EXPECT_LT((back - v).norm(), 1e-14);
  sum->push(v, u0, x), sum->lift(v, x, y);
  EXPECT_LT((y - u0).norm(), 1e-14);
}

TEST(Rotations, SumsRefuseWhatDoesNotFit) {
  using testing::message_of;
  EXPECT_NE(message_of([] {
              SumSystem(4, 3, {{ball(), 0, 0}});
            }).find("belong to no part"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              SumSystem(4, 3, {{free_top(), 0, 0}, {ball(), 2, 3}});
            }).find("overlaps another"),
            std::string::npos);
}

}  // namespace
}  // namespace saltus::test_rotations
