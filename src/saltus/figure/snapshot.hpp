// A picture of one configuration, written as SVG without any other program.
#pragma once
#include <string>

#include "saltus/system/sketch.hpp"

namespace saltus {

/// Bodies filled by colour with a radius that shows their angle, boundaries as outlines; y points up.
std::string to_svg(const Sketch& sketch, const std::string& title);

}  // namespace saltus
