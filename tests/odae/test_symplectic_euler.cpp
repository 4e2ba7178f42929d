// What the symplectic Euler methods and their compositions promise: orders, adjoints, symplecticity, bounded
// energy, several constraints, and messages.
#include <gtest/gtest.h>

#include "saltus/odae/checked_odae.hpp"
#include "saltus/odae/hidden_constraint.hpp"
#include "saltus/reference/odae_reference.hpp"
#include "saltus/scheme/symplectic/symplectic_euler_stepper.hpp"
#include "support/allocations.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/odae.hpp"

namespace saltus::test_symplectic_euler {
namespace {
using namespace testing;

// Two constraints, r nonlinear and coupled in both multipliers, v and f depending on everything: a point of
// R⁴ on a sphere and on a saddle.
struct TwoSurfaces {
  static constexpr int ny = 4, nz = 4, m = 2;
  template <class S>
  using V = Eigen::Matrix<S, 4, 1>;
  template <class S>
  using L = Eigen::Matrix<S, 2, 1>;
  double bend = 0.2;  // of r in ψ
  template <class S>
  V<S> v(const V<S>& y, const V<S>& z) const {
    return {z[0], z[1] * (1.0 + 0.1 * y[0]), z[2], z[3] + 0.05 * y[1] * z[0]};
  }
  template <class S>
  V<S> f(const V<S>& y, const V<S>& z) const {
    return {-y[1] + 0.1 * z[2] * z[2], S(-1), 0.3 * y[0] - 0.2 * z[2], y[2] * z[1]};
  }
  template <class S>
  L<S> g(const V<S>& y) const {
    return {0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3] - 1.0),
            y[3] - 0.3 * y[0] * y[1] - 0.2};
  }
  template <class S>
  V<S> r(const V<S>& y, const V<S>& z, const L<S>& psi) const {
    const S a = psi[0] + bend * psi[0] * psi[1], b = psi[1] + bend * psi[1] * psi[1];
    return {-y[0] * a - 0.3 * y[1] * b - bend * z[0] * psi[0] * psi[0], -y[1] * a - 0.3 * y[0] * b, -y[2] * a,
            -y[3] * a + b};
  }
};

CatalogProblem two_surfaces(double end, double bend = 0.2) {
  TwoSurfaces model;
  model.bend = bend;
  const std::shared_ptr<const OdaeSystem> system = make_odae(model);
  Vec y{{0.6, 0.5, 0.5, 0.3}}, z{{0.4, -0.3, 0.5, 0.1}};
  Faults faults;
  HiddenConstraint hidden(*system, faults);
  const int both[] = {0, 1};
  EXPECT_TRUE(hidden.project(0, y, z, both));
  CatalogProblem p;
  p.problem = {system, 0, end, y, z};
  p.reference = std::make_shared<OdaeReference>(system, 0, y, z, end);
  return p;
}

double order_of(const CatalogProblem& p, const SymplecticEuler& s, std::initializer_list<int> steps) {
  Vec y, z;
  p.reference->state(p.problem.t_end, Side::right, y, z);
  std::vector<double> h, e;
  for (int n : steps) {
    const RunResult r = run_euler(p, s, n);
    EXPECT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_LT(r.residuals.position, 1e-12);
    EXPECT_LT(r.residuals.velocity, 1e-12);
    h.push_back(1.0 / n), e.push_back((r.final.q - y).norm() + (r.final.u - z).norm());
  }
  return fitted_order(h, e);
}

TEST(SymplecticEuler, OrdersOnAllProblemsForSeveralAlphas) {
  const CatalogProblem problems[] = {odae_problem("p41", 1), odae_problem("p42", 1), odae_problem("polar", 2),
                                     two_surfaces(1)};
  using C = SymplecticEuler::Composition;
  for (const auto& p : problems)
    for (double alpha : {0.5, 1.0, 0.3}) {
      for (EulerVariant v :
           {EulerVariant::consistent, EulerVariant::consistent_conjugate, EulerVariant::adjoint})
        EXPECT_NEAR(order_of(p, euler(v, alpha), {800, 1600}), 1, 0.1)
            << euler_variant_names[static_cast<int>(v)];
      EXPECT_NEAR(order_of(p, composed(C::strang, alpha), {80, 160}), 2, 0.1) << alpha;
      EXPECT_NEAR(order_of(p, composed(C::yoshida4, alpha), {80, 160}), 4, 0.1) << alpha;
      EXPECT_NEAR(order_of(p, composed(C::suzuki4, alpha), {20, 40}), 4, 0.1) << alpha;
    }
}

