// Schemes that are explicit in the positions multiply vibrations that are too fast for the step.
#pragma once
#include "saltus/run/method.hpp"
#include "saltus/run/problem.hpp"

namespace saltus {

/// Throws Error if steps of a mechanical system are beyond the stability limit of the scheme, which is that
/// of Verlet's method, hω < 2 (with damping less), or of a composition; steps that are controlled may begin a
/// hundred times above. Schemes without a limit pass.
void refuse_unstable_step(const Problem& problem, const Method& method);

}  // namespace saltus
