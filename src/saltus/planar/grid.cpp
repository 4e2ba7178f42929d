#include "saltus/planar/grid.hpp"

namespace saltus {
namespace {

// The cell of a coordinate, folded; where it is beyond all sense (not finite, or no fraction left) any will
// do.
int fold(double x, int mask) {
  return std::abs(x) < 1e15 ? static_cast<int>(static_cast<std::int64_t>(std::floor(x)) & mask) : 0;
}

}  // namespace

Grid::Grid(int n, const double* xy, int stride, double cell, std::vector<int>& memory) {
  while ((1LL << (2 * shift_)) < 2LL * n && shift_ < 14) ++shift_;
  mask_ = (1 << shift_) - 1;
  const int cells = 1 << (2 * shift_);
  const std::size_t size = static_cast<std::size_t>(cells) + 1 + 2 * static_cast<std::size_t>(n);
  if (memory.size() < size) memory.resize(size);
  int* const first = memory.data();
  int* const cell_of = first + cells + 1;
  int* const sorted = cell_of + n;

  const double scale = scale_ = 1 / cell;
  std::fill_n(first, cells + 1, 0);
  for (int i = 0; i < n; ++i) {
    const double* p = xy + static_cast<std::ptrdiff_t>(stride) * i;
    cell_of[i] = fold(p[1] * scale, mask_) << shift_ | fold(p[0] * scale, mask_);
    ++first[cell_of[i]];
  }
  for (int c = 1; c <= cells; ++c) first[c] += first[c - 1];  // ends; the loop below makes them starts
  for (int i = n - 1; i >= 0; --i) sorted[--first[cell_of[i]]] = i;
  first_ = first, cell_ = cell_of, sorted_ = sorted;
}

}  // namespace saltus
