#include "saltus/spatial/space_shape.hpp"

#include <algorithm>
#include <string>

#include "saltus/core/error.hpp"
#include "saltus/linalg/decompositions.hpp"

namespace saltus {

using ShapeKind = SpaceShape::Kind;

Vec3 some_normal_to(const Vec3& axis) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(axis[k]) < std::abs(axis[least])) least = k;
  const Vec3 n = Vec3::Unit(least) - axis[least] * axis;
  return n / n.norm();
}

SpaceShape SpaceShape::sphere(double radius, const Vec3& centre) {
  SpaceShape s;
  s.radius = radius, s.centre = centre;
  return s;
}

SpaceShape SpaceShape::capsule(double radius, double length, const Vec3& axis, const Vec3& centre) {
  SpaceShape s;
  s.kind = ShapeKind::capsule, s.radius = radius, s.half = length / 2, s.axis = axis, s.centre = centre;
  return s;
}

SpaceShape SpaceShape::of(Polytope polytope) {
  SpaceShape s;
  s.kind = ShapeKind::polytope, s.polytope = std::move(polytope);
  s.polytope.measure();
  return s;
}

SpaceShape SpaceShape::box(const Vec3& half) {
  return of(box_polytope(half));
}

SpaceShape SpaceShape::disk(double radius, const Vec3& axis, const Vec3& centre) {
  SpaceShape s;
  s.kind = ShapeKind::disk, s.radius = radius, s.axis = axis, s.centre = centre;
  return s;
}

SpaceShape SpaceShape::cylinder(double radius, double height, const Vec3& axis, const Vec3& centre) {
  SpaceShape s = disk(radius, axis, centre);
  s.kind = ShapeKind::cylinder, s.half = height / 2;
  return s;
}

SpaceShape SpaceShape::cone(double radius, double height, const Vec3& axis, const Vec3& centre) {
  SpaceShape s = cylinder(radius, height, axis, centre);
  s.kind = ShapeKind::cone;
  return s;
}

SpaceShape SpaceShape::ellipsoid(const Vec3& radii, const Mat3& axes, const Vec3& centre) {
  SpaceShape s;
  s.kind = ShapeKind::ellipsoid, s.radii = radii, s.axes = axes, s.centre = centre;
  return s;
}

SpaceShape SpaceShape::half_space(const Vec3& normal, const Vec3& point) {
  SpaceShape s;
  s.kind = ShapeKind::half_space, s.axis = normal, s.centre = point;
  return s;
}

double SpaceShape::reach() const {
  switch (kind) {
    case ShapeKind::sphere:
      return centre.norm() + radius;
    case ShapeKind::capsule:
      return std::max((centre + half * axis).norm(), (centre - half * axis).norm()) + radius;
    case ShapeKind::disk:
    case ShapeKind::cylinder:
    case ShapeKind::cone:
      return centre.norm() + std::hypot(radius, half);
    case ShapeKind::ellipsoid:
      return centre.norm() + radii.maxCoeff();
    case ShapeKind::half_space:
      return infinity;
    case ShapeKind::polytope:
      break;
  }
  return polytope.reach;
}

void Polytope::measure() {
  reach = 0, width = infinity;
  for (const Vec3& v : vertices) reach = std::max(reach, v.norm());
  for (const auto& f : faces) {
    double low = infinity;
    for (const Vec3& v : vertices) low = std::min(low, f.normal.dot(v));
    width = std::min(width, f.offset - low);
  }
}

Vec3 SpaceShape::middle() const {
  if (kind != ShapeKind::polytope) return centre;
  Vec3 low = polytope.vertices[0], high = low;
  for (const Vec3& v : polytope.vertices) low = low.cwiseMin(v), high = high.cwiseMax(v);
  return 0.5 * (low + high);
}

double SpaceShape::extent(const Vec3& n) const {
  const double middle = n.dot(centre), along = n.dot(axis), across = cross(n, axis).norm();
  switch (kind) {
    case ShapeKind::sphere:
      return middle + radius;
    case ShapeKind::capsule:
      return middle + half * std::abs(along) + radius;
    case ShapeKind::disk:
    case ShapeKind::cylinder:
      return middle + half * std::abs(along) + radius * across;
    case ShapeKind::cone:
      return middle + std::max(half * along, radius * across - half * along);
    case ShapeKind::ellipsoid:
      return middle + radii.cwiseProduct(axes.transpose() * n).norm();
    case ShapeKind::half_space:
      return infinity;
    case ShapeKind::polytope:
      break;
  }
  double far = -infinity;
  for (const Vec3& v : polytope.vertices) far = std::max(far, n.dot(v));
  return far;
}

double SpaceShape::width() const {
  if (kind == ShapeKind::disk || kind == ShapeKind::half_space) return 0;
  if (kind == ShapeKind::cylinder || kind == ShapeKind::cone) return 2 * std::min(radius, half);
  if (kind == ShapeKind::ellipsoid) return 2 * radii.minCoeff();
  return kind == ShapeKind::polytope ? polytope.width : 2 * radius;
}

