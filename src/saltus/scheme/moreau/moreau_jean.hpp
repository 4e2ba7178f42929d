// Moreau–Jean θ time stepping (Acary 2012, (16), corrected). One step of length h:
//
//     v_{k+θ} = (1−θ) v_k + θ v_{k+1},   q_{k+θ} = q_k + θ h v_{k+θ},   t_{k+θ} = t_k + θ h
//     M_{k+θ} (v_{k+1} − v_k) = h F(t_{k+θ}, q_{k+θ}, v_{k+θ}) + W_{k+θ} P
//     q_{k+1} = q_k + h v_{k+θ}
//     contact active  ⇔  g(q_k) + γ h U_k ≤ 0, U_k = W(q_k)ᵀ v_k + χ;  then  −(U_{k+1} + E U_k) ∈ N_C(P)
//
// Order 1 through impacts (in L1, graph distance, and every norm of q), 2 in smooth motion for θ = 1/2.
// Restitution is met exactly at any step; θ = 1/2 with e = 1 and linear forces conserves energy, impacts
// included. θ = 0 is explicit; θ > 0 solves for v_{k+1} by Newton with one contact problem per iteration, and
// by one linear solve with a stored factor where mass, force and directions are linear.
#pragma once
#include "saltus/core/fields.hpp"
#include "saltus/scheme/make.hpp"

namespace saltus {

struct MoreauJean {
  static constexpr Family family = Family::mechanical;
  static constexpr std::string_view name = "moreau-jean", summary = "Moreau–Jean θ time stepping (16)";
  double theta = 0.5, gamma = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"theta", "", "implicitness of forces and positions", Range::closed(0, 1)}, theta);
    v(FieldInfo{"gamma", "", "how far ahead a contact is predicted, in steps", Range::closed(0, 1)}, gamma);
  }
  SmoothMotion smooth() const { return {.order = theta == 0.5 ? 2 : 1, .stable_at_any_step = theta >= 0.5}; }
};

std::unique_ptr<Stepper> build_stepper(const MoreauJean& options, const DynamicSystem& system,
                                       const SolverSpec& solver);

}  // namespace saltus
