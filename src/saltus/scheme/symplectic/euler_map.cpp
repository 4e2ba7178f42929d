#include "saltus/scheme/symplectic/euler_map.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/linalg/factor.hpp"
#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

constexpr int most_iterations = 50;
constexpr double singular = 1e-15;

// Ψ of constraints that do not act is 0.
void silence(std::span<const int> active, Vec& Psi) {
  for (int i = 0, k = 0; i < Psi.size(); ++i)
    if (k < static_cast<int>(active.size()) && active[k] == i)
      ++k;
    else
      Psi[i] = 0;
}

}  // namespace

EulerMap::EulerMap(const OdaeSystem& s, Faults& faults)
    : system_(s, faults), ny_(s.ny()), nz_(s.nz()), m_(s.m()) {
  const int most = std::max(ny_ + nz_ + 2 * m_, 1);
  lu_.resize(static_cast<std::size_t>(most) * most);
  pivot_.resize(most);
  psi_.reserve(2 * m_);
  landing_.assign(m_, 0);
  x_.setZero(most), R_.setZero(most);
  y_ = w_ = v_ = Vec::Zero(ny_);
  z_ = Z_ = f_ = r_ = r1_ = Vec::Zero(nz_);
  g_ = masked_ = Vec::Zero(m_);
  v_y_.setZero(ny_, ny_), v_z_.setZero(ny_, nz_), f_y_.setZero(nz_, ny_), f_z_.setZero(nz_, nz_);
  r_y_.setZero(nz_, ny_), r_z_.setZero(nz_, nz_), r_z1_ = r_z_;
  r_psi_.setZero(nz_, m_), r_psi1_ = r_psi2_ = N_ = r_psi_;
  G_.setZero(m_, ny_), gamma_y_ = G_, gamma_z_.setZero(m_, nz_);
}

void EulerMap::reaction(double t, In y, In z, const Vec& psi, Vec& r) {
  if (std::find(landing_.begin(), landing_.end(), 1) == landing_.end()) {
    system_.reaction(t, y, z, psi, r);
    return;
  }
  for (int i = 0; i < m_; ++i) masked_[i] = landing_[i] ? 0 : psi[i];
  system_.reaction(t, y, z, masked_, r);
  system_.impact_directions(t, y, z, N_);
  for (int i = 0; i < m_; ++i)
    if (landing_[i]) r += psi[i] * N_.col(i);
}

void EulerMap::reaction_jacobians(double t, In y, In z, const Vec& psi, Mat* r_y, Mat* r_z, Mat* r_psi) {
  for (int i = 0; i < m_; ++i) masked_[i] = landing_[i] ? 0 : psi[i];
  system_.reaction_jacobians(t, y, z, masked_, r_y, r_z, r_psi);
  if (!r_psi || std::find(landing_.begin(), landing_.end(), 1) == landing_.end()) return;
  system_.impact_directions(t, y, z, N_);
  for (int i = 0; i < m_; ++i)
    if (landing_[i]) r_psi->col(i) = N_.col(i);
}

void EulerMap::gather(std::span<const int> active, Vec& Psi) {
  silence(active, Psi);
  for (int i : active) psi_.push_back(&Psi[i]);
}

