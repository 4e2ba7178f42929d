// How generalized-α begins: consistent accelerations and multipliers.
#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/generalized_alpha/evaluator.hpp"

namespace saltus::generalized_alpha {
namespace {

std::vector<int> rows_that_may_act(const Scheme& scheme, const std::vector<Row>& rows, const SystemValues& at,
                                   double near, double slow) {
  std::vector<int> found;
  if (scheme.smooth == Condition::none) return found;
  for (int r = 0; r < static_cast<int>(rows.size()); ++r)
    if (rows[r].kind == Row::joint ||
        (rows[r].kind == Row::normal && scheme.contacts_in_S && at.set.gap[r] <= near &&
         std::abs(at.gamma[r]) <= slow + 1e-9 * std::abs(at.set.drift[r])))
      found.push_back(r);
  return found;
}

// Redundant rows have no unique λ; the acceleration is. The solver finds one of them.
void solve_start(const std::vector<Row>& rows, const std::vector<int>& candidates, const Evaluator& evaluator,
                 const SolverSpec& solver, const Vec& free, Vec& vdot, Vec& lambda) {
  static const Law joint = Equality{}, contact = Unilateral{};
  const SystemValues& at = evaluator.values();
  const int k = static_cast<int>(candidates.size());
  ContactProblem problem;
  SparseRows Wt;
  double size = 0;
  for (const int r : candidates) {
    Wt.append_row(std::as_const(at.set.Wt).row(r));
    problem.laws.push_back(rows[r].kind == Row::joint ? &joint : &contact);
    const double a = at.set.Wt.dot(r, free.data());
    problem.c.push_back(a + at.set.bias[r]);
    size = std::max({size, std::abs(a), std::abs(at.set.bias[r])});
  }
  problem.rounding = 16 * std::numeric_limits<double>::epsilon() * size;
  problem.G.build(at.mass_factor, Wt, std::vector<int>(k, 1));
  Vec P = Vec::Zero(k);
  const SolveReport report = make_contact_solver(solver)->solve(problem, P);
  if (!report.solved)
    fail(
        "contact {}: no acceleration satisfies the joints and closed contacts at the start (residual "
        "{:.1e}): "
        "they contradict each other",
        evaluator.system().contact_name(
            at.set.contacts[rows[candidates[std::max(report.worst_block, 0)]].contact].id),
        report.residual);
  Vec force = Vec::Zero(free.size());
  for (int j = 0; j < k; ++j) Wt.add_to(j, P[j], force.data()), lambda[candidates[j]] = P[j];
  at.mass_factor.solve(force.data());
  vdot = free + force;
}

}  // namespace

void initial_acceleration(const Scheme& scheme, const std::vector<Row>& rows, Evaluator& evaluator,
                          const SolverSpec& solver, double t, In q, In u, Vec& vdot, Vec& lambda) {
  const SystemValues& at = evaluator.values();
  const SparseRows& W = at.set.Wt;
  if (!evaluator.factor_mass()) fail("the mass matrix is singular at the start");
  evaluator.force(t, q, u);
  Vec free = at.force;
  at.mass_factor.solve(free.data());
  vdot = free;
  lambda.setZero(at.set.rows());
  const std::vector<int> candidates =
      rows_that_may_act(scheme, rows, at, 1e-9 * largest(q), 1e-9 * largest(u));
  const int k = static_cast<int>(candidates.size());
  constexpr int many = 64;
  if (k > many) return solve_start(rows, candidates, evaluator, solver, free, vdot, lambda);
  std::vector<Vec> Y(k, Vec::Zero(free.size()));
  for (int j = 0; j < k; ++j) {
    W.add_to(candidates[j], 1, Y[j].data());
    at.mass_factor.solve(Y[j].data());
  }
  std::vector<int> on(k, 1), pivot(k);
  for (int iteration = 0; iteration < 100; ++iteration) {
    std::vector<double> G(static_cast<std::size_t>(k) * k, 0.0), x(k, 0.0);
    for (int i = 0; i < k; ++i) {
      if (!on[i]) {
        G[static_cast<std::size_t>(i) * k + i] = 1;
        continue;
      }
      const int r = candidates[i];
      for (int j = 0; j < k; ++j) G[static_cast<std::size_t>(j) * k + i] = W.dot(r, Y[j].data());
      x[i] = -W.dot(r, free.data()) - at.set.bias[r];
    }
    constexpr double redundant = 1e-12;
    if (dense_lu(k, G.data(), pivot.data(), redundant) >= 0)
      return solve_start(rows, candidates, evaluator, solver, free, vdot, lambda);
    dense_lu_solve(k, G.data(), pivot.data(), x.data());
    vdot = free;
    for (int j = 0; j < k; ++j) vdot += x[j] * Y[j], lambda[candidates[j]] = x[j];
    bool changed = false;
    for (int i = 0; i < k; ++i) {
      const int r = candidates[i];
      if (rows[r].kind == Row::joint) continue;
      const double y = W.dot(r, vdot.data()) + at.set.bias[r];
      const int now = x[i] - at.row_mass[r] * (on[i] ? 0 : y) >= 0;
      changed = changed || now != on[i], on[i] = now;
    }
    if (!changed) return;
  }
  lambda.setZero();
  solve_start(rows, candidates, evaluator, solver, free, vdot, lambda);
}

}  // namespace saltus::generalized_alpha
