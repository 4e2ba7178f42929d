// Which rows of generalized-α act, what is left of its equations, and when that is little enough.
#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"
#include "saltus/linalg/small.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"

namespace saltus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int most_flips = 3;

}  // namespace

// The sets (55)-(57); true when one of them changed. Joints and forces stay where list_rows() put them.
bool GeneralizedAlphaStepper::find_sets() {
  bool changed = false;
  const auto put = [&](char& old, bool now) { changed = changed || (old != 0) != now, old = now; };
  for (int r = 0; r < m_; ++r) {
    const RowInfo& i = info_[r];
    if (i.kind == Kind::tangent) put(in_[vel][r], in_[vel][i.first] != 0);
    if (i.kind != Kind::normal) continue;
    const double w = weight(r);
    const bool A = nu_star_[r] - w * set_.gap[r] >= 0;
    const bool B = A && Lambda_star_[r] - w * (gamma_[r] + rebound_[r]) >= 0;
    const bool S = B && smooth_ == Smooth::acceleration && options_.strategy == 3 &&
                   lambda_[r] - w * row_acceleration_[r] >= 0;
    if (prox_rows_ && (in_[vel][r] != 0) != B) stay_off_positions(r);
    put(in_[pos][r], A), put(in_[vel][r], B), put(in_[acc][r], S);
  }
  return changed;
}

// Friction that a closed contact carries to the positions may lift the body off, while without contact it
// falls in: a step without a solution, where elasticity couples the directions. A contact that closes and
// opens again and again in the iteration keeps its friction to the velocities, for this step: then gaps do
// not see it.
void GeneralizedAlphaStepper::stay_off_positions(int normal) {
  const RowInfo& i = info_[normal];
  if (++flips_[normal] > most_flips)
    for (int k = 1; k < i.size; ++k) carried_[normal + k] = 0;
}

// r₁ = M v̇ − W λ − f, r₂ = M U − W ν, r₃ = M V − W Λ, the sizes of the forces in them, and the rows.
void GeneralizedAlphaStepper::residuals() {
  system_.force(t_, view_->q, view_->v, view_->force);
  multiply(M_, a_smooth_.data(), r1_.data());
  std::fill_n(work_.data(), n_, 0.0);
  for (int r = 0; r < m_; ++r)
    if (lambda_[r] != 0) set_.Wt.add_to(r, lambda_[r], work_.data());
  double scale = 0, size = 0;
  for (int i = 0; i < n_; ++i) {
    const double inertia = r1_[i], f = force_[i], w = work_[i], rest = inertia - f - w;
    scale = std::max(scale, std::max(std::abs(f), std::max(std::abs(inertia), std::abs(w))));
    size = std::max(size, std::abs(rest));
    r1_[i] = rest;
  }
  std::fill_n(scale_, 3, scale);
  size_[acc] = size, size_[pos] = size_[vel] = 0;
  row_residuals();
  if (!moved_) return;  // U, V, ν and Λ vanish
  const auto correction = [&](Level level, const Vec& x, const Vec& multiplier, double unit, Vec& out) {
    multiply(M_, x.data(), out.data());
    scale_[level] += largest(out) * unit;
    for (int r = 0; r < m_; ++r)
      if (multiplier[r] != 0) set_.Wt.add_to(r, -multiplier[r], out.data());
    size_[level] = largest(out) * unit;
  };
  if (options_.levels == GeneralizedAlpha::Levels::pv73) {
    r2_.setZero();  // U = W₀ ν by construction
    scale_[pos] += largest(U_) / (h_ * h_);
  } else if (has_U_) {
    correction(pos, U_, nu_, 1 / (h_ * h_), r2_);
  }
  if (has_V_) correction(vel, V_, Lambda_, 1 / h_, r3_);
}

