// Ways of bodies of the plane, and how two of them lie at one place of it: what system/passage.hpp asks.
#pragma once
#include "saltus/planar/rigid_touch.hpp"
#include "saltus/system/passage.hpp"

namespace saltus {

/// A body on its way: its centre and turn go straight from here by so much.
struct Way {
  Vec2 x{0, 0}, dx{0, 0};
  double angle = 0, turn = 0;

  Frame at(double s) const {
    const double a = angle + s * turn;
    return {x + s * dx, {0, 0}, {0, 0}, std::cos(a), std::sin(a), 0};
  }
};

/// The smallest distance of two parallel lines that hold a convex polygon between them.
double width_of(const std::vector<Vec2>& corners, const std::vector<PolygonSide>& sides);

/// How far two bodies are apart, at least (< 0: how far they overlap), and in which direction, from b to a.
struct Apart {
  double gap = 0;
  Vec2 n{1, 0};
};
Apart apart_round(const Vec2& a, double radius_a, const Vec2& b, double radius_b);
/// Of two convex polygons.
Apart apart_polygons(const Frame& a, const std::vector<Vec2>& corners_a,
                     const std::vector<PolygonSide>& sides_a, const Frame& b,
                     const std::vector<Vec2>& corners_b, const std::vector<PolygonSide>& sides_b);

/// Where their centres are within `reach` of each other.
inline Stretch near_stretch(const Way& a, const Way& b, double reach) {
  return near_stretch(Vec2(a.x - b.x), Vec2(a.dx - b.dx), reach);
}

}  // namespace saltus
