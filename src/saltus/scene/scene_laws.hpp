// The laws a contact of a scene can have: set-valued ones, and compliant ones that become forces.
#pragma once
#include "saltus/law/law.hpp"

namespace saltus {

/// λ = k d₊^{3/2}, d = −gap.
struct HertzContact {
  static constexpr std::string_view name = "hertz", summary = "compliant contact, k d^1.5 of the overlap d";
  double k = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"k", "N/m^1.5", "stiffness", Range::positive()}, k);
  }
};
/// λ = k d₊^{3/2} + γ k d/dt d₊^{3/2}
struct KuwabaraKono {
  static constexpr std::string_view
      name = "kuwabara-kono",
      summary = "Hertz contact with the damping of Kuwabara and Kono; pulls while it opens fast";
  double k = 1, gamma = 0.1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"k", "N/m^1.5", "stiffness", Range::positive()}, k);
    v(FieldInfo{"gamma", "s", "damping", Range::non_negative()}, gamma);
  }
};
/// λ = k d₊^p + c d/dt d₊
struct DashpotContact {
  static constexpr std::string_view
      name = "dashpot",
      summary = "spring k d^p and dashpot c d' of the overlap d; pulls while it opens fast";
  double k = 1, c = 0, p = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"k", "N/m^p", "stiffness", Range::positive()}, k);
    v(FieldInfo{"c", "N s/m", "damping", Range::non_negative()}, c);
    v(FieldInfo{"p", "", "power of the overlap", Range::at_least(1)}, p);
  }
};
using SceneLaw = std::variant<Unilateral, Coulomb, Relay, Tresca, PrestressedSpring, HertzContact,
                              KuwabaraKono, DashpotContact>;

}  // namespace saltus
