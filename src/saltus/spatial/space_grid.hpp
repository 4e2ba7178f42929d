// Which of n points of space are near each other: a uniform grid, folded onto a torus of about 2n cells, by
// counting sort. The planar one (planar/grid.hpp) in three dimensions.
#pragma once
#include <vector>

#include "saltus/spatial/rotation.hpp"

namespace saltus {

class SpaceGrid {
 public:
  /// Sorts the points into cells of the given size; `memory` only grows.
  SpaceGrid(const std::vector<Vec3>& points, double cell, std::vector<int>& memory);

  /// visit(j) for all points j in the 27 cells around that of point i, i itself included, in no special
  /// order: every point closer than a cell is among them.
  template <class Visit>
  void near(int i, Visit&& visit) const {
    const int x = cell_[i] & mask_, y = (cell_[i] >> shift_) & mask_, z = cell_[i] >> (2 * shift_);
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        const int row = ((z + dz) & mask_) << (2 * shift_) | ((y + dy) & mask_) << shift_;
        for (int dx = -1; dx <= 1; ++dx) {
          const int c = row | ((x + dx) & mask_);
          for (int k = first_[c]; k < first_[c + 1]; ++k) visit(sorted_[k]);
        }
      }
  }

 private:
  int shift_ = 2, mask_ = 3;  // 2^shift cells a side, at least 4: neighbours are 27 different cells
  const int *cell_, *first_, *sorted_;
};

}  // namespace saltus
