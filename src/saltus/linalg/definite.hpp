// Whether a symmetric matrix has lost its positive definiteness, without allocation once `room` is warm.
#pragma once
#include <vector>

#include "saltus/linalg/matrix.hpp"

namespace saltus {

/// A pivot of A = L D Lᵀ that lies below zero by more than rounding; row −1: there is none.
struct NegativePivot {
  int row = -1;
  double value = 0;
  explicit operator bool() const { return row >= 0; }
};

/// No rows are exchanged: for a symmetric matrix the signs of the pivots are those of its eigenvalues. Zero
/// pivots pass; factorisations report those. Of a sparse matrix the diagonal and the 2×2 minors are examined
/// only: conditions that every positive definite matrix meets, at the cost of reading it.
NegativePivot negative_pivot(const Matrix& A, std::vector<double>& room);

}  // namespace saltus
