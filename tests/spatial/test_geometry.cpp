// Distances of random pairs of shapes, proved one by one: the contact points lie in the shapes, so the
// distance is at most the gap; the supporting planes along the normal are as far apart, so it is at least
// that. Nothing of features enters the proof. ./dev geometry COUNT checks that many pairs of each kind.
#include <gtest/gtest.h>

#include <cstdlib>

#include "saltus/core/random.hpp"
#include "spatial/brute_force.hpp"

namespace saltus::test_geometry {
namespace {

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

constexpr Kind kinds[] = {Kind::sphere,   Kind::capsule, Kind::polytope,  Kind::disk,
                          Kind::cylinder, Kind::cone,    Kind::ellipsoid, Kind::half_space};

/// visit(a, b, name) for every pair of kinds whose smallest gap is the distance; of polytopes it is measured
/// from faces.
template <class Visit>
void for_each_kind(Visit&& visit) {
  for (const Kind a : kinds)
    for (const Kind b : kinds) {
      SplitMix64 random(1);
      if (a > b || (a == Kind::polytope && b == Kind::polytope)) continue;
      if (contacts_of_pair(some_shape(random, a), some_shape(random, b)) > 0)
        visit(a, b, fmt::format("kinds {} and {}", static_cast<int>(a), static_cast<int>(b)));
    }
}

struct Pair {
  SpaceShape a, b;
  SpaceFrame fa, fb;

