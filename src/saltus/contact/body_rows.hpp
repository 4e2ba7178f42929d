// The rows of contacts as dense runs over the degrees of freedom of their bodies: what sweeps need of
// G = Wᵀ A⁻¹ W without forming it. With the velocity v = A⁻¹ W P kept beside P,
//
//     (G P)_i = W_iᵀ v,     P_i changes by d:  v += Z_i d,     Z = A⁻¹ W
//
// cost as much as a contact has degrees of freedom, however many contacts its bodies have.
#pragma once
#include <vector>

#include "saltus/linalg/sparse_rows.hpp"

namespace saltus {

class BodyRows {
 public:
  /// Blocks have rows offset[i] … offset[i+1]; W and Z have the same blocks of columns.
  void build(const SparseRows& W, const SparseRows& Z, const std::vector<int>& offset, int dofs);
  void clear() { first_.clear(); }
  bool empty() const { return first_.empty(); }

  /// out = W_iᵀ v
  void row(int i, const double* v, double* out) const;
  /// v += Z_i d
  void add(int i, const double* d, double* v) const;
  /// The diagonal block W_iᵀ Z_i, row-major.
  void diagonal(int i, double* out) const;
  /// The degrees of freedom of block i.
  std::span<const int> columns(int i) const {
    return {column_.data() + first_[i].column, static_cast<std::size_t>(first_[i].width)};
  }
  int dofs() const { return dofs_; }

 private:
  struct Block {
    int size, width, column, value;  // rows, columns; where these and its values begin
  };
  template <int size, int width>
  void row_of(const Block& b, const double* v, double* out) const;
  template <int size, int width>
  void add_of(const Block& b, const double* d, double* v) const;

  std::vector<Block> first_;
  std::vector<int> column_, mark_;
  std::vector<double> value_;  // of each block W (size × width), then Z
  int dofs_ = 0;
};

}  // namespace saltus
