// From the layout of a group to the places of its bodies.
#pragma once
#include "saltus/planar/boundary.hpp"
#include "saltus/scene/layout_fields.hpp"

namespace saltus {

struct LayoutPlace {
  Vec2 at{0, 0};
  double angle = 0, scale = 1;
};
/// `reach` is the radius of the circle around a body, `width` and `height` its extent as it stands. The same
/// seed gives the same places on every machine. Throws Error when random bodies find no room.
std::vector<LayoutPlace> places_of(const SceneLayout& layout, double reach, double width, double height,
                                   int seed);

}  // namespace saltus
