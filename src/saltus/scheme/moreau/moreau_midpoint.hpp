// Moreau's midpoint rule (Studer, Leine, Glocker 2008, Sect. 4, corrected). One step from B to E of length h:
//
//     q_M = q_B + h/2 u_B,  t_M = t_B + h/2;   M, W, χ at (t_M, q_M),  F = F(t_M, q_M, u_B)
//     M (u_E − u_B) = h F + W P,   −(γ_E + E γ_B) ∈ N_C(P),  γ = Wᵀu + χ
//     q_E = q_M + h/2 u_E
//
// A contact is active iff g(t_M, q_M) ≤ 0. Explicit in the forces; for F = F(t, q) smooth steps are position
// Verlet, of order 2 with even powers of h only.
#pragma once
#include "saltus/core/fields.hpp"
#include "saltus/scheme/make.hpp"

namespace saltus {

struct MoreauMidpoint {
  static constexpr Family family = Family::mechanical;
  static constexpr std::string_view name = "moreau-midpoint", summary = "Moreau's midpoint rule";
  template <class V>
  void fields(V&&) {}
  SmoothMotion smooth() const { return {2, 2.0, true}; }
};

std::unique_ptr<Stepper> build_stepper(const MoreauMidpoint& options, const DynamicSystem& system,
                                       const SolverSpec& solver);

}  // namespace saltus
