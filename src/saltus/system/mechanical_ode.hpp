// A smooth mechanical system as one of first order, so that Runge–Kutta methods can run it:
//
//     y = (q, u),   q̇ = u,   u̇ = M⁻¹h,        ∂u̇/∂q = M⁻¹(∂h/∂q − ∂(M a)/∂q) at a = u̇,   ∂u̇/∂u = M⁻¹ ∂h/∂u.
//
// Contacts and joints must be forces. The Jacobian is exact where the system has second derivatives
// (CurvedSystem) or a constant mass; it is dense, or sparse where the forces' is and the mass is diagonal.
#pragma once
#include <memory>

#include "saltus/core/pool.hpp"
#include "saltus/linalg/factor.hpp"
#include "saltus/system/curvature.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus {

class MechanicalOde final : public FirstOrderSystem {
 public:
  /// Throws Error: rotations, set-valued laws, or a mass that changes without second derivatives.
  explicit MechanicalOde(std::shared_ptr<const System> system);

  Pattern pattern() const override;
  int size() const override { return 2 * n_; }
  int nq() const override { return n_; }
  int nu() const override { return n_; }
  void rhs(double t, In y, Out f) const override;
  void jacobian(double t, In y, Matrix& J) const override;
  void pack(double, In q, In u, Out y) const override { y << q, u; }
  void unpack(double, In y, Out q, Out u) const override { q = y.head(n_), u = y.tail(n_); }
  double energy(double t, In q, In u) const override { return system_->energy(t, q, u); }

 private:
  struct Room {
    Matrix M, dq, du, K;
    Factor factor;
    Curvature curvature;
    Vec column;
    bool factored = false;
  };
  Pool<Room>::Borrowed borrow() const;
  void acceleration(double t, In y, Room& room) const;  // into room.column

  std::shared_ptr<const System> system_;
  const CurvedSystem* curved_;
  Shape shape_;
  int n_;
  mutable Pool<Room> rooms_;
};

}  // namespace saltus
