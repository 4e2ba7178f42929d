// The forces of SpatialSystem: gravity, gyroscopic moments, loads, springs; their derivatives and energies.
#include "saltus/spatial/spatial_system.hpp"

namespace saltus {

SpatialSystem::Stretched SpatialSystem::stretch(const SpaceSpring& s,
                                                const std::vector<SpaceFrame>& frames) const {
  const SpaceFrame &a = frames[s.a], &b = frames[s.b];
  Stretched x;
  x.arm_a = a.turned(s.point_a), x.arm_b = b.turned(s.point_b);
  const Vec3 d = (b.x - a.x) + (x.arm_b - x.arm_a);
  x.length = d.norm();
  x.e = x.length > 0 ? Vec3(d / x.length) : Vec3(0, 0, 1);
  x.rate = b.velocity(x.arm_b) - a.velocity(x.arm_a);
  x.speed = x.e.dot(x.rate);
  x.force = s.stiffness * (x.length - s.length) + s.damping * x.speed;
  return x;
}

// The force of a pair is not smooth where it touches.
void SpatialSystem::kinks(double t, In q, In u, std::vector<Kink>& out, Workspace& w) const {
  if (!soft_) return;
  auto& room = static_cast<Room&>(w);
  frames(t, q, u.data(), room.frames);
  soft_kinks(room, out);
}

void SpatialSystem::force(double t, In q, In u, Out h, Workspace& w) const {
  for (int k = 0; k < moving_; ++k) {
    const SpaceBody& b = data_.bodies[body_of_[k]];
    const Vec3 omega = u.segment<3>(6 * k + 3);
    Vec3 moment = cross(b.inertia * omega, omega);
    if (!b.torque.isZero()) moment += Rotation::of(q.data() + 7 * k + 3).conjugate()(b.torque);
    for (int i = 0; i < 3; ++i)
      h[6 * k + i] = b.mass * data_.gravity[i] + b.force[i], h[6 * k + 3 + i] = moment[i];
  }
  if (!has_springs() && !soft_) return;
  auto& now = static_cast<Room&>(w).frames;
  frames(t, q, u.data(), now);
  if (soft_) add_soft(static_cast<Room&>(w), h);
  for (const SpaceSpring& s : data_.springs) {
    const Stretched x = stretch(s, now);
    const auto add = [&](int body, const Vec3& arm, double size) {
      const int k = place_[body];
      if (k < 0) return;
      const Vec3 F = size * x.e, M = now[body].R.transpose() * cross(arm, F);
      for (int i = 0; i < 3; ++i) h[6 * k + i] += F[i], h[6 * k + 3 + i] += M[i];
    };
    add(s.b, x.arm_b, -x.force), add(s.a, x.arm_a, x.force);
  }
  if (pushed_) add_actions(t, q, now, h);
}

void SpatialSystem::force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const {
  dq.set_zero(), du.set_zero();
  const auto add = [](Matrix& M, int at, const Mat3& block) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) M.add(at + i, at + j, block(i, j));
  };
  for (int k = 0; k < moving_ && jacobian_.kind != Pattern::diagonal; ++k) {
    const SpaceBody& b = data_.bodies[body_of_[k]];
    const Vec3 omega = u.segment<3>(6 * k + 3);
    add(du, 6 * k + 3, cross_matrix(b.inertia * omega) - cross_matrix(omega) * b.inertia);
    if (!b.torque.isZero())
      add(dq, 6 * k + 3, cross_matrix(Rotation::of(q.data() + 7 * k + 3).conjugate()(b.torque)));
  }
  if (!has_springs() && !soft_) return;
  auto& now = static_cast<Room&>(w).frames;
  frames(t, q, u.data(), now);
  if (soft_) add_soft_jacobians(static_cast<Room&>(w), dq, du);
  for (const SpaceSpring& s : data_.springs) add_spring_jacobians(s, now, dq, du);
  if (pushed_) add_action_jacobians(q, now, dq, du);
}

