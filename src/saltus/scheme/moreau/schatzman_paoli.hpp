// Schatzman and Paoli's scheme (named in Acary 2012, introduction): a two-step method on the position level.
//
//     M (q_{n+1} − 2 q_n + q_{n−1}) = h² F(t_n, q_n, u_n) + h W P,   0 ≤ P ⊥ g((q_{n+1} + e q_{n−1})/(1 + e))
//     ≥ 0
//
// With u_n = (q_n − q_{n−1})/h, and gap and directions at q_n, the condition reads
//
//     u_{n+1} = u_n + h M⁻¹ F + M⁻¹ W P,   0 ≤ P ⊥ γ⁺ − e γ⁻ + (1 + e) g(q_n)/h ≥ 0,   q_{n+1} = q_n + h
//     u_{n+1};
//
// joints: γ⁺ + g(q_n)/h = 0, so that positions do not drift. No contact is activated by hand: the
// complementarity decides. An impact lasts two steps, after which γ = −e γ⁻ exactly where nothing else acts.
// Friction obeys Coulomb's law on the velocity level.
//
// The velocity is staggered, u_n at t_n − h/2; a first kick of h/2 makes smooth motion Verlet's, positions of
// order 2. Order 1 through impacts. Equal steps only.
#pragma once
#include "saltus/core/fields.hpp"
#include "saltus/scheme/make.hpp"

namespace saltus {

struct SchatzmanPaoli {
  static constexpr Family family = Family::mechanical;
  static constexpr std::string_view name = "schatzman-paoli",
                                    summary = "Schatzman–Paoli: two steps, contacts on the position level";
  template <class V>
  void fields(V&&) {}
  SmoothMotion smooth() const { return {2, 2.0}; }
};

/// Throws Error for laws with tangential restitution, which it has not.
std::unique_ptr<Stepper> build_stepper(const SchatzmanPaoli& options, const DynamicSystem& system,
                                       const SolverSpec& solver);

}  // namespace saltus
