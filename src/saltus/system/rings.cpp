#include "saltus/system/rings.hpp"

#include <cmath>

namespace saltus {

RingSurface surface_of(std::span<const Ring> rings, int around) {
  RingSurface s;
  for (const Ring& ring : rings)
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * M_PI * k / around;
      s.corners.push_back({ring.radius * std::cos(angle), ring.radius * std::sin(angle), ring.height});
    }
  const int n = static_cast<int>(rings.size());
  std::vector<int> low, high;
  for (int k = 0; k < around; ++k) low.push_back(around - 1 - k), high.push_back((n - 1) * around + k);
  s.faces = {low, high};
  for (int r = 0; r + 1 < n; ++r)
    for (int k = 0; k < around; ++k) {
      const int next = (k + 1) % around, a = r * around;
      s.faces.push_back({a + k, a + next, a + around + next, a + around + k});
    }
  return s;
}

}  // namespace saltus
