#include "saltus/scheme/generalized_alpha/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/linalg/loops.hpp"
#include "saltus/linalg/small.hpp"
#include "saltus/scheme/generalized_alpha/sets.hpp"

namespace saltus::generalized_alpha {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// A row's quantities, for the condition of the smooth motion.
struct RowState {
  const StepData& x;
  const SystemValues& at;
  int row;
  double position() const { return at.set.gap[row]; }
  double velocity() const { return at.gamma[row]; }
  double smooth_velocity() const { return at.gamma[row] - at.set.Wt.dot(row, x.V.data()); }
  double acceleration() const { return at.acceleration[row]; }
};

// Of a row that acts its violation, in acceleration units; of another one the multiplier that should vanish,
// in force units.
void find_row_residuals(const Scheme& scheme, const StepData& x, const SystemValues& at, const Sets& sets,
                        Residuals& out) {
  const double per_h = 1 / scheme.h, per_h2 = per_h * per_h;
  for (int r = 0, m = at.set.rows(); r < m; ++r) {
    const bool normal = sets.rows[r].kind == Row::normal, relative = scheme.relative && normal;
    out.row[acc][r] = sets.in[acc][r] ? scheme.conditions[acc](RowState{x, at, r}) : x.lambda[r];
    if (scheme.unknowns.V)
      out.row[vel][r] = per_h * (sets.in[vel][r] ? at.gamma[r] + x.rebound[r]
                                 : relative      ? x.Lambda[r]
                                                 : x.Lambda_star[r]);
    if (!scheme.unknowns.U) continue;
    if (sets.in[pos][r])
      out.row[pos][r] = per_h2 * at.set.gap[r];
    else if (normal)
      out.row[pos][r] = per_h2 * (relative ? x.nu[r] : x.nu_star[r]);
    else
      out.row[pos][r] = per_h2 * x.nu_star[r] - sets.carried[r] * per_h * x.Lambda_star[r];
  }
}

// The largest of forces, in the unit of residuals.
double weighted(const SystemValues& at, const Vec& forces) {
  double most = 0;
  for (Eigen::Index i = 0; i < forces.size(); ++i) most = std::max(most, at.unit[i] * std::abs(forces[i]));
  return most;
}
// The same of accelerations; of velocities per time, …
double weighted_motion(const SystemValues& at, const Vec& x) {
  double most = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i]) / at.unit[i]);
  return most;
}

void find_correction_residuals(const Scheme& scheme, const StepData& x, const SystemValues& at,
                               Residuals& out) {
  const auto correction = [&](Level level, const Vec& of, const Vec& multiplier, double unit, Vec& rest) {
    multiply(at.M, of.data(), rest.data());
    out.scale[level] += weighted(at, rest) * unit;
    for (int r = 0; r < at.set.rows(); ++r)
      if (multiplier[r] != 0) at.set.Wt.add_to(r, -multiplier[r], rest.data());
    out.size[level] = weighted(at, rest) * unit;
  };
  if (scheme.plain_U) {
    out.r2.setZero();  // U = W₀ ν by construction
    out.scale[pos] += weighted_motion(at, x.U) / (scheme.h * scheme.h);
  } else if (scheme.unknowns.U) {
    correction(pos, x.U, x.nu, 1 / (scheme.h * scheme.h), out.r2);
  }
  if (scheme.unknowns.V) correction(vel, x.V, x.Lambda, 1 / scheme.h, out.r3);
}

// Λ̂ − prox(Λ̂ − w y) of the contact whose first row is r; returns w. J: ∂prox, where it is asked for.
double prox_residual(const Scheme& scheme, const StepData& x, const SystemValues& at, const Row& row,
                     const Vec& y, double* out, BlockMatrix* J = nullptr) {
  const int r = row.first;
  const double w = weight(scheme, at, r);
  double P[max_block_rows], z[max_block_rows];
  for (int k = 0; k < row.size; ++k) {
    P[k] = x.Lambda_star[r + k] / scheme.h;
    z[k] = P[k] - w * y[r + k];
  }
  if (J) prox_jacobian(*row.law, 1, z, *J);
  prox(*row.law, 1, z);
  for (int k = 0; k < row.size; ++k) out[k] = P[k] - z[k];
  return w;
}

}  // namespace

void size_residuals(int n, int m, bool prox, Residuals& out) {
  for (Vec* x : {&out.r1, &out.r2, &out.r3, &out.reaction}) x->setZero(n);
  for (Vec& x : out.row) x.setZero(m);
  out.prox.resize(prox ? m : 0);
}

// A body that rests without any load has forces that halve from step to step down to where numbers lose
// digits.
constexpr double vanishing = std::numeric_limits<double>::min() / epsilon;