template <class Assemble>
StepStatus EulerMap::newton(int n, const EulerStart& x0, double scale, Assemble&& assemble) {
  const auto k = static_cast<int>(psi_.size());
  size_ = n + k;
  const double rounding = k > 0 ? 1e-14 * largest(x0.y) / std::abs(x0.h) : 0;  // of g/h
  double previous = infinity;
  for (int it = 0; it < most_iterations; ++it) {
    ++iterations;
    std::fill_n(lu_.begin(), static_cast<std::size_t>(size_) * size_, 0.0);
    assemble();
    change_ = 0;
    for (int i = 0; i < size_; ++i)
      if (!std::isfinite(R_[i])) return StepStatus::not_finite;
    if (dense_lu(size_, lu_.data(), pivot_.data(), singular) >= 0) return StepStatus::singular;
    dense_lu_solve(size_, lu_.data(), pivot_.data(), R_.data());
    double size = scale;
    for (int i = 0; i < n; ++i) {
      x_[i] -= R_[i];
      change_ = std::max(change_, std::abs(R_[i]));
      size = std::max(size, std::abs(x_[i]));
    }
    for (int i = 0; i < k; ++i) *psi_[i] -= R_[n + i] / x0.h;
    if (!std::isfinite(change_)) return StepStatus::not_finite;
    const double ratio = change_ / previous;  // what is left is about ratio · change
    if (change_ <= 1e-15 * size || (it > 0 && ratio < 0.5 && ratio * change_ <= 1e-16 * size))
      return StepStatus::ok;
    if (ratio >= 0.5 && change_ <= std::max(1e-9 * size, rounding)) return StepStatus::ok;  // stands still
    previous = change_;
  }
  return StepStatus::newton_diverged;
}

StepStatus EulerMap::first_stage(const EulerStart& x0, std::span<const int> active, Vec& Psi0) {
  const double h = x0.h, ha = x0.h * x0.alpha;
  psi_.clear();
  gather(active, Psi0);
  x_.head(nz_) = x0.z;
  const auto place = [&] {
    Z_ = x_.head(nz_);
    system_.velocity(x0.t, x0.y, Z_, v_);
    combine(1, x0.y, h, v_, y_);
  };
  const auto assemble = [&] {
    place();
    system_.force(x0.t, x0.y, Z_, f_);
    ++evaluations;
    reaction(x0.t, x0.y, x0.z, Psi0, r_);
    system_.force_jacobians(x0.t, x0.y, Z_, nullptr, &f_z_);
    for (int i = 0; i < nz_; ++i) {
      R_[i] = Z_[i] - x0.z[i] - h * f_[i] - ha * r_[i];
      for (int j = 0; j < nz_; ++j) J(i, j) = (i == j) - h * f_z_(i, j);
    }
    if (active.empty()) return;
    system_.gap(x0.t + h, y_, g_);
    system_.gap_jacobian(x0.t + h, y_, G_);
    system_.velocity_jacobians(x0.t, x0.y, Z_, nullptr, &v_z_);
    reaction_jacobians(x0.t, x0.y, x0.z, Psi0, nullptr, nullptr, &r_psi_);
    for (int k = 0; k < static_cast<int>(active.size()); ++k) {
      const int c = active[k];
      R_[nz_ + k] = g_[c] / h;
      for (int j = 0; j < nz_; ++j) {
        J(nz_ + k, j) = G_.row(c).dot(v_z_.col(j));
        J(j, nz_ + k) = -x0.alpha * r_psi_(j, c);
      }
    }
  };
  const StepStatus status = newton(nz_, x0, largest(x0.z), assemble);
  if (status == StepStatus::ok) place();
  return status;
}

StepStatus EulerMap::conjugate_first_stage(const EulerStart& x0, std::span<const int> active, Vec& Psi0) {
  const double h = x0.h, t1 = x0.t + x0.h;
  psi_.clear();
  gather(active, Psi0);
  system_.velocity(x0.t, x0.y, x0.z, v_);
  x_.head(ny_) = v_;  // (y₁ − y₀)/h
  const auto place = [&] {
    reaction(x0.t, x0.y, x0.z, Psi0, r_);
    combine(1, x0.z, h * x0.alpha, r_, Z_);
    w_ = x_.head(ny_);
    combine(1, x0.y, h, w_, y_);
  };
  const auto assemble = [&] {
    place();
    system_.velocity(t1, y_, Z_, v_);
    system_.velocity_jacobians(t1, y_, Z_, &v_y_, &v_z_);
    for (int i = 0; i < ny_; ++i) {
      R_[i] = w_[i] - v_[i];
      for (int j = 0; j < ny_; ++j) J(i, j) = (i == j) - h * v_y_(i, j);
    }
    if (active.empty()) return;
    system_.gap(t1, y_, g_);
    system_.gap_jacobian(t1, y_, G_);
    reaction_jacobians(x0.t, x0.y, x0.z, Psi0, nullptr, nullptr, &r_psi_);
    for (int k = 0; k < static_cast<int>(active.size()); ++k) {
      const int c = active[k];
      R_[ny_ + k] = g_[c] / h;
      for (int j = 0; j < ny_; ++j) {
        J(ny_ + k, j) = G_(c, j);
        J(j, ny_ + k) = -x0.alpha * v_z_.row(j).dot(r_psi_.col(c));
      }
    }
  };
  const StepStatus status = newton(ny_, x0, largest(v_), assemble);
  if (status == StepStatus::ok) place();
  return status;
}

