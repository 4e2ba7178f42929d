// Sparse operators of blocks of three rows and more, by velocities of bodies; sums of entries.
#include <algorithm>
#include <cmath>

#include "saltus/contact/delassus.hpp"

namespace saltus {

bool Delassus::suits_bodies() const {
  constexpr int fewest = 24;
  if (blocks() < fewest) return false;
  for (int i = 0; i < blocks(); ++i)
    if (block_size(i) < 3) return false;
  return true;
}

void Delassus::build_bodies(int dofs) {
  bodies_.build(W_, Z_, offset_, dofs);
  velocity_.assign(static_cast<std::size_t>(dofs), 0.0);
  for (int i = 0; i < blocks(); ++i) bodies_.diagonal(i, diagonal_.data() + diagonal_at_[i]);
  blocks_known_ = false;
}

// For those who look at entries; nobody does so from several threads.
void Delassus::need_blocks() const {
  auto& self = const_cast<Delassus&>(*this);
  self.list_columns(bodies_.dofs());
  self.build_sparse();
  self.blocks_known_ = true;
}

void Delassus::row_sums(int i, double* out) const {
  const int si = block_size(i);
  std::fill_n(out, si, 0.0);
  if (form_ == Form::product) {  // Σ_j |w_i·z_j| ≤ Σ_k |w_ik| Σ_j |z_jk|
    for (int a = 0; a < si; ++a)
      for (const auto& e : W_.row(offset_[i] + a)) out[a] += std::abs(e.value) * column_sums_[e.column];
    return;
  }
  for_row(i, [&](int j, const double* g) {
    for (int a = 0; a < si; ++a)
      for (int b = 0; b < block_size(j); ++b) out[a] += std::abs(g[a * block_size(j) + b]);
  });
}

}  // namespace saltus
