// What a user can do when a step fails.
#pragma once
#include <string>

#include "saltus/run/method.hpp"
#include "saltus/run/outcome.hpp"
#include "saltus/run/problem.hpp"

namespace saltus {

/// For the end of a message: what to try, by the cause, the scheme and the kind of stepping; empty when the
/// step did not fail.
std::string remedy(const Method& method, StepStatus status);

}  // namespace saltus
