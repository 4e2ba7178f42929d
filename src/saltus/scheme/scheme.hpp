// The closed list of schemes: a scheme is a value that can be printed, stored and swept.
#pragma once
#include <memory>
#include <variant>
#include <vector>

#include "saltus/scheme/first_order/first_order_schemes.hpp"
#include "saltus/scheme/generalized_alpha/generalized_alpha.hpp"
#include "saltus/scheme/moreau/moreau_jean.hpp"
#include "saltus/scheme/moreau/moreau_midpoint.hpp"
#include "saltus/scheme/moreau/moreau_projected.hpp"
#include "saltus/scheme/moreau/schatzman_paoli.hpp"
#include "saltus/scheme/runge_kutta/runge_kutta.hpp"
#include "saltus/scheme/symplectic/symplectic_euler.hpp"

namespace saltus {

using SchemeSpec =
    std::variant<MoreauJean, MoreauMidpoint, MoreauProjected, RungeKutta, Rk, CrankNicolson, Gauss2,
                 AdditiveTheta, KkTheta, KkIrk, GeneralizedAlpha, SymplecticEuler, SchatzmanPaoli>;

extern template Fields fields_of(SchemeSpec&);
extern template SchemeSpec parse_spec(std::string_view, std::string_view);
extern template std::string to_text(const SchemeSpec&);
extern template void check(const SchemeSpec&);
extern template void set_field(SchemeSpec&, std::string_view, std::string_view);

/// Throws Error when scheme and system are of different families, naming the schemes that fit.
std::unique_ptr<Stepper> make_stepper(const SchemeSpec& scheme, const DynamicSystem& system,
                                      const SolverSpec& solver);

/// The family a scheme is written for.
Family family_of(const SchemeSpec& scheme);
/// Its order and its limit of stability between impacts.
SmoothMotion smooth_motion(const SchemeSpec& scheme);
/// Of the same family, or a scheme for ODAEs on a mechanical system, which is one of them.
bool fits(const SchemeSpec& scheme, const DynamicSystem& system);
/// Throws Error, naming the schemes that do, when it does not.
void check_family(const SchemeSpec& scheme, const DynamicSystem& system);
std::vector<std::string> schemes_for(Family family);

}  // namespace saltus
