// What every solver does with one block, inline: the prox by a switch instead of a visit, the steps
// ρ_i = 1 / trace(G_ii) kept while the operator stays, and the running maximum behind natural_residual.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/contact/solver.hpp"
#include "saltus/contact/strain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/team.hpp"

namespace saltus::detail {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Blocks that a worker of a team takes at a time, at least.
inline constexpr int blocks_a_piece = 1024;

/// x ← prox_C(x): contacts without friction and in the plane are worth a shortcut.
inline void project(const Law& law, double dt, double* x) {
  if (std::holds_alternative<Unilateral>(law)) {
    x[0] = std::max(0.0, x[0]);
  } else if (const auto* c = std::get_if<Coulomb>(&law); c && c->tangents == 1) {
    x[0] = std::max(0.0, x[0]);
    x[1] = std::clamp(x[1], -c->mu * x[0], c->mu * x[0]);
  } else {
    prox(law, dt, x);
  }
}

/// The trace of a diagonal block; ρ_i is its reciprocal, or 1 where it is zero.
inline double trace_of(const Delassus& G, int i) {
  const int n = G.block_size(i);
  const double* g = G.block(i);
  double sum = g[0];
  for (int a = 1; a < n; ++a) sum += g[a * n + a];
  return sum > 0 || std::isnan(sum) ? sum : 0;
}
inline double step_of(double trace) {
  return trace == 0 ? 1 : 1 / trace;
}

/// The steps of all blocks, computed anew only when the operator was.
struct Steps {
  std::vector<double> rho, trace;

  void update(const ContactProblem& problem) {
    const auto n = static_cast<std::size_t>(problem.blocks());
    if (stamp == problem.G.stamp() && rho.size() == n) return;
    stamp = problem.G.stamp();
    rho.resize(n);
    trace.resize(n);
    for_pieces(0, problem.blocks(), blocks_a_piece, [&](int from, int to) {
      for (int i = from; i < to; ++i) trace[i] = trace_of(problem.G, i), rho[i] = step_of(trace[i]);
    });
  }

 private:
  std::uint64_t stamp = 0;
};

/// The residual, block by block: x is the projected P − ρ y of block i. An impulse that moves nothing (a zero
/// block) has no part in the scale.
struct Residual {
  double violation = 0, scale = 0, free = 0, pressed = 0;  // the last: as scale, zero blocks too
  int worst = -1, not_finite = -1;                         // blocks

