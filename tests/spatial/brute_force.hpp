// The distance of two convex shapes by brute force: the point of least norm of their difference in long
// double, by support points alone (Gilbert, Johnson and Keerthi), with all subsets of the simplex.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "saltus/spatial/space_pair.hpp"

namespace saltus::test_geometry {

using Kind = SpaceShape::Kind;
using Real = long double;
using Point = std::array<Real, 3>;
inline Real dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Point sum(const Point& a, Real f, const Point& b) {
  return {a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]};
}
inline Point wide(const Vec3& v) {
  return {v[0], v[1], v[2]};
}
inline Point cross_of(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Point unit(const Point& a) {
  const Real n = std::sqrt(dot(a, a));
  return n > 0 ? Point{a[0] / n, a[1] / n, a[2] / n} : Point{};
}

inline Point support(const SpaceShape& s, const SpaceFrame& f, const Point& direction) {
  Point d{}, p = wide(s.centre);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) d[i] += static_cast<Real>(f.R(j, i)) * direction[j];
  const Point z = wide(s.axis);
  const Real along = dot(d, z);
  const Point rim = unit(cross_of(z, cross_of(d, z)));
  const auto end = [&](Real side) { return sum(sum(p, side * s.half, z), s.radius, rim); };
  switch (s.kind) {
    case Kind::sphere:
      p = sum(p, s.radius, unit(d));
      break;
    case Kind::capsule:
      p = sum(sum(p, along > 0 ? s.half : -s.half, z), s.radius, unit(d));
      break;
    case Kind::disk:
    case Kind::cylinder:
      p = end(along > 0 ? 1 : -1);
      break;
    case Kind::cone:
      p = dot(d, end(-1)) > dot(d, sum(p, s.half, z)) ? end(-1) : sum(p, s.half, z);
      break;
    case Kind::ellipsoid: {
      Point scaled{};
      Real length = 0;
      for (int k = 0; k < 3; ++k)
        scaled[k] = s.radii[k] * dot(d, wide(s.axes.col(k))), length += scaled[k] * scaled[k];
      for (int k = 0; k < 3; ++k) p = sum(p, s.radii[k] * scaled[k] / std::sqrt(length), wide(s.axes.col(k)));
      break;
    }
    default: {
      Real most = -1e30L;
      for (const Vec3& v : s.polytope.vertices)
        if (const Real at = dot(d, wide(v)); at > most) most = at, p = wide(v);
    }
  }
  Point out = wide(f.x);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i] += static_cast<Real>(f.R(i, j)) * p[j];
  return out;
}

// The weights of the point of least norm in the affine hull of up to four points, by differences from the
// last one, made orthogonal; empty where these depend on each other.
inline std::vector<Real> least_in_plane(const std::vector<Point>& points) {
  const std::size_t n = points.size() - 1;
  std::vector<Point> q;
  Real R[3][3] = {}, right[3] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const Point d = sum(points[i], -1, points[n]);
    Point rest = d;
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t j = 0; j < i; ++j) {
        const Real part = dot(q[j], rest);
        R[j][i] += part, rest = sum(rest, -part, q[j]);
      }
    R[i][i] = std::sqrt(dot(rest, rest));
    if (!(R[i][i] > 1e-15L * std::sqrt(dot(d, d)))) return {};
    q.push_back(unit(rest)), right[i] = -dot(q[i], points[n]);
  }
  std::vector<Real> w(n + 1);
  w[n] = 1;
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) right[i] -= R[i][j] * w[j];
    w[i] = right[i] / R[i][i], w[n] -= w[i];
  }
  return w;
}

/// Distance and direction from b to a; `open`: how much less it may be.
struct Brute {
  Real distance = 0, open = 0;
  Point n{};
};
inline Brute brute_force(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b,
                         const SpaceFrame& fb) {
  const auto far = [&](const Point& d) {  // of a − b, against d
    return sum(support(a, fa, {-d[0], -d[1], -d[2]}), -1, support(b, fb, d));
  };
  std::vector<Point> points{far({1, 0, 0})};
  Point x = points[0];
  Brute out;
  for (int it = 0; it < 1000; ++it) {
    const Point s = far(x);
    const Real size = std::sqrt(dot(x, x));
    out.distance = size, out.open = size > 0 ? (dot(x, x) - dot(x, s)) / size : 0, out.n = unit(x);
    if (out.open <= 1e-18L || points.size() == 4) break;
    points.push_back(s);
    std::vector<Point> best;
    Real least = dot(x, x);
    for (unsigned set = 1; set < 1u << points.size(); ++set) {  // of all with weights ≥ 0 the nearest
      std::vector<Point> some;
      for (std::size_t k = 0; k < points.size(); ++k)
        if ((set >> k & 1) != 0) some.push_back(points[k]);
      const std::vector<Real> w = least_in_plane(some);
      if (w.empty() || *std::min_element(w.begin(), w.end()) < 0) continue;
      Point next{};
      for (std::size_t k = 0; k < some.size(); ++k) next = sum(next, w[k], some[k]);
      if (dot(next, next) < least) least = dot(next, next), best = some, x = next;
    }
    if (best.empty()) break;
    points = best;
  }
  return out;
}

}  // namespace saltus::test_geometry
