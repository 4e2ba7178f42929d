// Which rows of generalized-α act, what is left of its equations, and when that is little enough.
#include <algorithm>
#include <cmath>

#include "saltus/scheme/generalized_alpha_stepper.hpp"

namespace saltus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double max_abs(In x) {
  double most = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i]));
  return most;
}

}  // namespace

// The sets (55)-(57); true when one of them changed.
bool GeneralizedAlphaStepper::find_sets() {
  bool changed = false;
  const auto put = [&](char& old, bool now) { changed = changed || (old != 0) != now, old = now; };
  for (int r = 0; r < m_; ++r) {
    const RowInfo& i = info_[r];
    const double w = weight(r);
    bool A = true, B = true, S = smooth_ != Smooth::none && i.kind == Kind::joint;
    if (i.kind == Kind::normal) {
      A = nu_star_[r] - w * set_.gap[r] >= 0;
      B = A && Lambda_star_[r] - w * (gamma_[r] + rebound_[r]) >= 0;
      S = B && smooth_ == Smooth::acceleration && options_.strategy == 3 &&
          lambda_[r] - w * row_acceleration_[r] >= 0;
    } else if (i.kind == Kind::tangent) {
      A = in_A_[i.first] != 0, B = in_B_[i.first] != 0;
    }
    put(in_A_[r], A), put(in_B_[r], B), put(in_S_[r], S);
  }
  return changed;
}

double GeneralizedAlphaStepper::violation(int r, Level level) const {
  const double s = scales_[level];
  if (level == pos) return s * set_.gap[r];
  if (level == vel) return s * (gamma_[r] + rebound_[r]);
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
}

double GeneralizedAlphaStepper::remainder(int r, Level level) const {
  const bool star = options_.inactive == GeneralizedAlpha::Inactive::star;
  const Kind kind = info_[r].kind;
  if (level == acc) return lambda_[r];
  if (level == vel) return (star || kind != Kind::normal ? Lambda_star_[r] : Lambda_[r]) / h_;
  if (kind == Kind::normal) return (star ? nu_star_[r] : nu_[r]) / (h_ * h_);
  return nu_star_[r] / (h_ * h_) - 0.5 * Lambda_star_[r] / h_;
}

// r₁ = M v̇ − W λ − f, r₂ = M U − W ν, r₃ = M V − W Λ, and the sizes of the forces in them.
void GeneralizedAlphaStepper::residuals() {
  system_.force(t_, q_, v_, force_);
  r1_.setZero();
  M_.multiply_add(1, a_smooth_, r1_);
  scale_ = std::max(max_abs(force_), max_abs(r1_));
  for (int i = 0; i < n_; ++i) r1_[i] -= force_[i];
  work_.setZero();
  for (int r = 0; r < m_; ++r)
    if (lambda_[r] != 0) set_.Wt.add_to(r, lambda_[r], work_.data());
  scale_ = std::max(scale_, max_abs(work_));
  r1_ -= work_;
  scale_pos_ = scale_vel_ = scale_;
  if (!moved_) return r2_.setZero(), r3_.setZero(), void();
  const auto correction = [&](const Vec& x, const Vec& multiplier, double unit, Vec& out) {
    out.setZero();
    if (options_.levels != GeneralizedAlpha::Levels::pv73) M_.multiply_add(1, x, out);
    const double size = max_abs(out) * unit;
    for (int r = 0; r < m_; ++r)
      if (multiplier[r] != 0) set_.Wt.add_to(r, -multiplier[r], out.data());
    return size;
  };
  if (options_.levels == GeneralizedAlpha::Levels::pv73) {
    r2_.setZero();  // U = W₀ ν by construction
    scale_pos_ += max_abs(U_) / (h_ * h_);
  } else if (has_U_) {
    scale_pos_ += correction(U_, nu_, 1 / (h_ * h_), r2_);
  }
  if (has_V_) scale_vel_ += correction(V_, Lambda_, 1 / h_, r3_);
}

// Every residual in units of force against the forces, with floors for what rounding leaves.
bool GeneralizedAlphaStepper::converged(StepReport& report) {
  const double tol = options_.tolerance, q = max_abs(q_), v = max_abs(v_), a = max_abs(a_smooth_);
  report.bad_component = -1;
  double worst = 0;
  const auto look = [&](double residual, double allowed, int row) {
    if (residual <= allowed) return;
    const double excess = allowed > 0 ? residual / allowed : infinity;
    if (!(excess <= worst)) worst = excess, report.bad_component = row;
  };
  look(max_abs(r1_), tol * scale_ + 8 * epsilon * stiffness_ * q, -1);
  const double m = 16 * epsilon;
  if (has_U_) look(max_abs(r2_) / (h_ * h_), tol * scale_pos_, -1);
  if (has_V_) look(max_abs(r3_) / h_, tol * scale_vel_, -1);
  for (int r = 0; r < m_; ++r) {
    const double mass = row_mass_[r];
    const auto level = [&](Level l, double scale, double floor) {
      if (active(r, l) && info_[r].prox && l == vel) return;  // below
      if (active(r, l))
        look(mass * std::abs(violation(r, l)), tol * scale + mass * floor, r);
      else
        look(std::abs(remainder(r, l)), tol * scale, r);
    };
    if (has_U_) level(pos, scale_pos_, m * (q + std::abs(set_.gap[r])) / (h_ * h_));
    if (has_V_) level(vel, scale_vel_, m * v / h_);
    const double smooth_floor = smooth_ == Smooth::position ? q / cq_
                                : smooth_ == Smooth::velocity || smooth_ == Smooth::smooth_velocity
                                    ? v / cv_
                                    : a + (set_.bias.empty() ? 0.0 : std::abs(set_.bias[r]));
    level(acc, scale_, m * smooth_floor);
    if (info_[r].prox && info_[r].first == r && has_V_ && in_B_[r]) {
      double x[max_block_rows], P[max_block_rows];
      const double w = weight(r);
      for (int k = 0; k < info_[r].size; ++k) {
        P[k] = Lambda_star_[r + k] / h_;
        x[k] = P[k] - w * violation(r + k, vel);
      }
      prox(*info_[r].law, 1, x);
      for (int k = 0; k < info_[r].size; ++k)
        look(std::abs(P[k] - x[k]), tol * scale_vel_ + w * m * v / h_, r + k);
    }
  }
  // Floors cannot know every rounding (a gap may be a difference of large numbers): a residual that is small
  // and does not shrink any more is one.
  const bool coupled = options_.newton == GeneralizedAlpha::Newton::coupled;
  const bool stalled = worst >= (coupled ? 0.25 : 0.9) * excess_ && worst * tol <= std::max(1e-8, 10 * tol);
  excess_ = worst;
  return worst == 0 || stalled;
}

}  // namespace saltus
