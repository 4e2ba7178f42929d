// LU factors of a Matrix, on its own pattern: reciprocals, block LU, banded LU with row exchanges, dense LU,
// Eigen's SparseLU. Memory is kept between factorisations of matrices of one pattern.
#pragma once
#include <vector>

#include "saltus/linalg/decompositions.hpp"
#include "saltus/linalg/matrix.hpp"

namespace saltus {

class Factor {
 public:
  /// False when the matrix is singular to working precision or not finite; `bad_row()` then says where.
  bool factorize(const Matrix& A);
  /// x ← A⁻¹ x
  void solve(Out x) const { solve(x.data()); }
  void solve(double* x) const {
    if (pattern_.kind != Pattern::diagonal) return solve_coupled(x);
    for (int i = 0; i < n_; ++i) x[i] *= lu_[i];
  }
  /// blocks only: solves with one diagonal block, x has `width` entries
  void solve_block(int block, double* x) const;

  int size() const { return n_; }
  const Pattern& pattern() const { return pattern_; }
  int bad_row() const { return bad_row_; }
  /// diagonal only: 1/a_ii
  const std::vector<double>& reciprocals() const { return lu_; }

 private:
  void solve_coupled(double* x) const;
  bool factorize_sparse(const Eigen::SparseMatrix<double>& A, bool analysed);

  int n_ = 0;
  int bad_row_ = -1;
  Pattern pattern_;
  std::vector<double> lu_;
  std::vector<int> pivot_;
  SparseLu sparse_;
  Eigen::SparseMatrix<double> packed_;  // the matrix of an open pattern, without spare places
};

/// In-place LU with row exchanges of a column-major n×n array; returns the first bad column or −1. A column
/// is bad when its pivot is zero, not finite, or below `floor` times the terms it is the sum of: what
/// cancellation left over.
int dense_lu(int n, double* a, int* pivot, double floor = 0);
void dense_lu_solve(int n, const double* a, const int* pivot, double* x);

/// Banded LU with row exchanges. Row i of the n×(3w+1) array `a` holds columns i−w … i+2w at offset 0 … 3w;
/// the last w places are room for fill-in and must be zero on entry. `floor` is relative to the largest entry
/// of the whole column.
int banded_lu(int n, int w, double* a, int* pivot, double floor = 0);
void banded_lu_solve(int n, int w, const double* a, const int* pivot, double* x);

}  // namespace saltus
