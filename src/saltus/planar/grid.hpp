// Which of n points are near each other: a uniform grid, folded onto a torus of about 2n cells, so that its
// size depends neither on the extent of the points nor on stray ones. Counting sort; all memory is the
// caller's, so that a const system can search without hidden state.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "saltus/core/types.hpp"

namespace saltus {

/// How far a search looks among many: its own margin, or as far as gaps may close in a step, but by no more
/// than four times a typical body's size: one that is fast (or a run that blows up) should not make all pairs
/// neighbours.
inline double search_margin(double own, double look_ahead, double size) {
  return std::max(own, std::min(look_ahead, own + 4 * size));
}

/// The closing speed of two bodies at most: of the two fastest, as if they met head on.
class FastestPair {
 public:
  void take(double speed) {
    if (speed > fastest_) std::swap(speed, fastest_);
    second_ = std::max(second_, speed);
  }
  double speed() const { return fastest_ + second_; }

 private:
  double fastest_ = 0, second_ = 0;
};

class Grid {
 public:
  /// Sorts the points (x, y at xy[stride i]) into cells of the given size; `memory` only grows.
  Grid(int n, const double* xy, int stride, double cell, std::vector<int>& memory);

  /// visit(j) for all points j in the cells around that of point i, i itself included, in no special order:
  /// every point closer than a cell is among them.
  template <class Visit>
  void near(int i, Visit&& visit) const {
    const int x = cell_[i] & mask_, y = cell_[i] >> shift_;
    for (int dy = -1; dy <= 1; ++dy) {
      const int row = ((y + dy) & mask_) << shift_;
      for (int dx = -1; dx <= 1; ++dx) {
        const int c = row | ((x + dx) & mask_);
        for (int k = first_[c]; k < first_[c + 1]; ++k) visit(sorted_[k]);
      }
    }
  }

  /// The same for all points closer to point i than a distance; others may be visited too.
  template <class Visit>
  void within(int i, double distance, Visit&& visit) const {
    const int side = mask_ + 1, most = side / 2;
    const int r = distance * scale_ < most ? static_cast<int>(distance * scale_) + 1 : most;
    if (2 * r + 1 > side) {  // all around the torus
      for (int k = 0; k < first_[side << shift_]; ++k) visit(sorted_[k]);
      return;
    }
    const int x = cell_[i] & mask_, y = cell_[i] >> shift_;
    for (int dy = -r; dy <= r; ++dy)
      for (int dx = -r; dx <= r; ++dx) {
        const int c = ((y + dy) & mask_) << shift_ | ((x + dx) & mask_);
        for (int k = first_[c]; k < first_[c + 1]; ++k) visit(sorted_[k]);
      }
  }

 private:
  int shift_ = 2, mask_ = 3;  // 2^shift cells a side, at least 4: neighbours are nine different cells
  double scale_ = 1;          // of coordinates to cells
  const int *cell_, *first_, *sorted_;
};

}  // namespace saltus
