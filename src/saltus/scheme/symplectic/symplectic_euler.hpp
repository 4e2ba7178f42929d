// Symplectic Euler methods on ODAEs (euler_map.hpp) and their compositions.
//
// Orders when r is nonlinear in ψ: natural 0 (it converges, to the solution of another equation), true,
// true-conjugate and true-adjoint 1; strang 2, yoshida4 and suzuki4 4. A composition is made of the method
// and its adjoint, true(h/2) then true-adjoint(h/2): true composed with true-conjugate is of order 1 only.
// Where r is affine in ψ, natural is true, step by step; on Hamiltonian systems all of them are symplectic on
// the constraint manifold.
//
// A state's aux holds ψ from the hidden constraint, then Ψ₀ and Ψ₁ of every part of the composition: guesses
// for the next step, each for its own kind. The map (y,z) ↦ (y,z) does not depend on them.
//
// Here are the options; the stepper is in symplectic_euler_stepper.hpp.
#pragma once
#include <vector>

#include "saltus/core/fields.hpp"
#include "saltus/scheme/make.hpp"

namespace saltus {

enum class EulerVariant : std::uint8_t {
  natural,
  consistent,
  natural_conjugate,
  consistent_conjugate,
  adjoint
};
inline constexpr std::string_view euler_variant_names[] = {"natural", "true", "natural-conjugate",
                                                           "true-conjugate", "true-adjoint"};

struct SymplecticEuler {
  enum class Composition : std::uint8_t { none, strang, yoshida4, suzuki4 };
  static constexpr Family family = Family::odae;
  static constexpr std::string_view name = "symplectic-euler",
                                    summary =
                                        "overdetermined DAEs: symplectic Euler (3.2)-(3.8), compositions";
  static constexpr std::string_view compositions[] = {"none", "strang", "yoshida4", "suzuki4"};
  EulerVariant variant = EulerVariant::consistent;
  double alpha = 0.5;
  Composition composition = Composition::none;
  bool project = false;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"variant", "", "which of the methods"}, variant, Names(euler_variant_names));
    v(FieldInfo{"alpha", "", "weight of the old multiplier; not 0, natural variants not 1"}, alpha);
    v(FieldInfo{"composition", "", "with the adjoint: order 2 (strang), 4 (yoshida4, suzuki4)"}, composition,
      Names(compositions));
    v(FieldInfo{"project", "", "move an inconsistent start to the nearest consistent one"}, project);
  }
  SmoothMotion smooth() const;
};

/// One sub-step: its part of h, the method, its alpha.
struct EulerPart {
  double c = 1;
  EulerVariant variant = EulerVariant::consistent;
  double alpha = 0.5;
};
/// Throws Error for an alpha the variant cannot take, or a composition it has no adjoint for.
std::vector<EulerPart> parts_of(const SymplecticEuler& options);

std::unique_ptr<Stepper> build_stepper(const SymplecticEuler& options, const DynamicSystem& system,
                                       const SolverSpec& solver);

}  // namespace saltus
