// When an iteration with contact solvers has come to its end.
#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/generalized_alpha/contact_levels.hpp"
#include "saltus/scheme/generalized_alpha/residuals.hpp"
#include "saltus/scheme/generalized_alpha/sets.hpp"

namespace saltus::generalized_alpha {

double allowed(Level level, const Scheme& scheme, const StepData& x, const SystemValues& at,
               const Residuals& left, int r) {
  return at.row_unit[r] * left.enough[level] + at.row_mass[r] * rounding_of_row(level, scheme, x, at, r);
}

bool ContactLevels::converged(const Scheme& scheme, const StepData& x, const SystemValues& at,
                              const Sets& sets, bool first, Residuals& residuals, int& worst_row) {
  if (first) return false;
  const double tol = scheme.options.tolerance, h = scheme.h;
  const double *size = residuals.size, *enough = residuals.enough;
  worst_row = -1;
  double worst = 0;
  const auto look = [&](double residual, double allow, int row) {
    if (residual <= allow) return;
    const double excess = allow > 0 ? residual / allow : infinity;
    if (!(excess <= worst)) worst = excess, worst_row = row;
  };
  if (size[acc] > enough[acc]) look(size[acc], enough[acc] + rounding_of_forces(x, at), -1);
  look(size[pos], enough[pos], -1);
  look(size[vel], enough[vel], -1);
  for (const Contact& c : at.set.contacts) {
    const Row& row = sets.rows[c.row];
    const bool normal = row.kind == Row::normal;
    double P[max_block_rows], z[max_block_rows];
    const double w = weight(scheme, at, c.row);
    const auto natural = [&](Level level, const Law& law, int count) {
      prox(law, 1, z);
      for (int k = 0; k < count; ++k)
        look(std::abs(P[k] - z[k]),
             allowed(level, scheme, x, at, residuals, c.row + k) + 2 * w * violation_[level], c.row + k);
    };
    const auto fill = [&](int k, double force, double y) { P[k] = force, z[k] = force - w * y; };
    if (row.kind == Row::joint) {
      for (int k = 0; k < row.size; ++k)
        for (const Level level : {pos, vel, acc}) {
          if (level == acc && scheme.smooth == Condition::none) continue;
          const int r = c.row + k;
          look(at.row_mass[r] * std::abs(residuals.row[level][r]),
               allowed(level, scheme, x, at, residuals, r) + 2 * at.row_mass[r] * violation_[level], r);
        }
      continue;
    }
    if (row.kind == Row::spring) {
      fill(0, x.nu_star[c.row] / (h * h), at.set.gap[c.row] / (h * h));
      natural(pos, springs_[c.row].positions, 1);
      const double force = x.Lambda_star[c.row] / h;
      fill(0, force,
           sets.in[pos][c.row] ? at.gamma[c.row] / h : (force - 2 * x.nu_star[c.row] / (h * h)) / w);
      natural(vel, springs_[c.row].velocities, 1);
      continue;
    }
    for (int k = normal ? 1 : 0; k < row.size; ++k) {
      const int r = c.row + k;
      if (moved_ > 1)
        look(std::abs(x.nu_star[r] / (h * h) - sets.carried[r] * x.Lambda_star[r] / h),
             at.row_unit[r] * enough[pos] + 2 * w * violation_[vel], r);
    }
    if (normal) {
      fill(0, x.nu_star[c.row] / (h * h), at.set.gap[c.row] / (h * h));
      natural(pos, contact_, 1);
    }
    if (!normal || sets.in[pos][c.row]) {
      for (int k = 0; k < row.size; ++k)
        fill(k, x.Lambda_star[c.row + k] / h, (at.gamma[c.row + k] + x.rebound[c.row + k]) / h);
      natural(vel, *row.law, row.size);
    } else {
      for (int k = 0; k < row.size; ++k)
        look(std::abs(x.Lambda_star[c.row + k] / h), at.row_unit[c.row] * enough[vel], c.row);
    }
    if (normal && scheme.contacts_in_S && sets.in[vel][c.row]) {
      fill(0, x.lambda[c.row], at.acceleration[c.row]);
      natural(acc, contact_, 1);
    }
  }
  const bool stalled = worst >= 0.5 * last_ && worst * tol <= std::max(1e-8, 10 * tol);
  last_ = worst;
  return worst == 0 || stalled;
}

}  // namespace saltus::generalized_alpha
