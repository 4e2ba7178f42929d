// Whether steps are short enough for the fastest vibration. Symplectic Euler is explicit in the positions: on
// q̈ = −ω²q it is stable for hω < 2 only, compositions up to a bound of their own. Beyond it amplitudes are
// multiplied in every step, however small they are, so that no such run means anything.
#pragma once
#include <array>
#include <span>

#include "saltus/scheme/symplectic/symplectic_euler.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

/// A motion q̈ = −ω²q − δq̇ of the linearised system; what is not positive is zero.
struct FastMode {
  double omega = 0, damping = 0;
};

/// Of the system linearised at (t, q, u) with its joints: the fastest vibration and the most damped motion,
/// by power iterations on −M⁻¹∂h/∂q and −M⁻¹∂h/∂u. ω and δ are their Rayleigh quotients, from below.
std::array<FastMode, 2> fast_modes(const System& system, double t, const Vec& q, const Vec& u);
/// ω of the fastest vibration.
double fastest_vibration(const System& system, double t, const Vec& q, const Vec& u);

/// The largest x such that the composition is stable for all hω < x.
double stability_limit(std::span<const EulerPart> parts);

}  // namespace saltus
