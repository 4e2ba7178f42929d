// Projected Jacobi with over-relaxation:
//
//     y = G P + c,    P_i ← prox_{C_i}(P_i − ρ_i y_i),    ρ_i = ω / Σ_j |G_ij|.
//
// With the diagonal D of the row sums, D − G is positive semidefinite (Gershgorin), so the iteration cannot
// swing over the solution the way ρ_i = 1/G_ii does when several contacts share a body. A block whose set
// ties its rows together needs one ρ for them: a normal has its own, the rows of a disc of friction share
// one, so do the rows of a user's law.
//
// Stops like PSOR: small residual, and a sweep that changes P by little next to P itself.
#include <algorithm>

#include "saltus/contact/solvers.hpp"

namespace saltus::detail {

void PjorSolver::prepare(const ContactProblem& problem, Out P) {
  rho_.resize(problem.c.size());
  double sums[max_block_rows];
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    problem.G.row_sums(i, sums);
    const Law& law = *problem.laws[i];
    const bool disc = std::holds_alternative<UserLaw>(law) || std::holds_alternative<Tresca>(law);
    const auto even_out = [&](int first, int count) {
      std::fill_n(sums + first, count, *std::max_element(sums + first, sums + first + count));
    };
    if (disc) even_out(0, n);
    for (const FrictionDisc& d : discs_of(law)) even_out(d.at, d.rows);
    for (int a = 0; a < n; ++a) rho_[at + a] = sums[a] > 0 ? spec_.relaxation / sums[a] : steps_.rho[i];
    if (steps_.trace[i] == 0 && !disc && !limits_of(law)) {
      std::fill_n(&rho_[at], n, 0.0);  // no impulse can change y: none is needed, or none helps
      P.segment(at, n).setZero();
    }
  }
}

SolveReport PjorSolver::solve(ContactProblem& problem, Out P) {
  SolveReport report;
  if (solve_trivial(problem, P, spec_.tolerance, report)) return report;
  steps_.update(problem);
  if (!P.allFinite()) P.setZero();
  prepare(problem, P);
  y_.resize(problem.c.size());
  best_.resize(problem.c.size());
  report.residual = not_a_number;
  double change = infinity, scale = 0;
  for (int k = 0;; ++k) {
    int worst = -1;
    const double r = evaluate_residual(problem, steps_, P.data(), y_.data(), &worst);
    if (k == 0 || r < report.residual) {
      report.residual = r;
      report.worst_block = worst;
      std::copy_n(P.data(), P.size(), best_.data());
    }
    report.solved = report.residual <= spec_.tolerance;
    if ((report.solved && change <= spec_.tolerance * scale) || k == spec_.max_iterations || std::isnan(r))
      break;
    change = scale = 0;
    for (int i = 0; i < problem.blocks(); ++i) {
      const int at = problem.G.offset(i), n = problem.G.block_size(i);
      double old[max_block_rows];
      std::copy_n(&P[at], n, old);
      for (int a = at; a < at + n; ++a) P[a] -= rho_[a] * y_[a];
      project(*problem.laws[i], problem.dt, &P[at]);
      for (int a = 0; a < n; ++a) {
        change = std::max(change, std::abs(P[at + a] - old[a]) * steps_.trace[i]);
        scale = std::max({scale, 1e-10 * std::abs(problem.c[at + a]), std::abs(P[at + a]) * steps_.trace[i]});
      }
    }
    report.iterations = k + 1;
  }
  std::copy_n(best_.data(), P.size(), P.data());
  return report;
}

}  // namespace saltus::detail
