// Event capturing beyond one degree of freedom: curved contacts, friction, joints, two contacts at once.
#include <cmath>

#include "run/capturing.hpp"
#include "run/two_contacts.hpp"
#include "saltus/catalog/bead_on_sphere.hpp"
#include "saltus/system/model.hpp"

namespace saltus::test_event_capturing_systems {
namespace {

using namespace testing;

// ---- curvature: a bead on a sphere, release at cos φ = 2/3 + v0²/(3 g R)
TEST(EventCapturing, ABeadLeavesTheSphereAtTheRightAngle) {
  const auto& release = golden("hemisphere-release");
  for (const auto& id : golden_ids("hemisphere-algo1-")) {
    const auto& g = golden(id);
    const std::string tableau = tableau_of.at(g["parameters"]["method"]);
    const Problem p = BeadOnSphere{}.problem(0.8);
    std::vector<double> h, e;
    for (std::size_t i = 0; i < 3; ++i) {
      const int N = g["parameters"]["N"][i];
      Trajectory t;
      const RunResult r = run(p, capturing(tableau, 0.8 / N, 0.01), t.sink());
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      const Vec exact{
          {release["expected"]["qT"][0].get<double>(), release["expected"]["qT"][1].get<double>()}};
      h.push_back(0.8 / N), e.push_back((r.final.q - exact).lpNorm<Eigen::Infinity>());
      EXPECT_LE(e.back(), g["tolerance"]["value"][i].get<double>()) << id;
      for (const Event& event : t.events())
        if (event.kind == EventKind::open) {
          const Vec q = t.q(event.t);
          if (i == 2) {
            EXPECT_NEAR(event.t, release["expected"]["t"].get<double>(), 2e-4) << id;
            EXPECT_NEAR(std::atan2(q[0], q[1]), release["expected"]["phi"].get<double>(), 5e-4) << id;
          }
        }
    }
    EXPECT_GE(fitted_order(h, e), order(find_tableau(tableau)) - 0.3) << id;
  }
}

// ---- many degrees of freedom: in flight Newton's matrix has the pattern of the stiffness
Problem elastic_bar(int n, bool banded) {
  const Pattern pattern = banded ? Pattern{Pattern::banded, 1, nullptr} : Pattern{Pattern::dense, 0, nullptr};
  LinearSystem::Data d;
  d.M = Matrix(n, {Pattern::diagonal, 0, nullptr});
  d.K = Matrix(n, pattern), d.C = Matrix(n, pattern);
  for (int i = 0; i < n; ++i) d.M.set(i, i, 1 + 0.1 * (i % 3));
  for (int i = 0; i + 1 < n; ++i)
    for (Matrix* m : {&d.K, &d.C}) {
      const double k = m == &d.K ? 100 : 0.2;
      m->add(i, i, k), m->add(i + 1, i + 1, k), m->add(i, i + 1, -k), m->add(i + 1, i, -k);
    }
  d.contacts.push_back({"tip/wall", Unilateral{0.5}, {{{0, 1.0}}}, 0, 0});
  return {std::make_shared<LinearSystem>(std::move(d)), 0, 1, Vec::Constant(n, 0.1), Vec::Constant(n, -1)};
}

TEST(EventCapturing, ABandedSystemGivesTheMotionOfADenseOneAndCostsLess) {
  for (const char* tableau : {"gauss-4", "radau-iia-5", "lobatto-iiia-4"}) {
    const RunResult a = run(elastic_bar(30, true), capturing(tableau, 0.02, 0.01)),
                    b = run(elastic_bar(30, false), capturing(tableau, 0.02, 0.01));
    ASSERT_EQ(a.status, RunStatus::finished) << a.message;
    EXPECT_EQ(a.stats.steps, b.stats.steps);
    EXPECT_LT((a.final.q - b.final.q).lpNorm<Eigen::Infinity>(), 1e-11) << tableau;
    EXPECT_LT((a.final.u - b.final.u).lpNorm<Eigen::Infinity>(), 1e-9) << tableau;
  }
  // 2000 masses before they reach the wall: a dense matrix of 4000 rows would take minutes
  Problem far = elastic_bar(2000, true);
  far.q0.setConstant(5);
  const RunResult r = run(far, capturing("gauss-4", 0.05, 0.01));
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT((r.final.q.array() - 4).abs().maxCoeff(), 1e-12);
  EXPECT_LT(r.stats.cpu_seconds, 5);
}

// ---- friction: a block on a belt whose pull grows, stick, slip, stick again m ẍ = A sin(Ω t) + friction,
// |friction| ≤ μ m g: sticks while |A sin Ωt| ≤ μ m g.
CatalogProblem shaken_block(double t_end) {
  const double m = 1, g = 10, mu = 0.3, A = 5, W = 2;
  LinearSystem::Data d;
  d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, m), d.M.set(1, 1, m);
  d.f = Vec{{0.0, -m * g}};
  d.forcing = [=](double t, double* h) { h[0] += A * std::sin(W * t); };
  d.contacts.push_back({"block/table", Coulomb{mu, 0, 0, 1}, {{{1, 1.0}}, {{0, 1.0}}}, 0, 0});
  CatalogProblem p;
  p.problem = {std::make_shared<LinearSystem>(std::move(d)), 0, t_end, Vec::Zero(2), Vec::Zero(2)};
  return p;
}
// The same motion by hand: slip from t₁ = asin(μmg/A)/Ω, u = A/Ω (cos Ωt₁ − cos Ωt) − μ g (t − t₁), until u =
// 0.
struct ShakenExact {
  double t1, t2, x2;
  ShakenExact() {
    const double f = 3, A = 5, W = 2;
    t1 = std::asin(f / A) / W;
    const auto u = [&](double t) { return A / W * (std::cos(W * t1) - std::cos(W * t)) - f * (t - t1); };
    double a = t1 + 0.1, b = 3.0;
    while (u(b) > 0) b += 0.05;
    b = 1.9;
    a = t1 + 0.3;
    for (int i = 0; i < 200; ++i) {
      const double c = 0.5 * (a + b);
      (u(c) > 0 ? a : b) = c;
    }
    t2 = a;
    x2 = A / W * std::cos(W * t1) * (t2 - t1) - A / (W * W) * (std::sin(W * t2) - std::sin(W * t1)) -
         f * (t2 - t1) * (t2 - t1) / 2;
  }
};

TEST(EventCapturing, StickAndSlipAreLocatedWithTheOrderOfTheMethod) {
  const ShakenExact exact;
  // at t2 the pull is A sin(Ω t2): the block sticks or slides back at once, by the same balance
  const double end = exact.t2;
  for (const char* tableau : {"radau-iia-3", "herk-4", "radau-iia-5", "gauss-4"}) {
    std::vector<double> h, e;
    for (int N : {7, 13, 29, 53}) {
      const CatalogProblem p = shaken_block(end);
      const RunResult r = run(p.problem, capturing(tableau, end / N, 0.01));
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      h.push_back(end / N), e.push_back(std::abs(r.final.q[0] - exact.x2));
      EXPECT_NEAR(r.final.q[1], 0, 1e-13);
    }
    EXPECT_GE(fitted_order(h, e), order(find_tableau(tableau)) - 0.4) << tableau;
    EXPECT_LT(e.back(), 1e-5) << tableau;
  }
  const CatalogProblem p = shaken_block(6);
  Trajectory t;
  const RunResult r = run(p.problem, capturing("radau-iia-5", 0.01, 0.01), t.sink());
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  ASSERT_GE(t.events().size(), 3u);
  EXPECT_EQ(t.events()[1].kind, EventKind::slip);
  EXPECT_NEAR(t.events()[1].t, exact.t1, 1e-9);
  EXPECT_NEAR(t.events()[2].t, exact.t2, 1e-8);
}

// ---- joints with a contact: the bouncing pendulum in x, y, θ
struct BouncingPendulum {
  static constexpr int dof = 3;
  double L = 1, J = 0.1, g = 10, wall = std::sqrt(0.5), e = 0.6;
  template <class S>
  using V = Eigen::Matrix<S, 3, 1>;
  template <class S>
  Eigen::Matrix<S, 3, 3> mass(const S&, const V<S>&) const {
    Eigen::Matrix<S, 3, 3> M = Eigen::Matrix<S, 3, 3>::Identity();
    M(2, 2) = J;
    return M;
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return {S(0), S(-g), S(0)};
  }
  template <class S>
  V<S> gaps(const S&, const V<S>& q) const {
    return {q[0] - L * cos(q[2]), q[1] - L * sin(q[2]), q[0] - wall};
  }
  std::vector<Law> laws() const { return {Equality{2}, Unilateral{e}}; }
};
// The same in the one true coordinate.
struct MinimalPendulum {
  static constexpr int dof = 1;
  BouncingPendulum p;
  template <class S>
  using V = Eigen::Matrix<S, 1, 1>;
  template <class S>
  V<S> mass(const S&, const V<S>&) const {
    return V<S>(S(p.L * p.L + p.J));
  }
  template <class S>
  V<S> force(const S&, const V<S>& q, const V<S>&) const {
    return V<S>(-p.g * p.L * cos(q[0]));
  }
  template <class S>
  V<S> gaps(const S&, const V<S>& q) const {
    return V<S>(p.L * cos(q[0]) - p.wall);
  }
  std::vector<Law> laws() const { return {Unilateral{p.e}}; }
};

TEST(EventCapturing, BouncingPendulumWithJointsHasOrderPAndNoDrift) {
  const double th = std::acos(-1.0) / 12;
  Problem minimal{make_system(MinimalPendulum{}), 0, 1.5, Vec::Constant(1, th), Vec::Zero(1)};
  const RunResult fine = run(minimal, capturing("lobatto-iiia-6", 1.5 / 2003, 0.01));
  ASSERT_EQ(fine.status, RunStatus::finished) << fine.message;
  Problem p{make_system(BouncingPendulum{}), 0, 1.5, Vec{{std::cos(th), std::sin(th), th}}, Vec::Zero(3)};
  for (const char* tableau : {"radau-iia-3", "herk-4", "radau-iia-5"}) {
    std::vector<double> h, e;
    for (int N : {83, 167, 331, 661}) {
      Trajectory t;
      const RunResult r = run(p, capturing(tableau, 1.5 / N, 0.01), t.sink());
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      h.push_back(1.5 / N), e.push_back(std::abs(r.final.q[2] - fine.final.q[0]));
      EXPECT_LE(r.residuals.position, 1e-13);
      EXPECT_NEAR(t.events().front().t, 0.486110, 1e-4);
    }
    EXPECT_GE(fitted_order(h, e), order(find_tableau(tableau)) - 0.3) << tableau;
  }
}

// Two contacts that close, open, rest and accumulate, alone and together, against the independent reference.
TEST(EventCapturing, TwoCoupledContactsHaveOrderP) {
  const TwoContacts model;
  for (const double end : {6.0, 10.0}) {
    const auto exact = model.solve(end);
    ASSERT_GE(exact.closings, 4);
    ASSERT_GE(exact.openings, 4);
    ASSERT_GE(exact.both, 1);
    ASSERT_GT(exact.closed_for, 2);
    for (const char* tableau : {"radau-iia-3", "herk-4", "gauss-4", "radau-iia-5", "lobatto-iiia-6"}) {
      std::vector<double> h, e;
      for (int N : {121, 241, 481, 961}) {
        const RunResult r = run(model.problem(end), capturing(tableau, end / N, 0.01));
        ASSERT_EQ(r.status, RunStatus::finished) << r.message;
        h.push_back(end / N);
        e.push_back((r.final.q - exact.q.cast<double>()).lpNorm<Eigen::Infinity>());
        EXPECT_LE(r.residuals.gap, 1e-8);
        if (e.back() < 1e-12) break;  // rounding
      }
      EXPECT_GE(fitted_order(h, e), order(find_tableau(tableau)) - 0.3) << tableau << " to " << end;
    }
  }
}

}  // namespace
}  // namespace saltus::test_event_capturing_systems
