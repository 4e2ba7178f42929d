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

#include "saltus/linalg/small.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"

namespace saltus {
namespace {

double largest_entry(const Matrix& A) {
  double most = 0;
  A.for_each([&](int, int, double x) { most = std::max(most, std::abs(x)); });
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
    system_.force_jacobians(t_, view_->q, view_->v, Fq_, C_);
    jacobians_known_ = shape_.linear_force;
    springs_ = largest_entry(Fq_) > 0, damped_ = largest_entry(C_) > 0;
  }
  K_.set_zero();
  if (springs_) K_.add_scaled(-1, Fq_);
  if (curved_) system_.curvature(t_, view_->q, view_->v, view_->a, lambda_.data(), K_, curvature_);
  curved_rows_ = curved_;
  stiffness_ = largest_entry(K_);
  stiff_ = stiffness_ > 0;
  combine(M_, stiff_ ? cq_ : 0, K_, A_);
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
    evaluate_mass(t_, view_->q);
    if (!mass_factored_ && !(mass_factored_ = mass_factor_.factorize(M_))) return false;
    geometry(t_, view_->q, view_->v, on_accelerations());
    if (!linear_) std::fill(slot_.begin(), slot_.end(), -1), slots_ = 0;
    residuals();
    return true;
  };
  return correct({false, false, true}) && refresh() && correct({true, false, false}) && refresh() &&
         correct({false, true, false});
}

bool GeneralizedAlphaStepper::correct(Mask mask) {
  find_live(mask);
  // In the first iteration U, V, ν and Λ vanish, and in a linear system they satisfy their equations.
  const bool rests = moved_ && !linear_, pos_rest = mask.U && rests, vel_rest = mask.V && rests;
  if (pos_rest) u2_ = r2_, solve(mass_factor_, u2_.data()), U_ -= u2_;
  if (vel_rest) u3_ = r3_, solve(mass_factor_, u3_.data()), V_ -= u3_;
  if (mask.smooth) {
    for (int i = 0; i < n_; ++i) da_[i] = -r1_[i];
    if (pos_rest && stiff_) K_.multiply_add(1, u2_, da_);
    if (vel_rest && damped_) C_.multiply_add(-1, u3_, da_);
    solve(factor_, da_.data());
  } else {
    da_.setZero();
  }
  for (int i = 0; i < n_; ++i) dq_[i] = cq_ * da_[i], dv_[i] = cv_ * da_[i];
  if (pos_rest) dq_ -= u2_;
  if (vel_rest) dv_ -= u3_;
  number(mask);
  if (mask.total() && !damped_ && !prox_rows_) return solve_in_turn();
  prepare_columns(mask);
  if (!solve_together(mask)) return false;
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
  const std::size_t room = (slots_ + live_.size()) * n_;
  if (Y_.size() < room)
    for (auto* x : {&Y_, &Z_, &Zc_, &P_}) x->resize(room);
  for (int r : live_) {
    if (slot_[r] >= 0) continue;
    slot_[r] = slots_++;
    double *y = column(Y_, r), *z = column(Z_, r), *zc = column(Zc_, r), *p = column(P_, r);
    std::fill_n(y, n_, 0.0);
    if (options_.levels == GeneralizedAlpha::Levels::pv73)
      W0_.add_to(r, 1, y);
    else if (has_U_ || has_V_)
      set_.Wt.add_to(r, 1, y), solve(mass_factor_, y);
    if (!total) std::fill_n(p, n_, 0.0), set_.Wt.add_to(r, 1, p);
    if (respond && mask.U && stiff_) {
      multiply(K_, y, z);
      if (!total) add(n_, cq_, z, p);
      solve(factor_, z);
    }
    if (respond && mask.V && damped_) {
      multiply(C_, y, zc);
      for (int i = 0; i < n_; ++i) zc[i] = -zc[i];
      factor_.solve(zc);
    }
    if (!total && (mask.smooth || linear_)) factor_.solve(p);
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

}  // namespace saltus
