// Shapes of bodies in space, in the frame of their body, with the origin at its centre of mass: spheres,
// capsules, convex polytopes (boxes, hulls), disks, cylinders and cones, ellipsoids, half-spaces. A body may
// have several.
#pragma once
#include <string>
#include <vector>

#include "saltus/spatial/rotation.hpp"

namespace saltus {

/// A convex polytope. Faces have outer normals, n·p ≤ offset inside.
struct Polytope {
  struct Face {
    Vec3 normal, along;  ///< along: a direction in the face
    double offset = 0;
    std::vector<int> corners;  ///< against the clock, seen from outside
  };
  struct Edge {
    int from = 0, to = 0;     ///< vertices
    int left = 0, right = 0;  ///< faces
  };
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Edge> edges;
  /// Of a piece of a larger surface: where that goes on beside each edge and around each vertex. A normal
  /// that leads over it is one of a neighbour. Empty: nothing goes on.
  std::vector<std::vector<Vec3>> beside_edge, beside_vertex;
  double reach = 0, width = 0;  ///< from the origin to the farthest vertex; where it is thinnest
  void measure();               ///< fills these
  bool leads_beside_edge(int edge, const Vec3& n) const { return leads(beside_edge, edge, n); }
  bool leads_beside_vertex(int vertex, const Vec3& n) const { return leads(beside_vertex, vertex, n); }

 private:
  static bool leads(const std::vector<std::vector<Vec3>>& beside, int k, const Vec3& n) {
    if (beside.empty()) return false;
    for (const Vec3& d : beside[k])
      if (n.dot(d) > 1e-12) return true;
    return false;
  }
};

/// The points that are corners of the hull of all of them, up to rounding, in their order.
std::vector<Vec3> corners_of_hull(const std::vector<Vec3>& points);
/// The convex hull of some points. Throws Error where they lie in a plane, or are too many.
Polytope hull_of(const std::vector<Vec3>& points);
/// A box with these half lengths.
Polytope box_polytope(const Vec3& half);

struct SpaceShape {
  enum class Kind : std::uint8_t { sphere, capsule, polytope, disk, cylinder, cone, ellipsoid, half_space };
  Kind kind = Kind::sphere;
  Vec3 centre{0, 0, 0};
  Vec3 axis{0, 0, 1};  ///< of capsules, disks and cylinders; of a cone from its base to its tip; of a
                       ///< half-space its normal, into the free side
  double radius = 0;   ///< 0 of a sphere: a point
  double half = 0;  ///< half the length between the ends of a capsule's axis; half the height of a cylinder
                    ///< or cone, whose centre is in the middle of it
  Vec3 radii{0, 0, 0};  ///< of an ellipsoid, along the columns of axes
  Mat3 axes = Mat3::Identity();
  Polytope polytope;

  static SpaceShape sphere(double radius, const Vec3& centre = Vec3::Zero());
  static SpaceShape capsule(double radius, double length, const Vec3& axis,
                            const Vec3& centre = Vec3::Zero());
  static SpaceShape box(const Vec3& half);
  static SpaceShape of(Polytope polytope);
  static SpaceShape disk(double radius, const Vec3& axis, const Vec3& centre = Vec3::Zero());
  static SpaceShape cylinder(double radius, double height, const Vec3& axis,
                             const Vec3& centre = Vec3::Zero());
  static SpaceShape cone(double radius, double height, const Vec3& axis, const Vec3& centre = Vec3::Zero());
  static SpaceShape ellipsoid(const Vec3& radii, const Mat3& axes = Mat3::Identity(),
                              const Vec3& centre = Vec3::Zero());
  static SpaceShape half_space(const Vec3& normal, const Vec3& point = Vec3::Zero());

  /// Radius of the sphere about the origin of the body that holds it; infinite for a half-space.
  double reach() const;
  /// How far it reaches along a unit vector, from the origin of the body; infinite for a half-space.
  double extent(const Vec3& n) const;
  /// Somewhere in its middle.
  Vec3 middle() const;
  /// How thick it is where it is thinnest; 0: it has no inside.
  double width() const;
  /// The same shape, turned by R and then moved.
  SpaceShape moved(const Mat3& R, const Vec3& by) const;
};

/// Mass, centre and inertia about it, of a body of constant density.
struct MassProperties {
  double mass = 0;
  Vec3 centre{0, 0, 0};
  Mat3 inertia = Mat3::Zero();
};
/// Throws Error for shapes without a volume.
MassProperties mass_properties(const SpaceShape& shape, double density);
MassProperties operator+(const MassProperties& a, const MassProperties& b);

/// A word on an inertia that cannot be computed with, empty where it can: symmetric and positive.
std::string inertia_trouble(const Mat3& inertia);
/// A word on one that no body has (a principal moment larger than the sum of the others), although its
/// equations make sense: motors that spin inside make such ones.
std::string inertia_doubt(const Mat3& inertia);

/// A unit vector at right angles to a unit vector.
Vec3 some_normal_to(const Vec3& axis);

}  // namespace saltus
