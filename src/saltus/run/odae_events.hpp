// Unilateral constraints with located events: steps of any composition with a fixed set of closed contacts,
// cut
//   - where ψ from the hidden constraint of a closed contact falls through 0: it opens;
//   - where g of an open contact falls through 0: an impact without friction, 0 ≤ P ⊥ γ⁺ + e γ⁻ ≥ 0.
// Both are roots along the length of the step, so event times have the order of the composition. A contact
// that opened is closed again only where g < 0 and γ < 0: the first free step of a symplectic Euler method
// penetrates by h²/2 times the acceleration although the bodies separate.
#pragma once
#include "saltus/run/family_rules.hpp"

namespace saltus {

class OdaeStepper;

/// Stepping event-location of scheme symplectic-euler.
void run_event_location(const EventLocation& stepping, const RunContext& context);
/// The same for any stepper of ODAEs: the exact flow is one too.
void run_located(const EventLocation& stepping, const Problem& problem, OdaeStepper& stepper,
                 const Sink& sink, const RunControl& control, const Checkpoints& points, RunResult& result);

}  // namespace saltus
