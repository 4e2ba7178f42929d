// The linear algebra of one Newton iteration. With K = ∂(M v̇ − W λ − f)/∂q, C = −∂f/∂v and
// A = M + cq K + cv C (cq = h²βκ, cv = hγκ) an iteration solves
//
//     A dv̇ + K dU + C dV − W dλ = −r₁,   M dU − W dν = −r₂,   M dV − W dΛ = −r₃,   and the rows.
//
// Vectors are eliminated through the factors of A and M on their own patterns; what is left is a small dense
// system in the rows that act or change ("live"). In the totals ν̂ = ν*/h², Λ̂ = Λ*/h the multiplier λ drops
// out of dq₁ and dv₁, because A M⁻¹ W = W + cq K M⁻¹W + cv C M⁻¹W:
//
//     dv̇  = −A⁻¹(r₁ − K u₂ − C u₃) + Y dλ − h² Z dν̂ − h Z' dΛ̂,     Y = M⁻¹W, Z = A⁻¹K Y, Z' = A⁻¹C Y
//     dq₁ = cq dv̇₀ − u₂ + h² (Y − cq Z) dν̂ − cq h Z' dΛ̂,           u₂ = M⁻¹r₂, u₃ = M⁻¹r₃
//     dv₁ = cv dv̇₀ − u₃ − cv h² Z dν̂ + h (Y − cv Z') dΛ̂
//
// so without damping and friction the rows are block triangular: positions, velocities, accelerations. What
// r₂ and r₃ change with q is left out: U is O(h²), and V with q in one step O(h).
#include <algorithm>
#include <cmath>

#include "saltus/linalg/small_solve.hpp"
#include "saltus/scheme/generalized_alpha_stepper.hpp"

namespace saltus {
namespace {

double largest_entry(const Matrix& A) {
  double most = 0;
  if (A.pattern().kind == Pattern::sparse) {
    for (int k = 0; k < A.sparse().nonZeros(); ++k) most = std::max(most, std::abs(A.sparse().valuePtr()[k]));
  } else {
    for (double x : A.values()) most = std::max(most, std::abs(x));
  }
  return most;
}

// y += s x
void add(int n, double s, const double* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] += s * x[i];
}

}  // namespace

bool GeneralizedAlphaStepper::linearise() {
  const bool masses = has_U_ || has_V_;
  if (linear_ && prepared_h_ == h_ && (mass_factored_ || !masses)) return true;
  if (!jacobians_known_) {
    system_.force_jacobians(t_, q_, v_, Fq_, C_);
    jacobians_known_ = shape_.linear_force;
    springs_ = largest_entry(Fq_) > 0, damped_ = largest_entry(C_) > 0;
  }
  K_.set_zero();
  if (springs_) K_.add_scaled(-1, Fq_);
  if (curved_) curved_->curvature(t_, q_, v_, a_smooth_, lambda_.data(), K_, curvature_);
  curved_rows_ = curved_ != nullptr;
  stiffness_ = largest_entry(K_);
  stiff_ = stiffness_ > 0;
  A_.set_zero();
  A_.add_scaled(1, M_);
  if (stiff_) A_.add_scaled(cq_, K_);
  if (damped_) A_.add_scaled(-cv_, C_);
  prepared_h_ = h_;
  std::fill(slot_.begin(), slot_.end(), -1);
  slots_ = 0;
  if (masses && !mass_factored_ && !(mass_factored_ = mass_factor_.factorize(M_))) return false;
  return factor_.factorize(A_);
}

// Algorithm 1: smooth motion, positions, velocities in turn, the sets being those of the iteration's start.
bool GeneralizedAlphaStepper::correct_in_turn() {
  const auto refresh = [&] {
    moved_ = true;
    dependent();
    evaluate_mass(t_, q_);
    if (!mass_factored_ && !(mass_factored_ = mass_factor_.factorize(M_))) return false;
    geometry(t_, q_, v_, on_accelerations());
    if (!linear_) std::fill(slot_.begin(), slot_.end(), -1), slots_ = 0;
    residuals();
    return true;
  };
  return correct({false, false, true}) && refresh() && correct({true, false, false}) && refresh() &&
         correct({false, true, false});
}

