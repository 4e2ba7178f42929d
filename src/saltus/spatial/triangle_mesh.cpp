#include "saltus/spatial/triangle_mesh.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

using Sides = std::map<std::pair<int, int>, int>;  // directed edges: their triangle

double size_of(const TriangleMesh& m) {
  double size = 0;
  for (const Vec3& v : m.vertices) size = std::max(size, (v - m.vertices[0]).norm());
  return size;
}

Vec3 normal_of(const TriangleMesh& m, const std::array<int, 3>& t) {
  return cross(m.vertices[t[1]] - m.vertices[t[0]], m.vertices[t[2]] - m.vertices[t[0]]).normalized();
}

Sides sides_of(const TriangleMesh& m) {
  Sides out;
  for (int k = 0; k < static_cast<int>(m.triangles.size()); ++k)
    for (int i = 0; i < 3; ++i) out[{m.triangles[k][i], m.triangles[k][(i + 1) % 3]}] = k;
  return out;
}

std::string point_text(const Vec3& p) {
  return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p[0], p[1], p[2]);
}

// How far the ray from p along d goes until it meets a triangle from inside.
double ray_length(const TriangleMesh& m, const Vec3& p, const Vec3& d) {
  double least = infinity;
  for (const auto& t : m.triangles) {
    const Vec3 &a = m.vertices[t[0]], e = m.vertices[t[1]] - a, f = m.vertices[t[2]] - a, s = p - a;
    const Vec3 h = cross(d, f);
    const double det = e.dot(h);
    if (!(std::abs(det) > 1e-14 * e.norm() * f.norm())) continue;
    const double u = s.dot(h) / det, v = d.dot(cross(s, e)) / det, at = f.dot(cross(s, e)) / det;
    if (u >= 0 && v >= 0 && u + v <= 1 && at > 1e-9 * e.norm()) least = std::min(least, at);
  }
  return least;
}

}  // namespace

void TriangleMesh::join_corners() {
  const double tie = 1e-9 * (vertices.empty() ? 0 : size_of(*this));
  std::vector<int> order(vertices.size()), same(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return vertices[a][0] < vertices[b][0]; });
  std::iota(same.begin(), same.end(), 0);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const int a = order[i], b = order[j];
      if (vertices[b][0] - vertices[a][0] > tie) break;
      if (same[b] == b && (vertices[a] - vertices[b]).cwiseAbs().maxCoeff() <= tie) same[b] = same[a];
    }
  std::vector<int> number(vertices.size(), -1);
  std::vector<Vec3> kept;
  for (std::size_t k = 0; k < vertices.size(); ++k)
    if (same[k] == static_cast<int>(k))
      number[k] = static_cast<int>(kept.size()), kept.push_back(vertices[k]);
  for (auto& t : triangles)
    for (int& c : t) c = number[same[c]];
  vertices = std::move(kept);
  std::erase_if(triangles, [&](const auto& t) {
    const Vec3 area = cross(vertices[t[1]] - vertices[t[0]], vertices[t[2]] - vertices[t[0]]);
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0] || !(area.norm() > tie * tie);
  });
}

std::string mesh_trouble(const TriangleMesh& m, bool open) {
  const int n = static_cast<int>(m.vertices.size());
  if (m.triangles.empty()) return "it has no triangle";
  for (std::size_t k = 0; k < m.triangles.size(); ++k)
    for (const int c : m.triangles[k])
      if (c < 0 || c >= n)
        return fmt::format("triangle {} has the corner {}, but points are numbered 0 to {}", k, c, n - 1);
  std::map<std::pair<int, int>, int> seen;
  for (const auto& t : m.triangles)
    for (int i = 0; i < 3; ++i)
      if (++seen[{t[i], t[(i + 1) % 3]}] > 1)
        return fmt::format(
            "the edge from {} to {} is passed twice the same way: neighbours are turned against each other, "
            "or "
            "more than two triangles meet",
            point_text(m.vertices[t[i]]), point_text(m.vertices[t[(i + 1) % 3]]));
  int borders = 0;
  std::pair<int, int> first{0, 0};
  for (const auto& [edge, _] : seen)
    if (!seen.count({edge.second, edge.first}) && borders++ == 0) first = edge;
  if (borders > 0 && !open)
    return fmt::format("it is open: {} edges have one triangle only, the first from {} to {}", borders,
                       point_text(m.vertices[first.first]), point_text(m.vertices[first.second]));
  double volume = 0;
  for (const auto& t : m.triangles)
    volume += (m.vertices[t[0]] - m.vertices[0])
                  .dot(cross(m.vertices[t[1]] - m.vertices[0], m.vertices[t[2]] - m.vertices[0])) /
              6;
  if (borders == 0 && !(volume > 0)) return "it is inside out: corners go with the clock, seen from outside";
  return {};
}

