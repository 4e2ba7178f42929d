// Generalized-α where contacts are many: redundant joints and feet, friction with several contacts and two
// tangents, lists of contacts that change.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/catalog/flexible_problems.hpp"
#include "saltus/catalog/problems.hpp"
#include "saltus/planar/rigid_system.hpp"
#include "saltus/run/run.hpp"
#include "saltus/scheme/generalized_alpha/alpha_levels.hpp"
#include "saltus/system/linear_system.hpp"
#include "saltus/system/model.hpp"
#include "scheme/alpha_steps.hpp"

namespace saltus::test_generalized_alpha_contacts {
namespace {

using testing::go;

// A bar that falls on three feet: one of the three gaps follows from the others when all are closed.
struct ThreeFeet {
  static constexpr int dof = 2;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S&, const V<S>&) const {
    return V<S>(S(1), S(0.1)).asDiagonal();
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return {S(-10), S(0)};
  }
  template <class S>
  Eigen::Matrix<S, 3, 1> gaps(const S&, const V<S>& q) const {
    using std::sin;
    return {q[0] - sin(q[1]), q[0], q[0] + sin(q[1])};
  }
  std::vector<Law> laws() const { return {Unilateral{0.3}, Unilateral{0.3}, Unilateral{0.3}}; }
};

TEST(GeneralizedAlphaContacts, ABarComesToRestOnThreeFeetThatShareItsWeight) {
  const auto system = make_system(ThreeFeet{});
  const State x = go(*system, Vec{{0.5, 0.1}}, Vec::Zero(2), 1e-3, 3);
  EXPECT_LT(x.q.norm(), 1e-12);
  EXPECT_LT(x.u.norm(), 1e-12);
  ASSERT_EQ(x.contacts.closed.size(), 3u);
  double sum = 0, torque = 0;
  for (int k = 0; k < 3; ++k) sum += x.contacts.impulse[k] / 1e-3, torque += (k - 1) * x.contacts.impulse[k];
  EXPECT_NEAR(sum, 10, 1e-8);
  EXPECT_NEAR(torque, 0, 1e-11);
}

// A parallelogram on two rods, and the same with a third one between them that adds nothing.
template <int rods>
struct Parallelogram {
  static constexpr int dof = 3;
  template <class S>
  using V = Eigen::Matrix<S, 3, 1>;
  template <class S>
  Eigen::Matrix<S, 3, 3> mass(const S&, const V<S>&) const {
    return V<S>(S(1), S(1), S(0.1)).asDiagonal();
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return {S(1), S(-10), S(0)};
  }
  template <class S>
  Eigen::Matrix<S, rods, 1> gaps(const S&, const V<S>& q) const {
    using std::cos;
    using std::sin;
    const S x = q[0], y = q[1], c = cos(q[2]), s = sin(q[2]);
    const S left = (x - c + S(1)) * (x - c + S(1)) + (y - s) * (y - s) - S(1);
    const S right = (x + c - S(1)) * (x + c - S(1)) + (y + s) * (y + s) - S(1);
    if constexpr (rods == 2)
      return {left, right};
    else
      return {left, right, x * x + y * y - S(1)};
  }
  std::vector<Law> laws() const { return std::vector<Law>(rods, Equality{1}); }
};

TEST(GeneralizedAlphaContacts, ARedundantRodChangesNothing) {
  const Vec q{{0, -1, 0}};
  const State two = go(*make_system(Parallelogram<2>{}), q, Vec::Zero(3), 1e-3, 2),
              three = go(*make_system(Parallelogram<3>{}), q, Vec::Zero(3), 1e-3, 2);
  EXPECT_LT((two.q - three.q).norm(), 1e-7);
  EXPECT_LT((two.u - three.u).norm(), 1e-6);
  EXPECT_NEAR(three.q.head(2).norm(), 1, 1e-12);
}

// Friction in a plane: along the path of the first velocity, with constant deceleration, to a halt. Three
// contacts at one point are as good as one.
TEST(GeneralizedAlphaContacts, FrictionWithTwoTangentsStopsOnAStraightLine) {
  for (int contacts : {1, 3}) {
    LinearSystem::Data d;
    d.M = Matrix(3, {Pattern::diagonal, 0, nullptr});
    for (int i = 0; i < 3; ++i) d.M.set(i, i, 2);
    d.f = Vec{{0, 0, -20}};
    for (int k = 0; k < contacts; ++k)
      d.contacts.push_back({"foot" + std::to_string(k),
                            Coulomb{.mu = 0.5, .tangents = 2},
                            {{{2, 1.0}}, {{0, 1.0}}, {{1, 1.0}}}});
    const LinearSystem system(d);
    for (const double h : {1e-2, 1e-3}) {
      // v = 1, a = 5: it stops after 0.2 s and 0.1 m
      const State moving = go(system, Vec::Zero(3), Vec{{0.6, 0.8, 0}}, h, 0.1);
      EXPECT_NEAR(moving.u[0], 0.3, 1e-7);
      EXPECT_NEAR(moving.u[1], 0.4, 1e-7);
      EXPECT_NEAR(moving.q[0], 0.6 * 0.075, 1e-7);
      const State still = go(system, Vec::Zero(3), Vec{{0.6, 0.8, 0}}, h, 0.5);
      EXPECT_LT(still.u.norm(), 1e-10);
      EXPECT_NEAR(still.q[0], 0.06, 1e-7) << contacts << " " << h;
      EXPECT_NEAR(still.q[1], 0.08, 1e-7);
      for (const auto& record : still.contacts.closed) EXPECT_EQ(record.mode, Mode::stick);
    }
  }
}

RigidBody box(const std::string& name, double width, double height, Vec2 at) {
  RigidBody b;
  b.name = name, b.shape = RigidBody::Shape::polygon;
  b.corners = {
      {-width / 2, -height / 2}, {width / 2, -height / 2}, {width / 2, height / 2}, {-width / 2, height / 2}};
  b.mass = 1, b.inertia = (width * width + height * height) / 12, b.start = at;
  return b;
}
RigidBody floor_at(double y) {
  RigidBody b;
  b.name = "floor", b.shape = RigidBody::Shape::plane, b.start = {0, y};
  return b;
}

// x and u of a mass m = 1 under 6 sin 3t with friction ±f, by its closed form from event to event.
std::pair<double, double> pushed(double t_end, double f) {
  double t = 0, x = 0, v = 0;
  while (t < t_end) {
    double s = 0;
    if (v == 0) {  // it holds until the push is stronger
      double next = t;
      while (next < t_end && std::abs(6 * std::sin(3 * next)) <= f) next += 1e-6;
      t = std::min(next, t_end), s = std::sin(3 * t) > 0 ? 1 : -1;
      if (t >= t_end) break;
    }
    const double t0 = t, x0 = x, v0 = v;
    const auto speed = [&](double at) {
      return v0 - 2 * (std::cos(3 * at) - std::cos(3 * t0)) - s * f * (at - t0);
    };
    double end = t0 + 1e-4;
    while (end < t_end && s * speed(end) > 0) end += 1e-4;
    if (end < t_end) {
      double a = end - 1e-4, b = end;
      for (int k = 0; k < 60; ++k) (s * speed((a + b) / 2) > 0 ? a : b) = (a + b) / 2;
      end = a;
    }
    end = std::min(end, t_end);
    x = x0 + (v0 + 2 * std::cos(3 * t0)) * (end - t0) - (2. / 3) * (std::sin(3 * end) - std::sin(3 * t0)) -
        s * f * (end - t0) * (end - t0) / 2;
    v = end < t_end ? 0 : speed(end), t = end;
  }
  return {x, v};
}

/// Adds a force along x on the first body.
class Pushed final : public System {
 public:
  explicit Pushed(const RigidSystem& of) : of_(of) {}
  std::unique_ptr<Workspace> make_workspace() const override { return of_.make_workspace(); }
  Shape shape() const override {
    Shape s = of_.shape();
    s.linear_force = false;
    return s;
  }
  std::span<const Law> laws() const override { return of_.laws(); }
  std::span<const Contact> contacts() const override { return of_.contacts(); }
  void mass(double t, In q, Matrix& M, Workspace& w) const override { of_.mass(t, q, M, w); }
  void force(double t, In q, In u, Out h, Workspace& w) const override {
    of_.force(t, q, u, h, w);
    h[0] += 6 * std::sin(3 * t);
  }
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override {
    of_.force_jacobians(t, q, u, dq, du, w);
  }
  void list(double t, In q, ContactSet& out, Workspace& w) const override { of_.list(t, q, out, w); }
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override { of_.gaps(t, q, out, w); }
  void directions(double t, In q, ContactSet& out, Workspace& w) const override {
    of_.directions(t, q, out, w);
  }
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override { of_.bias(t, q, u, out, w); }
  double closing_speed(In u) const override { return of_.closing_speed(u); }
  std::string contact_name(std::uint64_t id) const override { return of_.contact_name(id); }

