#include "saltus/scheme/generalized_alpha/newton_matrix.hpp"

#include <algorithm>

#include "saltus/linalg/small.hpp"

namespace saltus::generalized_alpha {

NewtonMatrix::NewtonMatrix(const Shape& shape) : n_(shape.nu), A_(n_, merge(shape.mass, shape.jacobian, n_)) {
  for (Vec* x : {&da_, &dq_, &dv_, &u2_, &u3_}) x->setZero(n_);
}

bool NewtonMatrix::factorize(const Coefficients& c, const SystemValues& at) {
  combine(at.M, at.stiff ? c.cq : 0, at.K, A_);
  if (at.damped) A_.add_scaled(-c.cv, at.Fv);
  forget_columns(at.set.rows());
  const bool fine = factor_.factorize(A_);
  h_ = fine ? c.h : -1;
  return fine;
}

bool NewtonMatrix::correct(const Equations& e, Unknowns& x) {
  const auto& [c, at, sets, left, mask] = e;
  number(e);
  // In the first iteration U, V, ν and Λ vanish, and in a linear system they satisfy their equations.
  const bool rests = x.corrected && !at.linear, pos_rest = mask.U && rests, vel_rest = mask.V && rests;
  if (pos_rest) u2_ = left.r2, solve(at.mass_factor, u2_.data()), x.U -= u2_;
  if (vel_rest) u3_ = left.r3, solve(at.mass_factor, u3_.data()), x.V -= u3_;
  if (mask.smooth) {
    for (int i = 0; i < n_; ++i) da_[i] = -left.r1[i];
    if (pos_rest && at.stiff) at.K.multiply_add(1, u2_, da_);
    if (vel_rest && at.damped) at.Fv.multiply_add(-1, u3_, da_);
    solve(factor_, da_.data());
  } else {
    da_.setZero();
  }
  for (int i = 0; i < n_; ++i) dq_[i] = c.cq * da_[i], dv_[i] = c.cv * da_[i];
  if (pos_rest) dq_ -= u2_;
  if (vel_rest) dv_ -= u3_;
  return mask.total() && !at.damped && !sets.prox ? solve_in_turn(e, x) : solve_together(e, x);
}

// The live rows: those that act, or whose multiplier must still change to be what an open contact's is.
// Unknowns and rows in the order positions, velocities, accelerations.
void NewtonMatrix::number(const Equations& e) {
  const Mask mask = e.mask;
  const auto& in = e.sets.in;
  const auto stirs = [&](int r, Level level) { return in[level][r] || e.left.row[level][r] != 0; };
  live_.clear();
  for (int r = 0, m = e.at.set.rows(); r < m; ++r) {
    const Row& row = e.sets.rows[r];
    if ((mask.U && stirs(r, pos)) || (mask.V && stirs(r, vel)) || (mask.smooth && stirs(r, acc)) ||
        (mask.V && row.prox && in[vel][row.first]))
      live_.push_back(r);
  }
  const int k = static_cast<int>(live_.size());
  offset_[vel] = mask.U ? k : 0;
  offset_[acc] = offset_[vel] + (mask.V ? k : 0);
  N_ = offset_[acc] + (mask.smooth ? k : 0);
  rhs_.resize(N_), pivot_.resize(N_);
}

void NewtonMatrix::prepare_columns(const Equations& e) {
  const SystemValues& at = e.at;
  const Mask mask = e.mask;
  const bool respond = mask.smooth && (mask.U || mask.V), total = mask.total();
  const std::size_t room = (slots_ + live_.size()) * n_;
  if (Y_.size() < room)
    for (auto* x : {&Y_, &Z_, &Zc_, &P_}) x->resize(room);
  for (int r : live_) {
    if (slot_[r] >= 0) continue;
    slot_[r] = slots_++;
    double *y = column(Y_, r), *z = column(Z_, r), *zc = column(Zc_, r), *p = column(P_, r);
    std::fill_n(y, n_, 0.0);
    if (e.c.plain_U)
      at.W0.add_to(r, 1, y);
    else if (e.c.corrects())
      at.set.Wt.add_to(r, 1, y), solve(at.mass_factor, y);
    if (!total) std::fill_n(p, n_, 0.0), at.set.Wt.add_to(r, 1, p);
    if (respond && mask.U && at.stiff) {
      multiply(at.K, y, z);
      if (!total)
        for (int i = 0; i < n_; ++i) p[i] += e.c.cq * z[i];
      solve(factor_, z);
    }
    if (respond && mask.V && at.damped) {
      multiply(at.Fv, y, zc);
      for (int i = 0; i < n_; ++i) zc[i] = -zc[i];
      factor_.solve(zc);
    }
    if (!total && (mask.smooth || at.linear)) factor_.solve(p);
  }
}

// Of the multiplier, ν̂, Λ̂ or λ, of a row that does not act.
double NewtonMatrix::known_change(const Equations& e, const Vec& lambda, int r, Level level) const {
  const Coefficients& c = e.c;
  double x = -e.left.row[level][r];
  if (c.relative && e.mask.smooth && level != acc && e.sets.rows[r].kind == Row::normal)
    x -= (level == pos ? c.cq / (c.h * c.h) : c.cv / c.h) * lambda[r];  // ν = 0 in terms of ν*
  return x;
}

}  // namespace saltus::generalized_alpha
