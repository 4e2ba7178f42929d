#include "saltus/spatial/space_convex.hpp"

#include <algorithm>

#include "saltus/spatial/space_touch.hpp"

namespace saltus {
namespace {

using Part = ConvexPart::Kind;
using Feature = PartFeature::Kind;

Mat3 square(const Vec3& v) {
  return v * v.transpose();
}

// The part of d at right angles to the axis: so to rounding however small it is.
Vec3 across_axis(const Vec3& axis, const Vec3& d) {
  return cross(axis, cross(d, axis));
}

// A point as a body of revolution sees it.
struct AxisView {
  double height, rho;
  Vec3 out;
};
AxisView seen_from_axis(const ConvexPart& s, const Vec3& p) {
  const Vec3 d = p - s.centre;
  AxisView m;
  m.height = s.axis.dot(d);
  const Vec3 radial = across_axis(s.axis, d);
  m.rho = radial.norm();
  m.out = direction_or(radial, m.rho, some_normal_to(s.axis));
  return m;
}

// The side of a cone: its outer normal is out·m.out + up·axis.
struct Slope {
  double out, up, length;
};
Slope slope(const ConvexPart& cone) {
  const double length = std::hypot(2 * cone.half, cone.radius);
  return {2 * cone.half / length, cone.radius / length, length};
}

ConvexPart::Foot on_rim(const ConvexPart& s, const AxisView& m, int side) {
  const Vec3 t = cross(s.axis, m.out);
  return {s.centre + side * s.half * s.axis + s.radius * m.out,
          {Feature::rim, side},
          (m.rho > 0 ? s.radius / m.rho : 0) * square(t)};
}

// With curvature c at the surface: that of the surface at the distance D.
double at_distance(double c, double D) {
  return c / std::max(1 + c * D, 1e-3);
}

}  // namespace

double PartSurface::form(const Vec3& a, const Vec3& b) const {
  const Vec3 other = cross(n, along);
  return at_distance(curvature_1, distance) * along.dot(a) * along.dot(b) +
         at_distance(curvature_2, distance) * other.dot(a) * other.dot(b);
}

ConvexPart ConvexPart::of(const SpaceShape& s, const SpaceFrame& f, const Vec3& o) {
  ConvexPart out;
  const Vec3 x = f.x - o;
  using enum SpaceShape::Kind;
  if (s.kind == capsule || s.kind == sphere) {
    const Vec3 along = s.kind == capsule ? Vec3(s.half * f.turned(s.axis)) : Vec3::Zero(),
               centre = x + f.turned(s.centre);
    return segment(centre - along, centre + along, s.radius);
  }
  out.centre = x + f.turned(s.centre), out.axis = f.turned(s.axis);
  out.radius = s.radius, out.half = s.half, out.size = std::hypot(s.radius, s.half);
  if (s.kind == polytope) {
    out.kind = Part::polytope, out.centre = x, out.R = f.R, out.polytope = &s.polytope;
    out.size = s.polytope.reach;
  } else if (s.kind == ellipsoid) {
    out.kind = Part::ellipsoid, out.radii = s.radii, out.axes = f.R * s.axes, out.size = s.radii.maxCoeff();
  } else {
    out.kind = s.kind == disk ? Part::disk : s.kind == cylinder ? Part::cylinder : Part::cone;
  }
  return out;
}

ConvexPart ConvexPart::segment(const Vec3& from, const Vec3& to, double swell) {
  ConvexPart out;
  out.centre = 0.5 * (from + to), out.half = 0.5 * (to - from).norm(), out.swell = swell;
  out.axis = direction_or(to - from, 2 * out.half, Vec3::UnitZ());
  out.size = out.half + swell;
  return out;
}

ConvexPart ConvexPart::end(const SpaceShape& s, const SpaceFrame& f, const Vec3& o, int side) {
  ConvexPart out;
  out.kind = Part::disk, out.axis = f.turned(s.axis), out.radius = out.size = s.radius;
  out.centre = (f.x - o) + f.turned(s.centre + side * s.half * s.axis);
  return out;
}

Vec3 ConvexPart::middle() const {
  if (kind != Part::polytope) return centre;
  Vec3 sum = Vec3::Zero();
  for (const Vec3& v : polytope->vertices) sum += v;
  return centre + R * (sum / static_cast<double>(polytope->vertices.size()));
}

Vec3 ConvexPart::farthest(const Vec3& n) const {
  if (kind == Part::ellipsoid) {
    const Vec3 seen = radii.cwiseProduct(axes.transpose() * n);
    return centre + axes * radii.cwiseProduct(seen / seen.norm());
  }
  if (kind == Part::polytope) {
    const Vec3 seen = R.transpose() * n;
    const Vec3* best = &polytope->vertices[0];
    double most = -infinity;
    for (const Vec3& v : polytope->vertices)
      if (const double at = seen.dot(v); at > most) most = at, best = &v;
    return centre + R * *best;
  }
  const double along = n.dot(axis);
  Vec3 tip = centre + (along < 0 && kind != Part::cone ? -half : half) * axis;
  if (kind == Part::segment) return tip;
  const Vec3 across = across_axis(axis, n);
  const double steep = across.norm();
  const Vec3 rim = radius * direction_or(across, steep, some_normal_to(axis));
  if (kind != Part::cone) return tip + rim;
  return half * along >= radius * steep - half * along ? tip : Vec3(centre - half * axis + rim);
}

ConvexPart::Foot ConvexPart::nearest(const Vec3& p) const {
  if (kind == Part::polytope) return nearest_polytope(p);
  if (kind == Part::segment) {
    const double at = axis.dot(p - centre);
    if (std::abs(at) >= half) return {centre + (at < 0 ? -half : half) * axis, {Feature::corner, at > 0}};
    return {centre + at * axis, {Feature::line, 0}, square(axis)};
  }
  if (kind != Part::ellipsoid) return nearest_round(p);
  const PartSurface s = surface({Feature::round, 0}, p);
  if (s.distance <= 0) return {p, {}, Mat3::Identity()};
  const Vec3 other = cross(s.n, s.along);
  return {
      p - s.distance * s.n,
      {Feature::round, 0},
      square(s.along) / (1 + s.curvature_1 * s.distance) + square(other) / (1 + s.curvature_2 * s.distance)};
}

ConvexPart::Foot ConvexPart::nearest_round(const Vec3& p) const {
  const AxisView m = seen_from_axis(*this, p);
  const Mat3 level = Mat3::Identity() - square(axis);
  const int side = m.height < 0 ? -1 : 1;
  const Vec3 t = cross(axis, m.out);
  if (kind != Part::cone) {
    const double above = std::abs(m.height) - half;
    if (m.rho <= radius && (above > 0 || kind == Part::disk))
      return {p - side * above * axis, {Feature::face, side}, level};
    if (m.rho <= radius) return {p, {}, Mat3::Identity()};
    if (above <= 0 && kind == Part::cylinder)
      return {p - (m.rho - radius) * m.out, {Feature::side, 0}, square(axis) + radius / m.rho * square(t)};
    return on_rim(*this, m, kind == Part::disk ? 1 : side);
  }
  const Slope n = slope(*this);
  const double up = m.height + half, over = (m.rho - radius) * n.out + up * n.up,
               along = up * n.out - (m.rho - radius) * n.up;
  if (m.rho <= radius && up <= 0) return {p - up * axis, {Feature::face, -1}, level};
  if (up >= 0 && over <= 0) return {p, {}, Mat3::Identity()};
  if (along <= 0) return on_rim(*this, m, -1);
  if (along >= n.length) return {centre + half * axis, {Feature::corner, 0}};
  const Vec3 normal = n.out * m.out + n.up * axis, g = n.out * axis - n.up * m.out;
  return {p - over * normal,
          {Feature::side, 0},
          square(g) + (m.rho > 0 ? (m.rho - over * n.out) / m.rho : 0) * square(t)};
}

ConvexPart::Foot ConvexPart::nearest_polytope(const Vec3& p_space) const {
  const Polytope& s = *polytope;
  const Vec3 p = R.transpose() * (p_space - centre);
  double height = -infinity;
  for (const auto& f : s.faces) {
    const double h = f.normal.dot(p) - f.offset;
    height = std::max(height, h);
    if (!(h > 0)) continue;
    bool over = true;
    for (std::size_t i = 0; over && i < f.corners.size(); ++i) {
      const Vec3 &u = s.vertices[f.corners[i]], &v = s.vertices[f.corners[(i + 1) % f.corners.size()]];
      over = f.normal.dot(cross(v - u, p - u)) >= 0;
    }
    if (!over) continue;
    const Vec3 n = R * f.normal;
    return {p_space - h * n,
            {Feature::face, static_cast<int>(&f - s.faces.data())},
            Mat3::Identity() - square(n)};
  }
  if (height <= 0) return {p_space, {}, Mat3::Identity()};
  double least = infinity;
  Foot out;
  for (const auto& e : s.edges) {
    const Vec3 &u = s.vertices[e.from], along = s.vertices[e.to] - u;
    const double square_length = along.squaredNorm(),
                 at = std::clamp(along.dot(p - u) / square_length, 0.0, 1.0);
    const Vec3 q = u + at * along;
    if (const double d = (p - q).squaredNorm(); d < least) {
      least = d, out.at = q;
      out.feature = at > 0 && at < 1 ? PartFeature{Feature::line, static_cast<int>(&e - s.edges.data())}
                                     : PartFeature{Feature::corner, at > 0 ? e.to : e.from};
    }
  }
  out.at = centre + R * out.at;
  if (out.feature.kind == Feature::line) {
    const auto& e = s.edges[out.feature.index];
    out.derivative = square(R * (s.vertices[e.to] - s.vertices[e.from]).normalized());
  }
  return out;
}

PartSurface ConvexPart::surface(const PartFeature& f, const Vec3& p) const {
  PartSurface out;
  if (kind == Part::polytope) {
    const auto& face = polytope->faces[f.index];
    out.n = R * face.normal, out.along = R * face.along;
    out.distance = out.n.dot(p - centre) - face.offset;
    return out;
  }
  if (kind == Part::ellipsoid) {
    double root = 0;
    const Vec3 x = nearest_on_ellipsoid(radii, axes.transpose() * (p - centre), root);
    const Vec3 gradient = x.cwiseQuotient(radii.cwiseAbs2());
    out.n = axes * gradient.normalized(), out.distance = root * gradient.norm();
    const PrincipalRadii r =
        radii_of_ellipsoid(axes * radii.cwiseAbs2().asDiagonal() * axes.transpose(), out.n);
    out.along = r.along, out.curvature_1 = 1 / r.radius_1, out.curvature_2 = 1 / r.radius_2;
    return out;
  }
  const AxisView m = seen_from_axis(*this, p);
  if (f.kind == Feature::face) {
    out.n = f.index * axis, out.along = some_normal_to(axis);
    out.distance = f.index * m.height - half;
    return out;
  }
  out.along = cross(axis, m.out);
  if (kind == Part::cylinder) {
    out.n = m.out, out.distance = m.rho - radius, out.curvature_1 = 1 / radius;
    return out;
  }
  const Slope n = slope(*this);
  out.n = n.out * m.out + n.up * axis;
  out.distance = (m.rho - radius) * n.out + (m.height + half) * n.up;
  const double rho = m.rho - out.distance * n.out;
  out.curvature_1 = rho > 0 ? n.out / rho : 0;
  return out;
}

PartCurve ConvexPart::curve(const PartFeature& f, double at) const {
  if (f.kind == Feature::rim) {
    const Vec3 e = some_normal_to(axis), g = cross(axis, e);
    const double c = std::cos(at / radius), s = std::sin(at / radius);
    const Vec3 out = c * e + s * g;
    return {centre + f.index * half * axis + radius * out, c * g - s * e, -out / radius};
  }
  if (kind == Part::segment) return {centre + at * axis, axis, Vec3::Zero()};
  const auto& e = polytope->edges[f.index];
  const Vec3 along = R * (polytope->vertices[e.to] - polytope->vertices[e.from]).normalized();
  return {centre + R * polytope->vertices[e.from] + at * along, along, Vec3::Zero()};
}

double ConvexPart::parameter(const PartFeature& f, const Vec3& p) const {
  if (f.kind == Feature::rim) {
    const Vec3 e = some_normal_to(axis), g = cross(axis, e), d = p - centre;
    return radius * std::atan2(g.dot(d), e.dot(d));
  }
  const PartCurve start = curve(f, 0);
  return start.first.dot(p - start.at);
}

}  // namespace saltus
