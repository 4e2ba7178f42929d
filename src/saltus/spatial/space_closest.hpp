// The closest points of two convex parts, or of two that overlap a little: to rounding, and as smooth as they
// are.
//
// First which features they are on. Where a may be moved away from b by less than ε to be at least ε apart,
// it is. Then x ← P_a(P_b(x)), nearest points in turn, which never comes farther apart, with Newton's method
// on its fixed point, whose derivative is that of the nearest points. Then, where the parts are, Newton's
// method on these features: a curve or surface is followed to where it is nearest to the other surface, whose
// signed distance is smooth through zero; two curves to where d is at right angles to both. A feature that
// ends before is looked for again with a smaller ε.
#pragma once
#include "saltus/spatial/space_convex.hpp"
#include "saltus/spatial/space_touch.hpp"

namespace saltus {

struct Closest {
  PartFeature of_a, of_b;
  Vec3 on_a, on_b;  ///< without swells
  Vec3 n;           ///< from b to a
  double gap = 0;   ///< swells taken off
};

/// `start`: a point near a. Where many pairs of points are equally close, those near it are found.
Closest closest_points(const ConvexPart& a, const ConvexPart& b, const Vec3& start);
/// A direction from b to a that separates them well.
Vec3 separating_direction(const ConvexPart& a, const ConvexPart& b);
/// How far the parts are apart along n, swells taken off.
double apart_along(const ConvexPart& a, const ConvexPart& b, const Vec3& n);
/// The contact at these points; the origin of the parts is the centre of fb.
SpaceTouch touch_at(const Closest& at, const ConvexPart& a, const SpaceFrame& fa, const ConvexPart& b,
                    const SpaceFrame& fb);

}  // namespace saltus