bool GeneralizedAlphaStepper::correct(Mask mask) {
  find_live(mask);
  prepare_columns(mask);
  // In the first iteration U, V, ν and Λ vanish, and in a linear system they satisfy their equations.
  const bool rests = moved_ && !linear_, pos_rest = mask.U && rests, vel_rest = mask.V && rests;
  if (pos_rest) u2_ = r2_, mass_factor_.solve(u2_.data()), U_ -= u2_;
  if (vel_rest) u3_ = r3_, mass_factor_.solve(u3_.data()), V_ -= u3_;
  if (mask.smooth) {
    for (int i = 0; i < n_; ++i) da_[i] = -r1_[i];
    if (pos_rest && stiff_) K_.multiply_add(1, u2_, da_);
    if (vel_rest && damped_) C_.multiply_add(-1, u3_, da_);
    factor_.solve(da_.data());
  } else {
    da_.setZero();
  }
  for (int i = 0; i < n_; ++i) dq_[i] = cq_ * da_[i], dv_[i] = cv_ * da_[i];
  if (pos_rest) dq_ -= u2_;
  if (vel_rest) dv_ -= u3_;
  number(mask);
  if (!(mask.total() && !damped_ && !prox_rows_ ? solve_levels() : solve_together(mask))) return false;
  apply(mask);
  return true;
}

// Rows that act, or whose multiplier must still change to be what an open contact's is.
void GeneralizedAlphaStepper::find_live(Mask mask) {
  live_.clear();
  const auto stirs = [&](int r, Level level) { return in_[level][r] || left_[level][r] != 0; };
  for (int r = 0; r < m_; ++r) {
    bool live = (mask.U && stirs(r, pos)) || (mask.V && stirs(r, vel)) || (mask.smooth && stirs(r, acc));
    if (info_[r].prox && mask.V) live = live || in_[vel][info_[r].first];
    if (live) live_.push_back(r);
  }
}

