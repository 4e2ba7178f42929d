// Newton's equations of implicit stages: the transformed solve against the dense Kronecker product; memory.
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/flexible/bar.hpp"
#include "saltus/scheme/runge_kutta/smooth_flow.hpp"
#include "saltus/scheme/runge_kutta/stage_solver.hpp"
#include "support/allocations.hpp"
#include "support/dense.hpp"

namespace saltus::test_stage_solver {
namespace {

using Dense = Eigen::MatrixXd;

TEST(StageSolver, SolvesWhatTheKroneckerProductSays) {
  SplitMix64 random(3);
  const int n = 5, m = 2;
  const auto numbers = [&](int rows, int columns) {
    Dense out(rows, columns);
    for (double& x : out.reshaped()) x = random.between(-1, 1);
    return out;
  };
  const auto matrix = [&](const Dense& A) {
    Matrix out(n, {Pattern::dense, 0, nullptr});
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) out.set(i, j, A(i, j));
    return out;
  };
  const auto rows = [&](const Dense& W) {
    SparseRows out;
    for (int i = 0; i < W.rows(); ++i, out.end_row())
      for (int j = 0; j < n; ++j) out.add(j, W(i, j));
    return out;
  };
  const Dense half = numbers(n, n), M = half * half.transpose() + Dense::Identity(n, n);
  const Dense Fq = 20 * numbers(n, n), Fu = 3 * numbers(n, n), W = numbers(m, n), D = W + 0.2 * numbers(m, n),
              rate = numbers(m, n), acceleration = 5 * numbers(m, n), turn = numbers(n, n);
  const Matrix mass = matrix(M), by_q = matrix(Fq), by_u = matrix(Fu), friction = matrix(turn);
  const SparseRows Wt = rows(W), Dt = rows(D), r = rows(rate), c = rows(acceleration);
  const ClosedDynamics::Linearisation at{&mass, &by_q, &by_u, &Wt, &Dt, &r, &c, &friction};

  Dense K = Dense::Zero(n + m, n + m), right_q(n + m, n), right_u(n + m, n);
  K.topLeftCorner(n, n) = M, K.topRightCorner(n, m) = -D.transpose(), K.bottomLeftCorner(m, n) = W;
  right_q << Fq, -acceleration;
  right_u << Fu + turn, -2 * rate;
  const Dense a_q = testing::solve_dense(K, right_q).topRows(n),
              a_u = testing::solve_dense(K, right_u).topRows(n);
  const double h = 0.1;
  for (const std::string_view name : tableau_names()) {
    const Tableau& t = find_tableau(name);
    if (is_explicit(t)) continue;
    const int s = t.stages();
    Dense J = Dense::Identity(s * n, s * n);
    const Dense A2 = t.A * t.A;
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) J.block(i * n, j * n, n, n) -= h * t.A(i, j) * a_u + h * h * A2(i, j) * a_q;
    const Vec R = numbers(s * n, 1);
    const Vec expected = testing::solve_dense(J, R);
    std::vector<Vec> x;
    for (int i = 0; i < s; ++i) x.push_back(R.segment(i * n, n));
    StageSolver solver(t);
    ASSERT_TRUE(solver.factorize(at, h)) << name;
    solver.solve(x);
    for (int i = 0; i < s; ++i)
      EXPECT_LT((x[i] - expected.segment(i * n, n)).norm(), 1e-10 * (1 + expected.norm()))
          << name << " " << i;

    // the filter of error estimates: (1 − hμ ∂(u, a)/∂(q, u))⁻¹
    const double shift = h * solver.real_eigenvalue();
    Dense whole = Dense::Identity(2 * n, 2 * n);
    whole.topRightCorner(n, n) = -shift * Dense::Identity(n, n);
    whole.bottomLeftCorner(n, n) = -shift * a_q, whole.bottomRightCorner(n, n) -= shift * a_u;
    const Vec y = numbers(2 * n, 1);
    const Vec filtered = testing::solve_dense(whole, y);
    Vec q = y.head(n), u = y.tail(n);
    solver.filter(q, u);
    EXPECT_LT((q - filtered.head(n)).norm() + (u - filtered.tail(n)).norm(), 1e-10 * (1 + filtered.norm()))
        << name;
  }
}

// A bar pressed against its wall: once warm, steps do not allocate.
TEST(StageSolver, WarmStepsDoNotAllocate) {
  BarData data;
  data.elements = 40, data.distance = 0;
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    data.mass = mass;
    const LinearSystem bar(bar_system(data));
    Faults faults;
    SmoothFlow flow(bar, find_tableau("radau-iia-5"), faults);
    const FrozenContact closed{bar.contacts().front().id, Mode::closed};
    flow.freeze({&closed, 1});
    const int n = bar.shape().nu;
    Vec q = Vec::Zero(n), u = Vec::Constant(n, -1), q1 = q, u1 = u;
    u[0] = 0;
    std::size_t before = 0;
    for (int k = 0; k < 6; ++k) {
      if (k == 3) before = testing::allocations();
      ASSERT_EQ(flow.step(0.01 * k, q, u, 0.01, q1, u1), StepStatus::ok);
      q.swap(q1), u.swap(u1);
    }
    if (SALTUS_COUNTS_ALLOCATIONS) {
      EXPECT_EQ(testing::allocations(), before);
    }
    EXPECT_NEAR(q[0], 0, 1e-13);
    EXPECT_LT(u[n - 1], -0.5);  // its far end has not heard of the wall yet
  }
}

}  // namespace
}  // namespace saltus::test_stage_solver
