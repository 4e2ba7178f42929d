// Convex parts of shapes in one system of coordinates: the nearest point of each with its derivative, how far
// it reaches along a direction, and its features as surfaces and curves. What space_closest.hpp is made of.
#pragma once
#include "saltus/spatial/space_frame.hpp"
#include "saltus/spatial/space_shape.hpp"

namespace saltus {

/// Where on its part a point is.
struct PartFeature {
  enum class Kind : std::uint8_t {
    inside,
    corner,  ///< vertex, end of a segment, tip
    line,    ///< edge, segment
    rim,
    face,  ///< face, cap
    side,  ///< of a cylinder or cone
    round  ///< of an ellipsoid
  };
  Kind kind = Kind::inside;
  int index = 0;

  bool operator==(const PartFeature&) const = default;
  bool is_surface() const { return kind >= Kind::face; }
  bool is_curve() const { return kind == Kind::line || kind == Kind::rim; }
};

/// A surface as a point p sees it: its distance (< 0: behind it), the outer normal where p is nearest to it,
/// one principal direction there (the other is n×along) and both curvatures.
struct PartSurface {
  double distance = 0;
  Vec3 n{0, 0, 1}, along{1, 0, 0};
  double curvature_1 = 0, curvature_2 = 0;

  /// The same at the distance of p: the rate of n is this form of the rate of p.
  double form(const Vec3& a, const Vec3& b) const;
};

/// A point of a curve and its derivatives by the parameter, a length.
struct PartCurve {
  Vec3 at, first, second;
};

struct ConvexPart {
  enum class Kind : std::uint8_t { segment, disk, cylinder, cone, ellipsoid, polytope };
  Kind kind = Kind::segment;
  Vec3 centre{0, 0, 0}, axis{0, 0, 1};
  double radius = 0, half = 0;
  double swell = 0;  ///< what is around a segment; not part of nearest points and reaches below
  Vec3 radii{0, 0, 0};
  Mat3 axes = Mat3::Identity(), R = Mat3::Identity();
  const Polytope* polytope = nullptr;  ///< in its frame: centre and R
  double size = 0;

  struct Foot {
    Vec3 at;
    PartFeature feature;
    Mat3 derivative = Mat3::Zero();  ///< of `at` by the point
  };
  Foot nearest(const Vec3& p) const;
  /// max n·p, and where.
  double reach(const Vec3& n) const { return n.dot(farthest(n)); }
  Vec3 farthest(const Vec3& n) const;
  PartSurface surface(const PartFeature& f, const Vec3& p) const;
  PartCurve curve(const PartFeature& f, double at) const;
  double parameter(const PartFeature& f, const Vec3& p) const;  ///< of the point of a curve near p
  Vec3 middle() const;

  /// The origin is `o`, in space.
  static ConvexPart of(const SpaceShape& shape, const SpaceFrame& f, const Vec3& o);
  static ConvexPart segment(const Vec3& from, const Vec3& to, double swell);
  /// The flat end of a disk, cylinder or cone, at `side` (1 or −1) half heights along its axis.
  static ConvexPart end(const SpaceShape& shape, const SpaceFrame& f, const Vec3& o, int side);

 private:
  Foot nearest_round(const Vec3& p) const;
  Foot nearest_polytope(const Vec3& p) const;
};

}  // namespace saltus
