// Runs by tolerance of systems that are not mechanical, by their own methods.
//
// First order: adaptive steps of an explicit method, herk-4, or of radau-iia-5 where the system is stiff:
// where a trial of the explicit method takes several times the evaluations of one of the implicit method. The
// trials also tell the sizes of positions and velocities, by which errors are measured.
//
// ODAEs: equal steps of symplectic Euler's composition of order 4 with located events, halved until the end
// of the run stands still (refine.hpp).
#pragma once
#include "saltus/run/family_rules.hpp"

namespace saltus {

void run_first_order_by_tolerance(const ToleranceSteps& stepping, const RunContext& context);
void run_odae_by_tolerance(const ToleranceSteps& stepping, const RunContext& context);

}  // namespace saltus
