// Semi-smooth Newton on F(P) = P − prox(P − ρ y) = 0 (the linear system: newton_system.hpp).
//
// Full steps: with polyhedral laws they move from one set of active contacts to the next and end,
// after a few, on the exact solution, though the residual may rise on the way. A cold start is
// warmed by a few Gauss–Seidel sweeps. When no step has improved on the best impulse for a while, or
// a set of branches comes back, slower but safer means take over in turn, and Newton goes on from
// where they end:
//
//   sweeps     four times as many each round: they converge, if slowly, and Newton needs only the
//              neighbourhood; every other time damped, against the limit cycles friction can cause
//   approach   proximal point steps: P ← solution of the problem with G + σ trace in place of G,
//              pulled towards the P before. With σ not too small Newton solves that, however many
//              contacts are redundant.
//
// The best impulse seen is returned.
#include <algorithm>
#include <array>

#include "saltus/contact/solvers.hpp"

namespace saltus::detail {
namespace {

constexpr double rounding = 2e-15;  // a residual below this is as good as it gets
constexpr double cold = 1e-2;       // a guess with a residual above this is no guess
constexpr double improves = 0.9;    // a better impulse has at most this times the residual of the best before
constexpr int newton_patience = 6;  // steps without a better impulse before other means help
constexpr int warming_sweeps = 10, fewest_blocks_to_warm = 8, first_sweeps = 16, most_sweeps_between = 4000;
constexpr double damping = 0.6;  // of every other round of sweeps
constexpr int most_pulled_steps = 8, most_approach_steps = 25;

// Coulomb friction in the plane, one contact: open, stick, slip forward, slip back, in this order.
bool plane_contact(const double* g, const double* c, double mu, double* P) {
  P[0] = P[1] = 0;
  if (c[0] >= 0) return true;
  const double det = g[0] * g[3] - g[1] * g[2];
  if (det > 1e-12 * g[0] * g[3]) {
    P[0] = (g[1] * c[1] - g[3] * c[0]) / det;
    P[1] = (g[2] * c[0] - g[0] * c[1]) / det;
    if (P[0] >= 0 && std::abs(P[1]) <= mu * P[0]) return true;
  }
  for (const double slope : {mu, -mu}) {
    const double k = g[0] + slope * g[1];
    if (!(k > 0)) continue;
    P[0] = -c[0] / k;
    P[1] = slope * P[0];
    const double slip = g[2] * P[0] + g[3] * P[1] + c[1];
    if (slope * slip <= 0) return true;
  }
  return false;
}

}  // namespace

bool NewtonSolver::solve_one_plane_contact(const ContactProblem& problem, double* P, SolveReport& report) {
  const auto* law = std::get_if<Coulomb>(problem.laws[0]);
  if (!law || law->tangents != 1) return false;
  double trial[2];
  if (!plane_contact(problem.G.block(0), problem.c.data(), law->mu, trial)) return false;
  double y[2];
  const double r = evaluate_residual(problem, steps_, trial, y, &report.worst_block);
  if (!(r <= std::min(spec_.tolerance, rounding))) return false;
  std::copy_n(trial, 2, P);
  report.residual = r;
  report.solved = true;
  return true;
}

// y_, the residual and the branches at P; keeps P when it is the best so far
double NewtonSolver::examine(const ContactProblem& problem, const double* P, SolveReport& report) {
  int worst = -1;
  evaluate(problem, P, y_.data());
  const double r = system_.examine(problem, steps_, P, y_.data(), &worst);
  if (r < report.residual) {
    report.residual = r;
    report.worst_block = worst;
    std::copy_n(P, problem.rows(), best_.data());
  }
  return r;
}

SolveReport NewtonSolver::solve(ContactProblem& problem, Out P) {
  SolveReport report;
  if (solve_trivial(problem, P, spec_.tolerance, report)) return report;
  steps_.update(problem);
  if (problem.blocks() == 1 && solve_one_plane_contact(problem, P.data(), report)) return report;
  y_.resize(problem.c.size());
  best_.resize(problem.c.size());
  safe_.resize(problem.c.size());
  system_.begin(problem, steps_);
  report.residual = infinity;
  double r = examine(problem, P.data(), report);
  if (std::isnan(r) && !P.allFinite()) {
    P.setZero();
    r = examine(problem, P.data(), report);
  }
  if (std::isnan(r)) {
    report.residual = r;
    return report;
  }
  search(problem, P.data(), report);
  std::copy_n(best_.data(), P.size(), P.data());
  report.solved = report.residual <= spec_.tolerance;
  return report;
}

void NewtonSolver::sweep(ContactProblem& problem, int count, double relaxation, double* P,
                         SolveReport& report) {
  std::copy_n(safe_.data(), problem.rows(), P);
  sweeps_.prepare(problem, steps_, relaxation);
  sweeps_.begin(P);
  for (int k = 0; k < count; ++k)
    if (!(sweeps_.sweep(problem, steps_, P) > rounding)) break;
  sweeps_.end(P);
  std::copy_n(P, problem.rows(), safe_.data());
  examine(problem, P, report);
}

// Newton on the problem pulled towards safe_; true when it has come close enough for safe_ to move there.
bool NewtonSolver::solve_pulled(const ContactProblem& problem, double sigma, double* P, int& steps_taken) {
  double first = 0;
  std::copy_n(safe_.data(), problem.rows(), P);
  for (steps_taken = 0;; ++steps_taken) {
    int worst = -1;
    evaluate(problem, P, y_.data());
    NewtonSystem::pull(problem, steps_, sigma, safe_.data(), P, y_.data());
    const double r = system_.examine(problem, steps_, P, y_.data(), &worst);
    if (steps_taken == 0) first = r;
    if (r <= 1e-2 * first) return true;
    if (steps_taken == most_pulled_steps || !std::isfinite(r)) return false;
    if (system_.step(problem, steps_, sigma, P, y_.data(), safe_.data()) < 0) return false;
  }
}

// Proximal point steps from safe_, with σ as small as lets Newton converge.
void NewtonSolver::approach(const ContactProblem& problem, double& sigma, double* P, SolveReport& report) {
  const int last = std::min(spec_.max_iterations, report.iterations + most_approach_steps);
  bool failed = false;
  while (report.residual > spec_.tolerance && report.iterations < last) {
    int taken = 0;
    if (solve_pulled(problem, sigma, P, taken)) {
      examine(problem, P, report);
      std::copy_n(P, problem.rows(), safe_.data());
      if (!failed && taken <= most_pulled_steps / 2) sigma = std::max(NewtonSystem::first_sigma, 0.3 * sigma);
      failed = false;
    } else {
      sigma = std::min(4 * sigma, 1.0);
      if (failed && sigma == 1) break;
      failed = true;
    }
    report.iterations += std::max(taken, 1);
  }
  std::copy_n(safe_.data(), problem.rows(), P);
  examine(problem, P, report);
}

void NewtonSolver::search(ContactProblem& problem, double* P, SolveReport& report) {
  const double goal = std::min(spec_.tolerance, rounding);
  double sigma = 0, proximal_sigma = 0.1;
  int rounds = 0, seen = 0;
  std::array<std::uint64_t, newton_patience> history;  // branches after steps without progress
  if (report.residual > cold && problem.blocks() >= fewest_blocks_to_warm) {
    std::copy_n(best_.data(), problem.rows(), safe_.data());
    sweep(problem, warming_sweeps, 1, P, report);
  }
  while (report.residual > goal && report.iterations < spec_.max_iterations) {
    const double before = report.residual;
    const double used = system_.step(problem, steps_, sigma, P, y_.data());
    ++report.iterations;
    sigma = std::max(sigma, used);
    const double r = used < 0 ? not_a_number : examine(problem, P, report);
    if (before <= spec_.tolerance && !(report.residual < before / 2)) return;  // no more to gain
    if (report.residual < improves * before) {
      seen = 0;
      continue;
    }
    const std::uint64_t now = system_.fingerprint();
    const bool cycling = std::find(history.begin(), history.begin() + seen, now) != history.begin() + seen;
    history[seen++] = now;
    if (seen < newton_patience && !cycling && std::isfinite(r)) continue;

    if (rounds == 0) std::copy_n(best_.data(), problem.rows(), safe_.data());
    if (rounds % 2 == 0)
      sweep(problem, std::min(first_sweeps << std::min(rounds, 8), most_sweeps_between),
            rounds % 4 == 0 ? 1 : damping, P, report);
    else
      approach(problem, proximal_sigma, P, report);
    seen = 0;
    sigma = 0;
    ++rounds;
  }
}

}  // namespace saltus::detail