 private:
  const RigidSystem& of_;
};

MaterialTable rough(double mu, double e = 0) {
  return MaterialTable(std::vector<Material>{{.mu = mu, .e_n = e}});
}

// Two corners with friction: their tangential rows are redundant whenever both stick or slide.
TEST(GeneralizedAlphaContacts, ABoxOnARoughFloorMovesAsAPointDoes) {
  RigidSystem::Data d;
  d.bodies = {box("box", 0.2, 0.1, {0, 0.05}), floor_at(0)};
  d.materials = rough(0.4);
  const RigidSystem bodies(d);
  const Pushed system(bodies);
  const auto [x, v] = pushed(2, 0.4 * 9.81);
  double error[3];
  for (int i = 0; i < 3; ++i) {
    const State end = go(system, Vec{{0, 0.05, 0}}, Vec::Zero(3), 4e-3 / (1 << i), 2);
    error[i] = std::abs(end.q[0] - x);
    EXPECT_NEAR(end.u[0], v, 4e-3 / (1 << i));
    EXPECT_NEAR(end.q[1], 0.05, 1e-13);
    EXPECT_NEAR(end.q[2], 0, 1e-13);
  }
  EXPECT_LT(error[0], 1e-4);
  EXPECT_LT(error[2], 0.5 * error[0]);
}

// With few bodies all pairs are listed, with many only near ones: the same motion.
TEST(GeneralizedAlphaContacts, AListThatChangesGivesTheMotionOfAllPairs) {
  RigidSystem::Data d;
  Vec q(24);
  for (int i = 0; i < 8; ++i) {
    RigidBody b;
    b.name = "disk" + std::to_string(i), b.radius = 0.1, b.mass = 1 + 0.1 * i,
    b.inertia = 0.5 * b.mass * 0.01;
    b.start = {0.23 * (i % 3) + 0.04 * (i / 3), 0.12 + 0.25 * (i / 3)};
    q.segment(3 * i, 3) << b.start[0], b.start[1], 0;
    d.bodies.push_back(b);
  }
  d.bodies.push_back(floor_at(0));
  d.materials = rough(0.3, 0.4);
  Vec u = Vec::Zero(24);
  for (int i = 0; i < 8; ++i) u[3 * i] = 0.3 * (i % 2 ? -1 : 1);
  d.few = 100;
  const RigidSystem all(d);
  d.few = 0;
  const RigidSystem near(d);
  ASSERT_FALSE(all.shape().changing_contacts);
  ASSERT_TRUE(near.shape().changing_contacts);
  // The force that a contact had when it opened is forgotten at once where it may leave the list, and decays
  // otherwise: the same but for the turn of the contact in these steps.
  double apart[2];
  for (int i = 0; i < 2; ++i) {
    const double h = 1e-3 / (1 << 2 * i);
    const State a = go(all, q, u, h, 0.25), b = go(near, q, u, h, 0.25);
    EXPECT_GE(a.contacts.closed.size() + b.contacts.closed.size(), 2u);
    apart[i] = (a.q - b.q).lpNorm<Eigen::Infinity>();
  }
  EXPECT_LT(apart[0], 1e-6);
  EXPECT_LT(apart[1], 0.25 * apart[0]);
}

TEST(GeneralizedAlphaContacts, DisksInADrumRunThroughWithoutPenetration) {
  const CatalogProblem p = DiskMixer{.n = 20}.build(0.3);
  const RunResult r = run(p.problem, {GeneralizedAlpha{}, FixedSteps{5e-4}, AutomaticSolver{}});
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT(r.residuals.gap, 1e-12);
}

// A stack at rest stays at rest: two by two contacts with friction between neighbours, all redundant.
TEST(GeneralizedAlphaContacts, AStackOfBoxesStandsStill) {
  RigidSystem::Data d;
  Vec q(15);
  for (int i = 0; i < 5; ++i) {
    d.bodies.push_back(box("box" + std::to_string(i), 0.2, 0.1, {0.01 * i, 0.05 + 0.1 * i}));
    q.segment(3 * i, 3) << 0.01 * i, 0.05 + 0.1 * i, 0;
  }
  d.bodies.push_back(floor_at(0));
  d.materials = rough(0.5);
  const State x = go(RigidSystem(d), q, Vec::Zero(15), 2e-3, 1);
  EXPECT_LT((x.q - q).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_LT(x.u.lpNorm<Eigen::Infinity>(), 1e-12);
}

// A mass with drag is thrown back by a wall: its acceleration jumps from c|v| to −c|v|. What is left of the
// old one in `a` disturbs the flight that follows, compared with the exact one from the end of the impact
// step, by O(h), unless it is found anew.
TEST(GeneralizedAlphaContacts, AFlightAfterAnImpactIsOfOrderTwoWithARestartOnly) {
  constexpr double c = 5, T = 0.2;
  LinearSystem::Data d;
  d.M = d.C = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1), d.C.set(0, 0, c);
  d.contacts = {{"wall", Unilateral{1}, {{{0, 1.0}}}}};
  const LinearSystem system(d);
  const auto error = [&](GeneralizedAlpha::AfterImpact after, double h) {
    GeneralizedAlpha o;
    o.after_impact = after;
    const auto stepper = make_stepper(o, system, AutomaticSolver{});
    State x = stepper->start(0, Vec{{0.2}}, Vec{{-2}}), next = x, hit = x;
    for (int k = 0; k < 1000 && (hit.contacts.closed.empty() || x.t < hit.t + T - h / 2); ++k) {
      EXPECT_EQ(stepper->step(x, h, next).status, StepStatus::ok);
      std::swap(x, next);
      if (hit.contacts.closed.empty() && !x.contacts.closed.empty()) hit = x;
    }
    return std::abs(x.q[0] - hit.q[0] - hit.u[0] * (1 - std::exp(-c * (x.t - hit.t))) / c);
  };
  using After = GeneralizedAlpha::AfterImpact;
  const double carry[] = {error(After::carry_on, 1e-2), error(After::carry_on, 2.5e-3)},
               anew[] = {error(After::restart, 1e-2), error(After::restart, 2.5e-3)};
  EXPECT_NEAR(std::log2(carry[0] / carry[1]) / 2, 1, 0.3) << carry[0] << " " << carry[1];
  EXPECT_NEAR(std::log2(anew[0] / anew[1]) / 2, 2, 0.3) << anew[0] << " " << anew[1];
  EXPECT_LT(anew[1], 0.2 * carry[1]);
}

// A pre-stressed spring holds a mass up to its limit and yields beyond with a constant force.
TEST(GeneralizedAlphaContacts, APrestressedSpringHoldsAndYields) {
  for (const double load : {3.0, 7.0}) {
    LinearSystem::Data d;
    d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
    d.M.set(0, 0, 2);
    d.f = Vec{{load}};
    d.contacts = {{"spring", PrestressedSpring{5}, {{{0, 1.0}}}}};
    const State x = go(LinearSystem(d), Vec{{0}}, Vec{{0}}, 1e-2, 0.5);
    const double a = load > 5 ? (load - 5) / 2 : 0;
    EXPECT_NEAR(x.u[0], a * 0.5, 1e-9);
    EXPECT_NEAR(x.q[0], 0.5 * a * 0.25, 1e-9);
    ASSERT_EQ(x.contacts.impulse.size(), 1u);
    EXPECT_NEAR(x.contacts.impulse[0] / 1e-2, -std::min(load, 5.0), 1e-8);
  }
}

// At rest on its stop the bouncing pendulum has λ = (−10, 10, 10), and the same as reactions: no impulse is
// left.
TEST(GeneralizedAlphaContacts, AStateHasItsAccelerationsAndReactions) {
  const CatalogProblem p = BouncingPendulum{}.build(4);
  const RunResult r = run(p.problem, {GeneralizedAlpha{}, FixedSteps{1e-3}, AutomaticSolver{}});
  const auto& system = static_cast<const System&>(*p.problem.system);
  const auto levels = alpha_levels(r.final, system);
  ASSERT_TRUE(levels);
  EXPECT_LT(levels->vdot.norm() + levels->a.norm(), 1e-8);
  std::vector<double> lambda, reaction;
  for (const auto& c : levels->contacts) {
    lambda.insert(lambda.end(), c.lambda.begin(), c.lambda.end());
    reaction.insert(reaction.end(), c.reaction.begin(), c.reaction.end());
  }
  ASSERT_EQ(lambda.size(), 3u);
  const double expected[] = {-10, 10, 10};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(lambda[i], expected[i], 1e-6);
    EXPECT_NEAR(reaction[i], expected[i], 1e-6);
  }
  const auto stepper = make_stepper(GeneralizedAlpha{}, system, AutomaticSolver{});
  const auto start = alpha_levels(stepper->start(0, p.problem.q0, p.problem.u0), system);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->a, start->vdot);
  EXPECT_TRUE(start->contacts.empty());
}

}  // namespace
}  // namespace saltus::test_generalized_alpha_contacts
