// Surfaces of triangles: as obstacles, each triangle becomes a flat pyramid below it that knows its
// neighbours.
#pragma once
#include <array>

#include "saltus/spatial/space_shape.hpp"

namespace saltus {

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;  ///< corners against the clock, seen from outside

  /// Corners that coincide up to rounding are made one; triangles without an area are left out.
  void join_corners();
};

/// A word on a mesh that is no surface of a body (empty where it is one): numbers of corners, edges with one
/// triangle or more than two, neighbours that are turned against each other, inside out. `open`: it may have
/// a border.
std::string mesh_trouble(const TriangleMesh& mesh, bool open);

/// Pyramids below the triangles, inside the body: no deeper than half of what is below, and between the
/// planes that halve the angles to the neighbours.
std::vector<SpaceShape> pieces_of(const TriangleMesh& mesh);

/// A grid of heights above the plane z = 0, rows along y, centred.
TriangleMesh height_field(const std::vector<std::vector<double>>& heights, double dx, double dy);

/// Text and bytes of an STL (of either kind) or OBJ file. Throws Error with the line or the triangle.
TriangleMesh read_stl(std::string_view bytes);
TriangleMesh read_obj(std::string_view text);

}  // namespace saltus
