// Quantities of bodies in space that follow from their final coordinates: final.BODY.axis3.z,
// final.BODY.spin.x, final.distance(a, b). A measure that names one is rewritten with the coordinates, so
// that all that is known of these (error bars, sweeps) holds for it.
#pragma once
#include <span>
#include <string>

#include "saltus/expression/expression.hpp"

namespace saltus {

/// The formula itself where it names none of them.
Expression with_space_quantities(const Expression& formula, std::span<const std::string> coordinates);

}  // namespace saltus
