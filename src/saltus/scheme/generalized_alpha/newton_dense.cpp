// The rows of a Newton iteration as one dense system, in units of accelerations: what is left when damping or
// friction couple the levels, and for the variants that have not all three. newton_matrix.hpp has the
// formulas.
#include <algorithm>

#include "saltus/linalg/small.hpp"
#include "saltus/scheme/generalized_alpha/newton_matrix.hpp"

namespace saltus::generalized_alpha {

/// What dv̇₀, dq₀, dv₀, that is the vectors' residuals by themselves, do to a row.
struct NewtonMatrix::BaseChange {
  const SystemValues& at;
  double cv;
  const double *da, *dq, *dv;
  int row;
  double through(const SparseRows& rows, const double* x) const { return rows.dot(row, x); }
  double bent() const { return at.curved ? through(at.curvature.velocity, dq) : 0; }
  double position() const { return through(at.set.Wt, dq); }
  double velocity() const { return through(at.set.Wt, dv) + bent(); }
  double smooth_velocity() const { return cv * through(at.set.Wt, da) + bent(); }
  double acceleration() const {
    double x = through(at.set.Wt, da);
    if (at.curved) x += through(at.curvature.acceleration, dq) + 2 * through(at.curvature.velocity, dv);
    return x;
  }
};

/// What a unit of an unknown does to a row: its effects seen through Wᵀ, ∂γ/∂q and ∂γ̇/∂q.
struct NewtonMatrix::UnitChange {
  const Effect* seen;
  std::size_t stride;  // from one of the three to the next, or 0: nothing is curved
  double cv;
  double bent() const { return stride ? seen[stride].q : 0; }
  double position() const { return seen->q; }
  double velocity() const { return seen->v + bent(); }
  double smooth_velocity() const { return cv * seen->a + bent(); }
  double acceleration() const { return stride ? seen->a + seen[2 * stride].q + 2 * seen[stride].v : seen->a; }
};

bool NewtonMatrix::solve_together(const Equations& e, Unknowns& x) {
  prepare_columns(e);
  tabulate(e);
  S_.assign(static_cast<std::size_t>(N_) * N_, 0.0);
  for (int i = 0; i < static_cast<int>(live_.size()); ++i) {
    if (e.mask.U) assemble_row(e, x.lambda, i, pos);
    if (e.mask.V) assemble_row(e, x.lambda, i, vel);
    if (e.mask.smooth) assemble_row(e, x.lambda, i, acc);
  }
  if (!solve_blocks(e)) return false;
  apply(e, x);
  return true;
}

// The columns seen through the rows of W and of the curvature: everything a coefficient is made of.
void NewtonMatrix::tabulate(const Equations& e) {
  const SystemValues& at = e.at;
  const Mask mask = e.mask;
  const double h = e.c.h, h2 = h * h, cq = e.c.cq, cv = e.c.cv;
  const bool use_y = mask.U || mask.V, use_z = mask.U && mask.smooth && at.stiff,
             use_zc = mask.V && mask.smooth && at.damped, use_p = mask.smooth && !mask.total();
  const int count = at.curved ? 3 : 1;
  const std::size_t k = live_.size();
  effects_.resize(3 * count * k * k);
  for (int f = through_W; f < count; ++f)
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j) {
        const auto through = [&](const std::vector<double>& columns) {
          return functional(at, f).dot(live_[i], column(columns, live_[j]));
        };
        const double y = use_y ? through(Y_) : 0, z = use_z ? through(Z_) : 0, zc = use_zc ? through(Zc_) : 0,
                     p = use_p ? through(P_) : y;
        Effect* out = &effects_[(3 * f * k + i) * k + j];
        if (mask.U) out[pos * k * k] = {-h2 * z, h2 * (y - cq * z), -cv * h2 * z};
        if (mask.V) out[vel * k * k] = {-h * zc, -cq * h * zc, h * (y - cv * zc)};
        if (mask.smooth) out[acc * k * k] = {p, cq * (p - (mask.U ? y : 0)), cv * (p - (mask.V ? y : 0))};
      }
}

void NewtonMatrix::assemble_row(const Equations& e, const Vec& lambda, int i, Level level) {
  const int r = live_[i], row = offset_[level] + i;
  const Row& info = e.sets.rows[r];
  if (!e.sets.in[level][r]) {  // a known multiplier
    entry(row, level, i) = 1;
    rhs_[row] = known_change(e, lambda, r, level);
    if (level == pos && info.kind != Row::normal && e.mask.V) entry(row, vel, i) = -e.sets.carried[r];
  } else if (level == vel && info.prox) {  // divided by the weight; the contact's rows are all live
    const ProxBlock& block = e.left.prox[info.first];
    const int own = r - info.first;
    rhs_[row] = -block.residual[own] / block.weight;
    entry(row, vel, i) += 1 / block.weight;
    for (int b = 0; b < info.size; ++b) {
      const double d = block.J(own, b);
      if (d == 0) continue;
      entry(row, vel, i - own + b) += -d / block.weight;
      add_condition(e, d, i - own + b, level, row);
    }
  } else {
    rhs_[row] = -e.left.row[level][r];
    add_condition(e, 1, i, level, row);
  }
}

