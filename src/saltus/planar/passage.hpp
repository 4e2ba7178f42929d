// Whether two bodies of the plane go through each other on a straight way, between places where nothing shows
// it. Laws are evaluated at the ends or the midpoints of steps: a body that moves farther than half of what
// it and its partner are thick together may be in front of the partner at one look and behind it at the next.
//
// A pair has gone through when it overlaps on the way and lies in another direction at the end of it, by more
// than 37°: the contact then pushes to another side. A pair that a step has caught overlaps at the end, too
// deep perhaps, but in the direction it came from. Ways much shorter than the width w (the widths of both
// added) are not examined: then some evaluation of any scheme finds the pair in the half of w where it came
// from. Half-planes and drums have no other side; there a body counts that is behind the wall as a whole.
#pragma once
#include "saltus/planar/rigid_touch.hpp"

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

inline constexpr double grazing_share = 0.05;  ///< of the width: overlaps up to this are grazes
inline constexpr double turned_enough = 0.8;   ///< n·n of start and end: another side

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

/// The part of the way on which two centres are within `reach` of each other; empty: begin > end.
struct Stretch {
  double begin = 1, end = 0;
};
Stretch near_stretch(const Way& a, const Way& b, double reach);

/// Whether a pair of width w goes through. `reach` is the sum of the radii of the circles around both,
/// `travel` how far a point of one moves past the other at most, `apart(s)` how they lie at s in [0, 1]: the
/// gap changes by no more than the travel.
template <class At>
bool goes_through(const Way& a, const Way& b, double reach, double width, double travel, double share,
                  At&& apart) {
  const double graze = grazing_share * width;
  if (!(travel > share * width) || !std::isfinite(travel)) return false;
  const Stretch near = near_stretch(a, b, reach);
  if (near.begin > near.end || !(apart(0.0).n.dot(apart(1.0).n) < turned_enough)) return false;
  double s = near.begin;
  for (;;) {
    const double gap = apart(s).gap;
    if (gap < -graze) return true;
    if (!(s < near.end)) return false;
    const double next = s + std::max(gap + graze, graze / 2) / travel;  // as much is needed to overlap so far
    if (!(next > s)) return false;
    s = std::min(next, near.end);
  }
}

/// Whether a body of this width, whose centre was at height h0 over a wall, is behind it as a whole.
inline bool goes_behind(double h0, double h1, double width, double share) {
  return h1 < -width / 2 && h0 >= -width / 2 && h0 - h1 > share * width;
}

}  // namespace saltus
