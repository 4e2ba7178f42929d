// Plain loops over short vectors. Eigen's expressions prepare for long ones; systems with one degree of
// freedom step in tens of nanoseconds and feel that.
#pragma once
#include <cmath>

#include "saltus/core/types.hpp"

namespace saltus {

/// A vector handed to a system. Eigen's Ref has room for the copy of an expression, which it frees after the
/// call, for vectors in vain; a step of a system with one degree of freedom feels that. Here there is never a
/// copy, and nothing is destroyed.
class VectorArgument {
 public:
  explicit VectorArgument(const Vec& x) : ref_(x) {}
  VectorArgument(const VectorArgument&) = delete;
  VectorArgument& operator=(const VectorArgument&) = delete;
  ~VectorArgument() {}                  // NOLINT: that of a union does nothing
  operator In() const { return ref_; }  // NOLINT: meant to convert

 private:
  union {
    Eigen::Ref<const Vec> ref_;
  };
};

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
