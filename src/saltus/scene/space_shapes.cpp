// Shapes of bodies in space and what follows from them: from the fields of a scene to SpaceShape, mass and
// inertia.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scene/space_reader.hpp"
#include "saltus/spatial/triangle_mesh.hpp"

namespace saltus {

double SpaceReader::positive(const Value& v, const Word& here, std::string_view name,
                             std::string_view owner) {
  if (!v.given()) c_.miss(here.place, here.path, name, fmt::format("a {} needs a {} > 0", owner, name));
  return c_.number_in(Range::positive(), v, 1);
}

Vec3 SpaceReader::lengths(const Values& v, const Word& here, std::string_view name, std::string_view owner) {
  if (v.empty()) c_.miss(here.place, here.path, name, fmt::format("a {} needs {}: [x, y, z]", owner, name));
  Vec3 out(1, 1, 1);
  if (!v.empty() && has(v, 3, field(here, name), "three lengths: [x, y, z]"))
    for (int k = 0; k < 3; ++k) out[k] = c_.number_in(Range::positive(), v[static_cast<std::size_t>(k)], 1);
  return out;
}

// What a shape does not have.
void SpaceReader::check_fields(const SceneSolid& s) {
  const std::string& kind = s.shape.text;
  const std::vector<std::string> known = {"sphere", "box",  "capsule", "cylinder", "cone",   "ellipsoid",
                                          "disk",   "hull", "point",   "mesh",     "heights"};
  if (s.shape.given() && std::find(known.begin(), known.end(), kind) == known.end())
    return c_.complain(s.shape, fmt::format("unknown shape '{}'{}; known: {}", kind, suggestion(kind, known),
                                            fmt::join(known, ", ")));
  const auto only = [&](const Formula& f, std::initializer_list<std::string_view> owners) {
    if (f.given() && std::find(owners.begin(), owners.end(), kind) == owners.end())
      c_.complain(f, fmt::format("only a{} {} has this", owners.begin()->starts_with('e') ? "n" : "",
                                 fmt::join(owners, " or ")));
  };
  const auto first = [](const auto& list) {
    return !list.empty() && !list[0].empty() ? list[0][0] : Value{};
  };
  only(s.radius, {"sphere", "capsule", "cylinder", "cone", "disk"}), only(s.length, {"capsule"});
  only(s.height, {"cylinder", "cone"});
  if (!s.size.empty()) only(s.size[0], {"box"});
  if (!s.radii.empty()) only(s.radii[0], {"ellipsoid"});
  if (!s.spacing.empty()) only(s.spacing[0], {"heights"});
  only(first(s.points), {"hull", "mesh"}), only(first(s.triangles), {"mesh"});
  only(first(s.heights), {"heights"});
  if (!s.axis.empty()) only(s.axis[0], {"capsule", "cylinder", "cone", "disk"});
}

std::vector<Vec3> SpaceReader::points(const SceneSolid& s, const Word& here) {
  std::vector<Vec3> out;
  for (const Values& p : s.points) out.push_back(vector_of(field(here, "points"), p));
  return out;
}

SpaceShape SpaceReader::simple(const SceneSolid& s, const Word& here) {
  const std::string& kind = s.shape.text;
  const Vec3 axis = direction_of(here, "axis", s.axis, {0, 0, 1});
  if (kind == "box") return SpaceShape::box(lengths(s.size, here, "size", kind) / 2);
  if (kind == "ellipsoid") return SpaceShape::ellipsoid(lengths(s.radii, here, "radii", kind));
  if (kind == "hull") return SpaceShape::of(hull_of(points(s, here)));
  if (kind == "point") return SpaceShape::sphere(0);
  const double radius = positive(s.radius, here, "radius", kind);
  if (kind == "sphere") return SpaceShape::sphere(radius);
  if (kind == "disk") return SpaceShape::disk(radius, axis);
  if (kind == "capsule") return SpaceShape::capsule(radius, positive(s.length, here, "length", kind), axis);
  const double height = positive(s.height, here, "height", kind);
  return kind == "cone" ? SpaceShape::cone(radius, height, axis) : SpaceShape::cylinder(radius, height, axis);
}

// Meshes and heights.
std::vector<SpaceShape> SpaceReader::surface(const SceneSolid& s, const Word& here, bool fixed) {
  if (!fixed)
    fail(
        "a surface of triangles is an obstacle: set fixed: true. A body that moves has a hull, or several "
        "parts");
  if (s.shape.text == "heights") {
    std::vector<std::vector<double>> rows;
    for (const Values& row : s.heights) {
      rows.emplace_back();
      for (const Value& v : row) rows.back().push_back(c_.number(v));
    }
    double spacing[] = {1, 1};
    if (has(s.spacing, 2, field(here, "spacing"), "two lengths: [along x, along y]"))
      for (std::size_t k = 0; k < 2; ++k) spacing[k] = c_.number_in(Range::positive(), s.spacing[k], 1);
    return pieces_of(height_field(rows, spacing[0], spacing[1]));
  }
  TriangleMesh mesh;
  mesh.vertices = points(s, here);
  for (const Values& t : s.triangles) {
    if (!has(t, 3, field(here, "triangles"), "three numbers of points")) return {};
    std::array<int, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = c_.number(t[k]);
      corners[k] = x >= 0 && x < 1e9 && x == std::floor(x) ? static_cast<int>(x) : -1;
    }
    mesh.triangles.push_back(corners);
  }
  if (const std::string trouble = mesh_trouble(mesh, s.open); !trouble.empty())
    fail("this mesh is no surface of a body: {}{}", trouble,
         trouble.starts_with("it is open") ? "; close it, or set open: true" : "");
  return pieces_of(mesh);
}

