// An imported model as the text of a scene.
#include "saltus/core/error.hpp"
#include "saltus/import/imported_model.hpp"
#include "saltus/spatial/triangle_mesh.hpp"

namespace saltus {
namespace {

std::string list_text(const Vec3& v) {
  const auto clean = [](double x) { return x == 0 ? 0.0 : x; };  // no −0
  return fmt::format("[{}, {}, {}]", clean(v[0]), clean(v[1]), clean(v[2]));
}

std::string turn_text(const Mat3& R) {
  if ((R - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-15) return {};
  const Rotation p = rotation_of(R);
  return fmt::format(", quaternion: [{}, {}, {}, {}]", p.w, p.v[0], p.v[1], p.v[2]);
}

std::string points_text(const std::vector<Vec3>& points) {
  std::string out;
  for (const Vec3& p : points) out += (out.empty() ? "" : ", ") + list_text(p);
  return "[" + out + "]";
}

std::string part_text(const ImportedPart& p) {
  std::string out = fmt::format("shape: {}", p.shape);
  if (p.shape == "box") out += ", size: " + list_text(p.size);
  if (p.shape == "ellipsoid") out += ", radii: " + list_text(p.size);
  if (p.shape == "sphere" || p.shape == "cylinder" || p.shape == "capsule")
    out += fmt::format(", radius: {}", p.radius);
  if (p.shape == "cylinder") out += fmt::format(", height: {}", p.height);
  if (p.shape == "capsule") out += fmt::format(", length: {}", p.height);
  if (p.shape == "hull") out += ", points: " + points_text(p.points);
  if (!p.position.isZero()) out += ", position: " + list_text(p.position);
  return out + turn_text(p.turn);
}

std::string body_text(const ImportedBody& b) {
  std::string out = fmt::format("    {}:\n      position: {}\n", b.name, list_text(b.position));
  if (const std::string turn = turn_text(b.turn); !turn.empty()) out += "      " + turn.substr(2) + "\n";
  if (b.fixed)
    out += "      fixed: true\n";
  else
    out += fmt::format("      mass: {}\n      inertia: [{}, {}, {}, {}, {}, {}]\n", b.mass, b.inertia(0, 0),
                       b.inertia(1, 1), b.inertia(2, 2), b.inertia(0, 1), b.inertia(0, 2), b.inertia(1, 2));
  if (!b.touches) out += "      contact: false\n";
  if (b.parts.empty()) return out;
  if (!b.material.empty()) out += "      material: " + b.material + "\n";
  if (!b.group.empty()) out += "      group: " + b.group + "\n";
  out += "      parts:\n";
  for (const ImportedPart& p : b.parts) out += fmt::format("        {}: {{{}}}\n", p.name, part_text(p));
  return out;
}

std::string joint_text(const ImportedJoint& j) {
  std::string out = fmt::format("    {}: {{type: {}, a: {}", j.name, j.type, j.a);
  if (!j.b.empty()) out += ", b: " + j.b;
  out += ", at: " + list_text(j.at);
  if (j.type != "ball" && j.type != "fixed") out += ", axis: " + list_text(j.axis);
  std::string acts;
  if (j.start != 0) acts += fmt::format(", start: {}", j.start);
  if (j.limits) acts += fmt::format(", limits: [{}, {}]", j.limits->first, j.limits->second);
  if (j.stiffness != 0) acts += fmt::format(", stiffness: {}, rest: {}", j.stiffness, j.rest);
  if (j.damping != 0) acts += fmt::format(", damping: {}", j.damping);
  if (j.friction != 0) acts += fmt::format(", friction: {}", j.friction);
  if (!acts.empty()) out += fmt::format(", {}: {{{}}}", j.coordinate(), acts.substr(2));
  return out + "}\n";
}

}  // namespace

std::string scene_of(const ImportedModel& m, double t_end) {
  std::string out = fmt::format("saltus: 1\ntitle: \"{}\"\n", m.name);
  for (const std::string& note : m.notes) out += "# not taken over: " + note + "\n";
  for (const std::string& trouble : m.troubles) out += "# MISSING: " + trouble + "\n";
  if (!m.friction.empty()) out += "materials:\n";
  for (const auto& [name, mu] : m.friction) out += fmt::format("  {}: {{mu: {}}}\n", name, mu);
  out += "space:\n";
  if (m.gravity) out += "  gravity: " + list_text(*m.gravity) + "\n";
  out += "  bodies:\n";
  for (const ImportedBody& b : m.bodies) out += body_text(b);
  if (!m.walls.empty()) out += "  walls:\n";
  for (const ImportedWall& w : m.walls)
    out += fmt::format("    {}: {{point: {}, normal: {}{}}}\n", w.name, list_text(w.point),
                       list_text(w.normal), w.material.empty() ? "" : ", material: " + w.material);
  if (!m.joints.empty()) out += "  joints:\n";
  const auto find = [&](const std::string& name) {
    for (const ImportedJoint& j : m.joints)
      if (j.name == name) return j;
    return ImportedJoint{};
  };
  for (const ImportedJoint& j : m.joints) out += joint_text(j);
  if (!m.gears.empty()) out += "  gears:\n";
  for (const ImportedGear& g : m.gears)
    out += fmt::format("    {}: {{driver: {}.{}, driven: {}.{}, ratio: {}}}\n", g.name, g.driver,
                       find(g.driver).coordinate(), g.driven, find(g.driven).coordinate(), g.ratio);
  return out + fmt::format("run: {{t_end: {}}}\n", t_end);
}

std::string scene_of_mesh(const std::string& name, const std::string& bytes, bool obstacle, double scale,
                          double density) {
  TriangleMesh mesh = name.ends_with(".obj") || name.ends_with(".OBJ") ? read_obj(bytes) : read_stl(bytes);
  for (Vec3& v : mesh.vertices) v *= scale;
  std::string out = fmt::format("saltus: 1\ntitle: \"{}\"\nspace:\n  bodies:\n    body:\n", name);
  if (!obstacle)
    return out + fmt::format("      shape: hull\n      points: {}\n      density: {}\nrun: {{t_end: 1}}\n",
                             points_text(hull_of(mesh.vertices).vertices), density);
  if (const std::string trouble = mesh_trouble(mesh, true); !trouble.empty()) fail("{}: {}", name, trouble);
  const bool open = !mesh_trouble(mesh, false).empty();
  std::string triangles;
  for (const auto& t : mesh.triangles)
    triangles += fmt::format("{}[{}, {}, {}]", triangles.empty() ? "" : ", ", t[0], t[1], t[2]);
  return out + fmt::format(
                   "      shape: mesh\n      fixed: true\n{}      points: {}\n      triangles: [{}]\n"
                   "    ball: {{shape: sphere, radius: {}, density: {}, position: [0, 0, 0]}}  # put it in "
                   "its place\n"
                   "run: {{t_end: 1}}\n",
                   open ? "      open: true\n" : "", points_text(mesh.vertices), triangles, 0.1 * scale,
                   density);
}

}  // namespace saltus
