// Rotations as unit quaternions p = (w, x, y, z), body → inertial, and the maps of SO(3):
//
//     exp: p = (cos θ/2, (sin(θ/2)/θ) φ), θ = |φ|;      log its inverse, θ ≤ π
//     R = R₀ exp[φ]  ⇒  ω = T(φ) φ̇  (ω in the body),    T(φ) = 1 − a[φ] + b[φ]²,   a = 2 sin²(θ/2)/θ²,
//                                                        b = (θ − sin θ)/θ³
//     T⁻¹(φ) w = w + ½ φ×w + c φ×(φ×w),                  c = (1 − (θ/2) cot(θ/2))/θ²
//
// Where a, b and c cancel, their series are taken: all maps are exact to rounding for θ ≤ π. T is singular at
// θ = 2π.
#pragma once
#include <cmath>

#include "saltus/core/types.hpp"

namespace saltus {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
/// [a] b = a × b
inline Mat3 cross_matrix(const Vec3& a) {
  Mat3 S;
  S << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return S;
}

struct Rotation {
  double w = 1;
  Vec3 v{0, 0, 0};

  /// From four numbers (w, x, y, z) of a configuration.
  static Rotation of(const double* p) { return {p[0], {p[1], p[2], p[3]}}; }
  void put(double* p) const { p[0] = w, p[1] = v[0], p[2] = v[1], p[3] = v[2]; }

  Vec3 operator()(const Vec3& r) const {  ///< a vector of the body, in space
    const Vec3 s = 2 * cross(v, r);
    return r + w * s + cross(v, s);
  }
  Rotation conjugate() const { return {w, -v}; }
  Rotation operator*(const Rotation& b) const {
    return {w * b.w - v.dot(b.v), w * b.v + b.w * v + cross(v, b.v)};
  }
  Mat3 matrix() const;
  /// One step of Newton's method for |p| = 1: of quaternions that are unit up to rounding. The sign stays.
  Rotation normalised() const {
    const double s = 0.5 * (3 - (w * w + v.dot(v)));
    return {s * w, s * v};
  }
};

Rotation rotation_exp(const Vec3& phi);
/// Of the shorter way round: |φ| ≤ π; p and −p have the same.
Vec3 rotation_log(const Rotation& p);
/// T(φ) x and T⁻¹(φ) x.
Vec3 rotation_push(const Vec3& phi, const Vec3& x);
Vec3 rotation_lift(const Vec3& phi, const Vec3& x);
/// Of an orthogonal matrix with determinant 1.
Rotation rotation_of(const Mat3& R);

}  // namespace saltus
