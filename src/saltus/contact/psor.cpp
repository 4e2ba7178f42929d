// Projected Gauss–Seidel with over-relaxation: the sweeps of sweeps.cpp until they come to rest.
//
// It stops when the natural residual is below the tolerance and a sweep moved nothing by more than ten times
// the tolerance, relative to max_i G_ii|P_i|. The second matters in short steps: there P ~ dt is small next
// to the velocities in c, and a residual relative to those says little about P.
//
// Friction can send the sweeps round a cycle, over-relaxed ones more often: without progress for a while ω is
// lowered, first to 1.
#include <algorithm>

#include "saltus/contact/solvers.hpp"

namespace saltus::detail {

SolveReport PsorSolver::solve(ContactProblem& problem, Out P) {
  SolveReport report;
  if (solve_trivial(problem, P, spec_.tolerance, report)) return report;
  steps_.update(problem);
  sweeps_.prepare(problem, steps_, spec_.relaxation);
  y_.resize(problem.c.size());
  best_.resize(problem.c.size());
  if (!P.allFinite()) P.setZero();
  sweeps_.begin(P.data());
  bool first = true;
  double present = infinity;  // the residual of the present iterate
  const auto check = [&] {
    int worst = -1;
    sweeps_.end(P.data());
    const double r = evaluate_residual(problem, steps_, P.data(), y_.data(), &worst);
    if (first || r < report.residual) {
      report.residual = r;
      report.worst_block = worst;
      copy_values(P.data(), P.size(), best_.data());
    }
    first = false;
    present = r;
    report.solved = report.residual <= spec_.tolerance;
    return std::isnan(r);
  };
  constexpr double still =
      10;  // times the tolerance: a sweep that changes no more than this has come to rest
  constexpr int longest_wait = 50;      // sweeps between two looks at the residual
  constexpr int sweep_patience = 1000;  // sweeps without progress before they are damped
  constexpr int hasty = 150;            // the same for over-relaxed ones, which then become plain
  constexpr double progress = 0.9, damping = 0.7, least_relaxation = 0.05;
  double relaxation = spec_.relaxation, goal = infinity;  // of the residual, to count as progress
  int last_progress = 0;
  int next_look = 0;  // a look costs as much as a sweep: after many sweeps not after each
  bool done = check();
  int next_at_last = longest_wait;  // whatever the sweeps change
  for (int k = 0; k < spec_.max_iterations && !done;) {
    const int count = std::min(sweeps_.together(k), spec_.max_iterations - k);
    const double change = sweeps_.sweep(problem, steps_, P.data(), count);
    report.iterations = k += count;
    const bool rests = !(change > still * spec_.tolerance);
    const bool ends = change == 0 || std::isnan(change);
    if (ends || (rests && k >= next_look) || k >= next_at_last || k == spec_.max_iterations) {
      done = check() || ends;
      next_look = k + std::max(1, k / 16);
      while (next_at_last <= k) next_at_last += longest_wait;
      if (present <= spec_.tolerance && rests && !std::isnan(change)) {
        report.residual = present;  // the iterate that has come to rest, not an earlier one
        return report;
      }
    }
    if (report.residual <= goal) {
      goal = progress * report.residual;
      last_progress = k;
    } else if (k - last_progress >= (relaxation > 1 ? hasty : sweep_patience) &&
               relaxation > least_relaxation) {
      relaxation *= relaxation > 1 ? 1 / relaxation : damping;
      sweeps_.prepare(problem, steps_, relaxation);
      last_progress = k;
    }
  }
  std::copy_n(best_.data(), P.size(), P.data());
  return report;
}

}  // namespace saltus::detail
