// stepping event-location on mechanical systems: steps of symplectic-euler with a fixed set of closed
// contacts and modes of friction, divided where one of them changes. What changes:
//
//   an open contact      g < 0 while it closes                     impact, with friction, of all that touch
//   a closed contact     λ_N < 0                                   opens
//   friction that holds  |λ_T| > μ λ_N, or a force over its limit  slips
//   friction that slides its velocity turns round                  sticks, or slides on in the other
//   direction
//
// After each of them the accelerations decide what stays closed, sticks and slips
// (symplectic/body_events.hpp).
#pragma once
#include "saltus/run/family_rules.hpp"

namespace saltus {
void run_located_bodies(const EventLocation& stepping, const RunContext& context);
}
