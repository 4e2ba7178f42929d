// The search of RigidSystem for near pairs, for its contacts and its forces.
#pragma once
#include "saltus/planar/grid.hpp"
#include "saltus/planar/rigid_system.hpp"

namespace saltus {

template <class Visit>
void RigidSystem::for_each_near_pair(const std::vector<Frame>& frames, double margin, double far, Room& room,
                                     Visit&& visit) const {
  auto& centres = room.centres;
  const int n = static_cast<int>(small_.size());
  centres.resize(2 * small_.size());
  for (int k = 0; k < n; ++k)
    centres[2 * k] = frames[small_[k]].x[0], centres[2 * k + 1] = frames[small_[k]].x[1];
  const Grid grid(n, centres.data(), 2, cell_ + margin, room.cells);
  for (int k = 0; k < n; ++k)
    grid.near(k, [&](int l) {
      if (l > k && near(frames, small_[k], small_[l], margin)) visit(small_[k], small_[l], margin);
    });
  for (std::size_t k = 0; k < large_.size(); ++k) {
    for (const int i : small_)
      if (near(frames, large_[k], i, far)) visit(large_[k], i, far);
    for (std::size_t l = k + 1; l < large_.size(); ++l) visit(large_[k], large_[l], far);
  }
}

}  // namespace saltus
