// What the natural symplectic Euler method converges to when r is nonlinear in ψ (section 3.4 of the paper):
// not the ODAE but
//
//     ẏ = v,   ż = f + α r(y,z,Ψ₀) + (1−α) r(y,z,Ψ₁),
//     0 = γ_z (f + α r(Ψ₀)) + ½ g_yy(v,v),      0 = ½ g_yy(v,v) + g_y v_y v + (1−α) γ_z r(Ψ₁).
//
// For the conjugate method the terms of f and of v_y v change places.
#pragma once
#include <memory>

#include "saltus/odae/odae_system.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus {

/// Keeps the last Ψ as guesses: one per thread.
class NaturalLimit final : public FirstOrderSystem {
 public:
  NaturalLimit(std::shared_ptr<const OdaeSystem> system, double alpha, bool conjugate = false);

  int size() const override { return system_->ny() + system_->nz(); }
  int nq() const override { return system_->ny(); }
  int nu() const override { return system_->nz(); }
  void rhs(double t, In x, Out dx) const override;
  void jacobian(double t, In x, Matrix& J) const override;  ///< by differences
  void pack(double, In q, In u, Out x) const override { x << q, u; }
  void unpack(double, In x, Out q, Out u) const override { q = x.head(nq()), u = x.tail(nu()); }

  const Vec& Psi0() const { return Psi0_; }  ///< of the last right-hand side
  const Vec& Psi1() const { return Psi1_; }

 private:
  void solve(double t, In y, In z, const Vec& constant, double weight, Vec& Psi) const;

  std::shared_ptr<const OdaeSystem> system_;
  double alpha_;
  bool conjugate_;
  mutable Vec Psi0_, Psi1_;
};

}  // namespace saltus
