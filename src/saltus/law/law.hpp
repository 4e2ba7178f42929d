// Set-valued laws. On one block of rows, with y = γ⁺ + E γ⁻,
//
//     −y ∈ N_C(P)   ⇔   P = prox_C(P − ρ y)   for any ρ > 0.
//
// C may depend on P: Coulomb's disc has radius μ P_N, and prox then projects in the law's own order (normal
// first, then the tangent onto the new disc). Limits that are forces (Tresca, relay) become impulses when
// multiplied by the length `dt` of the step that poses the problem; laws know nothing else of time.
// The first row of Unilateral, Coulomb and RollingFriction is the normal one. A law on the position level
// (the pre-stressed spring) reads y as the gap at the end of the step, in units of velocity; the scheme poses
// it so.
#pragma once
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "saltus/core/fields.hpp"
#include "saltus/core/types.hpp"

namespace saltus {

/// What a law does at a solution (P, y). slip: y_T > 0 (one tangent) or any direction (two); slip_back: y_T <
/// 0; roll: the tangents stick, and the bodies roll or spin on each other.
enum class Mode : std::uint8_t { open, closed, stick, slip, slip_back, roll };
inline constexpr Mode last_mode = Mode::roll;
std::string_view to_string(Mode mode);
/// In constraint mode the prox changes nothing and y = 0; otherwise the force is impressed by the edge of C.
inline bool is_constraint(Mode mode) {
  return mode == Mode::closed || mode == Mode::stick;
}

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

/// Coulomb's law with moments: rolling friction |P_R| ≤ rolling·P_N against the rolling of the bodies on each
/// other and, in space, spinning friction |P_S| ≤ spinning·P_N against their spin about the normal. Rows: N,
/// T, R in the plane; N, T, T, R, R in space, and S where `spinning` is positive. The rows of moments are
/// velocities, `length` times an angular velocity, and their impulses moments divided by `length`: with a
/// length of the size of the bodies all rows are of one size, in any units.
struct RollingFriction {
  static constexpr std::string_view name = "rolling-friction",
                                    summary = "contact with Coulomb, rolling and spinning friction";
  double mu = 0, rolling = 0, spinning = 0, e_n = 0, e_t = 0, length = 1;
  int tangents = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"mu", "", "coefficient of friction", Range::non_negative()}, mu);
    v(FieldInfo{"rolling", "m", "rolling moment by normal force", Range::non_negative()}, rolling);
    v(FieldInfo{"spinning", "m", "spinning moment by normal force, in space", Range::non_negative()},
      spinning);
    v(FieldInfo{"e_n", "", "normal restitution", Range::closed(0, 1)}, e_n);
    v(FieldInfo{"e_t", "", "tangential restitution", Range::closed(0, 1)}, e_t);
    v(FieldInfo{"length", "m", "of the rows of moments: length times angular velocity", Range::positive()},
      length);
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

/// Dry friction with a fixed limit, the same in all directions: |P| ≤ limit·dt, opposing y = γ⁺ + e γ⁻.
struct Tresca {
  static constexpr std::string_view name = "tresca", summary = "friction with a fixed limit, 1D or 2D";
  double limit = 1, e = 0;
  int tangents = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"limit", "N", "largest friction force", Range::non_negative()}, limit);
    v(FieldInfo{"e", "", "tangential restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"tangents", "", "directions (1: line, 2: plane)", Range::closed(1, 2)}, tangents);
  }
};

/// A spring with play in its force: g = 0 while |P| < limit·dt, else a constant force towards g = 0. On the
/// position level: −g_E ∈ N_[−limit dt, limit dt](P), g_E the gap at the end of the step.
struct PrestressedSpring {
  static constexpr std::string_view name = "prestressed-spring",
                                    summary = "pre-stressed spring: holds g = 0 up to a force, then yields";
  double limit = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"limit", "N", "pre-stress", Range::non_negative()}, limit);
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

using Law =
    std::variant<Unilateral, Equality, Coulomb, Relay, Tresca, PrestressedSpring, UserLaw, RollingFriction>;

extern template Fields fields_of(Law&);
extern template Law parse_spec(std::string_view, std::string_view);
extern template std::string to_text(const Law&);
extern template void check(const Law&);
extern template void set_field(Law&, std::string_view, std::string_view);