void find_residuals(const Scheme& scheme, const StepData& x, const SystemValues& at, const Sets& sets,
                    Residuals& out) {
  const int n = static_cast<int>(x.v.size()), m = at.set.rows();
  multiply(at.M, x.vdot.data(), out.r1.data());
  std::fill_n(out.reaction.data(), n, 0.0);
  for (int r = 0; r < m; ++r)
    if (x.lambda[r] != 0) at.set.Wt.add_to(r, x.lambda[r], out.reaction.data());
  double scale = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    const double inertia = out.r1[i], force = at.force[i], w = out.reaction[i], rest = inertia - force - w;
    const double most = std::max(std::abs(force), std::max(std::abs(inertia), std::abs(w)));
    scale = std::max(scale, at.unit[i] * most);
    size = std::max(size, at.unit[i] * std::abs(rest));
    out.r1[i] = rest;
  }
  std::fill_n(out.scale, 3, scale);
  out.size[acc] = size, out.size[pos] = out.size[vel] = 0;
  find_row_residuals(scheme, x, at, sets, out);
  if (x.corrected) find_correction_residuals(scheme, x, at, out);
  const double momentum = weighted_motion(at, x.v) / scheme.h;
  for (const Level level : {pos, vel, acc})
    out.enough[level] =
        std::max({scheme.options.tolerance * out.scale[level], 16 * epsilon * momentum, vanishing});
}

void linearise_prox(const Scheme& scheme, const StepData& x, const SystemValues& at, const Sets& sets,
                    Residuals& out) {
  for (int r = 0; r < at.set.rows(); r += sets.rows[r].size) {
    const Row& row = sets.rows[r];
    if (!row.prox || !sets.in[vel][r]) continue;
    ProxBlock& block = out.prox[r];
    block.weight = prox_residual(scheme, x, at, row, out.row[vel], block.residual, &block.J);
    if (row.kind == Row::normal) block.J(0, 0) = 1;  // in B: the edge counts as closed
  }
}

double rounding_of_row(Level level, const Scheme& scheme, const StepData& x, const SystemValues& at, int r) {
  const auto terms = [&](const Vec& of) {
    double sum = 0;
    for (const auto& [column, w] : at.set.Wt.row(r)) sum += std::abs(w * of[column]);
    return sum;
  };
  const auto places = [&] {
    if (x.q.size() == x.v.size()) return terms(x.q);
    double sum = 0;  // rotations on a manifold
    for (const auto& [column, w] : at.set.Wt.row(r)) sum += std::abs(w);
    return sum * largest(x.q);
  };
  double size = 0;
  if (level == pos)
    size = (places() + std::abs(at.set.gap[r])) / (scheme.h * scheme.h);
  else if (level == vel)
    size = terms(x.v) / scheme.h;
  else if (scheme.smooth == Condition::position)
    size = places() / scheme.cq;
  else if (scheme.on_velocities)
    size = terms(x.v) / scheme.cv;
  else
    size = terms(x.vdot) + (at.set.bias.empty() ? 0 : std::abs(at.set.bias[r]));
  return 16 * epsilon * size;
}

double rounding_of_forces(const StepData& x, const SystemValues& at) {
  if (!at.stiff) return 0;
  const bool flat = x.q.size() == x.v.size();
  const double far = flat ? 0 : largest(x.q);
  double most = 0;
  at.K.for_each([&](int i, int j, double k) {
    most = std::max(most, std::abs(k) * at.unit[i] * (flat ? std::abs(x.q[j]) : far));
  });
  return 8 * epsilon * most;
}

// Every residual against the forces, in units of force/√mass, with floors for what rounding leaves.
bool converged(const Scheme& scheme, const StepData& x, const SystemValues& at, const Sets& sets, bool first,
               Residuals& residuals, int& worst_row) {
  const double tol = scheme.options.tolerance;
  const double *size = residuals.size, *enough = residuals.enough;
  const int rows = at.set.rows();
  worst_row = -1;
  double worst = 0;
  const auto look = [&](double residual, double allowed, int row) {
    if (residual <= allowed) return;
    const double excess = allowed > 0 ? residual / allowed : infinity;
    if (!(excess <= worst)) worst = excess, worst_row = row;
  };
  if (size[acc] > enough[acc]) look(size[acc], enough[acc] + rounding_of_forces(x, at), -1);
  look(size[pos], enough[pos], -1);
  look(size[vel], enough[vel], -1);
  if (first && worst != 0) return false;
  const auto level = [&](Level l) {
    for (int r = 0; r < rows; ++r) {
      const double left = std::abs(residuals.row[l][r]), unit = at.row_unit[r];
      if (!sets.in[l][r])
        look(left / unit, enough[l], r);
      else if ((l != vel || !sets.rows[r].prox) && unit * left > enough[l])  // others below
        look(unit * left, enough[l] + unit * rounding_of_row(l, scheme, x, at, r), r);
    }
  };
  if (scheme.unknowns.U) level(pos);
  if (scheme.unknowns.V) level(vel);
  level(acc);
  if (sets.prox && scheme.unknowns.V)
    for (int r = 0; r < rows; r += sets.rows[r].size) {
      const Row& row = sets.rows[r];
      if (!row.prox || !sets.in[vel][r]) continue;
      double rest[max_block_rows];
      const double w = prox_residual(scheme, x, at, row, residuals.row[vel], rest);
      for (int k = 0; k < row.size; ++k)
        look(std::abs(rest[k]), at.row_unit[r] * enough[vel] + w * rounding_of_row(vel, scheme, x, at, r + k),
             r + k);
    }
  // Floors cannot know every rounding (a gap may be a difference of large numbers): a residual that is small
  // and does not shrink any more is one.
  const bool stalled =
      worst >= (scheme.coupled ? 0.25 : 0.9) * residuals.excess && worst * tol <= std::max(1e-8, 10 * tol);
  residuals.excess = worst;
  return worst == 0 || stalled;
}

}  // namespace saltus::generalized_alpha
