// Touches of round shapes: points against cylinders, cones and ellipsoids, and ellipsoids against planes.
#include <algorithm>

#include "saltus/spatial/space_touch.hpp"

namespace saltus {
namespace {

// A point in the frame of a body of revolution: its height along the axis z, and its distance rho from it.
struct Meridian {
  Vec3 z, centre, out;
  double height, rho;
};
Meridian meridian_of(const SpaceFrame& a, const Vec3& arm, const SpaceFrame& b, const SpaceShape& s) {
  Meridian m;
  m.z = b.turned(s.axis), m.centre = b.turned(s.centre);
  const Vec3 d = (a.x - b.x) + (arm - m.centre);
  m.height = m.z.dot(d);
  const Vec3 radial = d - m.height * m.z;
  m.rho = radial.norm();
  m.out = direction_or(radial, m.rho, some_normal_to(m.z));
  return m;
}

SpaceTouch against_cap(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                       const SpaceShape& s, const Meridian& m, double side) {
  return point_face(a, arm, r, b, side * m.z, side * m.z.dot(m.centre) + s.half,
                    b.turned(some_normal_to(s.axis)));
}

// Against the circle at the height `at`.
SpaceTouch against_rim(const Vec3& arm, double r, const SpaceShape& s, const Meridian& m, double at) {
  SpaceTouch t;
  const Vec3 y = (m.rho - s.radius) * m.out + (m.height - at) * m.z;
  const double D = y.norm();
  t.r = r, t.core_a = arm, t.c = m.z, t.carrier = SpaceTouch::Carrier::b;
  t.n = direction_or(y, D, m.out);
  t.along_1 = cross(m.z, m.out), t.curvature_1 = m.rho > 0 ? t.n.dot(m.out) / m.rho : 0;
  t.along_2 = cross(t.n, t.along_1), t.curvature_2 = D > 0 ? 1 / D : 0;
  if (std::abs(t.n.dot(m.z)) > 0.9) t.c = odd_direction(), t.carrier = SpaceTouch::Carrier::space;
  place_touch(t, m.centre + s.radius * m.out + at * m.z, D);
  return t;
}

// The support function of an ellipsoid is |A n|, A² = Σ rᵢ² eᵢeᵢᵀ; its derivative is the point with the
// normal n, its second derivative has the radii of curvature there.
struct Support {
  Vec3 point;
  Mat3 radii;
};
Support support_of(const Mat3& square, const Vec3& n) {
  const Vec3 An = square * n;
  const double length = std::sqrt(n.dot(An));
  return {An / length, (square - An * An.transpose() / (length * length)) / length};
}
Mat3 square_of(const SpaceShape& s, const SpaceFrame& f) {
  const Mat3 axes = f.R * s.axes;
  return axes * s.radii.cwiseAbs2().asDiagonal() * axes.transpose();
}

void set_radii(const Mat3& square, SpaceTouch& t) {
  const PrincipalRadii r = radii_of_ellipsoid(square, t.n);
  t.along_1 = r.along, t.along_2 = cross(t.n, r.along);
  t.radius_1 = r.radius_1, t.radius_2 = r.radius_2;
}

}  // namespace

PrincipalRadii radii_of_ellipsoid(const Mat3& square, const Vec3& n) {
  const Mat3 radii = support_of(square, n).radii;
  const Vec3 e = some_normal_to(n), f = cross(n, e);
  const double ee = e.dot(radii * e), ef = e.dot(radii * f), ff = f.dot(radii * f);
  const double angle = 0.5 * std::atan2(2 * ef, ee - ff), c = std::cos(angle), s = std::sin(angle);
  const Vec3 along = c * e + s * f, other = c * f - s * e;
  return {along, along.dot(radii * along), other.dot(radii * other)};
}

// xᵢ = rᵢ²pᵢ/(rᵢ² + t), and t is the largest root of Σ (xᵢ/rᵢ)² = 1. That sum is convex and falling: Newton's
// method from the left ends at the root.
Vec3 nearest_on_ellipsoid(const Vec3& radii, const Vec3& p, double& t) {
  const Vec3 squares = radii.cwiseAbs2();
  t = (radii.cwiseProduct(p.cwiseAbs()) - squares).maxCoeff();
  Vec3 x;
  if (!(t > -squares.minCoeff())) {  // in the middle: towards the nearest end
    int least = 0;
    radii.minCoeff(&least);
    t = -squares[least], x = Vec3::Zero(), x[least] = radii[least];
    return x;
  }
  for (int it = 0; it < 100; ++it) {
    double sum = -1, slope = 0;
    for (int i = 0; i < 3; ++i) {
      const double y = radii[i] * p[i] / (squares[i] + t);
      sum += y * y, slope -= 2 * y * y / (squares[i] + t);
    }
    const double next = t - sum / slope;
    if (!(next > t)) break;
    const double step = next - t;
    t = next;
    if (step <= 1e-16 * (std::abs(t) + squares.maxCoeff())) break;
  }
  for (int i = 0; i < 3; ++i) x[i] = squares[i] * p[i] / (squares[i] + t);
  return x;
}

SpaceTouch point_cylinder(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                          const SpaceShape& s) {
  const Meridian m = meridian_of(a, arm, b, s);
  const double side = m.height < 0 ? -1 : 1, above = std::abs(m.height) - s.half;
  // over a cap, or inside and nearer to it than to the side
  if (m.rho <= s.radius && (above > 0 || above >= m.rho - s.radius))
    return against_cap(a, arm, r, b, s, m, side);
  if (above <= 0) return point_line(a, arm, r, b, m.centre, m.z, s.radius);
  return against_rim(arm, r, s, m, side * s.half);
}

SpaceTouch point_cone(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                      const SpaceShape& s) {
  const Meridian m = meridian_of(a, arm, b, s);
  const double h = 2 * s.half, length = std::hypot(h, s.radius), up = m.height + s.half;
  const double n_out = h / length, n_up = s.radius / length;  // normal of the side
  const double over = (m.rho - s.radius) * n_out + up * n_up, along = up * n_out - (m.rho - s.radius) * n_up;
  if (m.rho <= s.radius && -up >= over) return against_cap(a, arm, r, b, s, m, -1);
  if (along <= 0 && (over > 0 || m.rho > s.radius)) return against_rim(arm, r, s, m, -s.half);
  if (along >= length) return point_point(a, arm, r, b, m.centre + s.half * m.z, 0);
  SpaceTouch t;
  t.r = r, t.core_a = arm, t.c = m.z, t.carrier = SpaceTouch::Carrier::b;
  t.n = n_out * m.out + n_up * m.z;
  if (n_up > 0.9) t.c = odd_direction(), t.carrier = SpaceTouch::Carrier::space;
  t.along_1 = cross(m.z, m.out), t.curvature_1 = m.rho > 0 ? n_out / m.rho : 0;
  t.along_2 = cross(t.n, t.along_1);
  place_touch(t, (a.x - b.x) + arm - over * t.n, over);
  return t;
}

SpaceTouch point_ellipsoid(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                           const SpaceShape& s) {
  const Mat3 axes = b.R * s.axes;
  const Vec3 centre = b.turned(s.centre);
  double root = 0;
  const Vec3 x = nearest_on_ellipsoid(s.radii, axes.transpose() * ((a.x - b.x) + (arm - centre)), root);
  const Vec3 gradient = x.cwiseQuotient(s.radii.cwiseAbs2());
  const double D = root * gradient.norm();  // p − x = t gradient
  SpaceTouch t;
  t.r = r, t.core_a = arm, t.c = odd_direction();
  t.n = axes * gradient.normalized();
  set_radii(square_of(s, b), t);
  t.curvature_1 = 1 / (t.radius_1 + D), t.curvature_2 = 1 / (t.radius_2 + D);
  place_touch(t, centre + axes * x, D);
  return t;
}

SpaceTouch ellipsoid_face(const SpaceFrame& a, const SpaceShape& s, const SpaceFrame& b, const Vec3& n,
                          double offset, const Vec3& along) {
  const Mat3 square = square_of(s, a);
  SpaceTouch t;
  t.kind = SpaceTouch::Kind::support, t.n = n, t.c = along, t.carrier = SpaceTouch::Carrier::b;
  set_radii(square, t);
  t.arm_a = t.core_a = a.turned(s.centre) + support_of(square, -n).point;
  t.gap = n.dot((a.x - b.x) + t.arm_a) - offset;
  t.arm_b = t.core_b = (a.x - b.x) + t.arm_a - t.gap * n;
  return t;
}

}  // namespace saltus