// Natural does not converge to the solution where r is nonlinear, though its error falls at first.
TEST(SymplecticEuler, NaturalIsOfOrderZero) {
  const CatalogProblem p = odae_problem("p41", 1);
  EXPECT_NEAR(order_of(p, euler(EulerVariant::natural), {6400, 12800}), 0, 0.02);
  EXPECT_NEAR(order_of(two_surfaces(1), euler(EulerVariant::natural), {6400, 12800}), 0, 0.1);
}

TEST(SymplecticEuler, NaturalIsTrueWhereTheReactionIsAffine) {
  const CatalogProblem problems[] = {odae_problem("sph", 5), odae_problem("polar", 2), two_surfaces(1, 0)};
  for (const auto& p : problems)
    for (double alpha : {0.5, 0.3, 0.8}) {
      const std::pair<EulerVariant, EulerVariant> pairs[] = {
          {EulerVariant::natural, EulerVariant::consistent},
          {EulerVariant::natural_conjugate, EulerVariant::consistent_conjugate}};
      for (const auto& [natural, consistent] : pairs) {
        SymplecticEulerStepper a(shared_odae(p), euler(natural, alpha)),
            b(shared_odae(p), euler(consistent, alpha));
        const int m = odae_of(p).m();
        State x0 = a.start(0, p.problem.q0, p.problem.u0), xa = x0, xb = x0;
        for (int k = 0; k < 20; ++k) {  // step by step from the same states: long runs may amplify rounding
          ASSERT_EQ(a.step(x0, 0.05, xa).status, StepStatus::ok);
          ASSERT_EQ(b.step(x0, 0.05, xb).status, StepStatus::ok);
          EXPECT_LT((xa.q - xb.q).lpNorm<Eigen::Infinity>(), 1e-13);
          EXPECT_LT((xa.u - xb.u).lpNorm<Eigen::Infinity>(), 1e-13);
          const Vec total = alpha * xa.aux.segment(m, m) + (1 - alpha) * xa.aux.segment(2 * m, m);
          EXPECT_LT((total - xb.aux.segment(2 * m, m)).norm(), 1e-10);
          x0 = xa;
        }
      }
    }
}

TEST(SymplecticEuler, TheAdjointUndoesAStepBackwards) {
  const CatalogProblem problems[] = {odae_problem("p41", 1), odae_problem("p42", 1), odae_problem("polar", 2),
                                     odae_problem("sph", 2), two_surfaces(1)};
  const struct {
    EulerVariant method, adjoint;
    bool one_minus;
  } pairs[] = {{EulerVariant::consistent, EulerVariant::adjoint, false},
               {EulerVariant::natural, EulerVariant::natural_conjugate, true}};
  for (const auto& p : problems)
    for (const auto& pair : pairs)
      for (double alpha : {0.5, 0.3}) {
        SymplecticEulerStepper forth(shared_odae(p), euler(pair.method, alpha)),
            back(shared_odae(p), euler(pair.adjoint, pair.one_minus ? 1 - alpha : alpha));
        const State x0 = forth.start(0, p.problem.q0, p.problem.u0);
        State x1 = x0, x2 = x0;
        ASSERT_EQ(forth.step(x0, -0.02, x1).status, StepStatus::ok);
        const State again = back.start(0, x1.q, x1.u);
        ASSERT_EQ(back.step(again, 0.02, x2).status, StepStatus::ok);
        EXPECT_LT((x2.q - x0.q).lpNorm<Eigen::Infinity>(), 1e-11);
        EXPECT_LT((x2.u - x0.u).lpNorm<Eigen::Infinity>(), 1e-11);
      }
  // and the conjugate is the adjoint only where r is affine
  for (const auto& [id, affine] : {std::pair{"p41", false}, {"polar", true}}) {
    const CatalogProblem p = odae_problem(id, 1);
    SymplecticEulerStepper forth(shared_odae(p), euler(EulerVariant::consistent)),
        back(shared_odae(p), euler(EulerVariant::consistent_conjugate));
    const State x0 = forth.start(0, p.problem.q0, p.problem.u0);
    State x1 = x0, x2 = x0;
    forth.step(x0, -0.02, x1);
    back.step(back.start(0, x1.q, x1.u), 0.02, x2);
    const double off = (x2.u - x0.u).norm();
    EXPECT_EQ(off < 1e-11, affine) << id << " " << off;
  }
}