SpaceShape SpaceShape::moved(const Mat3& R, const Vec3& by) const {
  SpaceShape s = *this;
  s.centre = R * centre + by, s.axis = R * axis, s.axes = R * axes;
  for (Vec3& v : s.polytope.vertices) v = R * v + by;
  for (auto& f : s.polytope.faces)
    f.normal = R * f.normal, f.along = R * f.along, f.offset += f.normal.dot(by);
  for (auto* beside : {&s.polytope.beside_edge, &s.polytope.beside_vertex})
    for (auto& list : *beside)
      for (Vec3& d : list) d = R * d;
  if (kind == ShapeKind::polytope) s.polytope.measure();
  return s;
}

namespace {

// Of a solid of revolution about `axis`: moments along and across.
Mat3 round_inertia(const Vec3& axis, double along, double across) {
  return across * Mat3::Identity() + (along - across) * axis * axis.transpose();
}

Mat3 about(const Vec3& r) {
  return r.squaredNorm() * Mat3::Identity() - r * r.transpose();
}

// By tetrahedra from one vertex to the triangles of the faces.
MassProperties of_polytope(const Polytope& p, double density) {
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();  // ∫ r rᵀ
  const Vec3 o = p.vertices.front();
  for (const auto& f : p.faces)
    for (std::size_t k = 1; k + 1 < f.corners.size(); ++k) {
      const Vec3 a = p.vertices[f.corners[0]] - o, b = p.vertices[f.corners[k]] - o,
                 c = p.vertices[f.corners[k + 1]] - o, s = a + b + c;
      const double v = a.dot(cross(b, c)) / 6;
      volume += v, first += v / 4 * s;
      second += v / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
  MassProperties out;
  const Vec3 centre = first / volume;
  second -= volume * centre * centre.transpose();
  out.mass = density * volume;
  out.centre = o + centre;
  out.inertia = density * (second.trace() * Mat3::Identity() - second);
  return out;
}

Vec3 principal_moments(const Mat3& J) {
  Vec moments = eigenvectors(0.5 * (J + J.transpose())).values.real();
  std::sort(moments.begin(), moments.end());
  return moments;
}

}  // namespace

MassProperties mass_properties(const SpaceShape& s, double density) {
  const double pi = std::acos(-1.0), r = s.radius, h = 2 * s.half;
  MassProperties out;
  out.centre = s.centre;
  switch (s.kind) {
    case ShapeKind::sphere:
      out.mass = density * 4 / 3 * pi * r * r * r;
      out.inertia = 0.4 * out.mass * r * r * Mat3::Identity();
      break;
    case ShapeKind::cylinder:
      out.mass = density * pi * r * r * h;
      out.inertia = out.mass * round_inertia(s.axis, r * r / 2, (3 * r * r + h * h) / 12);
      break;
    case ShapeKind::cone:
      out.mass = density * pi * r * r * h / 3;
      out.centre = s.centre - h / 4 * s.axis;
      out.inertia = out.mass * round_inertia(s.axis, 0.3 * r * r, 0.15 * r * r + 3.0 / 80 * h * h);
      break;
    case ShapeKind::ellipsoid: {
      const Vec3 squares = s.radii.cwiseAbs2();
      out.mass = density * 4 / 3 * pi * s.radii.prod();
      out.inertia = out.mass / 5 *
                    (squares.sum() * Mat3::Identity() - s.axes * squares.asDiagonal() * s.axes.transpose());
      break;
    }
    case ShapeKind::capsule: {
      const double side = density * pi * r * r * h, ends = density * 4 / 3 * pi * r * r * r;
      out.mass = side + ends;
      const double along = side * r * r / 2 + ends * 0.4 * r * r;
      const double across =
          side * (3 * r * r + h * h) / 12 + ends * (0.4 * r * r + h * h / 4 + 3.0 / 8 * h * r);
      out.inertia = round_inertia(s.axis, along, across);
      break;
    }
    case ShapeKind::polytope:
      out = of_polytope(s.polytope, density);
      break;
    case ShapeKind::disk:
    case ShapeKind::half_space:
      fail("a {} has no volume: its mass does not follow from a density; give mass and inertia",
           s.kind == ShapeKind::disk ? "disk without height" : "half-space");
  }
  if (!(out.mass > 0)) fail("a shape without volume has no mass of density {}", density);
  return out;
}

MassProperties operator+(const MassProperties& a, const MassProperties& b) {
  MassProperties out;
  out.mass = a.mass + b.mass;
  out.centre = (a.mass * a.centre + b.mass * b.centre) / out.mass;
  out.inertia =
      a.inertia + b.inertia + a.mass * about(a.centre - out.centre) + b.mass * about(b.centre - out.centre);
  return out;
}

std::string inertia_trouble(const Mat3& J) {
  constexpr double rounding = 1e-9;
  if (!J.allFinite()) return "it is not finite";
  const double size = J.cwiseAbs().maxCoeff();
  if ((J - J.transpose()).cwiseAbs().maxCoeff() > rounding * size) return "it is not symmetric";
  const Vec3 moments = principal_moments(J);
  if (!(moments[0] > 0)) return fmt::format("its smallest principal moment is {:.6g}", moments[0]);
  return {};
}

std::string inertia_doubt(const Mat3& J) {
  constexpr double rounding = 1e-9;
  const Vec3 moments = principal_moments(J);
  if (!(moments[2] > (moments[0] + moments[1]) * (1 + rounding))) return {};
  return fmt::format(
      "no body of mass alone has the principal moments {:.6g}, {:.6g} and {:.6g}: the largest is more than "
      "the sum of the others",
      moments[0], moments[1], moments[2]);
}

}  // namespace saltus
