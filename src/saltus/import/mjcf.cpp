// MJCF: bodies, joints and shapes of MuJoCo's models. Bodies without joints become parts of the body they are
// in; several joints of one body are joints of bodies between, which weigh next to nothing.
#include <algorithm>

#include "saltus/import/mjcf_geoms.hpp"

namespace saltus {
namespace {

using Element = tinyxml2::XMLElement;

class MjcfReader : MjcfGeoms {
 public:
  using MjcfGeoms::MjcfGeoms;
  ImportedModel model();

 private:
  static constexpr double next_to_nothing = 1e-3;  // of the mass of the body that a joint carries

  struct Link {  // a body of the scene while it is read
    MassProperties mass;
    const Element* element = nullptr;
    bool explicit_mass = false;
  };
  struct Frame {
    ModelPose at;           // in space
    int body = -1;          // −1: the ground
    std::string inherited;  // class
    int tree = 0;           // top body it belongs to
  };
  void read_body(const Element* e, const Frame& parent);
  void read_children(const Element* e, const Frame& frame);
  void read_inertial(const Element* e, const Frame& frame);
  void read_geom(const Element* e, const Frame& frame);
  int begin_body(const Element* e, const ModelPose& at, int tree, const std::string& name);
  void read_joint(const Element* e, Frame& frame, const std::string& a, const std::string& b);
  ModelPose seen_from(int body, const ModelPose& at) const;
  void drop_ghosts();
  void finish_bodies();
  void read_equalities();
  void read_rest();
  std::string body_of(const Element* e, const char* name) const;