  Pair(SplitMix64& random, Kind one, Kind other)
      : a(some_shape(random, one)),
        b(some_shape(random, other)),
        fa(some_frame(random)),
        fb(some_frame(random)) {}
  double apart(const Vec3& n) const { return -reach_along(a, fa, -n) - reach_along(b, fb, n); }
};

/// The contact with the smallest gap.
struct Least {
  double gap = infinity;
  Vec3 n, on_a, on_b;
  int contact = 0;
};
Least least_of(const Pair& p) {
  Least out;
  PolytopePair known;
  for (int c = 0; c < contacts_of_pair(p.a, p.b); ++c) {
    const PairTouch t = touch_of_pair(p.a, p.fa, p.b, p.fb, c, true, known);
    if (!t.there || !(t.touch.gap < out.gap)) continue;
    const Vec3 &first = t.touch.arm_a, &second = t.touch.arm_b;
    out = {t.touch.gap, t.swapped ? Vec3(-t.touch.n) : t.touch.n, p.fa.x + (t.swapped ? second : first),
           p.fb.x + (t.swapped ? first : second), c};
  }
  return out;
}

struct Worst {
  double distance = 0, point = 0;
  int seen = 0, inside = 0;
};

Worst look(Kind one, Kind other, int count) {
  SplitMix64 random(97 + 16 * static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
  Worst worst;
  for (int k = 0; k < count; ++k) {
    const Pair p(random, one, other);
    const Least at = least_of(p);
    if (!(at.gap > 0)) continue;
    const double apart = p.apart(at.n);
    // deep in each other all parts of shapes may be apart: a corner that went through a disk
    if (apart < at.gap - 1e-9 && other != Kind::half_space &&
        brute_force(p.a, p.fa, p.b, p.fb).distance < 1e-12L) {
      ++worst.inside;
      continue;
    }
    ++worst.seen;
    worst.distance =
        std::max({worst.distance, std::abs(apart - at.gap), (at.on_a - at.on_b - at.gap * at.n).norm()});
    worst.point = std::max({worst.point, outside(p.a, p.fa, at.on_a), outside(p.b, p.fb, at.on_b)});
  }
  return worst;
}

TEST(SpaceGeometry, DistancesOfRandomPairsAreProved) {
  const int count = pairs_of_each_kind();
  for_each_kind([&](Kind a, Kind b, const std::string& what) {
    const Worst worst = look(a, b, count);
    EXPECT_GT(worst.seen, count / 10) << what;
    EXPECT_LE(worst.inside, count / 100) << what;
    EXPECT_LT(worst.distance, 1e-12) << what;
    EXPECT_LT(worst.point, 1e-12) << what;
    if (count > 10000)
      std::printf("%-20s %8d apart, distance %.1e, points %.1e, %d inside\n", what.c_str(), worst.seen,
                  worst.distance, worst.point, worst.inside);
  });
}

// The end of a disk, cylinder or cone above a face of the polytope, turned from it by `tilt`.
Pair nearly_parallel(SplitMix64& random, Kind kind, double tilt) {
  Pair p(random, Kind::polytope, kind);
  const auto& faces = p.a.polytope.faces;
  const auto& face = faces[static_cast<std::size_t>(random.between(0, static_cast<double>(faces.size())))];
  const Vec3 n = p.fa.turned(face.normal), axis = p.fb.turned(p.b.axis), to = kind == Kind::cone ? n : -n,
             turn = cross(axis, to);
  const double sine = turn.norm();
  p.fb.R = rotation_exp(tilt * some_direction(random)).matrix() *
           rotation_exp(std::atan2(sine, axis.dot(to)) / sine * turn).matrix() * p.fb.R;
  const Vec3 side = some_vector(random, 0.8);
  p.fb.x = p.fa.x + side + (face.offset - n.dot(side) + random.between(1, 1.5)) * n;
  return p;
}

void expect_proved_points(const Pair& p, const std::string& what) {
  const Least at = least_of(p);
  const Brute brute = brute_force(p.a, p.fa, p.b, p.fb);
  ASSERT_GT(brute.distance, 0.01L) << what;
  EXPECT_NEAR(at.gap, static_cast<double>(brute.distance), 1e-12) << what;
  EXPECT_LT(std::max(outside(p.a, p.fa, at.on_a), outside(p.b, p.fb, at.on_b)), 1e-12) << what;
  EXPECT_LT((at.on_a - at.on_b - at.gap * at.n).norm(), 1e-12) << what;
}

// Here minors are lost in rounding, and planes that end before meet at the same gap.
TEST(SpaceGeometry, PointsOfNearlyParallelFacesLieOnBoth) {
  for (const Kind kind : {Kind::disk, Kind::cylinder, Kind::cone})
    for (int digits = 1; digits <= 13; ++digits) {
      SplitMix64 random(31 + 16 * static_cast<std::uint64_t>(kind) + static_cast<std::uint64_t>(digits));
      for (int k = 0; k < pairs_of_each_kind() / 10; ++k)
        expect_proved_points(nearly_parallel(random, kind, std::pow(10, random.between(0, 1) - digits)),
                             fmt::format("kind {}, {} digits, {}", static_cast<int>(kind), digits, k));
    }
  // pairs 23553 and 65592 of the random ones: points were 0.41 and 0.20 beside the shape
  SplitMix64 with_cylinder(0x8ea1cd09ed2e53eeu), with_cone(0xf55dbbfcd3deb0deu);
  expect_proved_points(Pair(with_cylinder, Kind::polytope, Kind::cylinder), "cylinder");
  expect_proved_points(Pair(with_cone, Kind::polytope, Kind::cone), "cone");
}

TEST(SpaceGeometry, BruteForceFindsTheSameDistancesAndNormals) {
  const int count = std::max(20, pairs_of_each_kind() / 100);
  for_each_kind([&](Kind one, Kind other, const std::string& what) {
    if (other == Kind::half_space) return;
    SplitMix64 random(7 + 16 * static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
    int seen = 0;
    double distance = 0, normal = 0;
    for (int k = 0; k < count; ++k) {
      const Pair p(random, one, other);
      const Brute brute = brute_force(p.a, p.fa, p.b, p.fb);
      if (!(brute.distance > 0.01L)) continue;
      const Least at = least_of(p);
      ++seen;
      distance = std::max(distance, std::abs(at.gap - static_cast<double>(brute.distance)));
      Point off = wide(at.n);
      off = sum(off, -1, brute.n);
      if (brute.open < 1e-16L) normal = std::max(normal, static_cast<double>(std::sqrt(dot(off, off))));
    }
    EXPECT_GT(seen, count / 4) << what;
    EXPECT_LT(distance, 1e-12) << what;
    EXPECT_LT(normal, 1e-8) << what;
    if (count >= 1000)
      std::printf("%-20s %8d apart, distance %.1e, normal %.1e\n", what.c_str(), seen, distance, normal);
  });
}

// Moved together along the normal: the smallest gap is what is left; less than nothing where they overlap,
// and no deeper than they were moved.
TEST(SpaceGeometry, GapsGoThroughZero) {
  for_each_kind([&](Kind one, Kind other, const std::string& what) {
    SplitMix64 random(3 + 16 * static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
    int seen = 0, needles = 0;
    for (int k = 0; k < std::min(2000, pairs_of_each_kind() / 4); ++k) {
      Pair p(random, one, other);
      const Least at = least_of(p);
      if (!(at.gap > 1e-3 && at.gap < 3) || p.apart(at.n) < at.gap - 1e-9) continue;
      ++seen;
      const Vec3 start = p.fa.x;
      for (const double left : {1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-6, -1e-4}) {
        p.fa.x = start - (at.gap - left) * at.n;
        const double gap = least_of(p).gap;
        const std::string where = fmt::format("{}, {} at {}: {}", what, k, left, gap);
        // a corner and a rim closer than 1e-7 may count as an edge beside the corner and the rim
        const bool close = left >= 0 && left < 1e-6, cone = one == Kind::cone || other == Kind::cone;
        const double off = std::max(close ? std::abs(gap) - left : left - gap, left > 0 ? gap - left : 0);
        if (cone && left < 1e-6 && off > 1e-13)
          ++needles;  // sharp rims and tips that overlap: not by the shortest way out
        else
          EXPECT_LT(off, 1e-13) << where;
        // a disk has no inside: what went through is on its other side
        if (left >= 0 || gap < 1e-14 || one == Kind::disk || other == Kind::disk) continue;
        // sharp corners have passed beside each other; or the tip of a cone has come out behind one
        if (std::abs(static_cast<double>(brute_force(p.a, p.fa, p.b, p.fb).distance) - gap) > 1e-13)
          ++needles;
      }
    }
    EXPECT_GT(seen, 10) << what;
    EXPECT_LE(needles, one == Kind::cone || other == Kind::cone ? seen / 20 : 0) << what;
  });
}

// A disk and a cylinder that touch a hull beside where the first direction leads: they were 0.02 deep in it,
// and 0.009 away.
TEST(SpaceGeometry, GapsOfRoundingAreNotTakenForOverlaps) {
  for (const auto& [kind, state] :
       {std::pair{Kind::disk, 0x3cf31e0357e6c606u}, std::pair{Kind::cylinder, 0x167d983f358f4719u}}) {
    SplitMix64 random(state);
    Pair p(random, Kind::polytope, kind);
    const Least at = least_of(p);
    const Vec3 start = p.fa.x;
    for (const double left : {1e-6, 1e-9}) {
      p.fa.x = start - (at.gap - left) * at.n;
      EXPECT_NEAR(least_of(p).gap, left, 1e-14) << static_cast<int>(kind);
    }
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
