// Surfaces of triangles: readers, complaints, pieces inside the body, distances against brute force.
#include <gtest/gtest.h>

#include <cstring>

#include "saltus/core/error.hpp"
#include "saltus/core/random.hpp"
#include "saltus/spatial/space_pair.hpp"
#include "saltus/spatial/triangle_mesh.hpp"

namespace saltus::test_mesh {
namespace {

// A bumpy ball: closed, with convex and concave edges.
TriangleMesh bumpy(int rows, int columns) {
  TriangleMesh m;
  const double pi = std::acos(-1.0);
  m.vertices.emplace_back(0, 0, -1);
  for (int j = 1; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      const double a = pi * j / rows, b = 2 * pi * i / columns,
                   r = 1 + 0.2 * std::sin(3 * b) * std::sin(2 * a);
      m.vertices.emplace_back(r * std::sin(a) * std::cos(b), r * std::sin(a) * std::sin(b), -r * std::cos(a));
    }
  m.vertices.emplace_back(0, 0, 1);
  const auto at = [&](int j, int i) { return 1 + (j - 1) * columns + i % columns; };
  const int top = static_cast<int>(m.vertices.size()) - 1;
  for (int i = 0; i < columns; ++i) {
    m.triangles.push_back({0, at(1, i + 1), at(1, i)});
    m.triangles.push_back({top, at(rows - 1, i), at(rows - 1, i + 1)});
    for (int j = 1; j + 1 < rows; ++j) {
      m.triangles.push_back({at(j, i), at(j, i + 1), at(j + 1, i + 1)});
      m.triangles.push_back({at(j, i), at(j + 1, i + 1), at(j + 1, i)});
    }
  }
  return m;
}

using Real = long double;
using Point = std::array<Real, 3>;
Point point(const Vec3& v) {
  return {v[0], v[1], v[2]};
}
Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Real dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The distance of p from a triangle: of its plane where the foot is inside, else of its sides.
Real distance(const Point& p, const Point& a, const Point& b, const Point& c) {
  const Point u = minus(b, a), v = minus(c, a), w = minus(p, a);
  const Real uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v),
             det = uu * vv - uv * uv;
  const Real s = (vv * wu - uv * wv) / det, t = (uu * wv - uv * wu) / det;
  const auto off = [&](Real x, Real y) {
    Point d;
    for (int k = 0; k < 3; ++k) d[k] = w[k] - x * u[k] - y * v[k];
    return std::sqrt(dot(d, d));
  };
  if (s >= 0 && t >= 0 && s + t <= 1) return off(s, t);
  const auto side = [&](const Point& from, const Point& to) {
    const Point e = minus(to, from), d = minus(p, from);
    const Real at = std::clamp<Real>(dot(e, d) / dot(e, e), 0, 1);
    Point r;
    for (int k = 0; k < 3; ++k) r[k] = d[k] - at * e[k];
    return std::sqrt(dot(r, r));
  };
  return std::min({side(a, b), side(b, c), side(c, a)});
}

TEST(TriangleMesh, DistancesOfSpheresAgreeWithBruteForce) {
  const TriangleMesh m = bumpy(8, 12);
  ASSERT_EQ(mesh_trouble(m, false), "");
  const auto pieces = pieces_of(m);
  SplitMix64 random(5);
  SpaceFrame fa, fb;
  fb.x = {0.3, -0.2, 0.1}, fb.R = rotation_exp({0.4, 0.3, -0.8}).matrix();
  int checked = 0;
  for (int k = 0; k < 10000; ++k) {
    const Vec3 p(random.between(-2, 2), random.between(-2, 2), random.between(-2, 2));
    fa.x = fb.x + fb.R * p;
    Real least = 1e9L;
    for (const auto& t : m.triangles)
      least = std::min(least, distance(point(p), point(m.vertices[t[0]]), point(m.vertices[t[1]]),
                                       point(m.vertices[t[2]])));
    if (p.norm() < 1.25 || least < 0.05L) continue;  // outside, away from it
    ++checked;
    double found = infinity, filtered = infinity;
    PolytopePair known;
    for (const SpaceShape& s : pieces) {
      const PairTouch exact = touch_of_pair(SpaceShape::sphere(0.01), fa, s, fb, 0, true, known);
      const PairTouch coarse = touch_of_pair(SpaceShape::sphere(0.01), fa, s, fb, 0, false, known);
      found = std::min(found, exact.touch.gap);
      if (coarse.there) filtered = std::min(filtered, coarse.touch.gap);
    }
    ASSERT_NEAR(found, static_cast<double>(least) - 0.01, 1e-13);
    ASSERT_EQ(filtered, found);  // the nearest point of the surface is never one that a neighbour covers
  }
  EXPECT_GT(checked, 3000);
}

// Inside by the solid angle of the surface seen from a point: 4π or 0.
TEST(TriangleMesh, PiecesStayInsideTheBody) {
  const TriangleMesh m = bumpy(8, 12);
  const auto inside = [&](const Vec3& p) {
    double angle = 0;
    for (const auto& t : m.triangles) {
      const Vec3 a = m.vertices[t[0]] - p, b = m.vertices[t[1]] - p, c = m.vertices[t[2]] - p;
      const double x = a.norm(), y = b.norm(), z = c.norm();
      angle += 2 * std::atan2(a.dot(cross(b, c)), x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y);
    }
    return angle > 2 * std::acos(-1.0);
  };
  SplitMix64 random(6);
  for (const SpaceShape& s : pieces_of(m))
    for (int k = 0; k < 20; ++k) {
      Vec3 p = Vec3::Zero();
      double sum = 0;
      for (const Vec3& v : s.polytope.vertices) {
        const double w = random.between(0.01, 1);
        p += w * v, sum += w;
      }
      EXPECT_TRUE(inside(p / sum));
    }
}

TEST(TriangleMesh, WhatIsNoSurfaceIsNamed) {
  TriangleMesh m = bumpy(4, 6);
  TriangleMesh open = m, flipped = m, out = m;
  open.triangles.pop_back();
  EXPECT_NE(mesh_trouble(open, false).find("it is open: 3 edges"), std::string::npos)
      << mesh_trouble(open, false);
  EXPECT_EQ(mesh_trouble(open, true), "");
  std::swap(flipped.triangles[3][0], flipped.triangles[3][1]);
  EXPECT_NE(mesh_trouble(flipped, false).find("turned against"), std::string::npos);
  for (auto& t : out.triangles) std::swap(t[0], t[1]);
  EXPECT_NE(mesh_trouble(out, false).find("inside out"), std::string::npos);
  m.triangles[2][1] = 999;
  EXPECT_NE(mesh_trouble(m, false).find("corner 999"), std::string::npos);
  EXPECT_NE(mesh_trouble({}, false).find("no triangle"), std::string::npos);
}

TEST(TriangleMesh, FilesOfThreeKindsGiveTheSameSurface) {
  const TriangleMesh m = bumpy(5, 7);
  std::string text = "solid ball\n", bytes(80, ' '), obj = "# a ball\nvn 0 0 1\n";
  const auto put = [&](const void* from, std::size_t n) { bytes.append(static_cast<const char*>(from), n); };
  const auto count = static_cast<std::uint32_t>(m.triangles.size());
  put(&count, 4);
  for (const Vec3& v : m.vertices) obj += fmt::format("v {} {} {}\r\n", v[0], v[1], v[2]);
  for (const auto& t : m.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    const float zero[3] = {0, 0, 0};
    put(zero, 12);
    for (const int k : t) {
      const Vec3& v = m.vertices[k];
      text += fmt::format("  vertex {} {} {}\n", v[0], v[1], v[2]);
      const float x[3] = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
      put(x, 12);
    }
    const char none[2] = {0, 0};
    put(none, 2);
    text += " endloop\nendfacet\n";
    obj += fmt::format("f {}/1/1 {}//1 {}\n", t[0] + 1, t[1] + 1, t[2] - static_cast<int>(m.vertices.size()));
  }
  for (const TriangleMesh& read : {read_stl(text), read_stl(bytes), read_obj(obj)}) {
    EXPECT_EQ(read.vertices.size(), m.vertices.size());
    ASSERT_EQ(read.triangles.size(), m.triangles.size());
    EXPECT_EQ(mesh_trouble(read, false), "");
    for (std::size_t k = 0; k < m.triangles.size(); ++k)
      for (int i = 0; i < 3; ++i)
        EXPECT_LT((read.vertices[read.triangles[k][i]] - m.vertices[m.triangles[k][i]]).norm(), 1e-6);
  }
  EXPECT_EQ(read_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").triangles.size(), 2u);
  const auto message = [](const auto& read) -> std::string {
    try {
      read();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message([] { read_obj("v 0 0 0\nf 1 2 3\n"); }).find("line 2: '2' is no corner"),
            std::string::npos);
  EXPECT_NE(message([] { read_obj("v 0 zero 0\n"); }).find("line 1: found 'zero'"), std::string::npos);
  EXPECT_NE(message([] { read_stl("not one"); }).find("neither kind of STL"), std::string::npos);
  EXPECT_NE(message([] { read_stl("solid x\nvertex 1 2 3\n"); }).find("not three for each"),
            std::string::npos);
}

// Faces by hull_of: every point is behind all of them, and all corners are among the points.
TEST(TriangleMesh, HullsOfThousandsOfPoints) {
  SplitMix64 random(3);
  std::vector<Vec3> points;
  for (int k = 0; k < 8; ++k) points.emplace_back(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
  for (int k = 0; k < 3000; ++k)
    points.emplace_back(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1));
  const Polytope cube = hull_of(points);
  EXPECT_EQ(cube.faces.size(), 6u);
  EXPECT_EQ(cube.vertices.size(), 8u);
  std::vector<Vec3> ball;
  for (int k = 0; k < 60; ++k)
    ball.push_back(Vec3(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)).normalized());
  const std::size_t on = ball.size();
  for (int k = 0; k < 2000; ++k)
    ball.push_back(0.5 * ball[static_cast<std::size_t>(k) % on] +
                   0.2 * ball[static_cast<std::size_t>(k / 7) % on]);
  const Polytope hull = hull_of(ball);
  EXPECT_EQ(hull.vertices.size(), on);  // points of a sphere are all corners
  for (const auto& f : hull.faces)
    for (const Vec3& p : ball) EXPECT_LT(f.normal.dot(p) - f.offset, 1e-12);
}

}  // namespace
}  // namespace saltus::test_mesh
