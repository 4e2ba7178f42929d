// A smooth mechanical system as one of first order, so that Runge–Kutta methods can run it:
//
//     y = (q, u),   q̇ = u,   u̇ = M⁻¹h,        ∂u̇/∂q = M⁻¹(∂h/∂q − ∂(M a)/∂q) at a = u̇,   ∂u̇/∂u = M⁻¹ ∂h/∂u.
//
// Contacts and joints must be forces. The Jacobian is exact where the system has second derivatives
// (CurvedSystem) or a constant mass; it has the places of the forces' where the mass is diagonal, and is
// dense else.
#pragma once
#include <memory>

#include "saltus/linalg/factor.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus {

class MechanicalOde final : public FirstOrderSystem {
 public:
  /// Throws Error: rotations, set-valued laws, or a mass that changes without second derivatives.
  /// `soft`: the system as one whose damping is a rate, where it is.
  explicit MechanicalOde(std::shared_ptr<const System> system, const ViscoelasticSystem* soft = nullptr);

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Room>(*system_, shape_);
  }
  Pattern pattern() const override;
  int size() const override { return 2 * n_; }
  int nq() const override { return n_; }
  int nu() const override { return n_; }
  void rhs(double t, In y, Out f, Workspace& w) const override;
  void jacobian(double t, In y, Matrix& J, Workspace& w) const override;
  void pack(double, In q, In u, Out y) const override { y << q, u; }
  void unpack(double, In y, Out q, Out u) const override { q = y.head(n_), u = y.tail(n_); }
  const ViscoelasticSystem* newtonian() const override { return soft_; }
  double energy(double t, In q, In u, Workspace& w) const override {
    return static_cast<Room&>(w).system.energy(t, q, u);
  }
  Powers powers() const override { return system_->powers(); }
  Power power(double t, In q, In u, Workspace& w) const override {
    return system_->power(t, q, u, static_cast<Room&>(w).system.workspace());
  }

 private:
  struct Room : Workspace {
    Room(const System& mechanical, const Shape& shape);
    void share(Faults& faults) override { Workspace::share(faults), system.workspace().share(faults); }

    CheckedSystem system;
    Matrix M, dq, du, K;
    Factor factor;
    Curvature curvature;
    Vec column;
    bool factored = false;
  };
  void acceleration(double t, In y, Room& room) const;  // into room.column

  std::shared_ptr<const System> system_;
  Shape shape_;
  int n_;
  const ViscoelasticSystem* soft_;
};

}  // namespace saltus
