// The position residuals of a configuration: smallest gap of the contacts, largest violation of the joints.
#pragma once
#include "saltus/scheme/stepper.hpp"

namespace saltus {
void report_gaps(const System& system, const ContactSet& set, StepReport& report);
}
