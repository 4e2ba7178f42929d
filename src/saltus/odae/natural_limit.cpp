#include "saltus/odae/natural_limit.hpp"

#include <cmath>
#include "saltus/linalg/decompositions.hpp"

namespace saltus {

NaturalLimit::NaturalLimit(std::shared_ptr<const OdaeSystem> system, double alpha, bool conjugate)
    : system_(std::move(system)), alpha_(alpha), conjugate_(conjugate) {}

NaturalLimit::Room::Room(const OdaeSystem& odae) : system(odae), Psi0(odae.m()) {
  for (int i = 0; i < odae.m(); ++i) Psi0[i] = odae.first_multiplier(i);
  Psi1 = Psi0;
}

// constant + weight γ_z r(Ψ) = 0 by Newton's iteration
void NaturalLimit::solve(double t, In y, In z, const Vec& constant, double weight, const CheckedOdae& system,
                         Vec& Psi) const {
  Mat gamma_z(system.m(), system.nz()), r_psi(system.nz(), system.m());
  Vec r(system.nz());
  system.rate_jacobians(t, y, z, nullptr, &gamma_z);
  double previous = infinity;
  for (int k = 0; k < 50; ++k) {
    system.reaction(t, y, z, Psi, r);
    system.reaction_jacobians(t, y, z, Psi, nullptr, nullptr, &r_psi);
    const Mat A = weight * gamma_z * r_psi;
    const Vec step = solve_square(A, constant + weight * gamma_z * r);
    Psi -= step;
    const double change = step.lpNorm<Eigen::Infinity>(), size = Psi.lpNorm<Eigen::Infinity>();
    if (!(change > 1e-15 * size) || (change < 1e-9 * size && change > 0.5 * previous)) return;
    previous = change;
  }
  Psi.setConstant(std::nan(""));
}

void NaturalLimit::rhs(double t, In x, Out dx, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  const CheckedOdae& system = room.system;
  const Vec y = x.head(nq()), z = x.tail(nu());
  Vec v(nq()), f(nu()), b(system.m()), r(nu());
  Mat G(system.m(), nq()), v_y(nq(), nq()), gamma_z(system.m(), nu());
  system.velocity(t, y, z, v);
  system.force(t, y, z, f);
  system.bias(t, y, z, b);
  system.gap_jacobian(t, y, G);
  system.velocity_jacobians(t, y, z, &v_y, nullptr);
  system.rate_jacobians(t, y, z, nullptr, &gamma_z);
  const Vec turning = G * (v_y * v), half = 0.5 * (b - turning), pull = gamma_z * f;
  if (!room.Psi0.allFinite() || !room.Psi1.allFinite())
    for (int i = 0; i < system.m(); ++i) room.Psi0[i] = room.Psi1[i] = system.first_multiplier(i);
  solve(t, y, z, conjugate_ ? Vec(half + turning) : Vec(half + pull), alpha_, system, room.Psi0);
  solve(t, y, z, conjugate_ ? Vec(half + pull) : Vec(half + turning), 1 - alpha_, system, room.Psi1);
  dx.head(nq()) = v;
  system.reaction(t, y, z, room.Psi0, r);
  f += alpha_ * r;
  system.reaction(t, y, z, room.Psi1, r);
  dx.tail(nu()) = f + (1 - alpha_) * r;
}

void NaturalLimit::jacobian(double t, In x, Matrix& J, Workspace& w) const {
  Vec at(size()), moved(size()), to = x;
  rhs(t, x, at, w);
  for (int j = 0; j < size(); ++j) {
    const double d = 1e-7 * (1 + std::abs(x[j]));
    to[j] = x[j] + d;
    rhs(t, to, moved, w);
    for (int i = 0; i < size(); ++i) J.set(i, j, (moved[i] - at[i]) / d);
    to[j] = x[j];
  }
}

}  // namespace saltus
