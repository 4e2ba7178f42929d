// Which of many points are corners of their hull: a hull of triangles that grows by the point farthest
// outside. Points within rounding of it are left out, so that what comes out is small enough for hull_of.
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "saltus/core/error.hpp"
#include "saltus/spatial/space_shape.hpp"

namespace saltus {
namespace {

struct HullFacet {
  std::array<int, 3> corners;
  Vec3 normal;
  double offset;
};

HullFacet facet_through(const std::vector<Vec3>& points, int a, int b, int c) {
  const Vec3 n = cross(points[b] - points[a], points[c] - points[a]).normalized();
  return {{a, b, c}, n, n.dot(points[a])};
}

template <class Measure>
int largest_by(const std::vector<Vec3>& points, const Measure& measure) {
  int best = 0;
  double most = -infinity;
  for (int k = 0; k < static_cast<int>(points.size()); ++k)
    if (const double x = measure(points[k]); x > most) most = x, best = k;
  return best;
}

// A tetrahedron of points that are far apart.
std::vector<HullFacet> first_facets(const std::vector<Vec3>& p, double tie) {
  const int a = largest_by(p, [](const Vec3& x) { return x[0]; });
  const int b = largest_by(p, [&](const Vec3& x) { return (x - p[a]).norm(); });
  const Vec3 along = (p[b] - p[a]).normalized();
  const int c = largest_by(p, [&](const Vec3& x) { return cross(along, x - p[a]).norm(); });
  const Vec3 n = cross(along, p[c] - p[a]);
  if (!(n.norm() > tie)) fail("the points of a hull lie on a line");
  const int d = largest_by(p, [&](const Vec3& x) { return std::abs(n.dot(x - p[a])); });
  const double height = n.normalized().dot(p[d] - p[a]);
  if (!(std::abs(height) > tie)) fail("the points of a hull lie in a plane");
  if (height < 0)
    return {facet_through(p, a, b, c), facet_through(p, a, d, b), facet_through(p, b, d, c),
            facet_through(p, c, d, a)};
  return {facet_through(p, a, c, b), facet_through(p, a, b, d), facet_through(p, b, c, d),
          facet_through(p, c, a, d)};
}

// Facets that see the point are replaced by a cone from their border to it.
void grow(const std::vector<Vec3>& points, int k, std::vector<HullFacet>& facets) {
  std::map<std::pair<int, int>, bool> border;
  const auto seen = [&](const HullFacet& f) { return f.normal.dot(points[k]) > f.offset; };
  for (const HullFacet& f : facets)
    for (int i = 0; i < 3 && seen(f); ++i) {
      const int from = f.corners[i], to = f.corners[(i + 1) % 3];
      if (!border.erase({to, from})) border[{from, to}] = true;
    }
  std::erase_if(facets, seen);
  for (const auto& [edge, _] : border) facets.push_back(facet_through(points, edge.first, edge.second, k));
}

}  // namespace

std::vector<Vec3> corners_of_hull(const std::vector<Vec3>& points) {
  if (points.size() < 4) return points;
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, (p - points[0]).norm());
  if (!(size > 0) || !std::isfinite(size)) fail("the points of a hull are all the same, or not finite");
  const double tie = 1e-9 * size;
  std::vector<HullFacet> facets = first_facets(points, tie);
  std::vector<char> done(points.size(), 0);
  for (std::size_t steps = 0; steps < points.size(); ++steps) {
    int farthest = -1;
    double most = tie;
    for (int k = 0; k < static_cast<int>(points.size()); ++k) {
      if (done[k]) continue;
      double height = -infinity;
      for (const HullFacet& f : facets) height = std::max(height, f.normal.dot(points[k]) - f.offset);
      if (!(height > tie)) done[k] = 1;  // the hull only grows
      if (height > most) most = height, farthest = k;
    }
    if (farthest < 0) break;
    done[farthest] = 1;
    grow(points, farthest, facets);
  }
  std::vector<char> corner(points.size(), 0);
  for (const HullFacet& f : facets)
    for (const int k : f.corners) corner[k] = 1;
  std::vector<Vec3> out;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (corner[k]) out.push_back(points[k]);
  return out;
}

}  // namespace saltus