  std::vector<Link> links_;
  std::vector<std::pair<int, int>> carried_;  // bodies that weigh next to nothing, and the next one
  std::map<std::string, int> body_names_;     // in the file
  std::map<std::string, std::string> joint_names_;
  std::map<std::string, ModelPose> frames_;
  int trees_ = 0;
  int types_ = 0, affinities_ = 0;                              // of all shapes
  std::map<int, std::vector<std::pair<int, int>>> part_types_;  // by bodies: type and affinity of each part
  std::vector<std::pair<int, int>> wall_types_;
};

ModelPose MjcfReader::seen_from(int body, const ModelPose& at) const {
  const ImportedBody& b = out_.bodies[body];
  return {b.turn.transpose() * (at.x - b.position), b.turn.transpose() * at.R};
}

int MjcfReader::begin_body(const Element* e, const ModelPose& at, int tree, const std::string& name) {
  ImportedBody b;
  b.name = plain(name), b.position = at.x, b.turn = at.R, b.group = fmt::format("tree_{}", tree);
  out_.bodies.push_back(std::move(b));
  links_.push_back({{}, e, false});
  return static_cast<int>(out_.bodies.size()) - 1;
}

// Points and axes are given in the frame of the body, as the joints before have moved it.
void MjcfReader::read_joint(const Element* e, Frame& frame, const std::string& a, const std::string& b) {
  const std::string kind = word(e, "type", frame.inherited, "hinge"),
                    name = word(e, "name", frame.inherited, "");
  ImportedJoint j;
  j.name = plain(name.empty() ? "joint" : name), j.a = a, j.b = b;
  j.at = frame.at.x + frame.at.R * vector(e, "pos", frame.inherited, Vec3::Zero());
  Vec3 axis = vector(e, "axis", frame.inherited, Vec3::UnitZ());
  if (!(axis.norm() > 0)) refuse(e, fmt::format("joint {}: its axis is zero", j.name));
  axis = frame.at.R * axis / axis.norm();
  j.axis = axis;
  j.type = kind == "slide" ? "slider" : kind == "ball" ? "ball" : "hinge";
  if (kind != "slide" && kind != "ball" && kind != "hinge") refuse(e, fmt::format("unknown type '{}'", kind));
  if (number(e, "armature", frame.inherited, 0) != 0)
    trouble(e, fmt::format("the armature of joint {}: inertia of a rotor", j.name));
  const double unit = kind == "slide" ? 1 : angle_unit_, zero = unit * number(e, "ref", frame.inherited, 0);
  j.damping = number(e, "damping", frame.inherited, 0),
  j.friction = number(e, "frictionloss", frame.inherited, 0);
  j.stiffness = number(e, "stiffness", frame.inherited, 0);
  j.rest = unit * number(e, "springref", frame.inherited, 0) - zero;
  const auto range = values(e, "range", frame.inherited);
  const std::string limited = word(e, "limited", frame.inherited, "auto");
  const bool has_limits = limited == "true" || (limited == "auto" && autolimits_ && !range.empty());
  if (kind == "ball") {
    if (has_limits || j.damping != 0 || j.friction != 0 || j.stiffness != 0)
      trouble(e, fmt::format("limits, damping, friction and stiffness of the ball joint {}", j.name));
    j.damping = j.friction = j.stiffness = j.rest = 0;
  } else if (has_limits) {
    if (range.size() != 2 || !(range[0] < range[1]))
      refuse(e, fmt::format("joint {}: range has to be two increasing numbers", j.name));
    j.limits = {unit * range[0] - zero, unit * range[1] - zero};
    j.start = std::clamp(0.0, j.limits->first, j.limits->second);
    if (j.start != 0) note(e, fmt::format("joint {} starts at the nearest of its limits", j.name));
  }
  if (kind == "slide")
    frame.at.x += j.start * axis;
  else if (j.start != 0) {
    const Mat3 R = rotation_exp(j.start * axis).matrix();
    frame.at = {j.at + R * (frame.at.x - j.at), R * frame.at.R};
  }
  if (!name.empty()) joint_names_[name] = j.name;
  out_.joints.push_back(std::move(j));
}

// `frame` is that of the body; it moves with joints that begin at a limit.
void MjcfReader::read_body(const Element* e, const Frame& parent) {
  Frame frame = parent;
  if (e->Attribute("childclass")) frame.inherited = e->Attribute("childclass");
  const std::string name = e->Attribute("name") ? e->Attribute("name") : "body";
  if (e->Attribute("mocap"))
    note(e, fmt::format("body {} is moved by the program (mocap): it stands still", name));
  frame.at = parent.at * pose(e, "");
  if (parent.body < 0) frame.tree = ++trees_;
  std::vector<const Element*> joints;
  bool free = false;
  for (const Element* c : children(e)) {
    if (c->Name() == std::string_view("freejoint")) free = true;
    if (c->Name() != std::string_view("joint")) continue;
    if (word(c, "type", frame.inherited, "hinge") == "free")
      free = true;
    else
      joints.push_back(c);
  }
  if (free && (!joints.empty() || parent.body >= 0))
    refuse(e, fmt::format("body {}: a free joint stands alone, in the world", name));
  if (free && options_.fixed_base) free = false;
  if (!free && joints.empty()) {  // a part of what it is in
    if (e->Attribute("name")) body_names_[name] = frame.body, frames_[name] = frame.at;
    return read_children(e, frame);
  }
  int before = parent.body;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const bool last = k + 1 == joints.size();
    const int body = begin_body(e, frame.at, frame.tree, last ? name : name + "_between");
    if (!last) carried_.emplace_back(body, body + 1);
    read_joint(joints[k], frame, out_.bodies[body].name, before >= 0 ? out_.bodies[before].name : "");
    out_.bodies[body].position = frame.at.x, out_.bodies[body].turn = frame.at.R;
    before = body;
  }
  if (free) before = begin_body(e, frame.at, frame.tree, name);
  frame.body = before;
  if (e->Attribute("name")) body_names_[name] = frame.body, frames_[name] = frame.at;
  read_children(e, frame);
}

void MjcfReader::read_children(const Element* e, const Frame& frame) {
  for (const Element* c : children(e)) {
    const std::string kind = c->Name();
    if (kind == "body") {
      read_body(c, frame);
    } else if (kind == "frame") {
      Frame inner = frame;
      inner.at = frame.at * pose(c, "");
      if (c->Attribute("childclass")) inner.inherited = c->Attribute("childclass");
      read_children(c, inner);
    } else if (kind == "inertial") {
      read_inertial(c, frame);
    } else if (kind == "geom") {
      read_geom(c, frame);
    } else if (kind == "replicate" || kind == "composite" || kind == "flexcomp" || kind == "attach" ||
               kind == "plugin") {
      trouble(c, fmt::format("<{}>", kind));
    } else if (kind != "joint" && kind != "freejoint") {
      note(c, fmt::format("<{}>", kind));
    }
  }
}

void MjcfReader::read_inertial(const Element* e, const Frame& frame) {
  if (frame.body < 0) return;
  const ModelPose at = seen_from(frame.body, frame.at * pose(e, frame.inherited));
  MassProperties m;
  m.mass = number(e, "mass", frame.inherited, 0), m.centre = at.x;
  if (!(m.mass >= 0)) trouble(e, "a negative mass");
  Mat3 J = Mat3::Zero();
  const auto full = values(e, "fullinertia", frame.inherited),
             diagonal = values(e, "diaginertia", frame.inherited);
  if (full.size() == 6)
    J << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
  else if (diagonal.size() == 3)
    J = Vec3(diagonal[0], diagonal[1], diagonal[2]).asDiagonal();
  else
    refuse(e, "an inertial needs diaginertia (3 numbers) or fullinertia (6)");
  m.inertia = at.R * J * at.R.transpose();
  Link& link = links_[frame.body];
  link.mass = link.explicit_mass ? link.mass + m : m, link.explicit_mass = true;
}

void MjcfReader::read_geom(const Element* e, const Frame& frame) {
  const Geom g = geom(e, frame.at, frame.inherited);
  types_ |= g.type, affinities_ |= g.affinity;
  if (g.wall) {
    if (frame.body >= 0) return trouble(e, "a plane on a body that moves");
    out_.walls.push_back(
        {plain(g.name.empty() ? "plane" : g.name), material(e, frame.inherited), g.at.x, g.at.R.col(2)});
    wall_types_.emplace_back(g.type, g.affinity);
    return;
  }
  if (!g.solid) return;
  int body = frame.body;
  if (body < 0) {  // what stands in the world: one obstacle for each tree of bodies
    if (!g.touches) return;
    body = begin_body(e, {}, 0, g.name.empty() ? "obstacle" : g.name);
    out_.bodies[body].fixed = true, out_.bodies[body].group.clear();
  }
  ImportedBody& b = out_.bodies[body];
  const ModelPose at = seen_from(body, g.at);
  if (!links_[body].explicit_mass && !b.fixed) {
    const MassProperties m = weight(e, g, at, frame.inherited);
    Link& link = links_[body];
    if (m.mass > 0) link.mass = link.mass.mass > 0 ? link.mass + m : m;
  }
  if (!g.touches) return;
  if (b.parts.empty())
    b.material = material(e, frame.inherited);
  else if (b.material != material(e, frame.inherited))
    note(e, "shapes of one body with different friction: that of its first one is taken");
  ImportedPart part = g.part;
  part.name = fmt::format("part_{}", b.parts.size() + 1), part.position = at.x, part.turn = at.R;
  b.parts.push_back(std::move(part));
  part_types_[body].emplace_back(g.type, g.affinity);
}

// Shapes whose types no affinity of the model names, and the other way round, touch nothing.
void MjcfReader::drop_ghosts() {
  const auto touches = [&](const std::pair<int, int>& x) {
    return (x.first & affinities_) != 0 || (x.second & types_) != 0;
  };
  for (std::size_t k = 0; k < out_.bodies.size(); ++k) {
    std::vector<ImportedPart> kept;
    for (std::size_t i = 0; i < out_.bodies[k].parts.size(); ++i)
      if (touches(part_types_[static_cast<int>(k)][i])) kept.push_back(std::move(out_.bodies[k].parts[i]));
    out_.bodies[k].parts = std::move(kept);
  }
  std::vector<ImportedWall> walls;
  for (std::size_t k = 0; k < out_.walls.size(); ++k)
    if (touches(wall_types_[k])) walls.push_back(out_.walls[k]);
  out_.walls = std::move(walls);
  std::erase_if(out_.bodies, [](const ImportedBody& b) { return b.fixed && b.parts.empty(); });
}

void MjcfReader::finish_bodies() {
  for (std::size_t k = 0; k < out_.bodies.size(); ++k) {
    ImportedBody& b = out_.bodies[k];
    if (b.fixed) continue;
    const bool between = std::any_of(carried_.begin(), carried_.end(),
                                     [&](const auto& c) { return c.first == static_cast<int>(k); });
    if (between) continue;
    const MassProperties& m = links_[k].mass;
    b.mass = m.mass, b.inertia = m.inertia;
    if (!(m.mass > 0)) {
      trouble(links_[k].element,
              fmt::format("body {} moves and has no mass: give it one, and an inertia", b.name));
      continue;
    }
    if (const std::string wrong = inertia_trouble(m.inertia); !wrong.empty()) {
      trouble(links_[k].element, fmt::format("no body can have the inertia of {}: {}", b.name, wrong));
      continue;
    }
    for (ImportedPart& p : b.parts) p.position -= m.centre;
    b.position += b.turn * m.centre;
  }
  for (auto it = carried_.rbegin(); it != carried_.rend(); ++it) {
    ImportedBody &b = out_.bodies[it->first], &next = out_.bodies[it->second];
    b.mass = next_to_nothing * next.mass, b.touches = false;
    b.inertia = next_to_nothing * next.inertia.trace() / 3 * Mat3::Identity();
    b.position = next.position, b.turn = next.turn;
    note(links_[it->first].element,
         fmt::format("{} has several joints: the body between two of them has a thousandth of its mass",
                     next.name));
  }
}

std::string MjcfReader::body_of(const Element* e, const char* name) const {
  const char* text = e->Attribute(name);
  if (!text) return {};
  const auto found = body_names_.find(text);
  if (std::string_view(text) == "world") return {};
  if (found == body_names_.end()) refuse(e, fmt::format("no body '{}'", text));
  return found->second >= 0 ? out_.bodies[found->second].name : std::string();
}

void MjcfReader::read_equalities() {
  for (const Element* section : sections("equality"))
    for (const Element* e : children(section)) {
      const std::string kind = e->Name();
      if (word(e, "active", "", "true") == "false") continue;
      if (kind == "joint" && e->Attribute("joint2")) {
        const auto joint = [&](const char* which) {
          const auto found = joint_names_.find(word(e, which, "", ""));
          if (found == joint_names_.end()) refuse(e, fmt::format("no joint '{}'", word(e, which, "", "")));
          return found->second;
        };
        auto c = values(e, "polycoef", "");
        c.resize(std::max<std::size_t>(c.size(), 5), 0.0);
        if (!e->Attribute("polycoef")) c[1] = 1;
        if (c[0] != 0 || c[2] != 0 || c[3] != 0 || c[4] != 0)
          trouble(e, "an equality of joints that is not proportional");
        out_.gears.push_back({plain("equality"), joint("joint2"), joint("joint1"), c[1]});
      } else if ((kind == "connect" || kind == "weld") && e->Attribute("body1")) {
        ImportedJoint j;
        j.name = plain(kind), j.type = kind == "weld" ? "fixed" : "ball";
        j.a = body_of(e, "body1"), j.b = body_of(e, "body2");
        const ModelPose& at = frames_[e->Attribute("body1")];
        j.at = at.x + at.R * vector(e, "anchor", "", Vec3::Zero());
        if (kind == "weld" && e->Attribute("relpose"))
          trouble(e, "relpose of a weld: it holds the bodies as they start");
        if (j.a.empty()) std::swap(j.a, j.b);
        if (j.a.empty()) refuse(e, "it ties the world to itself");
        out_.joints.push_back(std::move(j));
      } else {
        trouble(e, fmt::format("an equality of kind {}", kind));
      }
    }
}

void MjcfReader::read_rest() {
  for (const Element* e : sections("option")) {
    if (e->Attribute("gravity")) out_.gravity = vector(e, "gravity", "", Vec3::Zero());
    for (const char* other : {"wind", "density", "viscosity"})
      if (e->Attribute(other)) trouble(e, fmt::format("{} of the medium", other));
  }
  for (const Element* section : sections("actuator"))
    for (const Element* e : children(section)) {
      if (e->Name() == std::string_view("motor"))
        note(e, "motors: nothing drives them");
      else
        trouble(e, fmt::format("an actuator of kind {}", e->Name()));
    }
  for (const Element* section : sections("tendon"))
    for (const Element* e : children(section)) trouble(e, fmt::format("a tendon ({})", e->Name()));
  for (const char* other : {"keyframe", "sensor", "contact", "custom", "extension", "deformable"})
    for (const Element* e : sections(other)) note(e, fmt::format("<{}>", other));
}

ImportedModel MjcfReader::model() {
  out_.name = model_name_;
  for (const Element* e : sections("worldbody")) read_children(e, {});
  if (out_.bodies.empty()) fail("{}: the model has no body", model_name_);
  finish_bodies();
  read_equalities();
  read_rest();
  for (const auto& [name, mu] : materials()) out_.friction[name] = mu;
  drop_ghosts();
  make_prisms(out_);
  const bool shapes = std::any_of(out_.bodies.begin(), out_.bodies.end(),
                                  [](const ImportedBody& b) { return !b.parts.empty(); });
  if (shapes) {
    out_.notes.push_back("contacts of a tree of bodies with itself: its bodies are of one group");
    out_.notes.push_back(
        "softness of contacts, rolling and torsional friction: contacts are rigid, without restitution");
  }
  return std::move(out_);
}

}  // namespace

ImportedModel read_mjcf(const std::string& text, const std::string& file, const ReadModelFile& read,
                        const ImportOptions& options) {
  return MjcfReader(text, file, read, options).model();
}

}  // namespace saltus
