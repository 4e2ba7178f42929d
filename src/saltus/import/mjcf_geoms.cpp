#include "saltus/import/mjcf_geoms.hpp"

#include <algorithm>
#include <utility>

namespace saltus {
namespace {

constexpr double pi = 3.14159265358979323846;

// Points whose hull stands for a cylinder or an ellipsoid; its volume is less by about one per cent.
std::vector<Vec3> points_of(const ImportedPart& p) {
  constexpr int sides = 24, rings = 9;
  std::vector<Vec3> out;
  if (p.shape == "cylinder") {
    for (int k = 0; k < sides; ++k)
      for (const double z : {-0.5, 0.5})
        out.emplace_back(p.radius * std::cos(2 * pi * k / sides), p.radius * std::sin(2 * pi * k / sides),
                         z * p.height);
    return out;
  }
  for (int i = 0; i <= rings; ++i) {
    const double polar = pi * i / rings;
    for (int k = 0; k < (i == 0 || i == rings ? 1 : 16); ++k)
      out.emplace_back(p.size[0] * std::sin(polar) * std::cos(pi * k / 8),
                       p.size[1] * std::sin(polar) * std::sin(pi * k / 8), p.size[2] * std::cos(polar));
  }
  return out;
}

SpaceShape shape_of(const ImportedPart& p) {
  if (p.shape == "box") return SpaceShape::box(p.size / 2);
  if (p.shape == "sphere") return SpaceShape::sphere(p.radius);
  if (p.shape == "capsule") return SpaceShape::capsule(p.radius, p.height, Vec3::UnitZ());
  if (p.shape == "cylinder") return SpaceShape::cylinder(p.radius, p.height, Vec3::UnitZ());
  if (p.shape == "ellipsoid") return SpaceShape::ellipsoid(p.size);
  return SpaceShape::of(hull_of(p.points));
}

}  // namespace

const MjcfGeoms::Mesh& MjcfGeoms::mesh(const Element* geom, const std::string& name) {
  if (!std::exchange(meshes_known_, true))
    for (const Element* section : sections("asset"))
      for (const Element* e : children(section, "mesh")) {
        std::string own = word(e, "name", "", "");
        const std::string file = word(e, "file", "", "");
        if (own.empty()) {  // the name of the file without folder and ending
          const std::size_t slash = file.rfind('/');
          own = file.substr(slash == std::string::npos ? 0 : slash + 1);
          own = own.substr(0, own.rfind('.'));
        }
        meshes_[own].element = e;
      }
  const auto found = meshes_.find(name);
  if (found == meshes_.end()) refuse(geom, fmt::format("no mesh '{}'", name));
  Mesh& m = found->second;
  if (!m.points.empty() || !m.wrong.empty()) return m;
  try {
    if (const auto vertices = values(m.element, "vertex", ""); !vertices.empty()) {
      std::vector<Vec3> points;
      for (std::size_t k = 0; k + 2 < vertices.size(); k += 3)
        points.emplace_back(vertices[k], vertices[k + 1], vertices[k + 2]);
      const Vec3 scale = vector(m.element, "scale", "", Vec3::Ones());
      for (Vec3& p : points) p = p.cwiseProduct(scale);
      m.points = hull_of(points).vertices;
    } else {
      const std::string file = word(m.element, "file", "", ""),
                        folder = mesh_folder_.empty() ? "" : mesh_folder_ + "/";
      m.points = hull_of_file(folder + file, vector(m.element, "scale", "", Vec3::Ones()));
    }
    const ModelPose ref{vector(m.element, "refpos", "", Vec3::Zero()), Mat3::Identity()};
    for (Vec3& p : m.points) p -= ref.x;
    if (m.element->Attribute("refquat")) trouble(m.element, fmt::format("refquat of the mesh {}", name));
  } catch (const Error& error) {
    m.wrong = error.what();
  }
  return m;
}

void MjcfGeoms::set_sizes(const Element* e, const std::string& kind, Geom& g, const std::string& inherited) {
  const auto size = values(e, "size", inherited);
  const auto from_to = values(e, "fromto", inherited);
  const auto need = [&](std::size_t count) {
    if (size.size() < count || !std::all_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(count),
                                            [](double x) { return x > 0; }))
      refuse(e, fmt::format("a {} needs {} positive sizes", kind, count));
  };
  const bool ends = from_to.size() == 6 && kind != "sphere";
  if (kind == "sphere" || kind == "capsule" || kind == "cylinder") {
    need(kind == "sphere" || ends ? 1 : 2);
    g.part.radius = size[0];
    if (kind != "sphere" && !ends) g.part.height = 2 * size[1];
  } else {
    need(ends ? 1 : 3);
    const Vec3 half =
        ends ? Vec3(size[0], size.size() > 1 ? size[1] : size[0], 1) : Vec3(size[0], size[1], size[2]);
    g.part.size = kind == "box" ? Vec3(2 * half) : half;
  }
  if (!ends) return;
  const Vec3 from(from_to[0], from_to[1], from_to[2]), to(from_to[3], from_to[4], from_to[5]);
  const double length = (to - from).norm();
  if (!(length > 0)) refuse(e, "fromto has the length zero");
  g.part.height = length;
  if (kind == "box") g.part.size[2] = length;
  if (kind == "ellipsoid") g.part.size[2] = length / 2;
  const Vec3 z = (to - from) / length, x = some_normal_to(z);
  Mat3 R;
  R << x, cross(z, x), z;
  g.at = g.at * ModelPose{(from + to) / 2, R};
}

