// Step size adjustment of Studer, Leine, Glocker 2008, Sect. 5 and 9.3: a step is extrapolated while no law
// changes its mode; a switching point is searched by halving and resolved in a step of length h_min.
//
// Three steps are at hand: the accepted one (final, given to the sink), the previous one (done, but it may
// hide a switching point near its end), and the actual one, which the extrapolation judges:
//
//     success      previous → accepted, actual → previous; double h once past t_noInc
//     inaccurate   actual again with h/2; taken as success when only h_min forbids more rows
//     detected     drop actual and previous, t_noInc = end of actual, h/2 from the accepted step
//     resolved     actual is minimal: accept it with its new modes, t_noInc = its end, h = 3 h_min
//
// A step below 3 h_min is a step of h_min; minimal steps are accepted at once. Beyond the paper:
//
//   - a step is also `detected` when a gap at its end, or a dip of it inside (cubic through g and ġ at both
//     ends), shows that it passed over a contact;
//   - a step resolved behind a longer previous one sends that back too, since it may hold the switching
//   point;
//   - after each breakpoint the search starts anew with a minimal step, so that jumps of loads are seen;
//   - a step that fails (a contact problem unsolved) is repeated with h/2 before the run fails.
//   - where switching points are dense, steps of the base scheme with one length follow (dense_switches.hpp);
//   - a step that only h_min keeps from the tolerance is extrapolated where its rows approach each other; the
//     shortest one is else made of base steps.
//
// Switching points are events with old and new mode, in the bracket ]t_before, t] of one or two minimal
// steps.
#pragma once
#include "saltus/run/family_rules.hpp"

namespace saltus {

void run_switching(const SwitchingSteps& stepping, const RunContext& context);

}  // namespace saltus
