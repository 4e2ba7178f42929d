// What a study of errors varies: the step of a method, or one of its tolerances.
#pragma once
#include <cstdint>
#include <string_view>

#include "saltus/run/method.hpp"

namespace saltus {

/// The step of the method, the absolute tolerance of adaptive steps, or the tolerance of runs by tolerance.
enum class Knob : std::uint8_t { step, tolerance, rtol };
std::string_view to_string(Knob knob);  ///< "h", "tol", "rtol"

/// The method with its knob set. Throws Error for Knob::tolerance unless the stepping is adaptive, and for
/// Knob::rtol unless it is by tolerance; for Knob::step where it is, since such a run has no step.
Method with_knob(Method method, Knob knob, double value);

}  // namespace saltus
