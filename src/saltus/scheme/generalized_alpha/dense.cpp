// The dense system of a Newton iteration in all rows that act or change at once: what is left when damping or
// friction couple the levels, and for the variants that have not all three. generalized_alpha_newton.cpp has
// the formulas.
#include <algorithm>
#include <cmath>

#include "saltus/linalg/small.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"

namespace saltus {

bool GeneralizedAlphaStepper::solve_together(Mask mask) {
  assemble(mask);
  if (!solve_blocks(mask)) return false;
  respond(mask);
  return true;
}

// The dense system, column-major.
void GeneralizedAlphaStepper::assemble(Mask mask) {
  const int k = static_cast<int>(live_.size());
  tabulate(mask);
  S_.assign(static_cast<std::size_t>(N_) * N_, 0.0);
  for (int i = 0; i < k; ++i) {
    if (mask.U) assemble_row(i, pos, mask);
    if (mask.V) assemble_row(i, vel, mask);
    if (mask.smooth) assemble_row(i, acc, mask);
  }
}

// What dv̇₀, dq₀, dv₀, that is the vectors' residuals by themselves, do to a row, in acceleration units.
double GeneralizedAlphaStepper::base(int row, Level level) const {
  const auto& W = set_.Wt;
  const double s = scales_[level];
  const auto bent = [&] { return curved_rows_ ? curvature_.velocity.dot(row, dq_.data()) : 0.0; };
  const auto position = [&] { return W.dot(row, dq_.data()); };
  const auto velocity = [&] { return W.dot(row, dv_.data()) + bent(); };
  const auto acceleration = [&] {
    double x = W.dot(row, da_.data());
    if (curved_rows_)
      x += curvature_.acceleration.dot(row, dq_.data()) + 2 * curvature_.velocity.dot(row, dv_.data());
    return x;
  };
  if (level == pos) return s * position();
  if (level == vel) return s * velocity();
  switch (smooth_) {
    case Smooth::position:
      return s * position();
    case Smooth::velocity:
      return s * velocity();
    case Smooth::smooth_velocity:
      return s * (cv_ * W.dot(row, da_.data()) + bent());
    case Smooth::baumgarte:
      return acceleration() + 2 * options_.alpha * velocity() + options_.beta * options_.beta * position();
    default:
      return acceleration();
  }
}

// The rows of W and of the curvature seen through the columns: everything a coefficient is made of.
void GeneralizedAlphaStepper::tabulate(Mask mask) {
  const int k = static_cast<int>(live_.size());
  const bool total = mask.total(), columns = mask.U || mask.V;
  const SparseRows* functionals[] = {&set_.Wt, &curvature_.velocity, &curvature_.acceleration};
  const int count = curved_rows_ ? 3 : 1;
  dots_.resize(static_cast<std::size_t>(count) * k * k);
  for (int f = 0; f < count; ++f)
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) {
        const SparseRows& rows = *functionals[f];
        const int row = live_[i], of = live_[j];
        Dots& d = dots_[(static_cast<std::size_t>(f) * k + i) * k + j];
        d = {};
        if (columns) d.y = rows.dot(row, column(Y_, of));
        if (mask.U && mask.smooth && stiff_) d.z = rows.dot(row, column(Z_, of));
        if (mask.V && mask.smooth && damped_) d.zc = rows.dot(row, column(Zc_, of));
        if (mask.smooth) d.p = total ? d.y : rows.dot(row, column(P_, of));
      }
}