StepStatus EulerMap::second_stage(const EulerStart& x0, const SecondStage& form, std::span<const int> active,
                                  std::span<const double> target, const Vec& Psi0, Vec& Psi1) {
  const double h = x0.h, t1 = x0.t + x0.h;
  psi_.clear();
  gather(active, Psi1);
  if (form.with_force) {
    system_.force(t1, y_, Z_, f_);
    ++evaluations;
  } else {
    f_.setZero();
  }
  x_.head(nz_) = Z_;
  const double a = h * form.old_weight, b = h * form.new_weight;
  const auto assemble = [&] {
    z_ = x_.head(nz_);
    reaction(t1, y_, z_, Psi1, r1_);
    reaction_jacobians(t1, y_, z_, Psi1, nullptr, &r_z1_, &r_psi_);
    if (a != 0) {
      reaction(t1, y_, z_, Psi0, r_);
      reaction_jacobians(t1, y_, z_, Psi0, nullptr, &r_z_, nullptr);
    }
    for (int i = 0; i < nz_; ++i) {
      R_[i] = z_[i] - Z_[i] - h * f_[i] + a * r_[i] - b * r1_[i];
      for (int j = 0; j < nz_; ++j) J(i, j) = (i == j) + a * r_z_(i, j) - b * r_z1_(i, j);
    }
    if (active.empty()) return;
    system_.rate(t1, y_, z_, g_);
    system_.rate_jacobians(t1, y_, z_, nullptr, &gamma_z_);
    for (int k = 0; k < static_cast<int>(active.size()); ++k) {
      const int c = active[k];
      R_[nz_ + k] = g_[c] - (target.empty() ? 0 : target[c]);
      for (int j = 0; j < nz_; ++j) {
        J(nz_ + k, j) = gamma_z_(c, j);
        J(j, nz_ + k) = -form.new_weight * r_psi_(j, c);
      }
    }
  };
  if (a == 0) r_.setZero(), r_z_.setZero();
  const StepStatus status = newton(nz_, x0, largest(x0.z), assemble);
  z_ = x_.head(nz_);
  return status;
}

StepStatus EulerMap::second_stage(const EulerStart& x0, std::span<const int> active,
                                  std::span<const double> target, const Vec& Psi0, Vec& Psi1) {
  return second_stage(x0, {x0.alpha, 1, false}, active, target, Psi0, Psi1);
}

