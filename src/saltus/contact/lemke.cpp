// Lemke's method: pivots of an exact kind (lemke_tableau.hpp), then up to four Newton steps that wash out the
// rounding errors the pivots have gathered. The guess serves only to be tested first.
#include <algorithm>

#include "saltus/contact/solvers.hpp"

namespace saltus::detail {
namespace {

void check_polyhedral(const ContactProblem& problem) {
  for (int i = 0; i < problem.blocks(); ++i) {
    const Law& law = *problem.laws[i];
    if (is_polyhedral(law)) continue;
    const auto* user = std::get_if<UserLaw>(&law);
    fail("contact block {}: lemke treats polyhedral laws only, not {}; use semismooth-newton or psor", i,
         user ? fmt::format("the user law '{}'", user->impl->label())
              : fmt::format("{} with two tangents", std::visit([](const auto& l) { return l.name; }, law)));
  }
}

}  // namespace

SolveReport LemkeSolver::solve(ContactProblem& problem, Out P) {
  SolveReport report;
  check_polyhedral(problem);
  if (solve_trivial(problem, P, spec_.tolerance, report)) return report;
  steps_.update(problem);
  if (!P.allFinite()) P.setZero();
  y_.resize(problem.c.size());
  trial_.resize(problem.c.size());
  report.residual = evaluate_residual(problem, steps_, P.data(), y_.data(), &report.worst_block);
  report.solved = report.residual <= spec_.tolerance;
  if (report.solved || std::isnan(report.residual)) return report;

  tableau_.build(problem, steps_);
  const bool ended = tableau_.pivot_to_solution(spec_.max_pivots, report.iterations);
  Eigen::Map<Vec> trial(trial_.data(), P.size());
  tableau_.impulse(trial_.data());
  SolveReport polished;
  if (ended) {
    polished = newton_.solve(problem, trial);
  } else {
    polished.residual = evaluate_residual(problem, steps_, trial_.data(), y_.data(), &polished.worst_block);
  }
  if (polished.residual < report.residual) {
    P = trial;
    report.residual = polished.residual;
    report.worst_block = polished.worst_block;
    report.solved = report.residual <= spec_.tolerance;
  }
  return report;
}

}  // namespace saltus::detail
