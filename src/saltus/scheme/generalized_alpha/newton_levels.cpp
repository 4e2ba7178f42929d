// A Newton iteration without damping and friction, where the rows are block triangular: positions, velocities
// and accelerations in turn, each seeing what the last one did to dv̇, dq₁ and dv₁ through these vectors
// (newton_matrix.hpp has the formulas). All three have Wᵀ M⁻¹ W, positions with what K adds.
//
// The same lines for two kinds of space: ShortSpace holds rows and columns in vectors whose length the
// compiler knows, so that an iteration of a pendulum takes half the instructions; LongSpace leaves everything
// sparse.
#include "saltus/linalg/small.hpp"
#include "saltus/scheme/generalized_alpha/newton_matrix.hpp"

namespace saltus::generalized_alpha {

/// What the vectors do to a live row so far, for its condition.
template <class Space>
struct NewtonMatrix::SpaceChange {
  const Space& s;
  int i;
  bool curved;
  double cv;
  double bent() const { return curved ? s.seen(through_bend_v, i, s.dq) : 0; }
  double position() const { return s.seen(through_W, i, s.dq); }
  double velocity() const { return s.seen(through_W, i, s.dv) + bent(); }
  double smooth_velocity() const { return cv * s.seen(through_W, i, s.da) + bent(); }
  double acceleration() const {
    const double w = s.seen(through_W, i, s.da);
    return curved ? w + s.seen(through_bend_a, i, s.dq) + 2 * s.seen(through_bend_v, i, s.dv) : w;
  }
};

template <int N>
struct NewtonMatrix::ShortSpace {
  using Vector = Eigen::Matrix<double, N, 1>;
  int n;
  Vector rows[3][N], y[N], z[N], da, dq, dv, U, V;

  ShortSpace(const NewtonMatrix& matrix, const SystemValues& at) : n(matrix.n_) {
    da.setZero(), dq.setZero(), dv.setZero(), U.setZero(), V.setZero();
    for (int i = 0; i < n; ++i) da[i] = matrix.da_[i], dq[i] = matrix.dq_[i], dv[i] = matrix.dv_[i];
    for (int j = 0; j < static_cast<int>(matrix.live_.size()); ++j) {
      const auto fill = [&](Functional f) {
        rows[f][j].setZero();
        for (const auto& [column, value] : functional(at, f).row(matrix.live_[j])) rows[f][j][column] = value;
      };
      fill(through_W);
      if (at.curved) fill(through_bend_v), fill(through_bend_a);
      y[j] = rows[through_W][j];
      solve(at.mass_factor, y[j].data());
      z[j].setZero();
      if (at.stiff) multiply(at.K, y[j].data(), z[j].data()), solve(matrix.factor_, z[j].data());
    }
  }
  double seen(Functional f, int i, const Vector& x) const { return rows[f][i].dot(x); }
  const Vector& Y(int j) const { return y[j]; }
  const Vector& Z(int j) const { return z[j]; }
  void apply(Unknowns& x) const {
    for (int i = 0; i < n; ++i) x.vdot[i] += da[i], x.U[i] += U[i], x.V[i] += V[i];
  }
};

struct NewtonMatrix::LongSpace {
  using Column = Eigen::Map<const Vec>;
  const NewtonMatrix& matrix;
  const SystemValues& at;
  Vec &da, &dq, &dv, &U, &V;

  LongSpace(NewtonMatrix& of, const Equations& e, Unknowns& x)
      : matrix(of), at(e.at), da(of.da_), dq(of.dq_), dv(of.dv_), U(x.U), V(x.V) {
    of.prepare_columns(e);
  }
  double seen(Functional f, int i, const auto& x) const {
    return functional(at, f).dot(matrix.live_[i], x.data());
  }
  Column Y(int j) const { return {matrix.column(matrix.Y_, matrix.live_[j]), matrix.n_}; }
  Column Z(int j) const { return {matrix.column(matrix.Z_, matrix.live_[j]), matrix.n_}; }
  void apply(Unknowns& x) const { x.vdot += da; }
};

bool NewtonMatrix::solve_in_turn(const Equations& e, Unknowns& x) {
  constexpr int few = 4;
  if (e.at.linear || n_ > few || live_.size() > few) {
    LongSpace space(*this, e, x);
    return solve_levels(e, space, x);
  }
  ShortSpace<few> space(*this, e.at);
  return solve_levels(e, space, x);
}

template <class Space>
bool NewtonMatrix::solve_levels(const Equations& e, Space& s, Unknowns& x) {
  const int k = static_cast<int>(live_.size());
  const double h = e.c.h, cq = e.c.cq, cv = e.c.cv;
  const bool stiff = e.at.stiff, curved = e.at.curved;
  const auto& in = e.sets.in;
  const Vec* left = e.left.row;
  delassus_.resize(static_cast<std::size_t>(k) * k), block_.resize(delassus_.size());
  for (int j = 0, at = 0; j < k; ++j)
    for (int i = 0; i < k; ++i) delassus_[at++] = s.seen(through_W, i, s.Y(j));
  const auto factorize = [&](Level level) {
    for (int j = 0, at = 0; j < k; ++j)
      for (int i = 0; i < k; ++i, ++at)
        block_[at] = delassus_[at] - (level == pos && stiff ? cq * s.seen(through_W, i, s.Z(j)) : 0);
    for (int i = 0; i < k; ++i)
      if (!in[level][live_[i]])
        for (int j = 0; j < k; ++j) block_[j * k + i] = i == j;
    return factor_small(k, block_.data(), pivot_.data());
  };
  const auto solve_level = [&](Level level, bool kept) {  // kept: block_ has factors of these rows
    double* out = rhs_.data() + offset_[level];
    const Condition& condition = e.c.conditions[level];
    for (int i = 0; i < k; ++i) {
      const int r = live_[i];
      kept = kept && in[level][r] == in[level - 1][r];
      out[i] = in[level][r] ? -left[level][r] - condition(SpaceChange<Space>{s, i, curved, cv})
                            : known_change(e, x.lambda, r, level);
    }
    if (!kept && !factorize(level)) return false;
    solve_small(k, block_.data(), pivot_.data(), out);
    return true;
  };

  if (!solve_level(pos, false)) return false;
  for (int j = 0; j < k; ++j) {
    const double f = h * h * rhs_[offset_[pos] + j];
    s.dq += f * s.Y(j);
    if (stiff) s.da -= f * s.Z(j), s.dq -= (cq * f) * s.Z(j), s.dv -= (cv * f) * s.Z(j);
  }
  if (!solve_level(vel, !stiff)) return false;
  for (int j = 0; j < k; ++j) s.dv += (h * rhs_[offset_[vel] + j]) * s.Y(j);
  if (!solve_level(acc, true)) return false;
  for (int j = 0; j < k; ++j) {
    const int r = live_[j];
    const double a = rhs_[offset_[acc] + j], dnu = h * h * rhs_[offset_[pos] + j] - cq * a,
                 dLambda = h * rhs_[offset_[vel] + j] - cv * a;
    x.lambda[r] = in[acc][r] ? x.lambda[r] + a : 0;
    x.nu[r] += dnu, x.Lambda[r] += dLambda;
    s.da += a * s.Y(j), s.U += dnu * s.Y(j), s.V += dLambda * s.Y(j);
  }
  s.apply(x);
  return true;
}

}  // namespace saltus::generalized_alpha
