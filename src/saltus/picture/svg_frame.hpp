// One frame of a motion as SVG: for films.
#pragma once
#include <string>

#include "saltus/picture/motion.hpp"

namespace saltus {

/// `width` and `height` in pixels; the title and the time stand at the top.
std::string svg_frame(const MovingPicture& motion, int frame, const std::string& title, int width = 960,
                      int height = 540);

}  // namespace saltus
