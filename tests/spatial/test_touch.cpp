// Contacts of all pairs of shapes: gaps by their definition, directions and second-order terms against
// differences along q ⊕ t u.
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/spatial/spatial_system.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::test_touch {
namespace {

Vec3 some_vector(SplitMix64& random, double size) {
  return {random.between(-size, size), random.between(-size, size), random.between(-size, size)};
}

SpaceBody body(std::string name, SpaceShape shape) {
  SpaceBody b;
  b.name = std::move(name);
  b.mass = 2, b.inertia = Vec3(0.3, 0.4, 0.5).asDiagonal();
  b.shapes.push_back(std::move(shape));
  return b;
}
SpaceBody floor_body() {
  SpaceBody b;
  b.name = "floor";
  b.shapes.push_back(SpaceShape::half_space(Vec3(0.2, -0.3, 0.9).normalized(), {0.1, 0.2, -0.3}));
  b.motion.velocity = {0.3, -0.2, 0.4}, b.motion.omega = {0.5, 0.7, -0.6}, b.motion.pivot = {0.3, 0, 0.2};
  return b;
}

std::vector<SpaceShape> all_shapes() {
  std::vector<Vec3> points;
  SplitMix64 random(11);
  for (int k = 0; k < 9; ++k) points.push_back(some_vector(random, 1));
  return {SpaceShape::sphere(0.4, {0.1, 0, -0.2}),
          SpaceShape::capsule(0.3, 1.2, Vec3(1, 2, 3).normalized(), {0, 0.1, 0}),
          SpaceShape::box({0.5, 0.4, 0.3}),
          SpaceShape::of(hull_of(points)),
          SpaceShape::disk(0.6, Vec3(1, 0, 1).normalized()),
          SpaceShape::cylinder(0.4, 0.9, Vec3(0, 1, 2).normalized()),
          SpaceShape::cone(0.5, 0.8, Vec3(2, 1, 0).normalized(), {0.1, 0, 0.1}),
          SpaceShape::ellipsoid({0.7, 0.4, 0.25}, rotation_exp({0.4, 0.5, 0.6}).matrix(), {0, -0.1, 0.1})};
}

SpatialSystem pair(const SpaceShape& a, const SpaceShape& b, bool fixed) {
  SpatialSystem::Data d;
  d.bodies.push_back(body("a", a));
  d.bodies.push_back(fixed ? floor_body() : body("b", b));
  d.materials = MaterialTable({{.mu = 0.5, .e_n = 0, .e_t = 0, .rolling = 0.1}});
  d.few = 100000;
  return SpatialSystem(std::move(d));
}

Vec some_place(SplitMix64& random, int bodies) {
  Vec q(7 * bodies);
  for (int k = 0; k < bodies; ++k) {
    q.segment<3>(7 * k) = some_vector(random, 1.2);
    rotation_exp(some_vector(random, 2)).put(q.data() + 7 * k + 3);
  }
  return q;
}

// Along the motion with constant u and constant rates of what is prescribed: γ_N is the rate of the gap, and
// bias the rate of γ, on all rows. A change of feature within the difference spoils a few samples: those are
// counted.
void check_rows(const SpatialSystem& system, SplitMix64& random, const std::string& what, bool round) {
  const CheckedSystem at(system);
  const int nu = system.shape().nu, bodies = nu / 6;
  int tried = 0, good = 0;
  for (int k = 0; k < (round ? 60 : 12); ++k) {
    const Vec q = some_place(random, bodies);
    Vec u(nu);
    for (double& x : u) x = random.between(-1, 1);
    const double t = 0.7, e = 1e-5;
    ContactSet set;
    at.list(t, q, set);
    const auto look = [&](double s, Vec& gap, Vec& gamma) {
      Vec p(q.size());
      system.retract(q, Vec(s * u), p);
      at.gaps(t + s, p, set), at.directions(t + s, p, set);
      gap = Eigen::Map<const Vec>(set.gap.data(), set.rows());
      gamma.resize(set.rows());
      for (int r = 0; r < set.rows(); ++r) gamma[r] = set.Wt.dot(r, u.data()) + set.drift[r];
    };
    Vec g0, g1, g2, y0, y1, y2;
    look(0, g0, y0);
    at.bias(t, q, u, set);
    const std::vector<double> bias = set.bias;
    look(-e, g1, y1), look(e, g2, y2);
    for (const Contact& c : set.contacts) {
      // far inside of each other no feature of round shapes separates them: planes do, and no rates are
      // promised
      if (!(std::abs(g0[c.row]) < 3) || (round && g0[c.row] < -0.1)) continue;
      ++tried;
      bool fits = std::abs((g2[c.row] - g1[c.row]) / (2 * e) - y0[c.row]) < 1e-7;
      for (int r = c.row; r < c.row + rows(system.laws()[c.law]); ++r)
        fits = fits && std::abs((y2[r] - y1[r]) / (2 * e) - bias[r]) < 3e-6 * (1 + std::abs(bias[r]));
      good += fits;
    }
  }
  EXPECT_GT(tried, 0) << what;
  EXPECT_GE(good, 0.97 * tried) << what << ": " << tried;
}

TEST(SpaceTouch, DirectionsAndBiasAreThoseOfTheGaps) {
  const auto shapes = all_shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    SplitMix64 random(100 + i);
    check_rows(pair(shapes[i], shapes[i], true), random, "floor and " + std::to_string(i), false);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      SplitMix64 random(1000 + 10 * i + j);
      if (contacts_of_pair(shapes[i], shapes[j]) > 0)
        check_rows(pair(shapes[i], shapes[j], false), random, std::to_string(i) + " and " + std::to_string(j),
                   i > 0 && j > 0 && (i > 3 || j > 3));
    }
}

// The distance of two convex sets by alternating projections of support points (Frank–Wolfe with line search
// over the Minkowski difference), in long double: slow, and independent of features.
Vec3 support(const SpaceShape& s, const SpaceFrame& f, const Vec3& direction) {
  const Vec3 d = f.R.transpose() * direction;
  if (s.kind == SpaceShape::Kind::sphere) return f.x + f.R * (s.centre + s.radius * d.normalized());
  if (s.kind == SpaceShape::Kind::capsule)
    return f.x +
           f.R * (s.centre + (d.dot(s.axis) > 0 ? 1 : -1) * s.half * s.axis + s.radius * d.normalized());
  if (s.kind == SpaceShape::Kind::cylinder || s.kind == SpaceShape::Kind::disk) {
    const double along = d.dot(s.axis);
    const Vec3 across = d - along * s.axis,
               rim = across.norm() > 1e-9 ? Vec3(across.normalized()) : Vec3::Zero();
    return f.x + f.R * (s.centre + (along > 0 ? 1 : -1) * s.half * s.axis + s.radius * rim);
  }
  if (s.kind == SpaceShape::Kind::cone) {
    const Vec3 across = d - d.dot(s.axis) * s.axis,
               rim = across.norm() > 1e-9 ? Vec3(across.normalized()) : Vec3::Zero();
    const Vec3 tip = s.centre + s.half * s.axis, low = s.centre - s.half * s.axis + s.radius * rim;
    return f.x + f.R * (d.dot(tip) > d.dot(low) ? tip : low);
  }
  if (s.kind == SpaceShape::Kind::ellipsoid) {
    const Vec3 seen = s.radii.cwiseProduct(s.axes.transpose() * d).normalized();
    return f.x + f.R * (s.centre + s.axes * s.radii.cwiseProduct(seen));
  }
  int best = 0;
  for (int k = 1; k < static_cast<int>(s.polytope.vertices.size()); ++k)
    if (d.dot(s.polytope.vertices[k]) > d.dot(s.polytope.vertices[best])) best = k;
  return f.x + f.R * s.polytope.vertices[best];
}
// A lower bound from supporting planes along n: how far the sets are apart in that direction.
double apart_along(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                   const Vec3& n) {
  return n.dot(support(a, fa, -n) - support(b, fb, n));
}

// The smallest gap of a pair is the distance of the shapes: no direction separates them by more, and along
// its normal they are separated by that much. (Vertices of polytopes are measured from faces: next test.)
TEST(SpaceTouch, TheSmallestGapIsTheDistance) {
  SplitMix64 random(8);
  const auto shapes = all_shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t j = i; j < shapes.size(); ++j) {
      if (contacts_of_pair(shapes[i], shapes[j]) <= 0) continue;
      if (shapes[i].kind == SpaceShape::Kind::polytope && shapes[j].kind == SpaceShape::Kind::polytope)
        continue;
      int seen = 0;
      for (int k = 0; k < 300; ++k) {
        SpaceFrame fa, fb;
        fa.x = some_vector(random, 1.5), fb.x = some_vector(random, 1.5);
        fa.R = rotation_exp(some_vector(random, 2)).matrix(),
        fb.R = rotation_exp(some_vector(random, 2)).matrix();
        double least = infinity;
        Vec3 n{0, 0, 1};
        PolytopePair known;
        for (int c = 0; c < contacts_of_pair(shapes[i], shapes[j]); ++c) {
          const PairTouch t = touch_of_pair(shapes[i], fa, shapes[j], fb, c, true, known);
          if (t.there && t.touch.gap < least)
            least = t.touch.gap, n = t.swapped ? Vec3(-t.touch.n) : t.touch.n;
        }
        if (!(least > 0.01)) continue;
        const double along = apart_along(shapes[i], fa, shapes[j], fb, n);
        // far inside of each other all parts of shapes may be apart
        if (along < -0.05 && shapes[j].kind >= SpaceShape::Kind::disk) continue;
        ++seen;
        EXPECT_NEAR(along, least, 1e-12) << i << ' ' << j;
        for (int d = 0; d < 30; ++d) {
          const Vec3 other = (n + some_vector(random, 0.3)).normalized();
          EXPECT_LE(apart_along(shapes[i], fa, shapes[j], fb, other), least + 1e-12) << i << ' ' << j;
        }
      }
      EXPECT_GT(seen, 30) << i << ' ' << j;
    }
}

