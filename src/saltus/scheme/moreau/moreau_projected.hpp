// Moreau's scheme with projected positions (Acary 2012, (19), corrected): (16), and
//
//     q_{k+1} = q_k + h v_{k+θ} + M⁻¹ W τ,   0 ≤ g(q_{k+1}) ⊥ τ ≥ 0   (joints: g(q_{k+1}) = 0).
//
// decoupled   the Moreau step first, then the projection;
// monolithic  τ also moves q_{k+θ}, at which forces and directions are taken: q_{k+θ} = (1−θ) q_k + θ
// q_{k+1}. Gaps are non-negative on the grid; the orders are those of (16).
#pragma once
#include "saltus/core/fields.hpp"
#include "saltus/scheme/make.hpp"

namespace saltus {

struct MoreauProjected {
  enum class Coupling : std::uint8_t { decoupled, monolithic };
  static constexpr std::string_view coupling_names[] = {"decoupled", "monolithic"};
  static constexpr Family family = Family::mechanical;
  static constexpr std::string_view name = "moreau-projected",
                                    summary = "Moreau–Jean with projected positions (19)";
  double theta = 0.5, gamma = 1;
  Coupling coupling = Coupling::decoupled;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"theta", "", "implicitness of forces and positions", Range::closed(0, 1)}, theta);
    v(FieldInfo{"gamma", "", "how far ahead a contact is predicted, in steps", Range::closed(0, 1)}, gamma);
    v(FieldInfo{"coupling", "", "whether the projection enters the forces of its own step"}, coupling,
      Names(coupling_names));
  }
  SmoothMotion smooth() const { return {.order = theta == 0.5 ? 2 : 1, .stable_at_any_step = theta >= 0.5}; }
};

std::unique_ptr<Stepper> build_stepper(const MoreauProjected& options, const DynamicSystem& system,
                                       const SolverSpec& solver);

}  // namespace saltus
