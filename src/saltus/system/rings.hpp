// Surfaces of revolution as polygons, for pictures: rings of points about the third axis, closed at both
// ends.
#pragma once
#include <array>
#include <span>
#include <vector>

namespace saltus {

struct Ring {
  double height, radius;
};

struct RingSurface {
  std::vector<std::array<double, 3>> corners;
  std::vector<std::vector<int>> faces;  ///< corners against the clock, seen from outside
};

/// Rings from below, each of so many points.
RingSurface surface_of(std::span<const Ring> rings, int around);

}  // namespace saltus