SpaceReader::Solid SpaceReader::solid(const SceneSolid& s, const Word& here, bool fixed) {
  Solid out;
  const std::size_t before = c_.complaints().list().size();
  check_fields(s);
  if (!s.shape.given() || c_.complaints().list().size() > before) return out;
  try {
    const std::string& kind = s.shape.text;
    if (kind == "mesh" || kind == "heights") {
      out.shapes = surface(s, here, fixed);
    } else {
      out.shapes.push_back(simple(s, here));
      if (kind != "disk" && kind != "point") out.mass = mass_properties(out.shapes[0], 1);
    }
  } catch (const Error& e) {
    c_.complaints().add(here.place, here.path, e.what());
  }
  return out;
}

// Shifted to the centre of its volume, where it has one.
SpaceReader::Solid SpaceReader::shape(const SceneSpaceBody& s, const Word& here) {
  if (!s.parts.empty()) return parts(s, here);
  Solid out = solid(s, here, s.fixed);
  if (!out.has_volume()) return out;
  for (SpaceShape& x : out.shapes) x = x.moved(Mat3::Identity(), -out.mass.centre);
  out.mass.centre.setZero();
  return out;
}

SpaceReader::Solid SpaceReader::parts(const SceneSpaceBody& s, const Word& here) {
  if (s.shape.given()) c_.complain(s.shape, "give a shape, or parts with shapes");
  Solid out;
  std::size_t dense = 0;
  for (const auto& e : s.parts.list) {
    const Word at{e.name, fmt::format("{}.parts.{}", here.path, e.name), e.place};
    if (!e.value.shape.given()) c_.miss(at.place, at.path, "shape", "a part has a shape");
    Solid part = solid(e.value, at, s.fixed);
    const double density = c_.number_in(Range::positive(), e.value.density, 1);
    dense += e.value.density.given();
    if (e.value.density.given() && s.fixed)
      c_.complain(e.value.density, "a fixed body has none: leave it out");
    const Mat3 R = turn_of(e.value, at).matrix();
    const Vec3 by = vector_of(at, "position", e.value.position);
    if (part.has_volume()) {
      MassProperties m = part.mass;
      m.mass *= density, m.centre = R * m.centre + by, m.inertia = density * R * m.inertia * R.transpose();
      out.mass = out.has_volume() ? out.mass + m : m;
    }
    for (const SpaceShape& x : part.shapes) out.shapes.push_back(x.moved(R, by));
  }
  if (dense > 0 && dense < s.parts.list.size())
    c_.complaints().add(here.place, field(here, "parts").path, "give the density of all parts, or of none");
  if (dense > 0 && s.density.given()) c_.complain(s.density, "the parts have a density already");
  if (s.fixed || !s.inertia.list.empty() || !out.has_volume()) return out;
  for (SpaceShape& x : out.shapes) x = x.moved(Mat3::Identity(), -out.mass.centre);
  out.mass.centre.setZero();
  return out;
}

void SpaceReader::inertia(const SceneSpaceBody& s, const Word& here, const Solid& solid, SpaceBody& b) {
  const bool dense = s.density.given() || std::any_of(s.parts.list.begin(), s.parts.list.end(),
                                                      [](const auto& p) { return p.value.density.given(); });
  if (s.mass.given() == dense)
    c_.miss(here.place, here.path, "mass", "a body that moves needs either a mass or a density");
  b.mass = c_.number_in(Range::positive(), s.mass, 1);
  const double density = c_.number_in(Range::positive(), s.density, 1);
  const bool volume = solid.has_volume();
  if (s.density.given() && !volume && c_.complaints().empty())
    c_.complain(s.density, "only a body with a volume has a density: give its mass");
  if (!s.mass.given() && volume) b.mass = density * solid.mass.mass;
  if (volume) b.inertia = b.mass / solid.mass.mass * solid.mass.inertia;
  if (s.shape.text == "disk" && !solid.shapes.empty()) {  // thin and homogeneous
    const SpaceShape& disk = solid.shapes[0];
    b.inertia =
        b.mass * disk.radius * disk.radius / 4 * (Mat3::Identity() + disk.axis * disk.axis.transpose());
  }
  if (s.inertia.list.empty() && b.inertia.isZero() && c_.complaints().empty())
    c_.miss(here.place, here.path, "inertia",
            "a body without a volume needs an inertia: one number, or three principal moments");
  Values moments = s.inertia.list;
  if (moments.empty()) return;
  for (Value& v : moments) v.unit = "kg m^2";
  const auto J = [&](std::size_t k) { return c_.number(moments[k]); };
  if (moments.size() == 1)
    b.inertia = J(0) * Mat3::Identity();
  else if (moments.size() == 3)
    b.inertia = Vec3(J(0), J(1), J(2)).asDiagonal();
  else if (moments.size() == 6)
    b.inertia << J(0), J(3), J(4), J(3), J(1), J(5), J(4), J(5), J(2);
  else
    has(moments, 3, field(here, "inertia"), "1, 3 or 6 numbers");
  if (const std::string trouble = inertia_trouble(b.inertia); !trouble.empty())
    c_.complain(moments[0], "no body can have this inertia: " + trouble);
}

}  // namespace saltus