// Of a row that acts its violation, in acceleration units; of another one the multiplier that should vanish,
// in force units.
void GeneralizedAlphaStepper::row_residuals() {
  const bool star = options_.inactive == GeneralizedAlpha::Inactive::star;
  const double per_h = 1 / h_, per_h2 = per_h * per_h, s = scales_[acc];
  const auto smooth = [&](int r) {
    switch (smooth_) {
      case Smooth::position:
        return s * set_.gap[r];
      case Smooth::velocity:
        return s * gamma_[r];
      case Smooth::smooth_velocity:
        return s * (gamma_[r] - set_.Wt.dot(r, V_.data()));
      case Smooth::baumgarte:
        return row_acceleration_[r] + 2 * options_.alpha * gamma_[r] +
               options_.beta * options_.beta * set_.gap[r];
      default:
        return row_acceleration_[r];
    }
  };
  for (int r = 0; r < m_; ++r) {
    const Kind kind = info_[r].kind;
    const bool total = star || kind != Kind::normal;
    left_[acc][r] = in_[acc][r] ? smooth(r) : lambda_[r];
    if (has_V_)
      left_[vel][r] = per_h * (in_[vel][r] ? gamma_[r] + rebound_[r] : total ? Lambda_star_[r] : Lambda_[r]);
    if (!has_U_) continue;
    if (in_[pos][r])
      left_[pos][r] = per_h2 * set_.gap[r];
    else if (kind == Kind::normal)
      left_[pos][r] = per_h2 * (star ? nu_star_[r] : nu_[r]);
    else
      left_[pos][r] = per_h2 * nu_star_[r] - carried_[r] * per_h * Lambda_star_[r];
  }
}

// Every residual in units of force against the forces, with floors for what rounding leaves. The first look
// of a step stops at the first one that is too large.
bool GeneralizedAlphaStepper::converged(bool first, StepReport& report) {
  const double tol = options_.tolerance, q = largest(q_), v = largest(v_), m = 16 * epsilon;
  report.bad_component = -1;
  double worst = 0;
  const auto look = [&](double residual, double allowed, int row) {
    if (residual <= allowed) return;
    const double excess = allowed > 0 ? residual / allowed : infinity;
    if (!(excess <= worst)) worst = excess, report.bad_component = row;
  };
  look(size_[acc], tol * scale_[acc] + 8 * epsilon * stiffness_ * q, -1);
  look(size_[pos], tol * scale_[pos], -1);
  look(size_[vel], tol * scale_[vel], -1);
  if (first && worst != 0) return false;
  // rows of one level: |more| is a part of the floor that is the row's own
  const auto level = [&](Level l, double floor, const double* more, double unit) {
    const double allowed = tol * scale_[l];
    for (int r = 0; r < m_; ++r) {
      const double left = std::abs(left_[l][r]);
      if (!in_[l][r])
        look(left, allowed, r);
      else if (l != vel || !info_[r].prox)  // others below
        look(row_mass_[r] * left,
             allowed + row_mass_[r] * m * (floor + (more ? unit * std::abs(more[r]) : 0)), r);
    }
  };
  const double per_h2 = 1 / (h_ * h_);
  if (has_U_) level(pos, q * per_h2, set_.gap.data(), per_h2);
  if (has_V_) level(vel, v / h_, nullptr, 0);
  if (smooth_ == Smooth::position)
    level(acc, q / cq_, nullptr, 0);
  else if (smooth_ == Smooth::velocity || smooth_ == Smooth::smooth_velocity)
    level(acc, v / cv_, nullptr, 0);
  else
    level(acc, largest(a_smooth_), set_.bias.empty() ? nullptr : set_.bias.data(), 1);
  if (prox_rows_ && has_V_)
    for (int r = 0; r < m_; r += info_[r].size) {
      if (!info_[r].prox || !in_[vel][r]) continue;
      double x[max_block_rows], P[max_block_rows];
      const double w = weight(r);
      for (int k = 0; k < info_[r].size; ++k) {
        P[k] = Lambda_star_[r + k] / h_;
        x[k] = P[k] - w * left_[vel][r + k];
      }
      prox(*info_[r].law, 1, x);
      for (int k = 0; k < info_[r].size; ++k)
        look(std::abs(P[k] - x[k]), tol * scale_[vel] + w * m * v / h_, r + k);
    }
  // Floors cannot know every rounding (a gap may be a difference of large numbers): a residual that is small
  // and does not shrink any more is one.
  const bool coupled = options_.newton == GeneralizedAlpha::Newton::coupled;
  const bool stalled = worst >= (coupled ? 0.25 : 0.9) * excess_ && worst * tol <= std::max(1e-8, 10 * tol);
  excess_ = worst;
  return worst == 0 || stalled;
}

}  // namespace saltus
