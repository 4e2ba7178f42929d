// URDF: links and joints of a robot. Links that fixed joints hold become one body; the tree is placed at
// joint coordinates 0, or the nearest values within their limits.
#include <algorithm>

#include "saltus/import/model_xml.hpp"

namespace saltus {
namespace {

using Element = tinyxml2::XMLElement;
using Pose = ModelPose;

struct UrdfJoint {
  const Element* element = nullptr;
  std::string name, type, parent, child;
  Pose origin;
  Vec3 axis{1, 0, 0};
  double lower = 0, upper = 0, damping = 0, friction = 0;
  bool limited = false;
  std::string mimic;
  double multiplier = 1;
};

class UrdfReader : ModelXml {
 public:
  UrdfReader(const std::string& text, const std::string& file, const ReadModelFile& read,
             const ImportOptions& options)
      : ModelXml(read, options), document_(parse(text, file)), file_(file) {}
  ImportedModel model();

 private:
  std::vector<double> numbers(const Element* e, const char* name, std::size_t count) const;
  double number(const Element* e, const char* name, double missing) const;
  std::string word(const Element* e, const char* name) const;
  Vec3 vector(const Element* e, const char* name, const Vec3& missing) const;
  Pose origin(const Element* e) const;
  void joint(const Element* e);
  void place_link(const std::string& link, const Pose& at, int body);
  void add_link(const Element* link, const Pose& at, ImportedBody& body, MassProperties& mass);
  void add_part(const Element* collision, const std::string& link, const Pose& at, ImportedBody& body);
  void finish(ImportedBody& body, const MassProperties& mass, const Element* link);

