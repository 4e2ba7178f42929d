// What follows from γ(y,z) = 0 by one more differentiation, the hidden constraint
//
//     0 = γ̇ = b + γ_z (f + r(y,z,ψ)),      b = g_yy(v,v) + g_y v_y v,      γ_z = g_y v_z,              (H)
//
// and what is solved with the same matrices: multipliers, the complementarity of closed contacts, consistent
// starts, impacts. Owns its buffers; constraints are given as lists of increasing indices.
#pragma once
#include <span>

#include "saltus/odae/checked_odae.hpp"
#include "saltus/odae/odae_system.hpp"

namespace saltus {

/// A x + c = w with 0 ≤ x ⊥ w ≥ 0, or w = 0 where `equality` says so, by Murty's least-index pivots: finite
/// when every principal minor of A is positive. False when a pivot is singular or the pivots do not end.
bool solve_complementarity(const Mat& A, const Vec& c, std::span<const char> equality, Vec& x);

class HiddenConstraint {
 public:
  HiddenConstraint(const OdaeSystem& system, Faults& faults);

  /// ψ of the constraints in `active` from (H), 0 for the others; psi comes with a guess.
  bool multipliers(double t, In y, In z, std::span<const int> active, Vec& psi);
  /// The same with 0 ≤ ψ ⊥ γ̇ ≥ 0 for the unilateral ones among `closed`.
  bool complementary_multipliers(double t, In y, In z, std::span<const int> closed, Vec& psi);

  /// γ̇ of all constraints with these ψ.
  const Vec& accelerations(double t, In y, In z, const Vec& psi);

  /// z ← z + N P with 0 ≤ P ⊥ γ⁺ + e γ⁻ ≥ 0 on the `touching` constraints (γ⁺ = 0 for bilateral ones).
  /// Contacts marked in `plastic` (by constraint, may be empty) have e = 0.
  bool impact(double t, In y, Vec& z, std::span<const int> touching, std::span<const char> plastic, Vec& P);

  /// Moves y to the nearest point with g = 0, then z to the nearest with γ = 0.
  bool project(double t, Vec& y, Vec& z, std::span<const int> active);

  /// Of g_y v_z r_ψ at the last ψ: its smallest singular value, relative to the sizes of its two factors.
  double regularity(std::span<const int> active) const;
  double change() const { return change_; }  ///< of ψ in the last iteration

 private:
  void prepare(double t, In y, In z);
  void evaluate(double t, In y, In z, const Vec& psi);
  double weight(std::span<const int> active) const;

  CheckedOdae system_;
  Vec f_, r_, b_, acceleration_, g_;
  Mat gamma_z_, r_psi_, A_;
  std::vector<double> lu_, step_;
  std::vector<int> pivot_;
  double change_ = 0;
};

/// Throws Error with a remedy unless g and γ vanish on the bilateral constraints and the unilateral ones do
/// not penetrate.
void check_consistent(const OdaeSystem& system, double t, In y, In z);
/// Unilateral constraints that touch (g = 0, and γ = 0 unless `moving` ones count too) and all bilateral
/// ones.
std::vector<int> touching_constraints(const OdaeSystem& system, double t, In y, In z, bool moving);

}  // namespace saltus