int rows(const Law& law);
/// x ← prox_C(x), in place, rows(law) entries.
void prox(const Law& law, double dt, double* x);
/// J ∈ ∂prox_C at x, the generalised Jacobian that semi-smooth Newton uses.
void prox_jacobian(const Law& law, double dt, const double* x, BlockMatrix& J);
/// out = E γ⁻
void restitution(const Law& law, const double* gamma_minus, double* out);
/// The mode of a solution, from the prox at ρ > 0: where is x = P − ρ y? Inside C: constraint; outside: the
/// face it is projected on. Within `margin` (an impulse) of the edge the answer would hang on the solver's
/// last digits; then the mode `before` is kept if it is one of the two. User laws decide for themselves.
Mode mode(const Law& law, double dt, double rho, const double* P, const double* y, double margin = 0,
          Mode before = Mode::open);
/// Inside C by `depth`, or outside where it is negative: inside or on which face? For mode().
inline Mode face(double depth, double margin, Mode inside, Mode outside, Mode before) {
  if (std::abs(depth) <= margin && (before == inside || before == outside)) return before;
  return depth >= 0 ? inside : outside;
}
/// mode() of contacts without friction, inline.
inline Mode mode(const Unilateral&, double rho, double P, double y, double margin, Mode before) {
  return face(P - rho * y, margin, Mode::closed, Mode::open, before);
}
/// The interval [lower, upper] of forces of a law with one row and fixed limits, if it is one.
struct Limits {
  double lower = 0, upper = 0;
};
inline std::optional<Limits> limits_of(const Law& law) {
  if (const auto* r = std::get_if<Relay>(&law)) return Limits{r->lower, r->upper};
  if (const auto* f = std::get_if<Tresca>(&law); f && f->tangents == 1) return Limits{-f->limit, f->limit};
  if (const auto* s = std::get_if<PrestressedSpring>(&law)) return Limits{-s->limit, s->limit};
  return {};
}
/// The discs of a contact with friction: the impulses on `rows` rows from `at` are within `bound` P_N, P_N
/// that of the first row. One for Coulomb's law, two or three with moments, none for any other law.
struct FrictionDisc {
  int at = 0, rows = 0;
  double bound = 0;
};
class FrictionDiscs {
 public:
  FrictionDiscs() = default;
  explicit FrictionDiscs(const Coulomb& l) : disc_{{1, l.tangents, l.mu}}, count_(1) {}
  explicit FrictionDiscs(const RollingFriction& l)
      : disc_{{1, l.tangents, l.mu},
              {1 + l.tangents, l.tangents, l.rolling / l.length},
              {5, 1, l.spinning / l.length}},
        count_(l.tangents == 2 && l.spinning > 0 ? 3 : 2) {}
  const FrictionDisc* begin() const { return disc_; }
  const FrictionDisc* end() const { return disc_ + count_; }
  int rows() const { return count_ == 0 ? 0 : disc_[count_ - 1].at + disc_[count_ - 1].rows; }

 private:
  FrictionDisc disc_[3] = {};
  int count_ = 0;
};
inline FrictionDiscs discs_of(const Law& law) {
  if (const auto* c = std::get_if<Coulomb>(&law)) return FrictionDiscs(*c);
  if (const auto* r = std::get_if<RollingFriction>(&law)) return FrictionDiscs(*r);
  return {};
}
/// Contact with friction: Coulomb's law, with or without moments.
inline bool is_frictional(const Law& law) {
  return std::holds_alternative<Coulomb>(law) || std::holds_alternative<RollingFriction>(law);
}
/// y is not a velocity but the gap at the end of the step (in units of velocity).
inline bool on_position_level(const Law& law) {
  return std::holds_alternative<PrestressedSpring>(law);
}
/// C is a polyhedron (or, for Coulomb in the plane, a union the pivoting method can treat).
bool is_polyhedral(const Law& law);
/// Whether the law acts only while a gap is closed; the others act always.
inline bool needs_closed_gap(const Law& law) {
  if (std::holds_alternative<Unilateral>(law) || is_frictional(law)) return true;
  const auto* user = std::get_if<UserLaw>(&law);
  return user && user->impl->needs_closed_gap();
}
/// Whether row r of the law has a gap: normals, joints, and laws on the position level.
inline bool row_has_gap(const Law& law, int r) {
  return needs_closed_gap(law) ? r == 0 : std::holds_alternative<Equality>(law) || on_position_level(law);
}
/// Ideally it dissipates nothing: a joint, or a spring that gives back what it stored.
inline bool is_lossless(const Law& law) {
  return std::holds_alternative<Equality>(law) || on_position_level(law);
}
/// Throws Error when a parameter is out of range; `where` names the contact.
void check_law(const Law& law, std::string_view where);

}  // namespace saltus
