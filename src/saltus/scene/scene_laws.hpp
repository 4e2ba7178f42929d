// The laws a contact of a scene can have: set-valued ones, compliant ones that become forces, and friction
// that makes the scene an overdetermined DAE.
#pragma once
#include "saltus/law/compliance.hpp"
#include "saltus/law/law.hpp"

namespace saltus {

/// ‖F‖ = μ Nᵖ against the slip. It has no impulse, and sticking is none of it: odae/mechanical_odae.hpp.
struct PowerFrictionContact {
  static constexpr std::string_view name = "power-friction",
                                    summary =
                                        "sliding friction mu N^p of the normal force N; one p in a scene; "
                                        "scheme symplectic-euler";
  double mu = 0.3, p = 0.85, e_n = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"mu", "N^(1-p)", "friction at N = 1", Range::non_negative()}, mu);
    v(FieldInfo{"p", "", "power of the normal force", Range::positive()}, p);
    v(FieldInfo{"e_n", "", "normal restitution", Range::closed(0, 1)}, e_n);
  }
};

using SceneLaw = std::variant<Unilateral, Coulomb, RollingFriction, Relay, Tresca, PrestressedSpring,
                              HertzContact, KuwabaraKono, DashpotContact, PowerFrictionContact>;

}  // namespace saltus
