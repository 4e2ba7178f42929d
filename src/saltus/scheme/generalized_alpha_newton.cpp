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

// A x = b; one and two rows, the pendulum's, in the open.
bool solve_small(int n, double* a, int* pivot, double* x) {
  constexpr double floor = 4e-16;
  if (n == 1) {
    x[0] /= a[0];
    return a[0] != 0;
  }
  if (n == 2) {
    const double p = a[0] * a[3], q = a[1] * a[2], det = p - q;
    if (!(std::abs(det) > floor * (std::abs(p) + std::abs(q)))) return false;
    const double first = (x[0] * a[3] - x[1] * a[2]) / det;
    x[1] = (x[1] * a[0] - x[0] * a[1]) / det, x[0] = first;
    return true;
  }
  if (dense_lu(n, a, pivot, floor) >= 0) return false;
  dense_lu_solve(n, a, pivot, x);
  return true;
}

}  // namespace

bool GeneralizedAlphaStepper::linearise() {
  const bool masses = has_U_ || has_V_;
  if (linear_ && prepared_h_ == h_ && (mass_factored_ || !masses)) return true;
  if (!jacobians_known_) {
    system_.force_jacobians(t_, q_, v_, Fq_, C_);
    jacobians_known_ = shape_.linear_force;
    damped_ = largest_entry(C_) > 0;
  }
  K_.set_zero();
  K_.add_scaled(-1, Fq_);
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
  const bool accelerations = smooth_ == Smooth::acceleration || smooth_ == Smooth::baumgarte;
  const auto refresh = [&] {
    moved_ = true;
    dependent();
    evaluate_mass(t_, q_);
    if (!mass_factored_ && !(mass_factored_ = mass_factor_.factorize(M_))) return false;
    geometry(t_, q_, v_, accelerations);
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
  const bool pos_rest = mask.U && moved_ && !linear_, vel_rest = mask.V && moved_ && !linear_;
  u2_.setZero(), u3_.setZero();
  if (pos_rest) u2_ = r2_, mass_factor_.solve(u2_.data());
  if (vel_rest) u3_ = r3_, mass_factor_.solve(u3_.data());
  da_.setZero();
  if (mask.smooth) {
    da_ = -r1_;
    if (pos_rest && stiff_) K_.multiply_add(1, u2_, da_);
    if (vel_rest && damped_) C_.multiply_add(-1, u3_, da_);
    factor_.solve(da_.data());
  }
  for (int i = 0; i < n_; ++i) dq_[i] = cq_ * da_[i] - u2_[i], dv_[i] = cv_ * da_[i] - u3_[i];
  number(mask);
  const bool total = mask.U && mask.V && mask.smooth;
  if (!(total && !damped_ && !prox_rows_ ? solve_levels() : solve_together(mask))) return false;
  apply(mask);
  return true;
}

// Rows that act, or whose multiplier must still change to be what an open contact's is.
void GeneralizedAlphaStepper::find_live(Mask mask) {
  live_.clear();
  const auto stirs = [&](int r, Level level) { return active(r, level) || remainder(r, level) != 0; };
  for (int r = 0; r < m_; ++r) {
    bool live = (mask.U && stirs(r, pos)) || (mask.V && stirs(r, vel)) || (mask.smooth && stirs(r, acc));
    if (info_[r].prox && mask.V) live = live || in_B_[info_[r].first];
    if (live) live_.push_back(r);
  }
}

void GeneralizedAlphaStepper::prepare_columns(Mask mask) {
  const bool respond = mask.smooth && (mask.U || mask.V);
  const bool total = has_U_ && has_V_ && mask.U && mask.V;  // then λ acts on v̇ through Y
  for (int r : live_) {
    if (slot_[r] >= 0) continue;
    slot_[r] = slots_++;
    const std::size_t room = static_cast<std::size_t>(slots_) * n_;
    for (auto* x : {&Y_, &Z_, &Zc_, &P_})
      if (x->size() < room) x->resize(room);
    double *y = column(Y_, r), *z = column(Z_, r), *zc = column(Zc_, r), *p = column(P_, r);
    std::fill_n(y, n_, 0.0), std::fill_n(z, n_, 0.0), std::fill_n(zc, n_, 0.0), std::fill_n(p, n_, 0.0);
    if (has_U_ || has_V_) {
      if (options_.levels == GeneralizedAlpha::Levels::pv73) {
        W0_.add_to(r, 1, y);
      } else {
        set_.Wt.add_to(r, 1, y);
        mass_factor_.solve(y);
      }
    }
    const Eigen::Map<const Vec> ym(y, n_);
    Eigen::Map<Vec> zm(z, n_), zcm(zc, n_), pm(p, n_);
    if (!total) set_.Wt.add_to(r, 1, p);
    if (respond && mask.U && stiff_) {
      K_.multiply_add(1, ym, zm);
      if (!total)
        for (int i = 0; i < n_; ++i) p[i] += cq_ * z[i];
      factor_.solve(z);
    }
    if (respond && mask.V && damped_) {
      C_.multiply_add(-1, ym, zcm);
      factor_.solve(zc);
    }
    if (total)
      std::copy_n(y, n_, p);
    else if (mask.smooth || linear_)
      factor_.solve(p);
  }
}

// The rows of W and of the curvature seen through the columns: everything a coefficient is made of.
void GeneralizedAlphaStepper::tabulate(Mask mask) {
  const int k = static_cast<int>(live_.size());
  const bool total = mask.U && mask.V && mask.smooth, columns = mask.U || mask.V;
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

// The same for dv̇₀, dq₀, dv₀, what the vectors' residuals do by themselves.
double GeneralizedAlphaStepper::base(int row, Level level) const {
  const auto& W = set_.Wt;
  const double s = scales_[level];
  const auto velocity = [&] {
    return W.dot(row, dv_.data()) + (curved_rows_ ? curvature_.velocity.dot(row, dq_.data()) : 0);
  };
  if (level == pos) return s * W.dot(row, dq_.data());
  if (level == vel) return s * velocity();
  const auto on_acceleration = [&] {
    double x = W.dot(row, da_.data());
    if (curved_rows_)
      x += curvature_.acceleration.dot(row, dq_.data()) + 2 * curvature_.velocity.dot(row, dv_.data());
    return x;
  };
  switch (smooth_) {
    case Smooth::position:
      return s * W.dot(row, dq_.data());
    case Smooth::velocity:
      return s * velocity();
    case Smooth::smooth_velocity:
      return s *
             (cv_ * W.dot(row, da_.data()) + (curved_rows_ ? curvature_.velocity.dot(row, dq_.data()) : 0));
    case Smooth::baumgarte:
      return on_acceleration() + 2 * options_.alpha * velocity() +
             options_.beta * options_.beta * W.dot(row, dq_.data());
    default:
      return on_acceleration();
  }
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
// one did to dv̇, dq₁ and dv₁ through these vectors. All three have Wᵀ M⁻¹ W, positions with what K adds.
bool GeneralizedAlphaStepper::solve_levels() {
  const int k = static_cast<int>(live_.size());
  const std::size_t size = static_cast<std::size_t>(k) * k;
  delassus_.resize(size), block_.resize(size);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < k; ++i) delassus_[j * k + i] = set_.Wt.dot(live_[i], column(Y_, live_[j]));
  for (Level level : {pos, vel, acc}) {
    double* x = rhs_.data() + offset_[level];
    std::copy(delassus_.begin(), delassus_.end(), block_.begin());
    for (int i = 0; i < k; ++i) {
      const int r = live_[i];
      if (active(r, level)) {
        x[i] = -violation(r, level) - base(r, level);
        if (level == pos && stiff_)
          for (int j = 0; j < k; ++j) block_[j * k + i] -= cq_ * set_.Wt.dot(r, column(Z_, live_[j]));
      } else {
        x[i] = known_change(r, level, true);
        for (int j = 0; j < k; ++j) block_[j * k + i] = i == j;
      }
    }
    if (!solve_small(k, block_.data(), pivot_.data(), x)) return false;
    if (level == acc) break;
    Vec& moved = level == pos ? dq_ : dv_;
    for (int j = 0; j < k; ++j) {
      const double f = level == pos ? h_ * h_ * x[j] : h_ * x[j];
      const double *y = column(Y_, live_[j]), *z = column(Z_, live_[j]);
      for (int i = 0; i < n_; ++i) moved[i] += f * y[i];
      if (level == vel || !stiff_) continue;
      for (int i = 0; i < n_; ++i) da_[i] -= f * z[i], dq_[i] -= cq_ * f * z[i], dv_[i] -= cv_ * f * z[i];
    }
  }
  return true;
}

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

double GeneralizedAlphaStepper::known_change(int r, Level level, bool smooth) const {
  const bool printed = options_.inactive == GeneralizedAlpha::Inactive::printed;
  double x = -remainder(r, level);
  if (printed && smooth && level != acc && !(level == pos && info_[r].kind != Kind::normal))
    x -= (level == pos ? cq_ / (h_ * h_) : cv_ / h_) * lambda_[r];  // ν = 0 in terms of ν*
  return x;
}

void GeneralizedAlphaStepper::assemble_row(int i, Level level, Mask mask) {
  const int r = live_[i], row = offset_[level] + i, k = static_cast<int>(live_.size());
  const auto entry = [&](Level unknown, int j) -> double& {
    return S_[static_cast<std::size_t>(offset_[unknown] + j) * N_ + row];
  };
  const RowInfo& info = info_[r];
  if (!active(r, level)) {  // a known multiplier
    entry(level, i) = 1;
    rhs_[row] = known_change(r, level, mask.smooth);
    if (level == pos && info.kind != Kind::normal && mask.V) entry(vel, i) = -0.5;
    return;
  }
  if (level == vel && info.prox) return assemble_prox(i, mask);
  const bool total = mask.U && mask.V && mask.smooth;  // then λ moves neither q₁ nor v₁
  for (int j = 0; j < k; ++j) {
    if (mask.U) entry(pos, j) = coefficient(i, level, j, pos, mask);
    if (mask.V && (level != pos || damped_)) entry(vel, j) = coefficient(i, level, j, vel, mask);
    if (mask.smooth && (level == acc || !total)) entry(acc, j) = coefficient(i, level, j, acc, mask);
  }
  rhs_[row] = -violation(r, level) - base(r, level);
}

// Friction and laws without a gap: Λ̂ − prox(Λ̂ − r y) = 0, divided by r, y the velocity over h.
void GeneralizedAlphaStepper::assemble_prox(int i, Mask mask) {
  const int r = live_[i], k = static_cast<int>(live_.size()), row = offset_[vel] + i;
  const RowInfo& info = info_[r];
  const double w = weight(info.first);
  double x[max_block_rows], y[max_block_rows], P[max_block_rows];
  for (int b = 0; b < info.size; ++b) {
    P[b] = Lambda_star_[info.first + b] / h_;
    y[b] = violation(info.first + b, vel);
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
    if (!solve_small(size, block_.data(), pivot_.data(), rhs_.data() + first)) return false;
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
  const auto axpy = [this](double f, const double* x, Vec& y) {
    if (f == 0) return;
    for (int i = 0; i < n_; ++i) y[i] += f * x[i];
  };
  if (mask.U) U_ -= u2_;
  if (mask.V) V_ -= u3_;
  if (mask.smooth) a_smooth_ += da_;
  for (int i = 0; i < static_cast<int>(live_.size()); ++i) {
    const int r = live_[i];
    const double x = mask.U ? rhs_[offset_[pos] + i] : 0, y = mask.V ? rhs_[offset_[vel] + i] : 0,
                 z = mask.smooth ? rhs_[offset_[acc] + i] : 0;
    if (mask.smooth) {
      lambda_[r] = active(r, acc) ? lambda_[r] + z : 0;
      axpy(z, column(P_, r), a_smooth_);
    }
    if (mask.U) {
      const double d = h_ * h_ * x - cq_ * z;
      nu_[r] += d;
      axpy(d, column(Y_, r), U_);
    }
    if (mask.V) {
      const double d = h_ * y - cv_ * z;
      Lambda_[r] += d;
      axpy(d, column(Y_, r), V_);
    }
  }
}

}  // namespace saltus
