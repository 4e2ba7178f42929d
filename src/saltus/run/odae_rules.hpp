// Messages of overdetermined DAEs, for runs and for the reference that steps them.
#pragma once
#include <string>

#include "saltus/odae/odae_system.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

/// Written for a person: where, what, how far off, what to try.
std::string failure_message(const OdaeSystem& system, const State& x0, double h, const StepReport& report);

}  // namespace saltus
