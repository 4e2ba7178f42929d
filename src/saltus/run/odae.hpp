// Runs of overdetermined DAEs with scheme symplectic-euler, and of mechanical systems seen as such: equal
// steps. Unilateral constraints are treated by complementarity time stepping (euler_complementarity.cpp) or,
// with stepping event-location, by located events (odae_events.hpp).
#pragma once
#include "saltus/odae/odae_system.hpp"
#include "saltus/run/checkpoint.hpp"

namespace saltus {

RunResult run_odae(const Problem& problem, const Method& method, const Sink& sink, const RunControl& control,
                   const Checkpoints& points = {});

/// Written for a person: where, what, how far off, what to try.
std::string failure_message(const OdaeSystem& system, const State& x0, double h, const StepReport& report);

}  // namespace saltus
