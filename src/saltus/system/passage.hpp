// Whether two bodies go through each other on a straight way, between places where nothing shows it. Laws are
// evaluated at the ends or the midpoints of steps: a body that moves farther than half of what it and its
// partner are thick together may be in front of the partner at one look and behind it at the next.
//
// A pair has gone through when it overlaps on the way and lies in another direction at the end of it, by more
// than 37°: the contact then pushes to another side. A pair that a step has caught overlaps at the end, too
// deep perhaps, but in the direction it came from. Ways much shorter than the width w (the widths of both
// added) are not examined: then some evaluation of any scheme finds the pair in the half of w where it came
// from. Walls (half-planes, half-spaces, drums) have no other side; there a body counts that is behind the
// wall as a whole.
#pragma once
#include <algorithm>
#include <cmath>

namespace saltus {

inline constexpr double grazing_share = 0.05;  ///< of the width: overlaps up to this are grazes
inline constexpr double turned_enough = 0.8;   ///< n·n of start and end: another side

/// The part of a way, in [0, 1]; empty: begin > end.
struct Stretch {
  double begin = 1, end = 0;
};
/// Where two centres, d apart at first and d + v in the end, are within `reach` of each other: |d + s v| ≤
/// reach.
template <class Vector>
Stretch near_stretch(const Vector& d, const Vector& v, double reach) {
  const double vv = v.squaredNorm(), dv = d.dot(v), c = d.squaredNorm() - reach * reach;
  if (c <= 0 && vv == 0) return {0, 1};
  const double root = dv * dv - vv * c;
  if (vv == 0 || root < 0) return {};
  const double half = std::sqrt(root) / vv, middle = -dv / vv;
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

/// Whether a pair of width w goes through. `near` is where the circles or spheres around both meet, `travel`
/// how far a point of one moves past the other at most, `apart(s)` how they lie at s in [0, 1]: a gap (< 0:
/// they overlap), which changes by no more than the travel, and its direction n, from b to a.
template <class At>
bool goes_through(const Stretch& near, double width, double travel, double share, At&& apart) {
  const double graze = grazing_share * width;
  if (!(travel > share * width) || !std::isfinite(travel)) return false;
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
