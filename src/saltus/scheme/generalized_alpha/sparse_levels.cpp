#include "saltus/scheme/generalized_alpha/sparse_levels.hpp"

#include <algorithm>
#include <utility>

namespace saltus::generalized_alpha {
namespace {

/// What dq₁, dv₁ and dv̇ do to a row, for its condition.
struct Change {
  const SystemValues& at;
  double cv;
  const double *dq, *dv, *da;
  int row;
  double bent() const { return at.curved ? at.curvature.velocity.dot(row, dq) : 0; }
  double position() const { return at.set.Wt.dot(row, dq); }
  double velocity() const { return at.set.Wt.dot(row, dv) + bent(); }
  double smooth_velocity() const { return cv * at.set.Wt.dot(row, da) + bent(); }
  double acceleration() const {
    double x = at.set.Wt.dot(row, da);
    if (at.curved) x += at.curvature.acceleration.dot(row, dq) + 2 * at.curvature.velocity.dot(row, dv);
    return x;
  }
};

}  // namespace

bool is_weak(const Matrix& B, double c, const Vec& inverse_mass) {
  constexpr double weak = 0.05;
  double most = 0;
  B.for_each(
      [&](int i, int j, double x) { most = std::max(most, x * x * inverse_mass[i] * inverse_mass[j]); });
  return c * c * most <= weak * weak;
}

SparseLevels::SparseLevels(int n) : n_(n) {
  for (Vec& d : d_) d.setZero(n);
}

bool SparseLevels::same_rows(const Equations& e, Level a, Level b) const {
  return e.sets.in[a] == e.sets.in[b];
}

void SparseLevels::choose_rows(const Equations& e, Level level) {
  Factored& f = levels_[level];
  f.rows.clear(), f.Wt.clear();
  for (int r = 0; r < e.at.set.rows(); ++r)
    if (e.sets.in[level][r]) {
      f.rows.push_back(r);
      f.Wt.append_row(std::as_const(e.at.set.Wt).row(r));
    }
}

// Positions have M + cq K + cv C, velocities M + cv C, accelerations M. What is the same is factorised once.
bool SparseLevels::factorize(const Equations& e, Level level) {
  used_[level] = &levels_[level];
  if (level == vel && !damped_ && !stiff_ && same_rows(e, vel, pos)) return used_[vel] = used_[pos], true;
  if (level == acc && !damped_) {
    if (same_rows(e, acc, vel)) return used_[acc] = used_[vel], true;
    if (!stiff_ && same_rows(e, acc, pos)) return used_[acc] = used_[pos], true;
  }
  choose_rows(e, level);
  Factored& f = levels_[level];
  using Factor = SaddleFactor<double>;
  Factor::Block blocks[3] = {{1, &e.at.M}, {}, {}};
  int count = 1;
  if (level == pos && stiff_) blocks[count++] = {e.c.cq, &e.at.K};
  if (level != acc && damped_) blocks[count++] = {-e.c.cv, &e.at.Fv};
  const Factor::Rows rows[1] = {{1, &f.Wt}};
  return f.factor.factorize({{blocks, static_cast<std::size_t>(count)}, rows, &f.Wt, {}});
}

// d_[level] has the forces, and becomes the motion.
bool SparseLevels::solve(const Equations& e, Level level, double unit) {
  if (!factorize(e, level)) return false;
  const SystemValues& at = e.at;
  Vec &d = d_[level], &change = change_[level];
  for (int r = 0; r < at.set.rows(); ++r)
    if (!e.sets.in[level][r]) {
      change[r] = -e.left.row[level][r];
      if (change[r] != 0) at.set.Wt.add_to(r, unit * change[r], d.data());
    }
  Factored& f = *used_[level];
  const int m = static_cast<int>(f.rows.size());
  x_.resize(static_cast<std::size_t>(n_) + m);
  std::copy_n(d.data(), n_, x_.data());
  d.setZero();
  const Condition& condition = e.c.conditions[level];
  for (int k = 0; k < m; ++k) {
    const int r = f.rows[k];
    // the row's own value is that of d = 0; conditions are scaled to accelerations
    const double rest = -e.left.row[level][r] -
                        condition(Change{at, e.c.cv, d_[pos].data(), d_[vel].data(), d_[acc].data(), r});
    x_[n_ + k] = unit * rest;
  }
  if (f.factor.redundant())
    f.factor.solve_least_norm(x_.data());
  else
    f.factor.solve(x_.data());
  std::copy_n(x_.data(), n_, d.data());
  for (int k = 0; k < m; ++k) change[f.rows[k]] = x_[n_ + k] / unit;
  return true;
}

bool SparseLevels::correct(const Equations& e, Unknowns& x) {
  const auto& [c, at, sets, left, mask] = e;
  const double h = c.h, cq = c.cq, cv = c.cv;
  const bool rests = x.corrected && !at.linear;
  stiff_ = at.stiff && !is_weak(at.K, cq, at.inverse_mass);
  damped_ = at.damped && !is_weak(at.Fv, cv, at.inverse_mass);
  for (Vec& y : change_) y.resize(at.set.rows());
  for (Vec& d : d_) d.setZero();

  d_[pos] = -cq * left.r1;
  if (rests) d_[pos] -= left.r2;
  if (!solve(e, pos, h * h)) return false;
  d_[vel] = -cv * left.r1;
  if (at.stiff) at.K.multiply_add(-cv, d_[pos], d_[vel]);
  if (rests) d_[vel] -= left.r3;
  if (!solve(e, vel, h)) return false;
  d_[acc] = -left.r1;
  if (at.stiff) at.K.multiply_add(-1, d_[pos], d_[acc]);
  if (at.damped) at.Fv.multiply_add(1, d_[vel], d_[acc]);
  if (!solve(e, acc, 1)) return false;

  x.vdot += d_[acc];
  x.U += d_[pos] - cq * d_[acc], x.V += d_[vel] - cv * d_[acc];
  for (int r = 0; r < at.set.rows(); ++r) {
    const double a = change_[acc][r];
    x.lambda[r] = sets.in[acc][r] ? x.lambda[r] + a : 0;
    x.nu[r] += h * h * change_[pos][r] - cq * a;
    x.Lambda[r] += h * change_[vel][r] - cv * a;
  }
  return true;
}

}  // namespace saltus::generalized_alpha