StepStatus EulerMap::adjoint(const EulerStart& x0, std::span<const int> active, Vec& Psi0, Vec& Psi1) {
  const double h = x0.h, a = x0.alpha, t1 = x0.t + x0.h;
  const int n = ny_ + nz_, k = static_cast<int>(active.size());
  psi_.clear();
  gather(active, Psi0);
  gather(active, Psi1);
  system_.velocity(x0.t, x0.y, x0.z, v_);
  x_.head(ny_) = v_;
  x_.segment(ny_, nz_) = x0.z;
  const double scale = std::max(largest(v_), largest(x0.z));
  const auto place = [&] {
    w_ = x_.head(ny_);
    z_ = x_.segment(ny_, nz_);
    combine(1, x0.y, h, w_, y_);
  };
  const auto assemble = [&] {
    place();
    system_.reaction(x0.t, x0.y, x0.z, Psi0, r_);
    system_.reaction(x0.t, x0.y, x0.z, Psi1, r1_);
    for (int i = 0; i < nz_; ++i) Z_[i] = x0.z[i] + h * r1_[i] - h * a * r_[i];
    system_.reaction_jacobians(x0.t, x0.y, x0.z, Psi0, nullptr, nullptr, &r_psi_);
    system_.reaction_jacobians(x0.t, x0.y, x0.z, Psi1, nullptr, nullptr, &r_psi1_);
    system_.velocity(t1, y_, Z_, v_);
    system_.velocity_jacobians(t1, y_, Z_, &v_y_, &v_z_);
    system_.force(t1, y_, Z_, f_);
    ++evaluations;
    system_.force_jacobians(t1, y_, Z_, &f_y_, &f_z_);
    system_.reaction(t1, y_, z_, Psi0, r_);
    system_.reaction_jacobians(t1, y_, z_, Psi0, &r_y_, &r_z_, &r_psi2_);
    for (int i = 0; i < ny_; ++i) {
      R_[i] = w_[i] - v_[i];
      for (int j = 0; j < ny_; ++j) J(i, j) = (i == j) - h * v_y_(i, j);
    }
    for (int i = 0; i < nz_; ++i) {
      R_[ny_ + i] = z_[i] - Z_[i] - h * f_[i] - h * a * r_[i];
      for (int j = 0; j < ny_; ++j) J(ny_ + i, j) = -h * h * (f_y_(i, j) + a * r_y_(i, j));
      for (int j = 0; j < nz_; ++j) J(ny_ + i, ny_ + j) = (i == j) - h * a * r_z_(i, j);
    }
    if (k == 0) return;
    system_.gap(t1, y_, g_);
    for (int i = 0; i < k; ++i) R_[n + i] = g_[active[i]] / h;
    system_.rate(t1, y_, z_, g_);
    for (int i = 0; i < k; ++i) R_[n + k + i] = g_[active[i]];
    system_.gap_jacobian(t1, y_, G_);
    system_.rate_jacobians(t1, y_, z_, &gamma_y_, &gamma_z_);
    for (int i = 0; i < k; ++i) {
      const int c = active[i];
      for (int j = 0; j < ny_; ++j) {
        J(n + i, j) = G_(c, j), J(n + k + i, j) = h * gamma_y_(c, j);
        J(j, n + i) = a * v_z_.row(j).dot(r_psi_.col(c)), J(j, n + k + i) = -v_z_.row(j).dot(r_psi1_.col(c));
      }
      for (int j = 0; j < nz_; ++j) {
        J(n + k + i, ny_ + j) = gamma_z_(c, j);
        J(ny_ + j, n + i) = a * (r_psi_(j, c) + h * f_z_.row(j).dot(r_psi_.col(c)) - r_psi2_(j, c));
        J(ny_ + j, n + k + i) = -r_psi1_(j, c) - h * f_z_.row(j).dot(r_psi1_.col(c));
      }
    }
  };
  const StepStatus status = newton(n, x0, scale, assemble);
  if (status == StepStatus::ok) place();
  return status;
}

StepStatus EulerMap::step(EulerVariant variant, const EulerStart& x0, std::span<const int> active, Vec& Psi0,
                          Vec& Psi1) {
  if (variant == EulerVariant::adjoint) return adjoint(x0, active, Psi0, Psi1);
  const bool natural = variant == EulerVariant::natural || variant == EulerVariant::natural_conjugate;
  const bool conjugate =
      variant == EulerVariant::natural_conjugate || variant == EulerVariant::consistent_conjugate;
  const StepStatus first =
      conjugate ? conjugate_first_stage(x0, active, Psi0) : first_stage(x0, active, Psi0);
  if (first != StepStatus::ok) return first;
  const SecondStage form{natural ? 0 : x0.alpha, natural ? 1 - x0.alpha : 1, conjugate};
  return second_stage(x0, form, active, {}, Psi0, Psi1);
}

}  // namespace saltus
