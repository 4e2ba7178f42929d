// What a system looks like at one configuration: circles, polygons and lines, for drawing.
#pragma once
#include <array>
#include <string>
#include <vector>

namespace saltus {

struct Sketch {
  /// Where a body's coordinates stand in q and u: x, then y, then its angle if it turns.
  struct Coordinates {
    int x = -1;  ///< < 0: the body does not move
    bool turns = false;
  };
  struct Round {
    double x, y, radius, angle;
    int colour;  ///< < 0: outline only
    Coordinates at = {};
  };
  struct Polygon {
    double x, y;                                ///< centre of mass
    std::vector<std::array<double, 2>> points;  ///< against the clock
    int colour;                                 ///< < 0: outline only
    Coordinates at = {};
  };
  struct Line {  ///< endless, through (x, y) along (dx, dy)
    double x, y, dx, dy;
  };
  std::vector<Round> rounds;
  std::vector<Polygon> polygons;
  std::vector<Line> lines;

  void clear() { rounds.clear(), polygons.clear(), lines.clear(); }
};

/// The smallest box, sides along the axes, that holds all but the lines.
struct SketchBox {
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
};
SketchBox box_of(const Sketch& sketch);

}  // namespace saltus
