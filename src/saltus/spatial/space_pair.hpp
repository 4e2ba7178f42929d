// The contacts of two shapes: how many there can be, and each of them at given frames. One per point, vertex,
// rim or pair of edges, so that ids last as long as these do; which face a vertex lies on its gap says.
//
//     sphere     against any other: one                  capsule    against a half-space: its two ends
//     polytope   against a half-space: its vertices      disk, cylinder  against a half-space: the rims, and
//                                                        points near them that carry it where it stands
//     cone       against a half-space: its tip, its rim, such points     ellipsoid  against one: one
//     capsules: ends against the other, and the axes     capsule and polytope: ends, vertices, edges
//     polytopes: vertices of each against the other, pairs of edges
//     all others: space_solids.hpp
#pragma once
#include <cstdint>

#include "saltus/spatial/pair_touch.hpp"

namespace saltus {

int contacts_of_pair(const SpaceShape& a, const SpaceShape& b);

/// `sharp`: faces end exactly where they end (ContactSet::sharp).
PairTouch touch_of_pair(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                        int contact, bool sharp, PolytopePair& known);

struct PairSearch {
  std::vector<int> contacts;  // what was found
  std::vector<std::uint64_t> above,
      below;  // scratch: vertices of a above faces of b, and of b above those of a
};
/// Contacts of two shapes whose gap may be within the margin, in their order; of polytopes those of vertices
/// and edges that no face of the other keeps farther away.
void contacts_within(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                     double margin, PairSearch& out);

}  // namespace saltus
