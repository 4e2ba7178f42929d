// A Newton iteration without damping and friction, where the rows are block triangular: positions, velocities
// and accelerations in turn, each seeing what the last one did to dv̇, dq₁ and dv₁ through these vectors
// (generalized_alpha_newton.cpp has the formulas). All three have Wᵀ M⁻¹ W, positions with what K adds.
//
// The same lines for two kinds of space: ShortSpace holds rows and columns in vectors whose length the
// compiler knows, so that an iteration of a pendulum takes half the instructions; LongSpace leaves everything
// sparse.
#include <algorithm>

#include "saltus/linalg/small.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"

namespace saltus {

template <int N>
struct GeneralizedAlphaStepper::ShortSpace {
  using Vector = Eigen::Matrix<double, N, 1>;
  GeneralizedAlphaStepper& s;
  Vector w[N], bend_v[N], bend_a[N], y[N], z[N], da, dq, dv, U, V;

  static void fill(const SparseRows& rows, int r, Vector& out) {
    out.setZero();
    for (const auto& [column, value] : rows.row(r)) out[column] = value;
  }
  explicit ShortSpace(GeneralizedAlphaStepper& of) : s(of) {
    da.setZero(), dq.setZero(), dv.setZero(), U.setZero(), V.setZero();
    for (int i = 0; i < s.n_; ++i) da[i] = s.da_[i], dq[i] = s.dq_[i], dv[i] = s.dv_[i];
    for (int j = 0; j < static_cast<int>(s.live_.size()); ++j) {
      const int r = s.live_[j];
      fill(s.set_.Wt, r, w[j]);
      y[j] = w[j];
      solve(s.mass_factor_, y[j].data());
      if (s.curved_rows_)
        fill(s.curvature_.velocity, r, bend_v[j]), fill(s.curvature_.acceleration, r, bend_a[j]);
      z[j].setZero();
      if (s.stiff_) multiply(s.K_, y[j].data(), z[j].data()), solve(s.factor_, z[j].data());
    }
  }
  double through_w(int i, const Vector& x) const { return w[i].dot(x); }
  double through_bend_v(int i, const Vector& x) const { return bend_v[i].dot(x); }
  double through_bend_a(int i, const Vector& x) const { return bend_a[i].dot(x); }
  const Vector& Y(int j) const { return y[j]; }
  const Vector& Z(int j) const { return z[j]; }
  void apply() {
    for (int i = 0; i < s.n_; ++i) s.a_smooth_[i] += da[i], s.U_[i] += U[i], s.V_[i] += V[i];
  }
};

struct GeneralizedAlphaStepper::LongSpace {
  GeneralizedAlphaStepper& s;
  Vec &da, &dq, &dv, &U, &V;
  explicit LongSpace(GeneralizedAlphaStepper& of)
      : s(of), da(of.da_), dq(of.dq_), dv(of.dv_), U(of.U_), V(of.V_) {
    s.prepare_columns({true, true, true});
  }
  using Column = Eigen::Map<const Vec>;
  double through_w(int i, const auto& x) const { return s.set_.Wt.dot(s.live_[i], x.data()); }
  double through_bend_v(int i, const Vec& x) const { return s.curvature_.velocity.dot(s.live_[i], x.data()); }
  double through_bend_a(int i, const Vec& x) const {
    return s.curvature_.acceleration.dot(s.live_[i], x.data());
  }
  Column Y(int j) const { return {s.column(s.Y_, s.live_[j]), s.n_}; }
  Column Z(int j) const { return {s.column(s.Z_, s.live_[j]), s.n_}; }
  void apply() { s.a_smooth_ += da; }
};

bool GeneralizedAlphaStepper::solve_in_turn() {
  constexpr int few = 4;
  if (linear_ || n_ > few || live_.size() > few) return solve_levels<LongSpace>();
  return solve_levels<ShortSpace<few>>();
}

template <class Space>
bool GeneralizedAlphaStepper::solve_levels() {
  Space x(*this);
  const int k = static_cast<int>(live_.size());
  const double h = h_, cq = cq_, cv = cv_;
  const bool stiff = stiff_, curved = curved_rows_;
  delassus_.resize(static_cast<std::size_t>(k) * k), block_.resize(delassus_.size());
  for (int j = 0, at = 0; j < k; ++j)
    for (int i = 0; i < k; ++i) delassus_[at++] = x.through_w(i, x.Y(j));
  const auto factorize = [&](Level level) {
    for (int j = 0, at = 0; j < k; ++j)
      for (int i = 0; i < k; ++i, ++at)
        block_[at] = delassus_[at] - (level == pos && stiff ? cq * x.through_w(i, x.Z(j)) : 0);
    for (int i = 0; i < k; ++i)
      if (!in_[level][live_[i]])
        for (int j = 0; j < k; ++j) block_[j * k + i] = i == j;
    return factor_small(k, block_.data(), pivot_.data());
  };
  // what the vectors do to a row so far, in acceleration units
  const auto base = [&](int i, Level level) {
    if (level == pos) return scales_[pos] * x.through_w(i, x.dq);
    if (level == vel) return scales_[vel] * (x.through_w(i, x.dv) + (curved ? x.through_bend_v(i, x.dq) : 0));
    const double w = x.through_w(i, x.da);
    if (smooth_ == Smooth::smooth_velocity)
      return scales_[acc] * (cv * w + (curved ? x.through_bend_v(i, x.dq) : 0));
    return curved ? w + x.through_bend_a(i, x.dq) + 2 * x.through_bend_v(i, x.dv) : w;
  };
  const auto solve_level = [&](Level level, bool kept) {  // kept: block_ has factors of these rows
    double* out = rhs_.data() + offset_[level];
    for (int i = 0; i < k; ++i) {
      const int r = live_[i];
      kept = kept && in_[level][r] == in_[level - 1][r];
      out[i] = in_[level][r] ? -left_[level][r] - base(i, level) : known_change(r, level, true);
    }
    if (!kept && !factorize(level)) return false;
    solve_small(k, block_.data(), pivot_.data(), out);
    return true;
  };

  if (!solve_level(pos, false)) return false;
  for (int j = 0; j < k; ++j) {
    const double f = h * h * rhs_[offset_[pos] + j];
    x.dq += f * x.Y(j);
    if (stiff) x.da -= f * x.Z(j), x.dq -= (cq * f) * x.Z(j), x.dv -= (cv * f) * x.Z(j);
  }
  if (!solve_level(vel, !stiff)) return false;
  for (int j = 0; j < k; ++j) x.dv += (h * rhs_[offset_[vel] + j]) * x.Y(j);
  if (!solve_level(acc, true)) return false;
  for (int j = 0; j < k; ++j) {
    const int r = live_[j];
    const double a = rhs_[offset_[acc] + j], dnu = h * h * rhs_[offset_[pos] + j] - cq * a,
                 dLambda = h * rhs_[offset_[vel] + j] - cv * a;
    lambda_[r] = in_[acc][r] ? lambda_[r] + a : 0;
    nu_[r] += dnu, Lambda_[r] += dLambda;
    x.da += a * x.Y(j), x.U += dnu * x.Y(j), x.V += dLambda * x.Y(j);
  }
  x.apply();
  return true;
}

}  // namespace saltus
