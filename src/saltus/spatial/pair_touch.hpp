// One contact of two shapes.
#pragma once
#include "saltus/spatial/space_touch.hpp"

namespace saltus {

/// What all contacts of two shapes have in common, at one pair of frames: the faces that separate polytopes
/// best (of round shapes: 1 where the closest point is on a face) and, where they overlap, how far and the
/// way of a on which they come apart soonest.
struct PolytopePair {
  const SpaceShape *a = nullptr, *b = nullptr;
  int face_of_a = 0, face_of_b = 0;
  double height = 0;  ///< of the better one; < 0: they may overlap
  double depth = 0;   ///< 0: they do not overlap
  Vec3 apart{0, 0, 0};
};

struct PairTouch {
  SpaceTouch touch;
  bool swapped = false;  ///< the `a` of the touch is the second shape
  bool there = true;     ///< false: edges that do not cross; the gap is a distance that they may have soon
};

}  // namespace saltus
