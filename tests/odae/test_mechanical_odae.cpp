// Mechanical systems through the schemes for ODAEs.
#include <gtest/gtest.h>

#include "saltus/odae/checked_odae.hpp"
#include "saltus/odae/hidden_constraint.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/reference/odae_reference.hpp"
#include "saltus/system/linear_system.hpp"
#include "saltus/system/model.hpp"
#include "support/errors.hpp"
#include "support/odae.hpp"

namespace saltus::test_mechanical_odae {
namespace {
using namespace testing;

// The mass on the cubic with a gap of unit gradient and the slip along the curve.
struct SlideModel {
  static constexpr int dof = 2;
  CubicSlide p;
  bool joint = false;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S&, const V<S>&) const {
    Eigen::Matrix<S, 2, 2> M = Eigen::Matrix<S, 2, 2>::Zero();
    M(0, 0) = M(1, 1) = p.m;
    return M;
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return {S(0), S(-p.m * p.g)};
  }
  template <class S>
  Eigen::Matrix<S, 1, 1> gaps(const S&, const V<S>& q) const {
    using std::sqrt;
    const S slope = 3 * p.b * q[0] * q[0];
    return Eigen::Matrix<S, 1, 1>((q[1] - p.b * q[0] * q[0] * q[0]) / sqrt(1 + slope * slope));
  }
  template <class S>
  Eigen::Matrix<S, 1, 1> slips(const S&, const V<S>& q, const V<S>& u) const {
    using std::sqrt;
    const S slope = 3 * p.b * q[0] * q[0];
    return Eigen::Matrix<S, 1, 1>((u[0] + slope * u[1]) / sqrt(1 + slope * slope));
  }
  std::vector<Law> laws() const { return {Coulomb{p.c, p.e, 0, 1}}; }
};

// (4.2) as a mechanical system with friction c N^0.85. Its ψ is scaled by |g_y|, which changes from y₀ to y₁,
// so that single steps differ, but not what they converge to.
TEST(MechanicalOdae, PowerFrictionOnTheCubicSlideIsProblem42) {
  const CubicSlide data;
  CatalogProblem p = make_problem("cubic-slide", {{"preset", "detach"}}, 2);
  p.problem.system = std::make_shared<MechanicalOdae>(
      std::shared_ptr<const System>(make_system(SlideModel{data})), PowerFriction{data.r});
  const double exact = dynamic_cast<const OdaeReference&>(*p.reference).events().at(0).t;
  Vec y, z;
  p.reference->state(2, Side::right, y, z);
  for (const auto& [name, order, located] : {std::tuple{"true", 1.0, false}, {"strang", 2.0, true}}) {
    std::vector<double> h, e, time;
    for (int n : {200, 400, 800, 1600}) {
      Trajectory path;
      const Stepping stepping = located ? Stepping(EventLocation{2.0 / n}) : Stepping(FixedSteps{2.0 / n});
      const RunResult r = run(p.problem, {euler_named(name), stepping, AutomaticSolver{}}, path.sink());
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      h.push_back(2.0 / n), e.push_back((r.final.q - y).norm());
      time.push_back(std::abs(path.events().back().t - exact));
    }
    EXPECT_NEAR(fitted_order(h, e), order, 0.15) << name;
    if (located) {
      EXPECT_NEAR(fitted_order(h, time), 2, 0.1);
    }
    EXPECT_LT(e.back(), located ? 1e-5 : 2e-2);
  }
}

TEST(MechanicalOdae, DerivativesAgreeWithDifferences) {
  const CatalogProblem c = make_problem("pendulum");
  const auto system = as_odae(*c.problem.system);
  const Vec y{{0.3, -0.4, 0.7}}, z{{0.5, 1.1, -2.0}}, psi{{0.8, -1.3}};
  Mat v_y(3, 3), r_y(3, 3), r_z(3, 3), r_psi(3, 2), gamma_y(2, 3), gamma_z(2, 3), f_y(3, 3), f_z(3, 3);
  CheckedOdae(*system).reaction_jacobians(0, y, z, psi, &r_y, &r_z, &r_psi);
  CheckedOdae(*system).rate_jacobians(0, y, z, &gamma_y, &gamma_z);
  CheckedOdae(*system).force_jacobians(0, y, z, &f_y, &f_z);
  const double d = 1e-5;
  const auto slope = [&](auto&& f, const Vec& x, int j, int rows) {
    Vec a(rows), b(rows), moved = x;
    moved[j] += d, f(moved, a), moved[j] -= 2 * d, f(moved, b);
    return Vec((a - b) / (2 * d));
  };
  for (int j = 0; j < 3; ++j) {
    EXPECT_LT((gamma_y.col(j) -
               slope([&](const Vec& x, Vec& o) { CheckedOdae(*system).rate(0, x, z, o); }, y, j, 2))
                  .norm(),
              1e-9);
    EXPECT_LT((gamma_z.col(j) -
               slope([&](const Vec& x, Vec& o) { CheckedOdae(*system).rate(0, y, x, o); }, z, j, 2))
                  .norm(),
              1e-9);
    EXPECT_LT((r_y.col(j) -
               slope([&](const Vec& x, Vec& o) { CheckedOdae(*system).reaction(0, x, z, psi, o); }, y, j, 3))
                  .norm(),
              1e-5);
  }
  for (int j = 0; j < 2; ++j)
    EXPECT_LT((r_psi.col(j) -
               slope([&](const Vec& x, Vec& o) { CheckedOdae(*system).reaction(0, y, z, x, o); }, psi, j, 3))
                  .norm(),
              1e-9);
}

TEST(MechanicalOdae, RigidPendulumWithTwoJointsHasItsOrders) {
  const CatalogProblem p = make_problem("pendulum");
  Vec q, u;
  p.reference->state(1, Side::right, q, u);
  const struct {
    const char* name;
    double order;
    int n;
  } cases[] = {{"true", 1, 3200},
               {"true_adj", 1, 3200},
               {"strang", 2, 200},
               {"yoshida4", 4, 400},
               {"suzuki4", 4, 100}};
  for (const auto& c : cases) {
    std::vector<double> h, e;
    for (int n : {c.n, 2 * c.n}) {
      const RunResult r = run_euler(p, euler_named(c.name), n);
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      EXPECT_LT(r.residuals.position, 1e-12);
      EXPECT_LT(r.residuals.velocity, 1e-11);  // |u| is 12
      h.push_back(1.0 / n), e.push_back((r.final.q - q).norm());
    }
    EXPECT_NEAR(fitted_order(h, e), c.order, 0.1) << c.name;
  }
}

TEST(MechanicalOdae, BouncingBallBothWays) {
  const CatalogProblem p = make_problem("bouncing-ball", {}, 2.4);
  Trajectory path;
  const RunResult r =
      run(p.problem, {euler_named("strang"), EventLocation{0.01}, AutomaticSolver{}}, path.sink());
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  const TrajectoryError e = compare(path, *p.reference);
  EXPECT_LT(e.q_sup, 1e-12);  // parabolas are exact
  EXPECT_LT(e.u_hausdorff, 1e-9);
  std::vector<double> h, errors;
  for (double step : {0.01, 0.0057, 0.0031, 0.0017}) {
    Trajectory stepped;
    ASSERT_EQ(
        run(p.problem, {euler_named("true"), FixedSteps{step}, AutomaticSolver{}}, stepped.sink()).status,
        RunStatus::finished);
    h.push_back(step), errors.push_back(compare(stepped, *p.reference, {false, 1e-9}).q_sup);
  }
  EXPECT_NEAR(fitted_order(h, errors), 1, 0.3);
}

TEST(MechanicalOdae, SlidingBlockSlowsDownByCoulombFriction) {
  const CatalogProblem p = make_problem("sliding-block", {{"mu", "0.2"}}, 1);  // slides on, never sticks
  Vec q, u;
  p.reference->state(1, Side::right, q, u);
  const RunResult r = run(p.problem, {euler_named("strang"), EventLocation{0.01}, AutomaticSolver{}});
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT((r.final.q - q).norm() + (r.final.u - u).norm(), 1e-11);
}

// The view for power laws of friction; symplectic-euler itself runs these systems (test_bodies.cpp).
TEST(MechanicalOdae, RefusesWhatIsNoConstraint) {
  const auto message = [](const char* problem) {
    const CatalogProblem p = make_problem(problem);
    return message_of([&] { as_odae(*p.problem.system); });
  };
  EXPECT_NE(message("disk-mixer").find("fixed list of contacts"), std::string::npos);
  EXPECT_NE(message("sliding-mass").find("is not a constraint"), std::string::npos)
      << message("sliding-mass");
  EXPECT_NE(message_of([&] {
              run(make_problem("trimer").problem, {SymplecticEuler{}, FixedSteps{}, AutomaticSolver{}});
            }).find("schemes that fit"),
            std::string::npos);
}

// A point falls on a floor with friction; the velocity along it decides whether a landing lacks an impulse.
RunResult drop(double mu, double along, PowerFriction friction, const Stepping& stepping) {
  LinearSystem::Data d;
  d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1), d.M.set(1, 1, 1);
  d.f = Vec{{0, -10}};
  d.contacts.push_back({"floor", Coulomb{mu, 0.5, 0, 1}, {{{1, 1.0}}, {{0, 1.0}}}, 0, 0});
  const auto bodies = std::make_shared<LinearSystem>(std::move(d));
  const Problem p{std::make_shared<MechanicalOdae>(bodies, friction), 0, 1, Vec{{0, 0.2}}, Vec{{along, 0}}};
  return run(p, {SymplecticEuler{}, stepping, AutomaticSolver{}});
}

