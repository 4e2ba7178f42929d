// Newton first: it solves nearly every problem to rounding. Where a loose tolerance is enough and contacts
// are many, sweeps come before it: a sweep costs a thousandth of a Newton step. What Newton leaves:
//
//   contacts, friction, joints   the interior-point method
//   polyhedral laws              pivoting, as long as the tableau is not too large
//   friction in space            pivoting with an octagon in place of the disc gives a guess for Newton
//   all                          Newton with more patience: longer rounds of sweeps and proximal steps
//
// The best impulse is returned.
//
// Redundant contacts whose free velocities contradict each other by rounding (two corners of a box that
// slides on another) have no solution below some 1e-12. What all of these leave within a hundred of the
// tolerance, and below 1e-10, is taken; reports show the residual that was reached.
//
// A large frictional problem, more than 60 contacts, is worse: a loop of sticking disks that is turned by a
// step has to build up stresses until one of its contacts slips, and a velocity of 1e-7 drives them there. So
// all methods slow down below 1e-6, and the last digits say nothing about the motion. It is swept to 1e-6 of
// the velocities at play; two Newton steps then often lead to rounding. Where they do not, 1e-5 is accepted
// (AutomaticSolver::large_tolerance; a run says so), and only what is above goes through all of the above.
// Joints make sweeps slow: with them, and without a guess, Newton and the interior point come first. But a
// few sweeps show whether a cold problem is easy: where they converge fast enough to end soon, they go on.
//
// The interior point goes on while its path descends (interior_path.cpp): thousands of steps in piles of
// discs.
#include <algorithm>
#include <cmath>

#include "saltus/contact/solvers.hpp"

namespace saltus::detail {
namespace {

constexpr int quick_steps = 100, brief_steps = 20, last_steps = 2, most_interior_steps = 50000;
constexpr int trial_sweeps = 20, easy_rounds = 10;  // a cold problem: rounds of sweeps that may follow two
constexpr double warm = 1e-2, close = 1e-5;         // residuals of guesses worth Newton steps
constexpr int patient_steps = 300, most_pivots = 10000;
constexpr double loose = 1e-6, sweep_relaxation = 1.4;  // a third fewer sweeps than 1 on beds of disks
constexpr int fewest_blocks_to_sweep = 8, most_sweeps = 5000, most_short_sweeps = 2000;
constexpr double rounding_room = 100, most_rounding = 1e-10;
constexpr int most_rows_to_pivot = 600, most_pairs_to_guess = 900;

bool has_friction(const ContactProblem& problem) {
  return std::any_of(problem.laws.begin(), problem.laws.end(),
                     [](const Law* law) { return is_frictional(*law); });
}

bool has_joints(const ContactProblem& problem) {
  return std::any_of(problem.laws.begin(), problem.laws.end(),
                     [](const Law* law) { return std::holds_alternative<Equality>(*law); });
}

}  // namespace

AutomaticContactSolver::AutomaticContactSolver(const AutomaticSolver& spec)
    : tolerance_(spec.tolerance),
      rounding_(std::min(rounding_room * spec.tolerance, most_rounding)),
      enough_(std::max(spec.tolerance, spec.large_tolerance)),
      quick_({spec.tolerance, quick_steps}),
      brief_({spec.tolerance, brief_steps}),
      last_digits_({spec.tolerance, last_steps}),
      patient_({spec.tolerance, patient_steps}),
      sweeps_({spec.tolerance, sweep_relaxation, most_sweeps}),
      short_sweeps_({std::max(spec.tolerance, 0.1 * enough_), sweep_relaxation, most_short_sweeps}),
      trial_({spec.tolerance, 1, trial_sweeps}),
      easy_({spec.tolerance, 1, 2 * easy_rounds * trial_sweeps}),
      sweeps_first_(spec.tolerance >= loose),
      lemke_({spec.tolerance, most_pivots}),
      descent_({spec.tolerance, most_interior_steps}, false),
      interior_({spec.tolerance, most_interior_steps}) {}

SolveReport AutomaticContactSolver::solve(ContactProblem& problem, Out P) {
  SolveReport report;
  const bool large =
      problem.blocks() > large_frictional_problem && P.size() == problem.rows() && has_friction(problem);
  const bool warm_large = large && !has_joints(problem) && !P.isZero(0);
  const bool patiently = sweeps_first_ && problem.blocks() >= fewest_blocks_to_sweep;
  int sweeps = 0;
  if (patiently || warm_large) {
    report = (patiently ? sweeps_ : short_sweeps_).solve(problem, P);
    if (report.residual <= tolerance_ || std::isnan(report.residual)) return report;
    sweeps = report.iterations;
  }
  if (large) {
    report = solve_large(problem, P, warm_large);
  } else {
    report = quick_.solve(problem, P);
    if (!report.solved && !std::isnan(report.residual)) report = solve_hard(problem, P, report, false);
  }
  report.iterations += sweeps;
  report.solved = report.residual <= std::max(tolerance_, large ? enough_ : rounding_);
  return report;
}

// From the sweeps a few Newton steps lead to rounding, or nowhere: then what is accepted will do. What is
// not, or comes without a guess: Newton only from a good guess, and not for long; an interior point that went
// most of the way is one.
SolveReport AutomaticContactSolver::solve_large(ContactProblem& problem, Out P, bool swept) {
  y_.resize(problem.c.size());
  evaluate(problem, P.data(), y_.data());
  SolveReport report;
  report.residual = natural_residual(problem, P.data(), y_.data());
  int iterations = 0;
  const auto attempt = [&](ContactSolver& solver, double guess) {
    if (report.solved || report.residual > guess) return;  // NaN goes on, to be reported
    report = solver.solve(problem, P);
    report.iterations = iterations += report.iterations;
    if (swept) report.solved = report.residual <= enough_;
  };
  const bool inside = InteriorPointSolver::can_treat(problem);
  if (!swept && P.isZero(0) && !has_joints(problem)) {
    const SolveReport easy = sweep_if_easy(problem, P);
    if (easy.solved) return easy;
    P.setZero();
    iterations = easy.iterations;
  }
  if (swept) attempt(last_digits_, close);
  attempt(brief_, warm);
  if (inside) attempt(descent_, infinity);
  attempt(brief_, close);
  if (swept) {
    attempt(short_sweeps_, infinity);
    attempt(brief_, warm);
    attempt(patient_, warm);
  }
  if (inside) attempt(interior_, infinity);
  return report.solved || std::isnan(report.residual) ? report : solve_hard(problem, P, report, inside);
}

// Two rounds of sweeps, and as many as their rate promises to need if those are few.
SolveReport AutomaticContactSolver::sweep_if_easy(ContactProblem& problem, Out P) {
  SolveReport report = trial_.solve(problem, P);
  const double first = report.residual;
  int iterations = report.iterations;
  if (!report.solved && first < warm) {
    report = trial_.solve(problem, P);
    iterations += report.iterations;
    const bool easy = report.residual * std::pow(report.residual / first, easy_rounds) <= tolerance_;
    if (!report.solved && report.residual < first && easy) {
      report = easy_.solve(problem, P);
      iterations += report.iterations;
    }
  }
  report.iterations = iterations;
  return report;
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
  if (best.residual > rounding_) {
    std::copy_n(best_.data(), P.size(), P.data());
    keep(patient_.solve(problem, P));
  }
  return finish();
}

}  // namespace saltus::detail
