// One step of a symplectic Euler method on an ODAE, from (y₀,z₀) on the manifold g = 0, γ = 0 ("Consistent
// extensions of the symplectic Euler method for a class of overdetermined DAEs"):
//
//   natural (3.2)            Z₁ = z₀ + h f(y₀,Z₁) + hα r(y₀,z₀,Ψ₀),  y₁ = y₀ + h v(y₀,Z₁),  g(y₁) = 0;
//                            z₁ = Z₁ + h(1−α) r(y₁,z₁,Ψ₁),  γ(y₁,z₁) = 0
//   true (3.5)               first stage as natural;
//                            z₁ = Z₁ − hα r(y₁,z₁,Ψ₀) + h r(y₁,z₁,Ψ₁),  γ(y₁,z₁) = 0
//   natural-conjugate (3.7)  Z₁ = z₀ + hα r(y₀,z₀,Ψ₀),  y₁ = y₀ + h v(y₁,Z₁),  g(y₁) = 0;
//                            z₁ = Z₁ + h f(y₁,Z₁) + h(1−α) r(y₁,z₁,Ψ₁),  γ(y₁,z₁) = 0
//   true-conjugate (3.8)     first stage as natural-conjugate;
//                            z₁ = Z₁ + h f(y₁,Z₁) − hα r(y₁,z₁,Ψ₀) + h r(y₁,z₁,Ψ₁),  γ(y₁,z₁) = 0
//   true-adjoint             Z₁ = z₀ + h r(y₀,z₀,Ψ₁) − hα r(y₀,z₀,Ψ₀),  y₁ = y₀ + h v(y₁,Z₁),  g(y₁) = 0;
//                            z₁ = Z₁ + h f(y₁,Z₁) + hα r(y₁,z₁,Ψ₀),  γ(y₁,z₁) = 0, all at once: the adjoint
//                            of true. It is true-conjugate with 1 − α only when r is affine in ψ.
//
// Stages are solved one after the other where the method allows. In Newton's iteration the constraints are
// scaled, g/h, and so are the multipliers, hψ: the matrices stay regular for h → 0. Rounding leaves Ψ₀ known
// to ε|y|/(αh²) only, which does no harm to Z; so convergence is judged by the states, never by Ψ.
#pragma once
#include <span>

#include "saltus/odae/checked_odae.hpp"
#include "saltus/odae/odae_system.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/scheme/symplectic/symplectic_euler.hpp"

namespace saltus {

struct EulerStart {
  double t = 0, h = 0, alpha = 0.5;
  const Vec &y, &z;
};

class EulerMap {
 public:
  EulerMap(const OdaeSystem& system, Faults& faults);

  /// Writes y() and z(). Ψ come with guesses; constraints that are not `active` have Ψ = 0. With bad status
  /// see change().
  StepStatus step(EulerVariant variant, const EulerStart& x0, std::span<const int> active, Vec& Psi0,
                  Vec& Psi1);

  // The stages of true, for schemes that decide in between. `target`: the γ wanted, empty for 0. Constraints
  // marked as landing act along N, without friction, until the mark is taken off.
  StepStatus first_stage(const EulerStart& x0, std::span<const int> active, Vec& Psi0);
  StepStatus second_stage(const EulerStart& x0, std::span<const int> active, std::span<const double> target,
                          const Vec& Psi0, Vec& Psi1);
  std::vector<char>& landing() { return landing_; }

  const Vec& Z() const { return Z_; }
  const Vec& y() const { return y_; }
  const Vec& z() const { return z_; }
  double change() const { return change_; }  ///< of the states in the last iteration
  int iterations = 0, evaluations = 0;       ///< counted up; to be reset by the caller

 private:
  struct SecondStage {
    double old_weight, new_weight;  // of −h r(y₁,z₁,Ψ₀) and h r(y₁,z₁,Ψ₁)
    bool with_force;
  };
  StepStatus conjugate_first_stage(const EulerStart& x0, std::span<const int> active, Vec& Psi0);
  StepStatus second_stage(const EulerStart& x0, const SecondStage& form, std::span<const int> active,
                          std::span<const double> target, const Vec& Psi0, Vec& Psi1);
  StepStatus adjoint(const EulerStart& x0, std::span<const int> active, Vec& Psi0, Vec& Psi1);

  void reaction(double t, In y, In z, const Vec& psi, Vec& r);
  void reaction_jacobians(double t, In y, In z, const Vec& psi, Mat* r_y, Mat* r_z, Mat* r_psi);
  /// Newton on the first n entries of x_ and on the gathered Ψ; `assemble` fills R_ and J().
  template <class Assemble>
  StepStatus newton(int n, const EulerStart& x0, double scale, Assemble&& assemble);
  double& J(int row, int column) { return lu_[static_cast<std::size_t>(column) * size_ + row]; }
  void gather(std::span<const int> active, Vec& Psi);

  CheckedOdae system_;
  int ny_, nz_, m_, size_ = 0;
  std::vector<double> lu_;
  std::vector<int> pivot_;
  std::vector<double*> psi_;  // the multipliers Newton's iteration changes
  std::vector<char> landing_;
  Vec x_, R_, y_, z_, Z_, w_, v_, f_, r_, r1_, g_, masked_;
  Mat v_y_, v_z_, f_y_, f_z_, r_y_, r_z_, r_z1_, r_psi_, r_psi1_, r_psi2_, G_, gamma_y_, gamma_z_, N_;
  double change_ = 0;
};

}  // namespace saltus
