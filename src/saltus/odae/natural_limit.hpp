// What the natural symplectic Euler method converges to when r is nonlinear in ψ (section 3.4 of the paper):
// not the ODAE but
//
//     ẏ = v,   ż = f + α r(y,z,Ψ₀) + (1−α) r(y,z,Ψ₁),
//     0 = γ_z (f + α r(Ψ₀)) + ½ g_yy(v,v),      0 = ½ g_yy(v,v) + g_y v_y v + (1−α) γ_z r(Ψ₁).
//
// For the conjugate method the terms of f and of v_y v change places.
#pragma once
#include <memory>

#include "saltus/odae/checked_odae.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus {

class NaturalLimit final : public FirstOrderSystem {
 public:
  NaturalLimit(std::shared_ptr<const OdaeSystem> system, double alpha, bool conjugate = false);

  int size() const override { return system_->ny() + system_->nz(); }
  int nq() const override { return system_->ny(); }
  int nu() const override { return system_->nz(); }
  void rhs(double t, In x, Out dx, Workspace& w) const override;
  void jacobian(double t, In x, Matrix& J, Workspace& w) const override;  ///< by differences
  void pack(double, In q, In u, Out x) const override { x << q, u; }
  void unpack(double, In x, Out q, Out u) const override { q = x.head(nq()), u = x.tail(nu()); }

  /// Starts the search for Ψ at the last solution.
  struct Room : Workspace {
    explicit Room(const OdaeSystem& odae);
    void share(Faults& faults) override { Workspace::share(faults), system.workspace().share(faults); }

    CheckedOdae system;
    Vec Psi0, Psi1;  ///< of the last right-hand side
  };
  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Room>(*system_); }

 private:
  void solve(double t, In y, In z, const Vec& constant, double weight, const CheckedOdae& system,
             Vec& Psi) const;

  std::shared_ptr<const OdaeSystem> system_;
  double alpha_;
  bool conjugate_;
};

}  // namespace saltus
