// Dense systems that are mostly tiny: one and two unknowns in the open, more by LU. Column-major, in place.
#pragma once
#include <cmath>

#include "saltus/linalg/factor.hpp"

namespace saltus {

/// False when the matrix is singular: what cancellation left over.
inline bool factor_small(int n, double* a, int* pivot) {
  constexpr double floor = 4e-16;
  if (n == 1) {
    const bool fine = a[0] != 0;
    a[0] = 1 / a[0];
    return fine;
  }
  if (n == 2) {  // its inverse
    const double p = a[0] * a[3], q = a[1] * a[2], det = p - q;
    if (!(std::abs(det) > floor * (std::abs(p) + std::abs(q)))) return false;
    const double f = 1 / det, first = a[0];
    a[0] = f * a[3], a[3] = f * first;
    a[1] *= -f, a[2] *= -f;
    return true;
  }
  return dense_lu(n, a, pivot, floor) < 0;
}

inline void solve_small(int n, const double* a, const int* pivot, double* x) {
  if (n == 1) {
    x[0] *= a[0];
  } else if (n == 2) {
    const double first = a[0] * x[0] + a[2] * x[1];
    x[1] = a[1] * x[0] + a[3] * x[1], x[0] = first;
  } else {
    dense_lu_solve(n, a, pivot, x);
  }
}

}  // namespace saltus
