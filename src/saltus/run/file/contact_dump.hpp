// The contact problem of one step of a run, to be written to a file and solved again elsewhere.
#pragma once
#include <optional>

#include "saltus/contact/file/friction_problem.hpp"
#include "saltus/run/method.hpp"
#include "saltus/run/outcome.hpp"
#include "saltus/run/problem.hpp"

namespace saltus {

/// Takes the step from x with size h again and returns the last contact problem it posed, with the impulses
/// found; nothing when no contact is active in it. A state holds everything that a stepper needs, so the
/// problem is the one of the run, to the bit. Throws Error for schemes that solve no such problem, and for
/// laws that the formats cannot hold.
std::optional<FrictionProblem> contact_problem_of_step(const Problem& problem, const Method& method,
                                                       const State& x, double h);

}  // namespace saltus
