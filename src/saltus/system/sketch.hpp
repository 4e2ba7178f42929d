// What a system looks like at one configuration: circles and lines, for whoever draws them.
#pragma once
#include <string>
#include <vector>

namespace saltus {

struct Sketch {
  struct Round {
    double x, y, radius, angle;
    int colour;  ///< < 0: outline only
  };
  struct Line {  ///< endless, through (x, y) along (dx, dy)
    double x, y, dx, dy;
  };
  std::vector<Round> rounds;
  std::vector<Line> lines;
};

}  // namespace saltus