TEST(SymplecticEuler, CompositionsAreSymmetric) {
  using C = SymplecticEuler::Composition;
  for (const char* id : {"p41", "p42", "polar"})
    for (C c : {C::strang, C::yoshida4, C::suzuki4}) {
      const CatalogProblem p = odae_problem(id, 1);
      SymplecticEulerStepper s(shared_odae(p), composed(c));
      const State x0 = s.start(0, p.problem.q0, p.problem.u0);
      State x1 = x0, x2 = x0;
      ASSERT_EQ(s.step(x0, 0.02, x1).status, StepStatus::ok);
      ASSERT_EQ(s.step(s.start(0.02, x1.q, x1.u), -0.02, x2).status, StepStatus::ok);
      EXPECT_LT((x2.q - x0.q).norm() + (x2.u - x0.u).norm(), 1e-10) << id;
    }
}

// ω(dΦ a, dΦ b) − ω(a, b) for the tangent vectors of V, by differences of fourth order along curves in V.
double symplectic_defect(const CatalogProblem& p, const SymplecticEuler& s, double h) {
  const OdaeSystem& system = odae_of(p);
  const int n = system.ny(), m = system.m();
  SymplecticEulerStepper stepper(shared_odae(p), s);
  HiddenConstraint hidden(system, stepper.faults());
  std::vector<int> all(m);
  for (int i = 0; i < m; ++i) all[i] = i;
  Mat G(m, n), gamma_y(m, n), gamma_z(m, n), constraints = Mat::Zero(2 * m, 2 * n);
  CheckedOdae(system).gap_jacobian(0, p.problem.q0, G);
  CheckedOdae(system).rate_jacobians(0, p.problem.q0, p.problem.u0, &gamma_y, &gamma_z);
  constraints << G, Mat::Zero(m, n), gamma_y, gamma_z;
  const Mat tangents = testing::kernel(constraints);
  const auto flow = [&](const Vec& direction, double eps) {
    Vec y = p.problem.q0 + eps * direction.head(n), z = p.problem.u0 + eps * direction.tail(n), out(2 * n);
    EXPECT_TRUE(hidden.project(0, y, z, all));
    const State x0 = stepper.start(0, y, z);
    State x1 = x0;
    EXPECT_EQ(stepper.step(x0, h, x1).status, StepStatus::ok);
    out << x1.q, x1.u;
    return out;
  };
  const auto omega = [n](const Vec& a, const Vec& b) {
    return a.head(n).dot(b.tail(n)) - a.tail(n).dot(b.head(n));
  };
  std::vector<Vec> images;
  const double d = 1e-3;
  for (long k = 0; k < tangents.cols(); ++k) {
    const Vec a = tangents.col(k).normalized();
    images.push_back((8 * (flow(a, d) - flow(a, -d)) - (flow(a, 2 * d) - flow(a, -2 * d))) / (12 * d));
  }
  double defect = 0;
  for (long i = 0; i < tangents.cols(); ++i)
    for (long j = 0; j < i; ++j)
      defect = std::max(defect, std::abs(omega(images[i], images[j]) -
                                         omega(tangents.col(i).normalized(), tangents.col(j).normalized())));
  return defect;
}

TEST(SymplecticEuler, KeepsTheTwoFormOnTheConstraintManifold) {
  for (const char* name : {"true", "natural", "true_conj", "true_adj", "strang", "yoshida4"})
    for (const char* id : {"sph", "polar"})
      EXPECT_LT(symplectic_defect(odae_problem(id, 1), euler_named(name), 0.1), 1e-9) << name << " " << id;
  // with friction there is nothing to keep, and the measure sees that
  EXPECT_GT(symplectic_defect(odae_problem("p42", 1), euler_named("true"), 0.1), 1e-4);
}