  const tinyxml2::XMLDocument& document_;
  std::string file_;
  std::map<std::string, const Element*> links_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, std::string> joint_names_;  // in the file, and in the scene
  std::vector<MassProperties> masses_;
  std::vector<const Element*> first_links_;
  std::set<std::string> placed_;
};

std::vector<double> UrdfReader::numbers(const Element* e, const char* name, std::size_t count) const {
  const std::string text = word(e, name);
  auto out = ModelXml::numbers(e, name, text);
  if (out.size() != count)
    refuse(e, fmt::format("{}=\"{}\" has {} numbers, expected {}", name, text, out.size(), count));
  return out;
}

double UrdfReader::number(const Element* e, const char* name, double missing) const {
  return e && e->Attribute(name) ? numbers(e, name, 1)[0] : missing;
}

Vec3 UrdfReader::vector(const Element* e, const char* name, const Vec3& missing) const {
  if (!e || !e->Attribute(name)) return missing;
  const auto x = numbers(e, name, 3);
  return {x[0], x[1], x[2]};
}

std::string UrdfReader::word(const Element* e, const char* name) const {
  const char* text = e->Attribute(name);
  if (!text) refuse(e, fmt::format("the attribute {} is missing", name));
  return text;
}

Pose UrdfReader::origin(const Element* e) const {
  const Element* o = e->FirstChildElement("origin");
  const Vec3 rpy = vector(o, "rpy", Vec3::Zero());
  const auto about = [](int axis, double angle) { return rotation_exp(angle * Vec3::Unit(axis)).matrix(); };
  return {vector(o, "xyz", Vec3::Zero()), about(2, rpy[2]) * about(1, rpy[1]) * about(0, rpy[0])};
}

void UrdfReader::joint(const Element* e) {
  UrdfJoint j;
  j.element = e, j.name = word(e, "name"), j.type = word(e, "type"), j.origin = origin(e);
  const auto link = [&](const char* which) {
    const Element* x = e->FirstChildElement(which);
    if (!x) refuse(e, fmt::format("joint {} has no {}", j.name, which));
    std::string name = word(x, "link");
    if (!links_.count(name)) refuse(x, fmt::format("no link '{}'", name));
    return name;
  };
  j.parent = link("parent"), j.child = link("child");
  constexpr std::string_view known[] = {"fixed", "revolute", "continuous", "prismatic", "floating", "planar"};
  if (std::find(std::begin(known), std::end(known), j.type) == std::end(known))
    refuse(e, fmt::format("joint {} is of unknown type '{}'; known: {}", j.name, j.type,
                          fmt::join(known, ", ")));
  j.axis = vector(e->FirstChildElement("axis"), "xyz", {1, 0, 0});
  if (!(j.axis.norm() > 0)) refuse(e, fmt::format("joint {}: its axis is zero", j.name));
  j.axis.normalize();
  if (const Element* limit = e->FirstChildElement("limit");
      limit && (j.type == "revolute" || j.type == "prismatic")) {
    j.lower = number(limit, "lower", 0), j.upper = number(limit, "upper", 0), j.limited = j.lower < j.upper;
    if (!j.limited) note(limit, fmt::format("limits of joint {}: lower is not below upper", j.name));
    note(limit, "limits of effort and velocity: nothing drives the joints");
  }
  const Element* dynamics = e->FirstChildElement("dynamics");
  j.damping = number(dynamics, "damping", 0), j.friction = number(dynamics, "friction", 0);
  if (const Element* mimic = e->FirstChildElement("mimic")) {
    j.mimic = word(mimic, "joint"), j.multiplier = number(mimic, "multiplier", 1);
    if (number(mimic, "offset", 0) != 0)
      trouble(mimic,
              fmt::format("the offset of joint {}, which mimics {}: gears have none", j.name, j.mimic));
  }
  for (const char* other : {"safety_controller", "calibration"})
    if (const Element* x = e->FirstChildElement(other)) note(x, fmt::format("<{}>", other));
  joints_.push_back(std::move(j));
}

void UrdfReader::add_part(const Element* collision, const std::string& link, const Pose& at,
                          ImportedBody& body) {
  const Element* geometry = collision->FirstChildElement("geometry");
  const Element* shape = geometry ? geometry->FirstChildElement() : nullptr;
  if (!shape) return note(collision, fmt::format("a collision of link {} without geometry", link));
  const Pose pose = at * origin(collision);
  ImportedPart p;
  p.name = fmt::format("part_{}", body.parts.size() + 1), p.shape = shape->Name(), p.position = pose.x,
  p.turn = pose.R;
  if (p.shape == "box") {
    p.size = vector(shape, "size", Vec3::Zero());
    if (!(p.size.minCoeff() > 0)) return note(shape, fmt::format("a box of link {} without a size", link));
  } else if (p.shape == "sphere" || p.shape == "cylinder" || p.shape == "capsule") {
    p.radius = number(shape, "radius", 0), p.height = number(shape, "length", 0);
    if (!(p.radius > 0) || (p.shape != "sphere" && !(p.height > 0)))
      return note(shape, fmt::format("a {} of link {} without a size", p.shape, link));
  } else if (p.shape == "mesh") {
    const std::string name = word(shape, "filename");
    try {
      p.points = hull_of_file(name, vector(shape, "scale", Vec3::Ones())), p.shape = "hull";
    } catch (const Error& e) {
      return note(shape, fmt::format("the mesh {} of link {}: {}", name, link, e.what()));
    }
  } else {
    return note(shape,
                fmt::format("<{}> as a shape (box, sphere, cylinder, capsule and mesh are read)", p.shape));
  }
  body.parts.push_back(std::move(p));
}

// `at`: of the link in the frame of the body.
void UrdfReader::add_link(const Element* link, const Pose& at, ImportedBody& body, MassProperties& mass) {
  const std::string name = word(link, "name");
  if (const Element* inertial = link->FirstChildElement("inertial")) {
    const Pose pose = at * origin(inertial);
    MassProperties m;
    if (const Element* x = inertial->FirstChildElement("mass")) m.mass = number(x, "value", 0);
    if (const Element* x = inertial->FirstChildElement("inertia")) {
      const auto J = [&](const char* k) { return number(x, k, 0); };
      Mat3 I;
      I << J("ixx"), J("ixy"), J("ixz"), J("ixy"), J("iyy"), J("iyz"), J("ixz"), J("iyz"), J("izz");
      m.inertia = pose.R * I * pose.R.transpose();
    }
    m.centre = pose.x;
    if (m.mass > 0) mass = mass.mass > 0 ? mass + m : m;
    if (m.mass < 0) trouble(inertial, fmt::format("the mass of link {} is negative", name));
  }
  for (const Element* c = link->FirstChildElement("collision"); c; c = c->NextSiblingElement("collision"))
    add_part(c, name, at, body);
}

// A link at its place in space: of a body that is begun, or of a new one. Its frame is that of its first
// link.
void UrdfReader::place_link(const std::string& link, const Pose& at, int body) {
  const Element* element = links_[link];
  if (!placed_.insert(link).second)
    refuse(element, fmt::format("link {} has two parents, or is its own", link));
  if (body < 0) {
    body = static_cast<int>(out_.bodies.size());
    ImportedBody b;
    b.name = plain(link), b.position = at.x, b.turn = at.R;
    out_.bodies.push_back(std::move(b)), masses_.emplace_back(), first_links_.push_back(element);
  }
  const Pose frame{out_.bodies[body].position, out_.bodies[body].turn};
  const Pose seen{frame.R.transpose() * (at.x - frame.x), frame.R.transpose() * at.R};
  add_link(element, seen, out_.bodies[body], masses_[body]);
  for (const UrdfJoint& j : joints_) {
    if (j.parent != link) continue;
    Pose child = at * j.origin;
    if (j.type == "fixed") {
      place_link(j.child, child, body);
      continue;
    }
    ImportedJoint out;
    out.name = plain(j.name), out.b = out_.bodies[body].name, out.at = child.x, out.axis = child.R * j.axis;
    out.type = j.type == "prismatic" ? "slider" : j.type == "planar" ? "planar" : "hinge";
    out.damping = j.damping, out.friction = j.friction;
    if (j.limited) out.limits = {j.lower, j.upper}, out.start = std::clamp(0.0, j.lower, j.upper);
    if (j.type == "prismatic")
      child.x += out.start * out.axis;
    else
      child.R = child.R * rotation_exp(out.start * j.axis).matrix();
    const std::size_t next = out_.bodies.size();
    place_link(j.child, child, -1);
    out.a = out_.bodies[next].name;
    if (j.type == "floating") continue;
    out_.joints.push_back(out), joint_names_[j.name] = out.name;
    if (!j.mimic.empty()) out_.gears.push_back({plain(j.name + "_mimics"), j.mimic, out.name, j.multiplier});
  }
}

void UrdfReader::finish(ImportedBody& b, const MassProperties& m, const Element* link) {
  b.mass = m.mass, b.inertia = m.inertia;
  if (b.fixed) return;
  if (!(m.mass > 0))
    return trouble(link, fmt::format("link {} moves and has no mass: give it one, and an inertia", b.name));
  if (const std::string wrong = inertia_trouble(m.inertia); !wrong.empty())
    return trouble(link, fmt::format("no body can have the inertia of link {}: {}", b.name, wrong));
  for (ImportedPart& p : b.parts) p.position -= m.centre;
  b.position += b.turn * m.centre;
}

ImportedModel UrdfReader::model() {
  const Element* robot = document_.FirstChildElement("robot");
  if (!robot) fail("{}: no <robot>: this is no URDF", file_);
  out_.name = robot->Attribute("name") ? robot->Attribute("name") : file_;
  for (const Element* e = robot->FirstChildElement(); e; e = e->NextSiblingElement()) {
    const std::string kind = e->Name();
    if (kind == "link" && !links_.emplace(word(e, "name"), e).second)
      refuse(e, fmt::format("the link {} is there twice", word(e, "name")));
    if (kind != "link" && kind != "joint" && kind != "material") note(e, fmt::format("<{}>", kind));
  }
  if (links_.empty()) fail("{}: the robot has no link", file_);
  for (const Element* e = robot->FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) joint(e);
  for (const Element* e = robot->FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
    const std::string name = word(e, "name");
    if (std::any_of(joints_.begin(), joints_.end(), [&](const UrdfJoint& j) { return j.child == name; }))
      continue;
    const std::size_t first = out_.bodies.size();
    place_link(name, {}, -1);
    const bool weightless = !(masses_[first].mass > 0);
    out_.bodies[first].fixed = options_.fixed_base || weightless;
    if (weightless)
      note(e, fmt::format("link {} has no mass and no parent: it is fixed to the ground", name));
  }
  if (placed_.size() < links_.size())
    fail("{}: joints form a ring: {} links have no root", file_, links_.size() - placed_.size());
  for (std::size_t k = 0; k < out_.bodies.size(); ++k) finish(out_.bodies[k], masses_[k], first_links_[k]);
  for (ImportedGear& g : out_.gears) {
    const auto driver = joint_names_.find(g.driver);
    if (driver == joint_names_.end())
      fail("{}: no joint '{}' that {} could follow", file_, g.driver, g.driven);
    g.driver = driver->second;
  }
  if (std::any_of(out_.bodies.begin(), out_.bodies.end(),
                  [](const ImportedBody& b) { return !b.parts.empty(); }))
    out_.notes.push_back("contacts of the model with itself: its bodies are of one group");
  return std::move(out_);
}

}  // namespace

ImportedModel read_urdf(const std::string& text, const std::string& file, const ReadModelFile& read,
                        const ImportOptions& options) {
  return UrdfReader(text, file, read, options).model();
}

}  // namespace saltus
