// Impacts of symplectic-euler have no friction (docs/explanation/odae.md). Where a contact with Coulomb's
// friction lands while it slides, the velocity after it is wrong by an amount that no step size removes: such
// a run must end.
#pragma once
#include <string>

#include "saltus/odae/checked_odae.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

/// Whether an impulse at this constraint, in the jump of z from `before` to `after` at y, lacks its friction.
/// A slip below 1e-9 of the fastest velocity is none.
bool lacks_friction(const CheckedOdae& system, int constraint, double t, In y, In before, In after);

/// The same for the contacts that landed in a step of time stepping; the message, empty if there is none.
/// What a contact gets that was open for no more than a few steps, at most 4 h ψ, is a force and no impact.
std::string landing_without_friction(const CheckedOdae& system, const State& x0, const State& x1);

std::string landing_message(const OdaeSystem& system, int constraint, double t);

}  // namespace saltus
