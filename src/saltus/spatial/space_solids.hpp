// The contacts of two bodies of which one is a disk, cylinder, cone or ellipsoid. An ellipsoid has one
// contact with any other shape. The others have parts, each against the whole other body, so that no part is
// inside of it:
//
//     points  ends of capsules, vertices, tips, and the points that carry a disk, cylinder or cone that
//     stands ends    the flat ends of disks, cylinders and cones, by their rims lines   edges, axes of
//     capsules and cylinders, the side of a cone. Twice each, from both ends: where they
//             lie on a flat end they leave it at two places
//
// What the closest points of two parts are on says whether another contact has them already: then it is not
// there.
#pragma once
#include <vector>

#include "saltus/spatial/pair_touch.hpp"

namespace saltus {

/// Points of a shape that carry a disk, cylinder or cone that stands: in its frame.
constexpr int standing_points = 6;
Vec3 standing_point(const SpaceShape& shape, int side, int k);

/// Neither is a sphere or half-space, and not both are capsules or polytopes.
bool is_solid_pair(const SpaceShape& a, const SpaceShape& b);
int contacts_of_solids(const SpaceShape& a, const SpaceShape& b);
PairTouch touch_of_solids(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b,
                          const SpaceFrame& fb, int contact, bool sharp, PolytopePair& known);
/// The direction along which they are farthest apart.
Vec3 solids_apart(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb);
/// Those that no plane between the bodies keeps farther apart than the margin.
void solids_within(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                   double margin, std::vector<int>& out);

}  // namespace saltus
