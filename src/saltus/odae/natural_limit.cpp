#include "saltus/odae/natural_limit.hpp"

#include <Eigen/LU>
#include <cmath>

namespace saltus {

NaturalLimit::NaturalLimit(std::shared_ptr<const OdaeSystem> system, double alpha, bool conjugate)
    : system_(std::move(system)), alpha_(alpha), conjugate_(conjugate), Psi0_(system_->m()) {
  for (int i = 0; i < system_->m(); ++i) Psi0_[i] = system_->first_multiplier(i);
  Psi1_ = Psi0_;
}

// constant + weight γ_z r(Ψ) = 0 by Newton's iteration
void NaturalLimit::solve(double t, In y, In z, const Vec& constant, double weight, Vec& Psi) const {
  Mat gamma_z(system_->m(), system_->nz()), r_psi(system_->nz(), system_->m());
  Vec r(system_->nz());
  system_->rate_jacobians(t, y, z, nullptr, &gamma_z);
  double previous = infinity;
  for (int k = 0; k < 50; ++k) {
    system_->reaction(t, y, z, Psi, r);
    system_->reaction_jacobians(t, y, z, Psi, nullptr, nullptr, &r_psi);
    const Mat A = weight * gamma_z * r_psi;
    const Vec step = A.partialPivLu().solve(Vec(constant + weight * gamma_z * r));
    Psi -= step;
    const double change = step.lpNorm<Eigen::Infinity>(), size = Psi.lpNorm<Eigen::Infinity>();
    if (!(change > 1e-15 * size) || (change < 1e-9 * size && change > 0.5 * previous)) return;
    previous = change;
  }
  Psi.setConstant(std::nan(""));
}

void NaturalLimit::rhs(double t, In x, Out dx) const {
  const Vec y = x.head(nq()), z = x.tail(nu());
  Vec v(nq()), f(nu()), b(system_->m()), r(nu());
  Mat G(system_->m(), nq()), v_y(nq(), nq()), gamma_z(system_->m(), nu());
  system_->velocity(t, y, z, v);
  system_->force(t, y, z, f);
  system_->bias(t, y, z, b);
  system_->gap_jacobian(t, y, G);
  system_->velocity_jacobians(t, y, z, &v_y, nullptr);
  system_->rate_jacobians(t, y, z, nullptr, &gamma_z);
  const Vec turning = G * (v_y * v), half = 0.5 * (b - turning), pull = gamma_z * f;
  if (!Psi0_.allFinite() || !Psi1_.allFinite())
    for (int i = 0; i < system_->m(); ++i) Psi0_[i] = Psi1_[i] = system_->first_multiplier(i);
  solve(t, y, z, conjugate_ ? Vec(half + turning) : Vec(half + pull), alpha_, Psi0_);
  solve(t, y, z, conjugate_ ? Vec(half + pull) : Vec(half + turning), 1 - alpha_, Psi1_);
  dx.head(nq()) = v;
  system_->reaction(t, y, z, Psi0_, r);
  f += alpha_ * r;
  system_->reaction(t, y, z, Psi1_, r);
  dx.tail(nu()) = f + (1 - alpha_) * r;
}

void NaturalLimit::jacobian(double t, In x, Matrix& J) const {
  Vec at(size()), moved(size()), to = x;
  rhs(t, x, at);
  for (int j = 0; j < size(); ++j) {
    const double d = 1e-7 * (1 + std::abs(x[j]));
    to[j] = x[j] + d;
    rhs(t, to, moved);
    for (int i = 0; i < size(); ++i) J.set(i, j, (moved[i] - at[i]) / d);
    to[j] = x[j];
  }
}

}  // namespace saltus
