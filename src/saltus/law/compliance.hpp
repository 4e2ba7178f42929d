// Compliant laws: a contact pushes with a force of its overlap d = −gap and of the rate of it,
//
//     λ = k dᵖ + d/dt (b dʳ) = k dᵖ + b r dʳ⁻¹ ḋ   where d > 0, else 0;   potential k dᵖ⁺¹/(p + 1).
//
// They are functions, not sets: systems add them to their forces.
#pragma once
#include <optional>

#include "saltus/core/fields.hpp"

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
/// λ = k d₊^{3/2} + γ k d/dt d₊^β: 3/2 Kuwabara and Kono, 5/2 Simon, Hunt and Crossley, 1 a dashpot.
struct KuwabaraKono {
  static constexpr std::string_view
      name = "kuwabara-kono",
      summary = "Hertz contact with the damping gamma k d/dt d^beta; pulls while it opens fast";
  double k = 1, gamma = 0.1, beta = 1.5;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"k", "N/m^1.5", "stiffness", Range::positive()}, k);
    v(FieldInfo{"gamma", "s*m^(1.5-beta)", "damping", Range::non_negative()}, gamma);
    v(FieldInfo{"beta", "", "power of the damping: 1.5 Kuwabara and Kono, 2.5 Hunt and Crossley, 1 a dashpot",
                Range::at_least(1)},
      beta);
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
using CompliantLaw = std::variant<HertzContact, KuwabaraKono, DashpotContact>;

/// The numbers of the formula above.
struct Compliance {
  double k = 0, p = 1.5, b = 0, r = 1.5;

  struct Push {
    double force, by_overlap, by_rate;  ///< λ, ∂λ/∂d, ∂λ/∂ḋ
  };
  Push push(double d, double rate) const;  ///< d > 0
  double potential(double d) const;        ///< d > 0
  double momentum(double d) const;         ///< b dʳ, d > 0: the rate of it is the damping force
  /// γ where the damping force is γ d/dt of the elastic one.
  std::optional<double> gamma() const {
    return b == 0 ? std::optional(0.0) : r == p ? std::optional(b / k) : std::nullopt;
  }
};
Compliance compliance_of(const CompliantLaw& law);

/// Two surfaces in series. With one power p of both, each has the share s_i = (k/k_i)^{1/p} of the overlap
/// under the same force, so k^{-1/p} = Σ k_i^{-1/p}; and what they dissipate with these shares adds up,
/// b = Σ b_i s_i^{r+1}. So two equal Kuwabara–Kono surfaces keep their γ, two equal dashpots halve c as they
/// halve k (p = 1). Nothing where laws or powers differ.
std::optional<Compliance> in_series(const CompliantLaw& a, const CompliantLaw& b);

}  // namespace saltus
