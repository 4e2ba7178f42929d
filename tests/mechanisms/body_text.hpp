// The text of a body's shape within a circle of radius r.
#pragma once
#include <cmath>

#include "mechanisms/dice.hpp"
#include "mechanisms/scene_text.hpp"

namespace saltus::mechanisms {

std::string shape_text(Dice& dice, const std::string& shape, double r);  ///< disk, box or polygon

}  // namespace saltus::mechanisms