TEST(SymplecticEuler, EnergyOfTheSphericalPendulumStaysBoundedOverAMillionSteps) {
  const CatalogProblem p = odae_problem("sph", 50000);
  const double e0 = energy_of(odae_of(p), 0, p.problem.q0, p.problem.u0);
  double first = 0, last = 0;
  const RunResult r = run_euler(p, euler(EulerVariant::consistent), 1000000, [&](const Segment& s) {
    const double off = std::abs(energy_of(odae_of(p), 0, s.end.q, s.end.u) - e0);
    if (s.end.t < 5000) first = std::max(first, off);
    if (s.end.t > 45000) last = std::max(last, off);
  });
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_EQ(r.stats.steps, 1000000);
  EXPECT_NEAR(first, 0.03334, 2e-4);
  EXPECT_NEAR(last, first, 1e-3 * first);
  EXPECT_LT(r.residuals.position, 1e-12);
  EXPECT_LT(r.residuals.velocity, 1e-12);
}

TEST(SymplecticEuler, MultipliersComeFromTheHiddenConstraintAndHaveTheOrderOfTheStates) {
  const CatalogProblem p = two_surfaces(1);
  const Vec exact = dynamic_cast<const OdaeReference&>(*p.reference).multipliers(1);
  std::vector<double> h, e;
  for (int n : {20, 40, 80}) {
    Trajectory path;
    const RunResult r = run_euler(p, composed(SymplecticEuler::Composition::yoshida4), n, path.sink());
    ASSERT_EQ(path.multipliers(), 2);
    EXPECT_EQ(Vec(path.psi(path.size() - 1)), Vec(r.final.aux.head(2)));
    h.push_back(1.0 / n), e.push_back((r.final.aux.head(2) - exact).norm());
  }
  EXPECT_NEAR(fitted_order(h, e), 4, 0.2);
}

TEST(SymplecticEuler, AWarmStepLoopDoesNotAllocateAndRepeatsItsBits) {
  const CatalogProblem problems[] = {odae_problem("p42", 1), odae_problem("sph", 1), two_surfaces(1),
                                     make_problem("cubic-slide", {{"preset", "land"}}, 4)};
  for (const auto& p : problems)
    for (const SymplecticEuler& s : {euler_named("true"), euler_named("true_conj"), euler_named("strang")}) {
      SymplecticEulerStepper stepper(shared_odae(p), s);
      const State start = stepper.start(0, p.problem.q0, p.problem.u0);
      State a = start, b = a, once;
      for (State* x : {&a, &b}) x->contacts.closed.reserve(4), x->contacts.impulse.reserve(4);
      const auto go = [&] {
        a = start;
        for (int k = 0; k < 100; ++k) {
          EXPECT_EQ(stepper.step(a, 0.01, b).status, StepStatus::ok);
          std::swap(a, b);
        }
      };
      go();
      once = a;
      const std::size_t before = allocations();
      go();
#if SALTUS_COUNTS_ALLOCATIONS
      EXPECT_EQ(allocations() - before, 0u) << to_text(s);
#endif
      EXPECT_EQ(a.q, once.q);
      EXPECT_EQ(a.u, once.u);
      EXPECT_EQ(a.aux, once.aux);
    }
}

std::string refusal(const CatalogProblem& p, const SymplecticEuler& s) {
  return message_of([&] { run_euler(p, s, 10); });
}
bool says(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* w : words)
    if (text.find(w) == std::string::npos) return false;
  return true;
}

TEST(SymplecticEuler, AlphaIsCheckedPerVariant) {
  const CatalogProblem p = odae_problem("p41", 1);
  for (const char* v : {"natural", "true", "natural_conj", "true_conj", "true_adj", "strang"})
    EXPECT_TRUE(says(refusal(p, euler_named(v, 0)), {"alpha = 0", "not allowed"}))
        << refusal(p, euler_named(v, 0));
  for (const char* v : {"natural", "natural_conj"})
    EXPECT_TRUE(says(refusal(p, euler_named(v, 1)), {"alpha = 1", "variant true"}));
  for (const char* v : {"true", "true_conj", "true_adj", "strang"})
    EXPECT_EQ(refusal(p, euler_named(v, 1)), "accepted");
  SymplecticEuler s = euler_named("strang");
  s.variant = EulerVariant::consistent_conjugate;
  EXPECT_TRUE(says(refusal(p, s), {"true-conjugate", "variant true"})) << refusal(p, s);
}

