#include "saltus/system/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {

SketchBox box_of(const Sketch& sketch) {
  constexpr double far = std::numeric_limits<double>::infinity();
  SketchBox box{far, -far, far, -far};
  const auto hold = [&](double x, double y, double r) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    box.x0 = std::min(box.x0, x - r), box.x1 = std::max(box.x1, x + r);
    box.y0 = std::min(box.y0, y - r), box.y1 = std::max(box.y1, y + r);
  };
  for (const auto& r : sketch.rounds) hold(r.x, r.y, r.radius);
  for (const auto& p : sketch.polygons)
    for (const auto& [x, y] : p.points) hold(x, y, 0);
  return box.x1 > box.x0 ? box : SketchBox{};
}

}  // namespace saltus