TEST(MechanicalOdae, ALandingThatLacksItsFrictionEndsTheRun) {
  for (const Stepping& stepping : {Stepping(FixedSteps{0.01}), Stepping(EventLocation{0.01})}) {
    const RunResult r = drop(0.3, 1, {}, stepping);
    EXPECT_EQ(r.status, RunStatus::failed);
    EXPECT_NEAR(r.final.t, 0.2, 0.011);
    for (const char* word : {"contact floor", "no friction", "moreau-jean"})
      EXPECT_NE(r.message.find(word), std::string::npos) << r.message;
    EXPECT_EQ(drop(0, 1, {}, stepping).status, RunStatus::finished);
    EXPECT_EQ(drop(0.3, 0, {}, stepping).status, RunStatus::finished);      // does not slide
    EXPECT_EQ(drop(0.3, 5, {0.85}, stepping).status, RunStatus::finished);  // has no impulse
  }
}

// A light ball that parts from a floor hits a heavy one that it touches. Held at the floor, it would throw
// the heavy one up at 3.6 m/s, 324 J from 0.36 J.
TEST(MechanicalOdae, ImpactsAtConstraintsThatPartGainNoEnergy) {
  for (const double e_floor : {0.6, 0.0}) {
    LinearSystem::Data d;
    d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
    d.M.set(0, 0, 0.02), d.M.set(1, 1, 50);
    d.contacts.push_back({"floor", Unilateral{e_floor}, {{{0, 1.0}}}, 0, 0});
    d.contacts.push_back({"balls", Unilateral{0.6}, {{{0, -1.0}, {1, 1.0}}}, 0, 0});
    const LinearSystem system(std::move(d));
    const MechanicalOdae odae(system);
    Faults faults;
    HiddenConstraint hidden(odae, faults);
    const Vec y = Vec::Zero(2);
    Vec z{{6, 0}}, P;
    const int touching[] = {0, 1};
    ASSERT_TRUE(hidden.impact(0, y, z, touching, {}, P));
    EXPECT_LE(energy_of(system, 0, y, z), 0.36 * (1 + 1e-12)) << e_floor;
    EXPECT_NEAR(z[1] - z[0], 3.6, 1e-12);
  }
}

}  // namespace
}  // namespace saltus::test_mechanical_odae
