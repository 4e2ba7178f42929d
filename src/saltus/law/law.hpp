// Set-valued laws. On one block of rows, with y = γ⁺ + E γ⁻,
//
//     −y ∈ N_C(P)   ⇔   P = prox_C(P − ρ y)   for any ρ > 0.
//
// C may depend on P: Coulomb's disc has radius μ P_N, and prox then projects in the law's own order (normal
// first, then the tangent onto the new disc). Limits that are forces (Tresca, relay) become impulses when
// multiplied by the length `dt` of the step that poses the problem; laws know nothing else of time.
// The first row of Unilateral and Coulomb is the normal one.
#pragma once
#include <memory>
#include <string_view>
#include <variant>

#include "saltus/core/fields.hpp"
#include "saltus/core/types.hpp"

namespace saltus {

/// What a law does at a solution (P, y). slip: y_T > 0 (one tangent) or any direction (two); slip_back: y_T <
/// 0.
enum class Mode : std::uint8_t { open, closed, stick, slip, slip_back };
std::string_view to_string(Mode mode);

/// Contact with Newton's restitution: 0 ≤ P ⊥ γ⁺ + e γ⁻ ≥ 0.
struct Unilateral {
  static constexpr std::string_view name = "unilateral", summary = "contact with Newton restitution e";
  double e = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
  }
};

/// A joint: γ⁺ = 0 on `size` rows, P free.
struct Equality {
  static constexpr std::string_view name = "equality", summary = "joint: velocity held at zero, any reaction";
  int size = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"size", "", "number of rows", Range::closed(1, max_block_rows)}, size);
  }
};

/// Contact with Coulomb friction: the normal as Unilateral, |P_T| ≤ μ P_N opposing the slip y_T.
struct Coulomb {
  static constexpr std::string_view name = "coulomb", summary = "contact with Coulomb friction, 2D or 3D";
  double mu = 0, e_n = 0, e_t = 0;
  int tangents = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"mu", "", "coefficient of friction", Range::non_negative()}, mu);
    v(FieldInfo{"e_n", "", "normal restitution", Range::closed(0, 1)}, e_n);
    v(FieldInfo{"e_t", "", "tangential restitution", Range::closed(0, 1)}, e_t);
    v(FieldInfo{"tangents", "", "tangential directions (1: plane, 2: space)", Range::closed(1, 2)}, tangents);
  }
};

/// Friction or actuator with fixed limits (Tresca): lower·dt ≤ P ≤ upper·dt, P at a limit when y ≠ 0.
struct Relay {
  static constexpr std::string_view name = "relay",
                                    summary = "fixed force limits (Tresca friction, actuator)";
  double lower = -1, upper = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"lower", "N", "smallest force"}, lower);
    v(FieldInfo{"upper", "N", "largest force"}, upper);
  }
};

/// Write your own law by deriving from this.
class LawInterface {
 public:
  virtual ~LawInterface() = default;
  virtual int rows() const = 0;
  virtual bool needs_closed_gap() const { return false; }  ///< true: a contact, its first row has a gap
  virtual void prox(double dt, Block& x) const = 0;  ///< x ← prox_C(x), C scaled by dt where it holds forces
  virtual void prox_jacobian(double dt, const Block& x, BlockMatrix& J) const = 0;  ///< J ∈ ∂prox_C(x)
  virtual void restitution(const Block& gamma_minus, Block& out) const { out = 0 * gamma_minus; }
  virtual Mode mode(double dt, const Block& P, const Block& y) const = 0;
  virtual std::string_view label() const { return "user"; }
};
struct UserLaw {
  static constexpr std::string_view name = "user", summary = "a law written in C++ (class LawInterface)";
  std::shared_ptr<const LawInterface> impl;
  template <class V>
  void fields(V&&) {}
};

using Law = std::variant<Unilateral, Equality, Coulomb, Relay, UserLaw>;

int rows(const Law& law);
/// x ← prox_C(x), in place, rows(law) entries.
void prox(const Law& law, double dt, double* x);
/// J ∈ ∂prox_C at x, the generalised Jacobian that semi-smooth Newton uses.
void prox_jacobian(const Law& law, double dt, const double* x, BlockMatrix& J);
/// out = E γ⁻
void restitution(const Law& law, const double* gamma_minus, double* out);
/// The mode of a solution; ρ > 0 is the step of the prox that decides ties between stick and slip.
Mode mode(const Law& law, double dt, double rho, const double* P, const double* y);
/// C is a polyhedron (or, for Coulomb in the plane, a union the pivoting method can treat).
bool is_polyhedral(const Law& law);
/// Whether the law acts only while a gap is closed; the others act always.
inline bool needs_closed_gap(const Law& law) {
  if (std::holds_alternative<Unilateral>(law) || std::holds_alternative<Coulomb>(law)) return true;
  const auto* user = std::get_if<UserLaw>(&law);
  return user && user->impl->needs_closed_gap();
}
/// Throws Error when a parameter is out of range; `where` names the contact.
void check_law(const Law& law, std::string_view where);

}  // namespace saltus