void GeneralizedAlphaStepper::prepare_columns(Mask mask) {
  const bool respond = mask.smooth && (mask.U || mask.V), total = mask.total();
  for (int r : live_) {
    if (slot_[r] >= 0) continue;
    slot_[r] = slots_++;
    const std::size_t room = static_cast<std::size_t>(slots_) * n_;
    for (auto* x : {&Y_, &Z_, &Zc_, &P_})
      if (x->size() < room) x->resize(room);
    double *y = column(Y_, r), *z = column(Z_, r), *zc = column(Zc_, r), *p = column(P_, r);
    std::fill_n(y, n_, 0.0);
    if (has_U_ || has_V_) {
      if (options_.levels == GeneralizedAlpha::Levels::pv73) {
        W0_.add_to(r, 1, y);
      } else {
        set_.Wt.add_to(r, 1, y);
        mass_factor_.solve(y);
      }
    }
    const Eigen::Map<const Vec> ym(y, n_);
    if (!total) std::fill_n(p, n_, 0.0), set_.Wt.add_to(r, 1, p);
    if (respond && mask.U && stiff_) {
      std::fill_n(z, n_, 0.0);
      K_.multiply_add(1, ym, Eigen::Map<Vec>(z, n_));
      if (!total) add(n_, cq_, z, p);
      factor_.solve(z);
    }
    if (respond && mask.V && damped_) {
      std::fill_n(zc, n_, 0.0);
      C_.multiply_add(-1, ym, Eigen::Map<Vec>(zc, n_));
      factor_.solve(zc);
    }
    if (!total && (mask.smooth || linear_)) factor_.solve(p);
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

double GeneralizedAlphaStepper::known_change(int r, Level level, bool smooth) const {
  const bool printed = options_.inactive == GeneralizedAlpha::Inactive::printed;
  double x = -left_[level][r];
  if (printed && smooth && level != acc && !(level == pos && info_[r].kind != Kind::normal))
    x -= (level == pos ? cq_ / (h_ * h_) : cv_ / h_) * lambda_[r];  // ν = 0 in terms of ν*
  return x;
}

// Unknowns and rows in the order positions, velocities, accelerations.
void GeneralizedAlphaStepper::number(Mask mask) {
  const int k = static_cast<int>(live_.size());
  offset_[pos] = 0;
  offset_[vel] = mask.U ? k : 0;
  offset_[acc] = offset_[vel] + (mask.V ? k : 0);
  N_ = offset_[acc] + (mask.smooth ? k : 0);
  rhs_.resize(N_), pivot_.resize(N_);
}

// The triangular case, without damping and friction: one level after the other, each seeing what the last
// one did to dv̇, dq₁ and dv₁ through these vectors. All three have Wᵀ M⁻¹ W, positions with what K adds: it
// is factorised anew only where another row acts.
bool GeneralizedAlphaStepper::solve_levels() {
  const int k = static_cast<int>(live_.size());
  const std::size_t size = static_cast<std::size_t>(k) * k;
  delassus_.resize(size), block_.resize(size);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < k; ++i) delassus_[j * k + i] = set_.Wt.dot(live_[i], column(Y_, live_[j]));
  const auto factorize = [&](Level level) {
    std::copy(delassus_.begin(), delassus_.end(), block_.begin());
    for (int i = 0; i < k; ++i) {
      if (!in_[level][live_[i]])
        for (int j = 0; j < k; ++j) block_[j * k + i] = i == j;
      else if (level == pos && stiff_)
        for (int j = 0; j < k; ++j) block_[j * k + i] -= cq_ * set_.Wt.dot(live_[i], column(Z_, live_[j]));
    }
    return factor_small(k, block_.data(), pivot_.data());
  };
  const auto same_rows = [&](Level a, Level b) {
    return std::all_of(live_.begin(), live_.end(), [&](int r) { return in_[a][r] == in_[b][r]; });
  };
  for (Level level : {pos, vel, acc}) {
    double* x = rhs_.data() + offset_[level];
    for (int i = 0; i < k; ++i) {
      const int r = live_[i];
      x[i] = in_[level][r] ? -left_[level][r] - base(r, level) : known_change(r, level, true);
    }
    const bool kept = level == acc ? same_rows(vel, acc) : level == vel && !stiff_ && same_rows(pos, vel);
    if (!kept && !factorize(level)) return false;
    solve_small(k, block_.data(), pivot_.data(), x);
    if (level == acc) break;
    Vec& moved = level == pos ? dq_ : dv_;
    for (int j = 0; j < k; ++j) {
      const double f = level == pos ? h_ * h_ * x[j] : h_ * x[j];
      add(n_, f, column(Y_, live_[j]), moved.data());
      if (level == vel || !stiff_) continue;
      const double* z = column(Z_, live_[j]);
      for (int i = 0; i < n_; ++i) da_[i] -= f * z[i], dq_[i] -= cq_ * f * z[i], dv_[i] -= cv_ * f * z[i];
    }
  }
  return true;
}

void GeneralizedAlphaStepper::apply(Mask mask) {
  const auto& P = mask.total() ? Y_ : P_;
  if (mask.smooth) add(n_, 1, da_.data(), a_smooth_.data());
  for (int i = 0; i < static_cast<int>(live_.size()); ++i) {
    const int r = live_[i];
    const double x = mask.U ? rhs_[offset_[pos] + i] : 0, y = mask.V ? rhs_[offset_[vel] + i] : 0,
                 z = mask.smooth ? rhs_[offset_[acc] + i] : 0;
    if (mask.smooth) {
      lambda_[r] = in_[acc][r] ? lambda_[r] + z : 0;
      if (z != 0) add(n_, z, column(P, r), a_smooth_.data());
    }
    if (mask.U) {
      const double d = h_ * h_ * x - cq_ * z;
      nu_[r] += d;
      if (d != 0) add(n_, d, column(Y_, r), U_.data());
    }
    if (mask.V) {
      const double d = h_ * y - cv_ * z;
      Lambda_[r] += d;
      if (d != 0) add(n_, d, column(Y_, r), V_.data());
    }
  }
}

}  // namespace saltus
