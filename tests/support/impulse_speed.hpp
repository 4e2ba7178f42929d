// The scale of the disk mixer's impulse residual, for its tests and its benchmark.
#pragma once
#include "saltus/planar/disk_system.hpp"
#include "saltus/system/state.hpp"

namespace saltus::testing {

/// max_i G_ii |P_i|, row by row
inline double impulse_speed(const DiskSystem& system, const ContactMemory& memory) {
  double most = 0;
  for (const auto& r : memory.closed) {
    const auto at = system.partners(r.id);
    double normal = 0, tangent = 0;
    for (int k : {at.a, at.b})
      if (k >= 0) {
        const Disk& d = system.data().disks[k];
        normal += 1 / d.mass;
        tangent += 1 / d.mass + d.radius * d.radius / d.inertia;
      }
    most = std::max(most, normal * std::abs(memory.impulse[r.offset]));
    if (r.rows > 1) most = std::max(most, tangent * std::abs(memory.impulse[r.offset + 1]));
  }
  return most;
}

}  // namespace saltus::testing