// Sharp polytopes: moved together along the separating direction of any kind, the first contact closes when
// the bodies touch: at zero gap no direction separates them, and just before one does.
TEST(SpaceTouch, PolytopesCloseWhereTheyTouch) {
  SplitMix64 random(9);
  const auto shapes = all_shapes();
  const SpaceShape &a = shapes[2], &b = shapes[3];
  int seen = 0;
  for (int k = 0; k < 200; ++k) {
    SpaceFrame fa, fb;
    fa.R = rotation_exp(some_vector(random, 2)).matrix(),
    fb.R = rotation_exp(some_vector(random, 2)).matrix();
    const Vec3 way = some_vector(random, 1).normalized();
    const auto smallest = [&](double s) {
      fa.x = s * way;
      PolytopePair known;
      double least = infinity;
      for (int c = 0; c < contacts_of_pair(a, b); ++c)
        if (const PairTouch t = touch_of_pair(a, fa, b, fb, c, true, known); t.there)
          least = std::min(least, t.touch.gap);
      return least;
    };
    double lo = 0, hi = 6;  // from inside to apart
    ASSERT_GT(smallest(hi), 0);
    if (!(smallest(lo) < 0)) continue;
    for (int it = 0; it < 60; ++it) {
      const double middle = 0.5 * (lo + hi);
      (smallest(middle) > 0 ? hi : lo) = middle;
    }
    // by all face normals and all cross products of edges: the sets touch at `best`
    fa.x = hi * way;
    double separation = -infinity;
    const auto take = [&](const Vec3& n) {
      if (n.norm() > 1e-6) separation = std::max(separation, apart_along(a, fa, b, fb, n.normalized()));
    };
    for (const auto& f : a.polytope.faces) take(-fa.turned(f.normal));
    for (const auto& f : b.polytope.faces) take(fb.turned(f.normal));
    for (const auto& e : a.polytope.edges)
      for (const auto& f : b.polytope.edges) {
        const Vec3 n = cross(fa.turned(a.polytope.vertices[e.to] - a.polytope.vertices[e.from]),
                             fb.turned(b.polytope.vertices[f.to] - b.polytope.vertices[f.from]));
        take(n), take(-n);
      }
    EXPECT_NEAR(separation, 0, 1e-12);
    ++seen;
  }
  EXPECT_GT(seen, 100);
}