TEST(SymplecticEuler, InconsistentStartsAreRefusedOrProjected) {
  CatalogProblem p = odae_problem("sph", 1);
  p.problem.q0[2] = 0.01;
  EXPECT_TRUE(says(refusal(p, euler_named("true")), {"g[0]", "inconsistent", "g = 5e-05", "project=true"}))
      << refusal(p, euler_named("true"));
  SymplecticEuler s = euler_named("true");
  s.project = true;
  Trajectory path;
  const RunResult r = run_euler(p, s, 10, path.sink());
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_NEAR(path.q(0).norm(), 1, 1e-15);
  EXPECT_NEAR(path.q(0)[2], 0.01, 1e-5);
  EXPECT_NEAR(path.q(0).dot(path.u(0)), 0, 1e-15);
  p = odae_problem("sph", 1);
  p.problem.u0[0] = 0.5;
  EXPECT_TRUE(says(refusal(p, euler_named("true")), {"g_y v = 0.5", "project=true"}));
  p.problem.u0 = Vec::Zero(2);
  EXPECT_TRUE(says(refusal(p, euler_named("true")), {"u0 has 2 entries"}));
}

struct Redundant : SphericalModel {  // the same constraint twice
  static constexpr int m = 2;
  template <class S>
  using L2 = Eigen::Matrix<S, 2, 1>;
  template <class S>
  V<S> r(const V<S>& y, const V<S>&, const L2<S>& psi) const {
    return y * (-psi[0] - psi[1]);
  }
  template <class S>
  L2<S> g(const V<S>& y) const {
    const auto once = SphericalModel::g(y);
    return {once[0], 2.0 * once[0]};
  }
};
struct Powerless : SphericalModel {  // ψ does not act on the constraint
  template <class S>
  V<S> r(const V<S>& y, const V<S>&, const L<S>& psi) const {
    return {-y[1] * psi[0], y[0] * psi[0], S(0)};
  }
};
struct Cliff : SphericalModel {  // no solution once q₂ > 0.5
  template <class S>
  V<S> f(const V<S>& y, const V<S>& z) const {
    using std::sqrt;
    return {S(0), S(0), -sqrt(S(0.5) - y[1]) + 0.0 * z[0]};
  }
};

TEST(SymplecticEuler, SingularProblemsAndFailingStepsHaveAMessage) {
  CatalogProblem p = odae_problem("sph", 1);
  p.problem.system = make_odae(Redundant{});
  EXPECT_TRUE(says(refusal(p, euler_named("true")), {"g_y v_z r_psi is singular", "t = 0"}))
      << refusal(p, euler_named("true"));
  p.problem.system = make_odae(Powerless{});
  EXPECT_TRUE(says(refusal(p, euler_named("true")), {"g_y v_z r_psi is singular"}));
  p.problem.system = make_odae(Cliff{});
  Trajectory path;
  const RunResult r = run_euler(p, euler_named("strang"), 100, path.sink());
  EXPECT_EQ(r.status, RunStatus::failed);
  EXPECT_TRUE(says(r.message, {"step from t = 0.5", "h = 0.01"})) << r.message;
  EXPECT_GT(path.size(), 50);  // what was computed is kept
  EXPECT_TRUE(r.final.q.allFinite());

  // far too large a step: Newton's iteration finds no y₁ on the sphere
  p = odae_problem("sph", 1e5);  // nor in a 64th of it
  const RunResult big = run_euler(p, euler_named("true"), 10);
  EXPECT_EQ(big.status, RunStatus::failed);
  EXPECT_TRUE(says(big.message, {"step from t = 0 with h = 1e+04", "parts down to h/64 failed too", "Newton",
                                 "residual", "smaller step"}))
      << big.message;
}

}  // namespace
}  // namespace saltus::test_symplectic_euler
