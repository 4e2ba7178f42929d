#include "saltus/spatial/space_frame.hpp"

namespace saltus {

SpaceFrame frame_at(const Vec3& x, const Mat3& R, const SpaceMotion& m, double t) {
  SpaceFrame f;
  f.x = x, f.R = R;
  if (t < m.start || !m.moves()) return f;
  const double s = t - m.start;
  const Mat3 turn = rotation_exp(s * m.omega).matrix();
  const Vec3 arm = turn * (x - m.pivot);
  f.R = turn * R, f.omega = m.omega;
  f.x = m.pivot + s * m.velocity + arm;
  f.v = m.velocity + cross(m.omega, arm);
  f.acceleration = cross(m.omega, cross(m.omega, arm));
  for (int k = 0; k < 3; ++k) {
    if (!m.along[k].place) continue;
    f.x[k] += m.along[k].place->at(t).value;
    const auto [rate, acceleration] = m.along[k].rate->at(t);
    f.v[k] += rate, f.acceleration[k] += acceleration;
  }
  return f;
}

}  // namespace saltus
