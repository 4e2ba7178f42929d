// Whether steps are short enough for the fastest vibration. Symplectic Euler is explicit in the positions: on
// q̈ = −ω²q it is stable for hω < 2 only, compositions up to a bound of their own. Beyond it amplitudes are
// multiplied in every step, however small they are, so that no such run means anything.
#pragma once
#include <span>

#include "saltus/scheme/symplectic/symplectic_euler.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

/// ω of the fastest vibration of the system linearised at (t, q, u) with its joints, from below: the Rayleigh
/// quotient of a power iteration on −M⁻¹∂h/∂q.
double fastest_vibration(const System& system, double t, const Vec& q, const Vec& u);

/// The largest x such that the composition is stable for all hω < x.
double stability_limit(std::span<const EulerPart> parts);

}  // namespace saltus
