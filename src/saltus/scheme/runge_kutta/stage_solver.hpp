// Newton's equations of an implicit Runge–Kutta step, one stage at a time. With the motion linearised about
// one state (ClosedDynamics::linearise) the stages ΔK of all s accelerations satisfy
//
//     (1 − h A ⊗ ∂a/∂u − h² A² ⊗ ∂a/∂q) ΔK = R.
//
// With A = T Λ T⁻¹ they separate (Butcher 1976, Bickart 1977; Hairer, Wanner II, IV.8): for each eigenvalue μ
//
//     [ M − hμ F_u − h²μ² F_q            −D ] [k]   [M  r]
//     [ Wᵀ + hμ ∂γ̇/∂u + h²μ² ∂γ̇/∂q     0 ] [l] = [Wᵀ r],      r = row of T⁻¹R,
//
// the equations of constrained motion with a shift: one sparse solve, real or complex. Of a pair μ, μ̄ one is
// solved. Where μ = 0 (the first stage of Lobatto IIIA) k = r.
#pragma once
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"

namespace saltus {

class StageSolver {
 public:
  StageSolver() = default;
  explicit StageSolver(const Tableau& tableau);

  /// Keeps references to the matrices of `at` until the next call. False: singular or not finite.
  bool factorize(const ClosedDynamics::Linearisation& at, double h);
  /// R_i → ΔK_i
  void solve(std::vector<Vec>& R);
  /// The largest real eigenvalue of A; 0: there is none.
  double real_eigenvalue() const;
  /// (q, u) ← (1 − hμ J)⁻¹ (q, u), J = ∂(u, a)/∂(q, u), with that eigenvalue μ.
  void filter(Vec& q, Vec& u);

 private:
  using Complex = std::complex<double>;
  template <class Scalar>
  struct Shift {
    Scalar eigenvalue{};
    std::vector<Scalar> left, right;  // row of T⁻¹, column of T (doubled where a conjugate is left out)
    SaddleFactor<Scalar> factor;
    std::vector<Scalar> x;
  };
  template <class Scalar>
  bool factorize(Shift<Scalar>& shift, double h);
  template <class Scalar>
  void gather(Shift<Scalar>& shift, const std::vector<Vec>& R);
  template <class Scalar>
  void scatter(Shift<Scalar>& shift, std::vector<Vec>& out) const;

  std::vector<Shift<double>> real_;
  std::vector<Shift<Complex>> pairs_;
  const ClosedDynamics::Linearisation* at_ = nullptr;
  double h_ = 0;
};

}  // namespace saltus