// ∂(row of a level)/∂(unknown of live row j), in acceleration units. The effects of a unit of the unknown on
// dv̇, dq₁ and dv₁, seen through Wᵀ (w), ∂γ/∂q (d) and ∂γ̇/∂q (e).
double GeneralizedAlphaStepper::coefficient(int i, Level level, int j, Level unknown, Mask mask) const {
  const std::size_t k = live_.size(), at = static_cast<std::size_t>(i) * k + j;
  const double h2 = h_ * h_;
  const auto effect = [&](const Dots& x) -> Effect {
    if (unknown == pos) return {-h2 * x.z, h2 * (x.y - cq_ * x.z), -cv_ * h2 * x.z};
    if (unknown == vel) return {-h_ * x.zc, -cq_ * h_ * x.zc, h_ * (x.y - cv_ * x.zc)};
    return {x.p, cq_ * (x.p - (mask.U ? x.y : 0)), cv_ * (x.p - (mask.V ? x.y : 0))};
  };
  const Effect w = effect(dots_[at]);
  if (level == pos) return scales_[pos] * w.q;
  const Effect d = curved_rows_ ? effect(dots_[k * k + at]) : Effect{0, 0, 0};
  if (level == vel) return scales_[vel] * (w.v + d.q);
  const auto on_acceleration = [&] {
    return curved_rows_ ? w.a + effect(dots_[2 * k * k + at]).q + 2 * d.v : w.a;
  };
  switch (smooth_) {
    case Smooth::position:
      return scales_[acc] * w.q;
    case Smooth::velocity:
      return scales_[acc] * (w.v + d.q);
    case Smooth::smooth_velocity:
      return scales_[acc] * (cv_ * w.a + d.q);
    case Smooth::baumgarte:
      return on_acceleration() + 2 * options_.alpha * (w.v + d.q) + options_.beta * options_.beta * w.q;
    default:
      return on_acceleration();
  }
}

void GeneralizedAlphaStepper::assemble_row(int i, Level level, Mask mask) {
  const int r = live_[i], row = offset_[level] + i, k = static_cast<int>(live_.size());
  const auto entry = [&](Level unknown, int j) -> double& {
    return S_[static_cast<std::size_t>(offset_[unknown] + j) * N_ + row];
  };
  const RowInfo& info = info_[r];
  if (!in_[level][r]) {  // a known multiplier
    entry(level, i) = 1;
    rhs_[row] = known_change(r, level, mask.smooth);
    if (level == pos && info.kind != Kind::normal && mask.V) entry(vel, i) = -carried_[r];
    return;
  }
  if (level == vel && info.prox) return assemble_prox(i, mask);
  const bool total = mask.total();  // then λ moves neither q₁ nor v₁
  for (int j = 0; j < k; ++j) {
    if (mask.U) entry(pos, j) = coefficient(i, level, j, pos, mask);
    if (mask.V && (level != pos || damped_)) entry(vel, j) = coefficient(i, level, j, vel, mask);
    if (mask.smooth && (level == acc || !total)) entry(acc, j) = coefficient(i, level, j, acc, mask);
  }
  rhs_[row] = -left_[level][r] - base(r, level);
}

// Friction and laws without a gap: Λ̂ − prox(Λ̂ − r y) = 0, divided by r, y the velocity over h.
void GeneralizedAlphaStepper::assemble_prox(int i, Mask mask) {
  const int r = live_[i], k = static_cast<int>(live_.size()), row = offset_[vel] + i;
  const RowInfo& info = info_[r];
  const double w = weight(info.first);
  double x[max_block_rows], y[max_block_rows], P[max_block_rows];
  for (int b = 0; b < info.size; ++b) {
    P[b] = Lambda_star_[info.first + b] / h_;
    y[b] = left_[vel][info.first + b];
    x[b] = P[b] - w * y[b];
  }
  BlockMatrix J;
  prox_jacobian(*info.law, 1, x, J);
  if (info.kind == Kind::normal) J(0, 0) = 1;  // in B: the edge counts as closed
  prox(*info.law, 1, x);
  const int own = r - info.first;
  const auto add = [&](Level unknown, int j, double value) {
    S_[static_cast<std::size_t>(offset_[unknown] + j) * N_ + row] += value;
  };
  rhs_[row] = -(P[own] - x[own]) / w;
  add(vel, i, 1 / w);
  for (int b = 0; b < info.size; ++b) {
    const double d = J(own, b);
    if (d == 0) continue;
    const int rb = info.first + b;
    const int ib = static_cast<int>(std::lower_bound(live_.begin(), live_.end(), rb) - live_.begin());
    add(vel, ib, -d / w);
    rhs_[row] -= d * base(rb, vel);
    for (int j = 0; j < k; ++j) {
      if (mask.U) add(pos, j, d * coefficient(ib, vel, j, pos, mask));
      add(vel, j, d * coefficient(ib, vel, j, vel, mask));
      if (mask.smooth) add(acc, j, d * coefficient(ib, vel, j, acc, mask));
    }
  }
}

