// The search of RigidSystem for near pairs, for its contacts and its forces.
#pragma once
#include "saltus/planar/grid.hpp"
#include "saltus/planar/rigid_system.hpp"

namespace saltus {

template <class Visit>
void RigidSystem::for_each_near_pair(const std::vector<Frame>& frames, double far, Room& room,
                                     Visit&& visit) const {
  auto& centres = room.centres;
  const Reaches& reaches = room.reaches;
  const int n = static_cast<int>(small_.size());
  centres.resize(2 * small_.size());
  for (int k = 0; k < n; ++k)
    centres[2 * k] = frames[small_[k]].x[0], centres[2 * k + 1] = frames[small_[k]].x[1];
  const Grid grid(n, centres.data(), 2, cell_ + reaches.margin, room.cells);
  const auto look = [&](int k, int l, double within) {
    if (near(frames, small_[k], small_[l], within)) visit(small_[k], small_[l], within);
  };
  for (int k = 0; k < n; ++k) {
    if (reaches.apart(k)) continue;
    grid.near(k, [&](int l) {
      if (l > k && !reaches.apart(l)) look(k, l, reaches.margin);
    });
  }
  for (const int k : reaches.fast) {
    const double farthest = std::max(data_.margin, std::min(reaches.most, reaches.way[k] + reaches.longest));
    grid.within(k, cell_ + farthest, [&](int l) {
      if (l == k || (l < k && reaches.apart(l))) return;
      look(std::min(k, l), std::max(k, l), reaches.of_pair(k, l, data_.margin));
    });
  }
  for (std::size_t k = 0; k < large_.size(); ++k) {
    for (int l = 0; l < n; ++l) {
      const double within =
          reaches.way.empty() ? far : std::max(data_.margin, room.large_way[k] + reaches.way[l]);
      if (near(frames, large_[k], small_[l], within)) visit(large_[k], small_[l], within);
    }
    for (std::size_t l = k + 1; l < large_.size(); ++l) visit(large_[k], large_[l], far);
  }
}

}  // namespace saltus
