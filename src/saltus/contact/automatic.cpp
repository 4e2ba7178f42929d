// Newton first: it solves nearly every problem to rounding. Where a loose tolerance is enough and contacts
// are many, sweeps come before it: a sweep costs a thousandth of a Newton step. What Newton leaves:
//
//   contacts, friction, joints   the interior-point method
//   polyhedral laws              pivoting, as long as the tableau is not too large
//   friction in space            pivoting with an octagon in place of the disc gives a guess for Newton
//   all                          Newton with more patience: longer rounds of sweeps and proximal steps
//
// Many contacts with friction from a cold start are what Newton is worst at and the interior-point method
// best: there it comes first. The best impulse is returned.
//
// Redundant contacts whose free velocities contradict each other by rounding (two corners of a box that
// slides on another) have no solution below some 1e-12. What all of these leave within a hundred of the
// tolerance, and below 1e-10, is taken; reports show the residual that was reached.
#include <algorithm>

#include "saltus/contact/solvers.hpp"

namespace saltus::detail {
namespace {

constexpr int quick_steps = 100, brief_steps = 20, most_interior_steps = 1000;
constexpr int many_rows = 180;               // with friction
constexpr double warm = 1e-2, close = 1e-5;  // residuals of guesses worth Newton steps
constexpr int patient_steps = 300, most_pivots = 10000;
constexpr double loose = 1e-6, sweep_relaxation = 1.4;  // a third fewer sweeps than 1 on beds of disks
constexpr int fewest_blocks_to_sweep = 8, most_sweeps = 5000;
constexpr double rounding_room = 100, most_rounding = 1e-10;
constexpr int most_rows_to_pivot = 600, most_pairs_to_guess = 900;

bool has_friction(const ContactProblem& problem) {
  return std::any_of(problem.laws.begin(), problem.laws.end(),
                     [](const Law* law) { return std::holds_alternative<Coulomb>(*law); });
}

}  // namespace

AutomaticContactSolver::AutomaticContactSolver(const AutomaticSolver& spec)
    : rounding_(std::min(rounding_room * spec.tolerance, most_rounding)),
      quick_({spec.tolerance, quick_steps}),
      brief_({spec.tolerance, brief_steps}),
      patient_({spec.tolerance, patient_steps}),
      sweeps_({spec.tolerance, sweep_relaxation, most_sweeps}),
      sweeps_first_(spec.tolerance >= loose),
      lemke_({spec.tolerance, most_pivots}),
      descent_({spec.tolerance, most_interior_steps}, false),
      interior_({spec.tolerance, most_interior_steps}) {}

SolveReport AutomaticContactSolver::solve(ContactProblem& problem, Out P) {
  int sweeps = 0;
  if (sweeps_first_ && problem.blocks() >= fewest_blocks_to_sweep) {
    const SolveReport swept = sweeps_.solve(problem, P);
    if (swept.solved || std::isnan(swept.residual)) return swept;
    sweeps = swept.iterations;
  }
  SolveReport report;
  if (problem.rows() > many_rows && P.size() == problem.rows() && has_friction(problem) &&
      InteriorPointSolver::can_treat(problem)) {
    report = solve_many(problem, P);
  } else {
    report = quick_.solve(problem, P);
    if (!report.solved && !std::isnan(report.residual)) report = solve_hard(problem, P, report, false);
  }
  report.iterations += sweeps;
  return report;
}

// Newton only from a good guess, and not for long; an interior point that went most of the way is one.
SolveReport AutomaticContactSolver::solve_many(ContactProblem& problem, Out P) {
  y_.resize(problem.c.size());
  evaluate(problem, P.data(), y_.data());
  SolveReport report;
  report.residual = natural_residual(problem, P.data(), y_.data());
  int iterations = 0;
  const auto attempt = [&](ContactSolver& solver, double guess) {
    if (report.solved || report.residual > guess) return;  // NaN goes on, to be reported
    report = solver.solve(problem, P);
    report.iterations = iterations += report.iterations;
  };
  attempt(brief_, warm);
  attempt(descent_, infinity);
  attempt(brief_, close);
  attempt(interior_, infinity);
  return report.solved || std::isnan(report.residual) ? report : solve_hard(problem, P, report, true);
}

bool AutomaticContactSolver::guess_with_facets(const ContactProblem& problem, double* P) {
  const auto has_no_facets = [](const Law* law) {
    return std::holds_alternative<UserLaw>(*law) ||
           (std::holds_alternative<Tresca>(*law) && !is_polyhedral(*law));
  };
  if (std::any_of(problem.laws.begin(), problem.laws.end(), has_no_facets)) return false;
  constexpr int facets = 8;
  if (LemkeTableau::count_pairs(problem, facets) > most_pairs_to_guess) return false;
  int pivots = 0;
  steps_.update(problem);
  tableau_.build(problem, steps_, facets);
  tableau_.pivot_to_solution(most_pivots, pivots);
  tableau_.impulse(P);
  return true;
}

SolveReport AutomaticContactSolver::solve_hard(ContactProblem& problem, Out P, SolveReport best,
                                               bool tried_interior) {
  best_.assign(P.data(), P.data() + P.size());
  const auto keep = [&](const SolveReport& now) {
    const int iterations = best.iterations + now.iterations;
    if (now.residual < best.residual) {
      best = now;
      std::copy_n(P.data(), P.size(), best_.data());
    }
    best.iterations = iterations;
  };
  const auto finish = [&] {
    std::copy_n(best_.data(), P.size(), P.data());
    return best;
  };
  const bool polyhedral = std::all_of(problem.laws.begin(), problem.laws.end(),
                                      [](const Law* law) { return is_polyhedral(*law); });
  if (!tried_interior && has_friction(problem) && InteriorPointSolver::can_treat(problem)) {
    keep(interior_.solve(problem, P));
    if (best.solved) return finish();
  }
  if (polyhedral && problem.rows() <= most_rows_to_pivot)
    keep(lemke_.solve(problem, P));
  else if (!polyhedral && guess_with_facets(problem, P.data()))
    keep(quick_.solve(problem, P));
  if (best.residual <= rounding_) best.solved = true;
  if (!best.solved) {
    std::copy_n(best_.data(), P.size(), P.data());
    keep(patient_.solve(problem, P));
  }
  return finish();
}

}  // namespace saltus::detail