// The condition of live row i, times a factor, to a row of the dense system.
void NewtonMatrix::add_condition(const Equations& e, double factor, int i, Level level, int row) {
  const std::size_t k = live_.size(), stride = e.at.curved ? 3 * k * k : 0;
  const Mask mask = e.mask;
  const Condition& condition = e.c.conditions[level];
  const double cv = e.c.cv;
  const auto add = [&](Level unknown) {
    const Effect* effects = &effects_[(unknown * k + i) * k];
    for (std::size_t j = 0; j < k; ++j)
      entry(row, unknown, static_cast<int>(j)) += factor * condition(UnitChange{effects + j, stride, cv});
  };
  if (mask.U) add(pos);
  if (mask.V && (level != pos || e.at.damped)) add(vel);
  if (mask.smooth && (level == acc || !mask.total())) add(acc);  // else λ moves neither q₁ nor v₁
  rhs_[row] -= factor * condition(BaseChange{e.at, cv, da_.data(), dq_.data(), dv_.data(), live_[i]});
}

// Forward substitution by blocks: a level that no later one acts on is a block of its own.
bool NewtonMatrix::solve_blocks(const Equations& e) {
  const int k = static_cast<int>(live_.size());
  const Mask mask = e.mask;
  int ends[3], blocks = 0;
  const bool both = mask.U && mask.V, joint = e.at.damped || (e.sets.prox && both) || e.c.plain_U;
  if (mask.U && !(joint && (both || mask.smooth))) ends[blocks++] = k;
  if (mask.V && (mask.smooth || !mask.U)) ends[blocks++] = (mask.U ? 2 : 1) * k;
  if (blocks == 0 || ends[blocks - 1] != N_) ends[blocks++] = N_;
  for (int b = 0, first = 0; b < blocks; first = ends[b], ++b) {
    const int size = ends[b] - first;
    if (size == 0) continue;
    const auto S = [&](int i, int j) { return S_.data() + static_cast<std::size_t>(j) * N_ + i; };
    for (int j = 0; j < first; ++j)
      for (int i = first; i < ends[b]; ++i) rhs_[i] -= *S(i, j) * rhs_[j];
    block_.resize(static_cast<std::size_t>(size) * size);
    for (int j = 0; j < size; ++j)
      std::copy_n(S(first, first + j), size, block_.data() + static_cast<std::size_t>(j) * size);
    if (!factor_small(size, block_.data(), pivot_.data())) return false;
    solve_small(size, block_.data(), pivot_.data(), rhs_.data() + first);
  }
  return true;
}

void NewtonMatrix::apply(const Equations& e, Unknowns& x) {
  const double h = e.c.h, cq = e.c.cq, cv = e.c.cv;
  const Mask mask = e.mask;
  const int k = static_cast<int>(live_.size());
  const auto add = [this](double s, const double* from, Vec& to) {
    if (s == 0) return;
    for (int i = 0; i < n_; ++i) to[i] += s * from[i];
  };
  // what the multipliers of positions and velocities do to the smooth motion
  for (int i = 0; i < k && mask.smooth; ++i) {
    if (mask.U && e.at.stiff) add(-(h * h * rhs_[offset_[pos] + i]), column(Z_, live_[i]), da_);
    if (mask.V && e.at.damped) add(-(h * rhs_[offset_[vel] + i]), column(Zc_, live_[i]), da_);
  }
  if (mask.smooth) x.vdot += da_;
  for (int i = 0; i < k; ++i) {
    const int r = live_[i];
    const double dlambda = mask.smooth ? rhs_[offset_[acc] + i] : 0;
    if (mask.smooth) {
      x.lambda[r] = e.sets.in[acc][r] ? x.lambda[r] + dlambda : 0;
      add(dlambda, column(mask.total() ? Y_ : P_, r), x.vdot);
    }
    if (mask.U) {
      const double dnu = h * h * rhs_[offset_[pos] + i] - cq * dlambda;
      x.nu[r] += dnu;
      add(dnu, column(Y_, r), x.U);
    }
    if (mask.V) {
      const double dLambda = h * rhs_[offset_[vel] + i] - cv * dlambda;
      x.Lambda[r] += dLambda;
      add(dLambda, column(Y_, r), x.V);
    }
  }
}

}  // namespace saltus::generalized_alpha
