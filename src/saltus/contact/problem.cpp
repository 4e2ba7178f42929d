#include "saltus/contact/problem.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {

double prox_step(const ContactProblem& problem, int i) {
  const int n = problem.G.block_size(i);
  const double* g = problem.G.block(i);
  double trace = 0;
  for (int a = 0; a < n; ++a) trace += g[a * n + a];
  return trace > 0 ? 1 / trace : 1;
}

double natural_residual(const ContactProblem& problem, const double* P, const double* y, int* worst) {
  double violation = 0, scale = 0;
  double x[max_block_rows];
  if (worst) *worst = -1;
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    const double rho = prox_step(problem, i);
    for (int a = 0; a < n; ++a) {
      x[a] = P[at + a] - rho * y[at + a];
      scale = std::max({scale, std::abs(problem.c[at + a]), std::abs(P[at + a]) / rho});
    }
    prox(*problem.laws[i], problem.dt, x);
    for (int a = 0; a < n; ++a) {
      const double v = std::abs(P[at + a] - x[a]) / rho;
      if (!(v <= violation)) {  // also when v is NaN
        violation = v;
        if (worst) *worst = i;
        if (std::isnan(v)) return v;
      }
    }
  }
  return scale > 0 ? violation / scale : violation;
}

double natural_residual(const ContactProblem& problem, In P) {
  if (P.size() != problem.rows()) fail("the contact problem has {} rows, P has {}", problem.rows(), P.size());
  std::vector<double> y(problem.c.size());
  problem.G.apply(P.data(), y.data());
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += problem.c[k];
  return natural_residual(problem, P.data(), y.data());
}

}  // namespace saltus
