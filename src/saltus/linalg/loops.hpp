// Plain loops over short vectors. Eigen's expressions prepare for long ones; systems with one degree of
// freedom step in tens of nanoseconds and feel that.
#pragma once
#include <cmath>

#include "saltus/core/types.hpp"

namespace saltus {

/// out = a x + b y
inline void combine(double a, const Vec& x, double b, const Vec& y, Vec& out) {
  const double *px = x.data(), *py = y.data();
  double* po = out.data();
  for (Eigen::Index i = 0, n = out.size(); i < n; ++i) po[i] = a * px[i] + b * py[i];
}

/// out = x, sizes equal or out resized
inline void assign(const Vec& x, Vec& out) {
  if (out.size() != x.size()) out.resize(x.size());
  const double* px = x.data();
  double* po = out.data();
  for (Eigen::Index i = 0, n = x.size(); i < n; ++i) po[i] = px[i];
}

inline double largest(const Vec& x) {
  double most = 0;
  for (Eigen::Index i = 0, n = x.size(); i < n; ++i) most = std::max(most, std::abs(x.data()[i]));
  return most;
}

inline bool finite(const Vec& x) {
  double sum = 0;  // 0·x is NaN for infinities and NaNs, and for nothing else
  for (Eigen::Index i = 0, n = x.size(); i < n; ++i) sum += 0 * x.data()[i];
  return sum == 0;
}

}  // namespace saltus