bool GeneralizedAlphaStepper::solve_blocks(Mask mask) {
  const int k = static_cast<int>(live_.size());
  int ends[3], blocks = 0;
  const bool total = mask.U && mask.V;
  const bool joint = damped_ || (prox_rows_ && total) || options_.levels == GeneralizedAlpha::Levels::pv73;
  if (mask.U && !(joint && (total || mask.smooth))) ends[blocks++] = k;
  if (mask.V && (mask.smooth || !mask.U)) ends[blocks++] = (mask.U ? 2 : 1) * k;
  if (blocks == 0 || ends[blocks - 1] != N_) ends[blocks++] = N_;
  for (int b = 0, first = 0; b < blocks; first = ends[b], ++b) {
    const int size = ends[b] - first;
    if (size == 0) continue;
    for (int j = 0; j < first; ++j)
      for (int i = first; i < ends[b]; ++i) rhs_[i] -= S_[static_cast<std::size_t>(j) * N_ + i] * rhs_[j];
    block_.resize(static_cast<std::size_t>(size) * size);
    for (int j = 0; j < size; ++j)
      std::copy_n(S_.data() + static_cast<std::size_t>(first + j) * N_ + first, size,
                  block_.data() + static_cast<std::size_t>(j) * size);
    if (!factor_small(size, block_.data(), pivot_.data())) return false;
    solve_small(size, block_.data(), pivot_.data(), rhs_.data() + first);
  }
  return true;
}

// What the multipliers of positions and velocities do to the smooth motion.
void GeneralizedAlphaStepper::respond(Mask mask) {
  if (!mask.smooth) return;
  const auto subtract = [this](double f, const double* x) {
    for (int i = 0; i < n_; ++i) da_[i] -= f * x[i];
  };
  for (int i = 0; i < static_cast<int>(live_.size()); ++i) {
    if (mask.U && stiff_) subtract(h_ * h_ * rhs_[offset_[pos] + i], column(Z_, live_[i]));
    if (mask.V && damped_) subtract(h_ * rhs_[offset_[vel] + i], column(Zc_, live_[i]));
  }
}

void GeneralizedAlphaStepper::apply(Mask mask) {
  const auto& P = mask.total() ? Y_ : P_;
  const auto add = [this](double s, const double* x, Vec& y) {
    if (s == 0) return;
    for (int i = 0; i < n_; ++i) y[i] += s * x[i];
  };
  if (mask.smooth) a_smooth_ += da_;
  for (int i = 0; i < static_cast<int>(live_.size()); ++i) {
    const int r = live_[i];
    const double x = mask.U ? rhs_[offset_[pos] + i] : 0, y = mask.V ? rhs_[offset_[vel] + i] : 0,
                 z = mask.smooth ? rhs_[offset_[acc] + i] : 0;
    if (mask.smooth) {
      lambda_[r] = in_[acc][r] ? lambda_[r] + z : 0;
      add(z, column(P, r), a_smooth_);
    }
    if (mask.U) {
      const double d = h_ * h_ * x - cq_ * z;
      nu_[r] += d;
      add(d, column(Y_, r), U_);
    }
    if (mask.V) {
      const double d = h_ * y - cv_ * z;
      Lambda_[r] += d;
      add(d, column(Y_, r), V_);
    }
  }
}

}  // namespace saltus