MjcfGeoms::Geom MjcfGeoms::geom(const Element* e, const ModelPose& frame, const std::string& inherited) {
  Geom g;
  g.name = word(e, "name", "", "");
  const std::string mesh_name = word(e, "mesh", inherited, "");
  const std::string kind = word(e, "type", inherited, mesh_name.empty() ? "sphere" : "mesh");
  g.at = attribute(e, "fromto", inherited) ? frame : frame * pose(e, inherited);
  g.type = static_cast<int>(number(e, "contype", inherited, 1));
  g.affinity = static_cast<int>(number(e, "conaffinity", inherited, 1));
  g.touches = g.type != 0 || g.affinity != 0;
  g.part.shape = kind;
  if (kind == "plane") {
    g.wall = g.touches;
  } else if (kind == "mesh" || (!mesh_name.empty() && kind != "sdf" && kind != "hfield")) {
    const Mesh& m = mesh(e, mesh_name);
    if (!m.wrong.empty()) {
      note(e, fmt::format("the mesh {}: {}", mesh_name, m.wrong));
      return g;
    }
    if (kind != "mesh")
      note(e, fmt::format("a {} fitted to the mesh {}: its hull is taken", kind, mesh_name));
    g.part.shape = "hull", g.part.points = m.points, g.solid = true;
  } else if (kind == "sphere" || kind == "capsule" || kind == "cylinder" || kind == "box" ||
             kind == "ellipsoid") {
    set_sizes(e, kind, g, inherited);
    g.solid = true;
  } else if (kind == "hfield" || kind == "sdf") {
    if (g.touches) trouble(e, fmt::format("a geom of type {}", kind));
  } else {
    refuse(e, fmt::format("unknown type '{}'", kind));
  }
  return g;
}

MassProperties MjcfGeoms::weight(const Element* e, const Geom& g, const ModelPose& at,
                                 const std::string& inherited) const {
  const double given = number(e, "mass", inherited, -1), density = number(e, "density", inherited, 1000);
  if (given == 0 || (given < 0 && !(density > 0))) return {};
  MassProperties m = mass_properties(shape_of(g.part), given > 0 ? 1 : density);
  if (given > 0) m.inertia *= given / m.mass, m.mass = given;
  m.centre = at.x + at.R * m.centre, m.inertia = at.R * m.inertia * at.R.transpose();
  return m;
}

std::string MjcfGeoms::material(const Element* e, const std::string& inherited) {
  const double mu = number(e, "friction", inherited, 1);
  std::string& name = by_friction_[mu];
  if (name.empty()) name = mu == 1 ? "default" : fmt::format("friction_{}", by_friction_.size());
  materials_.try_emplace("default", 1.0), materials_[name] = mu;
  return name;
}

void MjcfGeoms::make_prisms(ImportedModel& model) {
  const auto round = [](const ImportedPart& p) { return p.shape == "cylinder" || p.shape == "ellipsoid"; };
  for (ImportedBody& b : model.bodies) {
    const bool meets = std::any_of(model.bodies.begin(), model.bodies.end(), [&](const ImportedBody& other) {
      if (&other == &b || (other.fixed && b.fixed) || (!b.group.empty() && other.group == b.group))
        return false;
      return std::any_of(other.parts.begin(), other.parts.end(),
                         [](const ImportedPart& p) { return p.shape != "sphere"; });
    });
    if (!meets) continue;
    for (ImportedPart& p : b.parts)
      if (round(p)) {
        model.notes.push_back(
            fmt::format("the {} of {}: it may meet a body that is no sphere, and is a hull of flat faces",
                        p.shape, b.name));
        p.points = points_of(p), p.shape = "hull";
      }
  }
}

}  // namespace saltus
