#include "saltus/spatial/space_joint.hpp"

namespace saltus {
namespace {

using JointKind = SpaceJoint::Kind;

// Value, rate and second rate (velocities held) of a vector that is fixed in a body, or leads to a point.
struct Levels {
  Vec3 value, rate, second;
};

Levels direction(const SpaceFrame& f, const Vec3& c) {
  const Vec3 r = f.turned(c), rate = cross(f.omega, r);
  return {r, rate, cross(f.alpha, r) + cross(f.omega, rate)};
}

// What leads from the joint's point on a to that on b. Centres first: no digits are lost where both are far.
struct Gap {
  Vec3 arm_a, arm_b;
  Levels d;
  Gap(const SpaceJoint& j, const SpaceFrame& a, const SpaceFrame& b) {
    const Levels p = direction(a, j.point_a), q = direction(b, j.point_b);
    arm_a = p.value, arm_b = q.value;
    d.value = (b.x - a.x) + (arm_b - arm_a);
    d.rate = (b.v - a.v) + (q.rate - p.rate);
    d.second = (b.acceleration - a.acceleration) + (q.second - p.second);
  }
};

double second_of(const Levels& x, const Levels& y) {
  return x.second.dot(y.value) + 2 * x.rate.dot(y.rate) + x.value.dot(y.second);
}

JointRow along_space(const Gap& g, int k) {
  JointRow r;
  const Vec3 e = Vec3::Unit(k);
  r.gap = g.d.value[k], r.bias = g.d.second[k];
  r.move_a = -e, r.turn_a = -cross(g.arm_a, e), r.move_b = e, r.turn_b = cross(g.arm_b, e);
  return r;
}

JointRow along_axis(const Gap& g, const Levels& A) {
  JointRow r;
  r.gap = A.value.dot(g.d.value), r.bias = second_of(A, g.d);
  r.move_a = -A.value, r.turn_a = cross(A.value, g.arm_a + g.d.value);
  r.move_b = A.value, r.turn_b = cross(g.arm_b, A.value);
  return r;
}

JointRow right_angle(const Levels& A, const Levels& B, double scale) {
  JointRow r;
  r.gap = scale * A.value.dot(B.value), r.bias = scale * second_of(A, B);
  r.move_a = r.move_b = Vec3::Zero();
  r.turn_a = scale * cross(A.value, B.value), r.turn_b = -r.turn_a;
  return r;
}

JointRow distance(const Gap& g, double length) {
  JointRow r;
  const double size = g.d.value.norm();
  const Vec3 e = size > 0 ? Vec3(g.d.value / size) : Vec3(0, 0, 1);
  r.gap = size - length;
  const double rate = e.dot(g.d.rate);
  r.bias = size > 0 ? e.dot(g.d.second) + (g.d.rate.squaredNorm() - rate * rate) / size : 0;
  r.move_a = -e, r.turn_a = -cross(g.arm_a, e), r.move_b = e, r.turn_b = cross(g.arm_b, e);
  return r;
}

}  // namespace

std::string_view to_string(JointKind kind) {
  constexpr std::string_view names[] = {"ball",   "hinge",       "universal", "fixed",
                                        "slider", "cylindrical", "planar",    "distance"};
  return names[static_cast<int>(kind)];
}

int rows_of(JointKind kind) {
  constexpr int rows[] = {3, 5, 4, 6, 5, 4, 3, 1};
  return rows[static_cast<int>(kind)];
}

void joint_rows(const SpaceJoint& j, const SpaceFrame& a, const SpaceFrame& b, JointRow* out) {
  const Gap g(j, a, b);
  const auto A = [&](int k) { return direction(a, j.axes_a.col(k)); };
  const auto B = [&](int k) { return direction(b, j.axes_b.col(k)); };
  const auto point = [&] {
    for (int k = 0; k < 3; ++k) *out++ = along_space(g, k);
  };
  const auto aligned = [&] {
    *out++ = right_angle(A(0), B(2), j.scale), *out++ = right_angle(A(1), B(2), j.scale);
  };
  const auto on_line = [&] { *out++ = along_axis(g, A(0)), *out++ = along_axis(g, A(1)); };
  const auto no_turn = [&] { *out++ = right_angle(A(0), B(1), j.scale); };
  switch (j.kind) {
    case JointKind::ball:
      return point();
    case JointKind::hinge:
      return point(), aligned();
    case JointKind::universal:
      return point(), no_turn();
    case JointKind::fixed:
      return point(), aligned(), no_turn();
    case JointKind::slider:
      return on_line(), aligned(), no_turn();
    case JointKind::cylindrical:
      return on_line(), aligned();
    case JointKind::planar:
      *out++ = along_axis(g, A(2));
      return aligned();
    case JointKind::distance:
      *out = distance(g, j.length);
      return;
  }
}

}  // namespace saltus
