// Distances of random pairs of shapes, proved one by one: the contact points lie in the shapes, so the
// distance is at most the gap; the supporting planes along the normal are as far apart, so it is at least
// that. Nothing of features enters the proof. ./dev geometry COUNT checks that many pairs of each kind.
#include <gtest/gtest.h>

#include <cstdlib>

#include "saltus/core/random.hpp"
#include "saltus/spatial/space_pair.hpp"

namespace saltus::test_geometry {
namespace {

using Kind = SpaceShape::Kind;

int pairs_of_each_kind() {
  const char* text = std::getenv("SALTUS_PAIRS");
  return text ? std::atoi(text) : 400;
}

Vec3 some_vector(SplitMix64& random, double size) {
  return {random.between(-size, size), random.between(-size, size), random.between(-size, size)};
}
Vec3 some_direction(SplitMix64& random) {
  Vec3 v;
  do v = some_vector(random, 1);
  while (v.norm() > 1 || v.norm() < 0.1);
  return v.normalized();
}

SpaceShape some_shape(SplitMix64& random, Kind kind) {
  const auto size = [&] { return random.between(0.1, 0.8); };
  const Vec3 axis = some_direction(random), centre = some_vector(random, 0.2);
  switch (kind) {
    case Kind::sphere:
      return SpaceShape::sphere(size(), centre);
    case Kind::capsule:
      return SpaceShape::capsule(size(), size(), axis, centre);
    case Kind::disk:
      return SpaceShape::disk(size(), axis, centre);
    case Kind::cylinder:
      return SpaceShape::cylinder(size(), size(), axis, centre);
    case Kind::cone:
      return SpaceShape::cone(size(), size(), axis, centre);
    case Kind::ellipsoid:
      return SpaceShape::ellipsoid({size(), size(), size()}, rotation_exp(some_vector(random, 2)).matrix(),
                                   centre);
    case Kind::half_space:
      return SpaceShape::half_space(axis, centre);
    case Kind::polytope:
      break;
  }
  if (random.between(0, 1) < 0.5) return SpaceShape::box({size(), size(), size()});
  std::vector<Vec3> points;
  for (int k = 0; k < 9; ++k) points.push_back(some_vector(random, 0.8));
  return SpaceShape::of(hull_of(points));
}

SpaceFrame some_frame(SplitMix64& random) {
  SpaceFrame f;
  f.x = some_vector(random, 1.5), f.R = rotation_exp(some_vector(random, 2)).matrix();
  return f;
}

// The farthest a shape reaches along a direction of space, from the origin of space.
double reach_along(const SpaceShape& s, const SpaceFrame& f, const Vec3& direction) {
  const Vec3 d = f.R.transpose() * direction;
  const double along = d.dot(s.axis), across = cross(d, s.axis).norm(),
               middle = f.x.dot(direction) + d.dot(s.centre);
  switch (s.kind) {
    case Kind::sphere:
      return middle + s.radius;
    case Kind::capsule:
      return middle + s.half * std::abs(along) + s.radius;
    case Kind::disk:
    case Kind::cylinder:
      return middle + s.half * std::abs(along) + s.radius * across;
    case Kind::cone:
      return middle + std::max(s.half * along, -s.half * along + s.radius * across);
    case Kind::ellipsoid:
      return middle + s.radii.cwiseProduct(s.axes.transpose() * d).norm();
    case Kind::half_space:
      return (d - s.axis).norm() < 1e-9 ? middle : infinity;
    case Kind::polytope:
      break;
  }
  double most = -infinity;
  for (const Vec3& v : s.polytope.vertices) most = std::max(most, d.dot(v));
  return f.x.dot(direction) + most;
}

// How far a point of space is outside of a shape, up to a factor of some size: 0 inside.
double outside(const SpaceShape& s, const SpaceFrame& f, const Vec3& point) {
  const Vec3 p = f.R.transpose() * (point - f.x), d = p - s.centre;
  const double along = d.dot(s.axis), across = cross(d, s.axis).norm();
  switch (s.kind) {
    case Kind::sphere:
      return std::max(0.0, d.norm() - s.radius);
    case Kind::capsule:
      return std::max(0.0, (d - std::clamp(along, -s.half, s.half) * s.axis).norm() - s.radius);
    case Kind::disk:
    case Kind::cylinder:
      return std::max({0.0, std::abs(along) - s.half, across - s.radius});
    case Kind::cone:
      return std::max({0.0, -along - s.half, across - s.radius * (s.half - along) / (2 * s.half)});
    case Kind::ellipsoid:
      return std::max(0.0, (s.axes.transpose() * d).cwiseQuotient(s.radii).norm() - 1) * s.radii.maxCoeff();
    case Kind::half_space:
      return std::max(0.0, along);
    case Kind::polytope:
      break;
  }
  double most = 0;
  for (const auto& face : s.polytope.faces) most = std::max(most, face.normal.dot(p) - face.offset);
  return most;
}

struct Worst {
  double distance = 0, point = 0;
  int seen = 0;
};

Worst look(Kind one, Kind other, int count) {
  SplitMix64 random(97 + 16 * static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
  Worst worst;
  for (int k = 0; k < count; ++k) {
    const SpaceShape a = some_shape(random, one), b = some_shape(random, other);
    const SpaceFrame fa = some_frame(random), fb = some_frame(random);
    double least = infinity;
    Vec3 n, on_a, on_b;
    PolytopePair known;
    for (int c = 0; c < contacts_of_pair(a, b); ++c) {
      const PairTouch t = touch_of_pair(a, fa, b, fb, c, true, known);
      if (!t.there || !(t.touch.gap < least)) continue;
      least = t.touch.gap, n = t.swapped ? Vec3(-t.touch.n) : t.touch.n;
      on_a = fa.x + (t.swapped ? t.touch.arm_b : t.touch.arm_a),
      on_b = fb.x + (t.swapped ? t.touch.arm_a : t.touch.arm_b);
    }
    if (!(least > 0)) continue;
    ++worst.seen;
    const double apart = -reach_along(a, fa, -n) - reach_along(b, fb, n);
    worst.distance = std::max({worst.distance, std::abs(apart - least), (on_a - on_b - least * n).norm()});
    worst.point = std::max({worst.point, outside(a, fa, on_a), outside(b, fb, on_b)});
  }
  return worst;
}

TEST(SpaceGeometry, DistancesOfRandomPairsAreProved) {
  constexpr Kind kinds[] = {Kind::sphere,   Kind::capsule, Kind::polytope,  Kind::disk,
                            Kind::cylinder, Kind::cone,    Kind::ellipsoid, Kind::half_space};
  const int count = pairs_of_each_kind();
  for (const Kind a : kinds)
    for (const Kind b : kinds) {
      if (a > b || (a == Kind::polytope && b == Kind::polytope)) continue;  // measured from faces
      SplitMix64 random(1);
      if (contacts_of_pair(some_shape(random, a), some_shape(random, b)) <= 0) continue;
      const Worst worst = look(a, b, count);
      const std::string what = fmt::format("kinds {} and {}", static_cast<int>(a), static_cast<int>(b));
      EXPECT_GT(worst.seen, count / 10) << what;
      EXPECT_LT(worst.distance, 1e-12) << what;
      EXPECT_LT(worst.point, 1e-12) << what;
      if (count > 10000)
        std::printf("%-20s %8d apart, distance %.1e, points %.1e\n", what.c_str(), worst.seen, worst.distance,
                    worst.point);
    }
}

// What the search leaves out is farther away than the margin, or overlaps by more than it.
TEST(SpaceGeometry, TheSearchFindsAllContactsWithinItsMargin) {
  SplitMix64 random(5);
  PairSearch found;
  int close = 0, listed = 0;
  for (int k = 0; k < pairs_of_each_kind(); ++k) {
    const SpaceShape a = some_shape(random, Kind::polytope), b = some_shape(random, Kind::polytope);
    const SpaceFrame fa = some_frame(random), fb = some_frame(random);
    const double margin = random.between(0, 0.3);
    contacts_within(a, fa, b, fb, margin, found);
    listed += static_cast<int>(found.contacts.size());
    PolytopePair known;
    bool apart = false;  // by a face, then nothing touches
    for (const auto& f : b.polytope.faces)
      apart = apart ||
              -reach_along(a, fa, -fb.turned(f.normal)) - fb.turned(f.normal).dot(fb.x) - f.offset > margin;
    for (const auto& f : a.polytope.faces)
      apart = apart ||
              -reach_along(b, fb, -fa.turned(f.normal)) - fa.turned(f.normal).dot(fa.x) - f.offset > margin;
    for (int c = 0; c < contacts_of_pair(a, b) && !apart; ++c) {
      const PairTouch t = touch_of_pair(a, fa, b, fb, c, false, known);
      if (!t.there || std::abs(t.touch.gap) > margin) continue;
      ++close;
      EXPECT_TRUE(std::find(found.contacts.begin(), found.contacts.end(), c) != found.contacts.end())
          << k << ", " << c;
    }
  }
  EXPECT_GT(close, pairs_of_each_kind() / 4);
  EXPECT_LT(listed, 60 * pairs_of_each_kind());  // of some 200 a pair
}

}  // namespace
}  // namespace saltus::test_geometry