TEST(SpaceShape, MassOfABoxAHullAndACompound) {
  const MassProperties box = mass_properties(SpaceShape::box({0.5, 1, 1.5}), 2);
  EXPECT_NEAR(box.mass, 12, 1e-13);
  EXPECT_NEAR(box.inertia(0, 0), 12.0 / 12 * (4 + 9), 1e-12);
  EXPECT_NEAR(box.inertia(2, 2), 12.0 / 12 * (1 + 4), 1e-12);
  EXPECT_LT(box.centre.norm(), 1e-15);
  // the same box moved and turned, and cut in two
  const Mat3 R = rotation_exp({0.3, -0.4, 0.5}).matrix();
  const MassProperties turned = mass_properties(SpaceShape::box({0.5, 1, 1.5}).moved(R, {3, 4, 5}), 2);
  EXPECT_LT((turned.inertia - R * box.inertia * R.transpose()).norm(), 1e-12);
  EXPECT_LT((turned.centre - Vec3(3, 4, 5)).norm(), 1e-13);
  const auto half = [](double z) {
    return mass_properties(SpaceShape::box({0.5, 1, 0.75}).moved(Mat3::Identity(), {0, 0, z}), 2);
  };
  EXPECT_LT(((half(0.75) + half(-0.75)).inertia - box.inertia).norm(), 1e-12);
  // a long thin capsule is a cylinder with half spheres: its mass by parts
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(mass_properties(SpaceShape::capsule(0.5, 2, Vec3::UnitX()), 1).mass, pi * 0.25 * 2 + pi / 6,
              1e-13);
}

