#include "saltus/spatial/space_joint.hpp"

#include <cmath>

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

void find_rate(JointRow& r, const SpaceFrame& a, const SpaceFrame& b) {
  r.rate = r.move_a.dot(a.v) + r.turn_a.dot(a.omega) + r.move_b.dot(b.v) + r.turn_b.dot(b.omega);
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

// atan2(s, c), nearest to `near`. N θ̇ = c ṡ − s ċ, and N θ̈ = c s̈ − s c̈ − θ̇ Ṅ, with N = s² + c².
JointRow angle_of(const JointRow& s, const JointRow& c, double near) {
  const double turn = 2 * std::acos(-1.0), N = s.gap * s.gap + c.gap * c.gap;
  JointRow r;
  r.gap = std::atan2(s.gap, c.gap);
  r.gap += turn * std::round((near - r.gap) / turn);
  if (!(N > 0)) return r.move_a = r.turn_a = r.move_b = r.turn_b = Vec3::Zero(), r;
  const double p = c.gap / N, m = s.gap / N;
  r.rate = p * s.rate - m * c.rate;
  r.bias = p * s.bias - m * c.bias - r.rate * 2 * (m * s.rate + p * c.rate);
  r.move_a = p * s.move_a - m * c.move_a, r.turn_a = p * s.turn_a - m * c.turn_a;
  r.move_b = p * s.move_b - m * c.move_b, r.turn_b = p * s.turn_b - m * c.turn_b;
  return r;
}

}  // namespace

std::string_view to_string(JointKind kind) {
  constexpr std::string_view names[] = {"ball",        "hinge",  "universal", "fixed", "slider",
                                        "cylindrical", "planar", "distance",  "screw", "rope"};
  return names[static_cast<int>(kind)];
}

int rows_of(JointKind kind) {
  constexpr int rows[] = {3, 5, 4, 6, 5, 4, 3, 1, 5, 0};
  return rows[static_cast<int>(kind)];
}

std::string_view to_string(JointCoordinate coordinate) {
  constexpr std::string_view names[] = {"angle", "angle_2", "shift", "shift_2", "swing", "length"};
  return names[static_cast<int>(coordinate)];
}

bool has_coordinate(JointKind kind, JointCoordinate c) {
  using enum JointCoordinate;
  switch (kind) {
    case JointKind::hinge:
      return c == angle;
    case JointKind::universal:
      return c == angle || c == angle_2;
    case JointKind::slider:
      return c == shift;
    case JointKind::cylindrical:
    case JointKind::screw:
      return c == angle || c == shift;
    case JointKind::planar:
      return c == angle || c == shift || c == shift_2;
    case JointKind::ball:
      return c == swing;
    case JointKind::rope:
      return c == length;
    case JointKind::fixed:
    case JointKind::distance:
      return false;
  }
  return false;
}

JointRow coordinate_row(const SpaceJoint& j, JointCoordinate what, const SpaceFrame& a, const SpaceFrame& b,
                        double near) {
  const auto A = [&](int k) { return direction(a, j.axes_a.col(k)); };
  const auto B = [&](int k) { return direction(b, j.axes_b.col(k)); };
  const auto cosine = [&](const Levels& x, const Levels& y) {
    JointRow r = right_angle(x, y, 1);
    find_rate(r, a, b);
    return r;
  };
  const bool universal = j.kind == JointKind::universal, planar = j.kind == JointKind::planar;
  JointRow r;
  switch (what) {
    case JointCoordinate::angle:
      if (universal) return angle_of(cosine(A(2), B(1)), cosine(A(1), B(1)), near);
      return angle_of(cosine(A(1), B(0)), cosine(A(0), B(0)), near);
    case JointCoordinate::angle_2:
      return angle_of(cosine(A(0), B(2)), cosine(A(0), B(0)), near);
    case JointCoordinate::swing:
      return cosine(A(2), B(2));
    case JointCoordinate::shift:
      r = along_axis(Gap(j, a, b), A(planar ? 0 : 2));
      break;
    case JointCoordinate::shift_2:
      r = along_axis(Gap(j, a, b), A(1));
      break;
    case JointCoordinate::length:
      r = distance(Gap(j, a, b), 0);
      break;
  }
  find_rate(r, a, b);
  return r;
}

void joint_rows(const SpaceJoint& j, const SpaceFrame& a, const SpaceFrame& b, double angle, JointRow* out) {
  JointRow* const first = out;
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
      point();
      break;
    case JointKind::hinge:
      point(), aligned();
      break;
    case JointKind::universal:
      point(), no_turn();
      break;
    case JointKind::fixed:
      point(), aligned(), no_turn();
      break;
    case JointKind::slider:
      on_line(), aligned(), no_turn();
      break;
    case JointKind::cylindrical:
      on_line(), aligned();
      break;
    case JointKind::planar:
      *out++ = along_axis(g, A(2));
      aligned();
      break;
    case JointKind::distance:
      *out++ = distance(g, j.length);
      break;
    case JointKind::screw: {
      on_line(), aligned();
      const JointRow turn = coordinate_row(j, JointCoordinate::angle, a, b, angle);
      const double way = j.pitch / (2 * std::acos(-1.0));
      JointRow r = along_axis(g, A(2));
      r.gap -= way * turn.gap, r.bias -= way * turn.bias;
      r.turn_a -= way * turn.turn_a, r.turn_b -= way * turn.turn_b;
      *out++ = r;
      break;
    }
    case JointKind::rope:
      break;
  }
  for (JointRow* r = first; r != out; ++r) find_rate(*r, a, b);
}

}  // namespace saltus
