// Arithmetic of the Lorentz cone {x : x₀ ≥ |x₁…|} of one to three dimensions, on plain arrays: Jordan's
// product x∘z = (x·z, x₀ z₁ + z₀ x₁), its inverse, the way to the boundary, and Nesterov and Todd's scaling
// F, the symmetric matrix with F r = F⁻¹ u = λ for two interior points r and u.
#pragma once
#include <algorithm>
#include <cmath>

#include "saltus/core/types.hpp"

namespace saltus::detail::lorentz {

inline double dot(int n, const double* a, const double* b) {
  double sum = a[0] * b[0];
  for (int k = 1; k < n; ++k) sum += a[k] * b[k];
  return sum;
}
inline double tail_norm(int n, const double* a) {
  return n == 1 ? 0 : n == 2 ? std::abs(a[1]) : std::sqrt(a[1] * a[1] + a[2] * a[2]);
}
/// x₀² − |x₁|², without cancellation near the boundary
inline double determinant(int n, const double* a) {
  const double t = tail_norm(n, a);
  return (a[0] - t) * (a[0] + t);
}
inline void product(int n, const double* a, const double* b, double* out) {
  out[0] = dot(n, a, b);
  for (int k = 1; k < n; ++k) out[k] = a[0] * b[k] + b[0] * a[k];
}
/// out with l∘out = b
inline void divide(int n, const double* l, const double* b, double* out) {
  out[0] = (2 * l[0] * b[0] - dot(n, l, b)) / determinant(n, l);
  for (int k = 1; k < n; ++k) out[k] = (b[k] - out[0] * l[k]) / l[0];
}
/// The largest α for which the interior point a stays in the cone as a + α d.
inline double longest_step(int n, const double* a, const double* d) {
  if (n == 1) return d[0] < 0 ? -a[0] / d[0] : infinity;
  const double A = determinant(n, d), B = 2 * (2 * a[0] * d[0] - dot(n, a, d)), C = determinant(n, a);
  const double discriminant = B * B - 4 * A * C;
  if (discriminant < 0) return infinity;
  const double q = -0.5 * (B + std::copysign(std::sqrt(discriminant), B));
  double step = infinity;
  if (A != 0 && q / A > 0) step = q / A;
  if (q != 0 && C / q > 0) step = std::min(step, C / q);
  return step;
}

struct Scaling {
  double F[9], inverse[9], lambda[3];
};
inline void multiply(int n, const double* A, const double* x, double* out) {
  for (int a = 0; a < n; ++a) {
    out[a] = A[a * n] * x[0];
    for (int b = 1; b < n; ++b) out[a] += A[a * n + b] * x[b];
  }
}
inline Scaling scale(int n, const double* r, const double* u) {
  Scaling s;
  const double dr = std::sqrt(determinant(n, r)), du = std::sqrt(determinant(n, u));
  const double gamma = std::sqrt((1 + dot(n, r, u) / (dr * du)) / 2), size = std::sqrt(du / dr);
  double w[3];
  for (int k = 0; k < n; ++k) w[k] = (u[k] / du + (k == 0 ? 1 : -1) * r[k] / dr) / (2 * gamma);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      const bool cross = (a == 0) != (b == 0);
      const double f = a == 0 ? w[b] : b == 0 ? w[a] : (a == b) + w[a] * w[b] / (1 + w[0]);
      s.F[a * n + b] = size * f;
      s.inverse[a * n + b] = (cross ? -f : f) / size;
    }
  multiply(n, s.F, r, s.lambda);
  return s;
}

}  // namespace saltus::detail::lorentz