// By sums over small cubes of the box around them: independent of the formulas, to the size of the cubes.
TEST(SpaceShape, MassOfAConeAndAnEllipsoidBySums) {
  const SpaceShape cone = SpaceShape::cone(0.5, 0.8, Vec3(0, 0, 1), {0.1, 0.2, 0.3});
  const SpaceShape ellipsoid = SpaceShape::ellipsoid({0.7, 0.4, 0.3}, Mat3::Identity(), {0.1, 0, 0});
  const auto summed = [](const auto& inside) {
    constexpr int n = 120;
    MassProperties out;
    Mat3 second = Mat3::Zero();
    const double side = 2.0 / n, cube = side * side * side;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          const Vec3 p(-1 + (i + 0.5) * side, -1 + (j + 0.5) * side, -1 + (k + 0.5) * side);
          if (inside(p)) out.mass += cube, out.centre += cube * p, second += cube * p * p.transpose();
        }
    out.centre /= out.mass;
    second -= out.mass * out.centre * out.centre.transpose();
    out.inertia = second.trace() * Mat3::Identity() - second;
    return out;
  };
  const auto check = [](const MassProperties& a, const MassProperties& b) {
    EXPECT_NEAR(a.mass, b.mass, 3e-3 * b.mass);
    EXPECT_LT((a.centre - b.centre).norm(), 2e-3);
    EXPECT_LT((a.inertia - b.inertia).norm(), 1e-2 * b.inertia.norm());
  };
  check(mass_properties(cone, 1), summed([&](const Vec3& p) {
          const double up = p[2] + 0.1, rho = std::hypot(p[0] - 0.1, p[1] - 0.2);
          return up > 0 && rho < 0.5 * (1 - up / 0.8);
        }));
  check(mass_properties(ellipsoid, 1), summed([&](const Vec3& p) {
          return (p - Vec3(0.1, 0, 0)).cwiseQuotient(Vec3(0.7, 0.4, 0.3)).norm() < 1;
        }));
}

TEST(SpaceShape, InertiaThatNoBodyHasIsNamed) {
  EXPECT_TRUE(inertia_trouble(Vec3(1, 2, 3).asDiagonal()).empty());
  EXPECT_TRUE(inertia_doubt(Vec3(1, 2, 3).asDiagonal()).empty());
  EXPECT_NE(inertia_doubt(Vec3(1, 2, 3.1).asDiagonal()).find("sum of the others"), std::string::npos);
  EXPECT_NE(inertia_trouble(Vec3(1, 2, -1).asDiagonal()).find("smallest"), std::string::npos);
}

TEST(SpaceShape, HullsOfCubesHaveSixFaces) {
  std::vector<Vec3> points;
  SplitMix64 random(2);
  const Mat3 R = rotation_exp({1, 2, 3}).matrix();
  for (int k = 0; k < 8; ++k) points.push_back(R * Vec3(k & 1, (k >> 1) & 1, k >> 2));
  points.push_back(R * Vec3(0.5, 0.5, 1));  // within a face, within an edge, inside
  points.push_back(R * Vec3(0.5, 0, 0));
  points.push_back(R * Vec3(0.5, 0.4, 0.3));
  const Polytope p = hull_of(points);
  EXPECT_EQ(p.faces.size(), 6u);
  EXPECT_EQ(p.edges.size(), 12u);
  EXPECT_EQ(p.vertices.size(), 8u);
  EXPECT_THROW(hull_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), Error);
}

}  // namespace
}  // namespace saltus::test_touch