// With F on b, d = P_b − P_a: δF = K δd + C δḋ; on each body δ(Rc) = −R[c] δθ, δ(R(ω×c)) = −R[ω×c] δθ − R[c]
// δω, and δ(c×RᵀF) = c×Rᵀ δF + c×(RᵀF×δθ).
void SpatialSystem::add_spring_jacobians(const SpaceSpring& s, const std::vector<SpaceFrame>& frames,
                                         Matrix& dq, Matrix& du) const {
  const Stretched x = stretch(s, frames);
  if (!(x.length > 0)) return;
  const Mat3 along = x.e * x.e.transpose(), across = Mat3::Identity() - along;
  const Mat3 K = -(s.stiffness * along + s.damping / x.length * x.e * (across * x.rate).transpose() +
                   x.force / x.length * across);
  const Mat3 C = -s.damping * along;
  const Vec3 F = -x.force * x.e;
  struct End {
    int body;
    double sign;
    const Vec3& c;
  };
  const End ends[] = {{s.a, -1, s.point_a}, {s.b, 1, s.point_b}};
  using Rows = Eigen::Matrix<double, 3, 6>;
  for (const End& from : ends) {
    if (place_[from.body] < 0) continue;
    const SpaceFrame& f = frames[from.body];
    const Vec3 omega = f.R.transpose() * f.omega;
    Rows by_q, by_u;  // of F
    const Mat3 lever = -f.R * cross_matrix(from.c);
    by_q << from.sign * K, from.sign * (K * lever - C * f.R * cross_matrix(cross(omega, from.c)));
    by_u << from.sign * C, from.sign * C * lever;
    for (const End& to : ends) {
      if (place_[to.body] < 0) continue;
      const SpaceFrame& g = frames[to.body];
      const Mat3 arm = cross_matrix(to.c) * g.R.transpose();
      Rows turn_q = to.sign * arm * by_q, turn_u = to.sign * arm * by_u;
      if (to.body == from.body)
        turn_q.rightCols<3>() += to.sign * cross_matrix(to.c) * cross_matrix(g.R.transpose() * F);
      const int row = 6 * place_[to.body], column = 6 * place_[from.body];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 6; ++j) {
          dq.add(row + i, column + j, to.sign * by_q(i, j)), dq.add(row + 3 + i, column + j, turn_q(i, j));
          du.add(row + i, column + j, to.sign * by_u(i, j)), du.add(row + 3 + i, column + j, turn_u(i, j));
        }
    }
  }
}

double SpatialSystem::potential(double t, In q, Workspace& w) const {
  double sum = 0;
  for (int k = 0; k < moving_; ++k)
    sum -= data_.bodies[body_of_[k]].mass * data_.gravity.dot(Vec3(q.segment<3>(7 * k)));
  if (!has_springs() && !soft_) return sum;
  auto& now = static_cast<Room&>(w).frames;
  frames(t, q, nullptr, now);
  if (soft_) sum += soft_potential(static_cast<Room&>(w));
  for (const SpaceSpring& s : data_.springs) {
    const double stretched = stretch(s, now).length - s.length;
    sum += 0.5 * s.stiffness * stretched * stretched;
  }
  return sum + action_potential(q, now);
}

double SpatialSystem::energy(double t, In q, In u, Workspace& w) const {
  double twice = 0;
  for (int k = 0; k < moving_; ++k) {
    const SpaceBody& b = data_.bodies[body_of_[k]];
    const Vec3 v = u.segment<3>(6 * k), omega = u.segment<3>(6 * k + 3);
    twice += b.mass * v.squaredNorm() + omega.dot(b.inertia * omega);
  }
  return twice / 2 + potential(t, q, w);
}

// Springs at bodies that move as prescribed are driven by them.
Power SpatialSystem::power(double t, In q, In u, Workspace& w) const {
  Power out;
  for (int k = 0; k < moving_; ++k) {
    const SpaceBody& b = data_.bodies[body_of_[k]];
    out.work += b.force.dot(Vec3(u.segment<3>(6 * k)));
    if (!b.torque.isZero())
      out.work += b.torque.dot(Rotation::of(q.data() + 7 * k + 3)(Vec3(u.segment<3>(6 * k + 3))));
  }
  if (!has_springs() && !soft_) return out;
  auto& now = static_cast<Room&>(w).frames;
  frames(t, q, u.data(), now);
  if (soft_) add_soft_power(static_cast<Room&>(w), out);
  for (const SpaceSpring& s : data_.springs) {
    const Stretched x = stretch(s, now);
    out.damping += s.damping * x.speed * x.speed;
    if (place_[s.b] < 0) out.work += x.force * x.e.dot(now[s.b].velocity(x.arm_b));
    if (place_[s.a] < 0) out.work -= x.force * x.e.dot(now[s.a].velocity(x.arm_a));
  }
  if (pushed_) add_action_power(t, q, now, out);
  return out;
}

}  // namespace saltus