  void add(const Residual& next) {
    if (not_finite < 0) not_finite = next.not_finite;
    if (next.violation > violation) violation = next.violation, worst = next.worst;
    scale = std::max(scale, next.scale), free = std::max(free, next.free);
    pressed = std::max(pressed, next.pressed);
  }
  void add(int i, int n, double trace, const double* P, const double* c, const double* x) {
    const double weight = trace == 0 ? 1 : trace;
    for (int a = 0; a < n; ++a) {
      free = std::max(free, std::abs(c[a]));
      scale = std::max(scale, std::max(std::abs(c[a]), std::abs(P[a]) * trace));
      pressed = std::max(pressed, std::abs(P[a]) * weight);
      const double v = std::abs(P[a] - x[a]) * weight;
      if (v > violation) violation = v, worst = i;
    }
  }
  double value() const {
    if (!std::isfinite(scale) || !std::isfinite(violation)) return not_a_number;
    return scale > 0 ? violation / scale : violation;
  }
  /// The residual of all blocks: beyond the leverage that counts as a scale, the stricter one.
  double conclude(const ContactProblem& problem, const double* P, const double* y, int* where) const {
    if (free > 0 && pressed > most_leverage * free && std::isfinite(pressed))
      return strained_residual(problem, P, y, where);
    if (where) *where = worst;
    return value();
  }
};

/// x = P − ρ y; false when an entry is not finite (the laws would hide it: max(0, NaN) is 0).
inline bool prox_argument(int n, double rho, const double* P, const double* y, double* x) {
  bool finite = true;
  for (int a = 0; a < n; ++a) {
    x[a] = P[a] - rho * y[a];
    finite = finite && std::isfinite(x[a]);
  }
  return finite;
}

/// Copies values of large problems by pieces: a worker then has them near.
inline void copy_values(const double* from, std::ptrdiff_t n, double* to) {
  for_pieces(0, static_cast<int>(n), 4 * blocks_a_piece,
             [&](int begin, int end) { std::copy(from + begin, from + end, to + begin); });
}

/// y = G P + c
inline void evaluate(const ContactProblem& problem, const double* P, double* y) {
  problem.G.apply(P, y);
  for (int k = 0; k < problem.rows(); ++k) y[k] += problem.c[k];
}

/// natural_residual, with the traces and the steps by function; y_of(i) makes y of block i just before it is
/// read.
template <class Rho, class Trace, class YOf>
double residual(const ContactProblem& problem, Rho&& rho, Trace&& trace, YOf&& y_of, const double* P,
                const double* y, int* worst) {
  const Residual r = over_pieces<Residual>(
      0, problem.blocks(), blocks_a_piece,
      [&](int from, int to) {
        Residual part;
        double x[max_block_rows];
        for (int i = from; i < to; ++i) {
          const int at = problem.G.offset(i), n = problem.G.block_size(i);
          y_of(i);
          if (!prox_argument(n, rho(i), P + at, y + at, x)) {
            part.not_finite = i;
            return part;
          }
          project(*problem.laws[i], problem.dt, x);
          part.add(i, n, trace(i), P + at, problem.c.data() + at, x);
        }
        return part;
      },
      [](Residual& sum, const Residual& part) { sum.add(part); });
  if (r.not_finite >= 0) {
    if (worst) *worst = r.not_finite;
    return not_a_number;
  }
  return r.conclude(problem, P, y, worst);
}
inline double residual(const ContactProblem& problem, const Steps& steps, const double* P, const double* y,
                       int* worst = nullptr) {
  return residual(
      problem, [&](int i) { return steps.rho[i]; }, [&](int i) { return steps.trace[i]; }, [](int) {}, P, y,
      worst);
}
/// y = G P + c and the residual: in one pass where that is possible.
inline double evaluate_residual(const ContactProblem& problem, const Steps& steps, const double* P, double* y,
                                int* worst = nullptr) {
  const Delassus& G = problem.G;
  if (!G.rows_by_themselves()) {
    evaluate(problem, P, y);
    return residual(problem, steps, P, y, worst);
  }
  const auto y_of = [&](int i) {
    G.row(i, P, y + G.offset(i));
    for (int k = G.offset(i); k < G.offset(i + 1); ++k) y[k] += problem.c[k];
  };
  return residual(
      problem, [&](int i) { return steps.rho[i]; }, [&](int i) { return steps.trace[i]; }, y_of, P, y, worst);
}

/// What all solvers share: no rows, or one row with the closed form P = prox(−c/G). True when that was it.
inline bool solve_trivial(const ContactProblem& problem, Out P, double tolerance, SolveReport& report) {
  const int n = problem.rows();
  if (P.size() != n) fail("the contact problem has {} rows, P has {}", n, P.size());
  if (n == 0) {
    report.solved = true;
    return true;
  }
  if (problem.G.rows() != n || problem.G.blocks() != problem.blocks())
    fail("the contact operator has {} blocks and {} rows, the problem {} and {}", problem.G.blocks(),
         problem.G.rows(), problem.blocks(), n);
  const double g = n == 1 ? *problem.G.block(0) : 0;
  if (!(g > 0)) return false;
  P[0] = -problem.c[0] / g;
  project(*problem.laws[0], problem.dt, &P[0]);
  const double y = g * P[0] + problem.c[0];
  double x[max_block_rows];
  if (prox_argument(1, 1 / g, &P[0], &y, x)) {
    project(*problem.laws[0], problem.dt, x);
    Residual r;
    r.add(0, 1, g, &P[0], problem.c.data(), x);
    report.residual = r.conclude(problem, &P[0], &y, &report.worst_block);
  } else {
    report.residual = not_a_number;
    report.worst_block = 0;
  }
  report.solved = report.residual <= tolerance;
  return true;
}

}  // namespace saltus::detail
