// Convex hulls of a few points. Every plane through three of them with all others on one side is a face;
// points are few, so all planes are tried: exact in what it decides, no seed, no tolerance but that of flat.
#include <algorithm>
#include <map>

#include "saltus/core/error.hpp"
#include "saltus/spatial/space_shape.hpp"

namespace saltus {
namespace {

constexpr int most_points = 200;
constexpr double flat = 1e-10;  // of the size of the body: points are in one plane

// Corners of a face in order, against the clock around its normal; points within an edge are dropped.
std::vector<int> in_order(const std::vector<Vec3>& points, const Vec3& normal, std::vector<int> corners) {
  Vec3 middle = Vec3::Zero();
  for (const int k : corners) middle += points[k] / static_cast<double>(corners.size());
  const Vec3 e = (points[corners[0]] - middle).normalized(), f = cross(normal, e);
  std::sort(corners.begin(), corners.end(), [&](int a, int b) {
    const Vec3 p = points[a] - middle, q = points[b] - middle;
    return std::atan2(f.dot(p), e.dot(p)) < std::atan2(f.dot(q), e.dot(q));
  });
  std::vector<int> out;
  const std::size_t n = corners.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 &p = points[corners[(k + n - 1) % n]], &q = points[corners[k]],
               &r = points[corners[(k + 1) % n]];
    const Vec3 a = q - p, b = r - q;
    if (normal.dot(cross(a, b)) > flat * a.norm() * b.norm()) out.push_back(corners[k]);
  }
  return out;
}

// Edges are where two faces meet; vertices that are none are dropped.
void find_edges(Polytope& p) {
  std::map<std::pair<int, int>, int> face_of;  // directed edge: the face to its left
  for (int f = 0; f < static_cast<int>(p.faces.size()); ++f) {
    const auto& c = p.faces[f].corners;
    for (std::size_t k = 0; k < c.size(); ++k) face_of[{c[k], c[(k + 1) % c.size()]}] = f;
  }
  for (const auto& [edge, left] : face_of) {
    if (edge.first > edge.second) continue;
    const auto other = face_of.find({edge.second, edge.first});
    if (other == face_of.end()) fail("the hull of these points is not closed: two of them may be too close");
    p.edges.push_back({edge.first, edge.second, left, other->second});
  }
  std::vector<int> number(p.vertices.size(), -1);
  for (const auto& e : p.edges) number[e.from] = number[e.to] = 0;
  std::vector<Vec3> used;
  for (std::size_t k = 0; k < number.size(); ++k)
    if (number[k] == 0) number[k] = static_cast<int>(used.size()), used.push_back(p.vertices[k]);
  p.vertices = std::move(used);
  for (auto& e : p.edges) e.from = number[e.from], e.to = number[e.to];
  for (auto& f : p.faces)
    for (int& c : f.corners) c = number[c];
}

}  // namespace

Polytope hull_of(const std::vector<Vec3>& all) {
  constexpr std::size_t some = 12;  // of more most are inside
  const std::vector<Vec3> points = all.size() > some ? corners_of_hull(all) : all;
  const int n = static_cast<int>(points.size());
  if (n < 4) fail("a body with {} points has no volume: at least four are needed", n);
  if (n > most_points) fail("a hull with {} corners: at most {} are supported", n, most_points);
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, (p - points[0]).norm());
  if (!(size > 0) || !std::isfinite(size)) fail("the points of a hull are all the same, or not finite");
  const double tie = flat * size;
  Polytope out;
  out.vertices = points;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      for (int k = j + 1; k < n; ++k) {
        Vec3 normal = cross(points[j] - points[i], points[k] - points[i]);
        const double area = normal.norm();
        if (!(area > 1e-6 * tie * size)) continue;
        normal /= area;
        double low = 0, high = 0;
        std::vector<int> on;
        for (int l = 0; l < n; ++l) {
          const double h = l == i || l == j || l == k ? 0 : normal.dot(points[l] - points[i]);
          low = std::min(low, h), high = std::max(high, h);
          if (std::abs(h) <= tie) on.push_back(l);
        }
        if (low < -tie && high > tie) continue;
        if (!(high > tie) && !(low < -tie)) fail("the points of a hull lie in a plane");
        if (on[0] != i || on[1] != j) continue;  // this face is found by its first three corners
        if (std::find(on.begin(), on.end(), k) != on.begin() + 2) continue;
        if (high > tie) normal = -normal;
        Polytope::Face face;
        face.normal = normal;
        face.corners = in_order(points, normal, on);
        if (face.corners.size() < 3) continue;
        face.offset = normal.dot(points[face.corners[0]]);
        face.along = (points[face.corners[1]] - points[face.corners[0]]).normalized();
        out.faces.push_back(std::move(face));
      }
  find_edges(out);
  return out;
}

Polytope box_polytope(const Vec3& half) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.emplace_back((k & 1 ? 1 : -1) * half[0], (k & 2 ? 1 : -1) * half[1], (k & 4 ? 1 : -1) * half[2]);
  Polytope out = hull_of(corners);
  for (auto& f : out.faces) {  // exact
    for (int k = 0; k < 3; ++k) f.normal[k] = std::round(f.normal[k]), f.along[k] = std::round(f.along[k]);
    f.offset = std::abs(f.normal.dot(half));
  }
  return out;
}

}  // namespace saltus