std::vector<SpaceShape> pieces_of(const TriangleMesh& m) {
  const Sides sides = sides_of(m);
  const double size = size_of(m);
  std::vector<std::vector<Vec3>> from(m.vertices.size());  // edges that leave a vertex
  for (const auto& [edge, _] : sides) {
    const Vec3 d = (m.vertices[edge.second] - m.vertices[edge.first]).normalized();
    from[edge.first].push_back(d);
    if (!sides.count({edge.second, edge.first})) from[edge.second].push_back(-d);
  }
  std::vector<SpaceShape> out;
  for (const auto& t : m.triangles) {
    const Vec3 &a = m.vertices[t[0]], &b = m.vertices[t[1]], &c = m.vertices[t[2]], n = normal_of(m, t);
    const double la = (c - b).norm(), lb = (a - c).norm(), lc = (b - a).norm(), round = la + lb + lc;
    const Vec3 middle = (la * a + lb * b + lc * c) / round;
    const double inner = cross(b - a, c - a).norm() / round;
    double slope = 1;
    std::array<Vec3, 3> into;  // the neighbour beside each edge; zero: none
    for (int i = 0; i < 3; ++i) {
      into[i] = Vec3::Zero();
      const int p = t[i], q = t[(i + 1) % 3];
      const auto other = sides.find({q, p});
      if (other == sides.end()) continue;
      const Vec3 e = (m.vertices[q] - m.vertices[p]).normalized();
      const Vec3 normal = normal_of(m, m.triangles[other->second]);
      into[i] = -cross(normal, e);  // left of the edge the other way
      const double turn = std::atan2(e.dot(cross(n, normal)), n.dot(normal));  // > 0: convex
      slope = std::min(slope, std::tan(0.5 * (std::acos(-1.0) - std::max(turn, 0.0))));
    }
    const double depth = std::min(inner * slope, 0.5 * ray_length(m, middle, -n));
    if (!(depth > 1e-9 * size))
      fail(
          "the mesh has no room below the triangle at {}: it is a sliver, or two sides of the body meet "
          "there",
          point_text(middle));
    SpaceShape piece = SpaceShape::of(hull_of({a, b, c, middle - depth * n}));
    Polytope& p = piece.polytope;
    p.beside_edge.resize(p.edges.size()), p.beside_vertex.resize(p.vertices.size());
    const auto corner_of = [&](const Vec3& x) {
      for (int i = 0; i < 3; ++i)
        if (x == m.vertices[t[i]]) return i;
      return -1;
    };
    for (std::size_t k = 0; k < p.vertices.size(); ++k)
      if (const int i = corner_of(p.vertices[k]); i >= 0) p.beside_vertex[k] = from[t[i]];
    for (std::size_t k = 0; k < p.edges.size(); ++k) {
      const int i = corner_of(p.vertices[p.edges[k].from]), j = corner_of(p.vertices[p.edges[k].to]);
      if (i < 0 || j < 0) continue;
      const Vec3& d = into[(i + 1) % 3 == j ? i : j];
      if (!d.isZero()) p.beside_edge[k].push_back(d);
    }
    out.push_back(std::move(piece));
  }
  return out;
}

TriangleMesh height_field(const std::vector<std::vector<double>>& heights, double dx, double dy) {
  const std::size_t rows = heights.size(), columns = rows > 0 ? heights[0].size() : 0;
  if (rows < 2 || columns < 2) fail("a field of heights needs at least two rows of two numbers");
  TriangleMesh m;
  for (std::size_t j = 0; j < rows; ++j) {
    if (heights[j].size() != columns)
      fail("row {} has {} heights, the first has {}", j + 1, heights[j].size(), columns);
    for (std::size_t i = 0; i < columns; ++i)
      m.vertices.emplace_back((static_cast<double>(i) - 0.5 * static_cast<double>(columns - 1)) * dx,
                              (static_cast<double>(j) - 0.5 * static_cast<double>(rows - 1)) * dy,
                              heights[j][i]);
  }
  for (std::size_t j = 0; j + 1 < rows; ++j)
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const int a = static_cast<int>(j * columns + i), b = a + 1, c = a + static_cast<int>(columns),
                d = c + 1;
      m.triangles.push_back({a, b, d}), m.triangles.push_back({a, d, c});
    }
  return m;
}

}  // namespace saltus
