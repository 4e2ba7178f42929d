#include "saltus/spatial/rotation.hpp"

namespace saltus {

Mat3 Rotation::matrix() const {
  const double x = v[0], y = v[1], z = v[2];
  Mat3 R;
  R << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return R;
}

Rotation rotation_exp(const Vec3& phi) {
  const double angle = phi.norm();
  if (angle < 1e-8) return {1 - angle * angle / 8, 0.5 * phi};
  return {std::cos(angle / 2), std::sin(angle / 2) / angle * phi};
}

Vec3 rotation_log(const Rotation& p) {
  const double sine = p.v.norm(), sign = p.w < 0 ? -1 : 1;
  if (sine == 0) return Vec3::Zero();
  return 2 * sign * std::atan2(sine, std::abs(p.w)) / sine * p.v;
}

Vec3 rotation_push(const Vec3& phi, const Vec3& x) {
  const double s = phi.squaredNorm(), angle = std::sqrt(s), half = std::sin(angle / 2);
  const double a = s < 1e-3 ? 0.5 - s / 24 + s * s / 720 - s * s * s / 40320 : 2 * half * half / s;
  const double b = s < 1e-3 ? 1.0 / 6 - s / 120 + s * s / 5040 : (angle - std::sin(angle)) / (angle * s);
  const Vec3 y = cross(phi, x);
  return x - a * y + b * cross(phi, y);
}

Vec3 rotation_lift(const Vec3& phi, const Vec3& x) {
  const double s = phi.squaredNorm(), half = 0.5 * std::sqrt(s);
  const double c = s < 1e-2 ? 1.0 / 12 + s / 720 + s * s / 30240 + s * s * s / 1209600
                            : (1 - half * std::cos(half) / std::sin(half)) / s;
  const Vec3 y = cross(phi, x);
  return x + 0.5 * y + c * cross(phi, y);
}

// The largest of the four squares is at least 1/4: no cancellation.
Rotation rotation_of(const Mat3& R) {
  const double trace = R.trace();
  const double squares[] = {1 + trace, 1 + 2 * R(0, 0) - trace, 1 + 2 * R(1, 1) - trace,
                            1 + 2 * R(2, 2) - trace};
  int k = 0;
  for (int i = 1; i < 4; ++i)
    if (squares[i] > squares[k]) k = i;
  const double big = std::sqrt(squares[k]), s = 0.5 / big;
  const Vec3 odd{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  Rotation p;
  if (k == 0) {
    p = {0.5 * big, s * odd};
  } else {
    const int i = k - 1, j = k % 3, l = (k + 1) % 3;
    p.w = s * odd[i];
    p.v[i] = 0.5 * big, p.v[j] = s * (R(j, i) + R(i, j)), p.v[l] = s * (R(l, i) + R(i, l));
  }
  return p.normalised();
}

}  // namespace saltus
