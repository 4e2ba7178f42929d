// What a system looks like at one configuration, for drawing: circles, polygons and lines of the plane, or
// solids and strands of space.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
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
  /// A part of a body of space. Capsules and cylinders lie along their own third axis; a plane is the edge of
  /// a half-space, its third axis points into the free side.
  struct Solid {
    enum class Kind : std::uint8_t { sphere, capsule, cylinder, polytope, plane };
    Kind kind = Kind::sphere;
    std::string name;                            ///< of its body
    std::array<double, 3> place = {0, 0, 0};     ///< in space
    std::array<double, 4> turn = {0, 0, 0, 1};   ///< unit quaternion x y z w, from its own axes to space
    double radius = 0, half = 0;                 ///< half: of the length between the ends of the axis
    std::vector<std::array<double, 3>> corners;  ///< of a polytope, in its own axes
    std::vector<std::vector<int>> faces;         ///< corners against the clock, seen from outside
    int colour = 0;                              ///< < 0: an obstacle
    int velocity = -1;  ///< where the velocity of its body stands in u; < 0: it has none
    int position = -1;  ///< where its body stands in q: its centre, then its quaternion w, x, y, z
    std::array<double, 3> centre = {0, 0, 0};  ///< of its body, and the turn of its body
    std::array<double, 4> frame_turn = {0, 0, 0, 1};
    bool model = false;  ///< not its shape, but a solid of the same inertia
  };
  struct Strand {  ///< a rod or a spring, from point to point
    std::string name;
    std::vector<std::array<double, 3>> points;
    int colour = 0;
    bool spring = false;
    bool in_plane = false;  ///< a beam of the plane
  };
  std::vector<Round> rounds;
  std::vector<Polygon> polygons;
  std::vector<Line> lines;
  std::vector<Solid> solids;
  std::vector<Strand> strands;

  void clear() { rounds.clear(), polygons.clear(), lines.clear(), solids.clear(), strands.clear(); }
  bool in_space() const {
    return !solids.empty() ||
           std::any_of(strands.begin(), strands.end(), [](const Strand& s) { return !s.in_plane; });
  }
};

/// The smallest box of the plane, sides along the axes, that holds all but the lines.
struct SketchBox {
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
};
SketchBox box_of(const Sketch& sketch);

}  // namespace saltus
