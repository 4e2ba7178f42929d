// Small systems, for which a call costs more than the work: products and solves with diagonal matrices, and
// dense systems of one or two unknowns, as inlined kernels; everything else by Matrix and Factor.
#pragma once
#include <cmath>

#include "saltus/linalg/factor.hpp"

namespace saltus {

inline void multiply_long(const Matrix& A, const double* x, double* y) {
  Eigen::Map<Vec> out(y, A.size());
  out.setZero();
  A.multiply_add(1, Eigen::Map<const Vec>(x, A.size()), out);
}

/// y = A x
inline void multiply(const Matrix& A, const double* x, double* y) {
  if (A.pattern().kind != Pattern::diagonal) return multiply_long(A, x, y);
  const double* a = A.values().data();
  for (int i = 0, n = A.size(); i < n; ++i) y[i] = a[i] * x[i];
}

/// out = A + b B, where their patterns lie within out's
inline void combine(const Matrix& A, double b, const Matrix& B, Matrix& out) {
  const auto same = [&](const Matrix& x) {
    return x.pattern().kind == out.pattern().kind && x.pattern().width == out.pattern().width &&
           x.pattern().kind != Pattern::sparse;
  };
  if (same(A) && same(B)) {
    const double *pa = A.values().data(), *pb = B.values().data();
    double* po = out.values().data();
    for (std::size_t k = 0, n = out.values().size(); k < n; ++k) po[k] = pa[k] + b * pb[k];
  } else {
    out.set_zero();
    out.add_scaled(1, A);
    if (b != 0) out.add_scaled(b, B);
  }
}

/// x ← A⁻¹ x
inline void solve(const Factor& A, double* x) {
  if (A.pattern().kind != Pattern::diagonal) return A.solve(x);
  const double* a = A.reciprocals().data();
  for (int i = 0, n = A.size(); i < n; ++i) x[i] *= a[i];
}

/// Dense, column-major, in place. False when the matrix is singular: what cancellation left over.
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
