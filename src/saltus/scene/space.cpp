#include "saltus/scene/space.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/formula/time_formula.hpp"
#include "saltus/scene/space_reader.hpp"
#include "saltus/spatial/assembly.hpp"

namespace saltus {

SpaceOfScene SpaceReader::read() {
  refuse_others();
  data_.parameters = c_.parameter_values();
  data_.materials = materials_.table;
  data_.gravity =
      vector_of({"", "space.gravity", c_.scene().place_of("space")}, scene_.gravity, {0, 0, -9.81});
  data_.margin = c_.number_in(Range::positive(), scene_.contact_margin, 0);
  for (const auto& e : scene_.bodies.list)
    name(e.name, e.place, "bodies"), body(e.value, {e.name, "space.bodies." + e.name, e.place});
  for (const auto& e : scene_.groups.list)
    name(e.name, e.place, "groups"), group(e.value, {e.name, "space.groups." + e.name, e.place});
  if (scene_.bodies.empty() && scene_.groups.empty())
    c_.complaints().add(c_.scene().place_of("space"), "space",
                        "there is nothing to move: give bodies or groups");
  for (const auto& e : scene_.boxes.list)
    name(e.name, e.place, "boxes"), box(e.value, {e.name, "space.boxes." + e.name, e.place});
  for (const auto& e : scene_.walls.list)
    name(e.name, e.place, "walls"), wall(e.value, {e.name, "space.walls." + e.name, e.place});
  if (c_.complaints().empty()) links();
  SpaceOfScene out;
  if (c_.complaints().empty()) make(out);
  out.pushes = std::move(pushes_);
  return out;
}

// What the other sections would mean beside bodies in space is not defined.
void SpaceReader::refuse_others() {
  constexpr std::string_view fine[] = {
      "saltus",      "title", "parameters", "space",     "materials", "run",      "record", "measure", "let",
      "coordinates", "mass",  "kinetic",    "potential", "forces",    "contacts", "joints", "motions"};
  for (const auto& [section, place] : c_.scene().sections)
    if (std::find(std::begin(fine), std::end(fine), section) == std::end(fine))
      c_.complaints().add(
          place, section,
          "this does not go together with `space`: bodies in space, their walls, joints, springs and "
          "gravity are fields of that section; formulas may stand beside it");
}

void SpaceReader::name(const std::string& name, Place place, std::string_view section) {
  const std::string path = fmt::format("space.{}.{}", section, name);
  if (name.find('.') != std::string::npos) c_.complaints().add(place, path, "the name of a body has no dot");
  if (name == "ground")
    c_.complaints().add(place, path, "'ground' is what does not move: choose another name");
  if (!names_.insert(name).second)
    c_.complaints().add(place, path, fmt::format("the name '{}' is taken already", name));
}

// ---- bodies
void SpaceReader::body(const SceneSpaceBody& s, const Word& here) {
  SpaceBody b;
  b.name = here.text;
  b.touches = s.contact;
  b.material = material(s.material);
  if (s.group.given())
    b.group = static_cast<int>(
        std::distance(groups_.begin(), std::find(groups_.begin(), groups_.end(), s.group.text)));
  if (s.group.given() && b.group == static_cast<int>(groups_.size())) groups_.push_back(s.group.text);
  b.start = vector_of(here, "position", s.position);
  const Rotation turn = turn_of(s, here);
  b.turn = turn.matrix();
  b.force = load(here, "force", s.force, SpacePush::On::force, s.fixed);
  b.torque = load(here, "torque", s.torque, SpacePush::On::torque, s.fixed);
  const Vec3 velocity = vector_of(here, "velocity", s.velocity);
  if (!s.spin.empty() && !s.spin_body.empty())
    c_.complain(s.spin_body[0],
                "the angular velocity is given twice: `spin` is in inertial axes, `spin_body` in those of "
                "the body");
  const Vec3 spin = s.spin_body.empty() ? vector_of(here, "spin", s.spin)
                                        : b.turn * vector_of(here, "spin_body", s.spin_body);
  Solid solid = shape(s, here);
  if (!s.fixed) inertia(s, here, solid, b);
  b.shapes = std::move(solid.shapes);
  if (s.fixed) {
    b.motion.pivot = b.start, b.motion.velocity = velocity, b.motion.omega = spin;
    for (const Value* v : {&s.mass, &s.density})
      if (v->given()) c_.complain(*v, "a fixed body has none: leave it out");
    b.mass = 0;
  }
  starts_.push_back({turn, velocity, b.turn.transpose() * spin});
  data_.bodies.push_back(std::move(b));
}

// Whether a formula can be compiled before the bodies have names: of parameters, or of t too.
bool SpaceReader::is_plain(const Formula& f, bool time) const {
  if (!f.given() || has_unit(f.text)) return true;
  try {
    const Expression e = Expression::parse(f.text);
    return std::all_of(e.variables().begin(), e.variables().end(), [&](const auto& v) {
      return (time && v.name == "t") || std::any_of(c_.parameters().begin(), c_.parameters().end(),
                                                    [&](const auto& p) { return p.name == v.name; });
    });
  } catch (const Error&) {
    return true;  // reported where it is compiled
  }
}

// A constant load; a formula of anything else is left for later.
Vec3 SpaceReader::load(const Word& here, std::string_view name, const Values& v, SpacePush::On on,
                       bool fixed) {
  const auto plain = [&](const Value& f) { return is_plain(f, false); };
  if (std::all_of(v.begin(), v.end(), plain)) return vector_of(here, name, v);
  if (fixed) c_.complain(v[0], "a body that is fixed is not pushed: leave it out");
  if (has(v, 3, field(here, name), "three formulas: [x, y, z]"))
    pushes_.push_back({on, static_cast<int>(data_.bodies.size()), {}, {v.begin(), v.end()}});
  return {0, 0, 0};
}

int SpaceReader::material(const Word& w) {
  const auto& names = materials_.names;
  const auto it = std::find(names.begin(), names.end(), w.given() ? w.text : "default");
  if (it != names.end()) return static_cast<int>(it - names.begin());
  c_.complain(w, fmt::format("no material '{}'{}; materials: {}", w.text, suggestion(w.text, names),
                             fmt::join(names, ", ")));
  return 0;
}

void SpaceReader::wall(const SceneSpaceWall& w, const Word& here) {
  SpaceBody b;
  b.name = here.text;
  b.start = vector_of(here, "point", w.point);
  b.shapes.push_back(SpaceShape::half_space(direction_of(here, "normal", w.normal, {0, 0, 1})));
  b.material = material(w.material);
  b.motion.pivot = vector_of(here, "pivot", w.pivot, b.start);
  b.motion.velocity = vector_of(here, "velocity", w.velocity),
  b.motion.omega = vector_of(here, "spin", w.spin);
  b.motion.start = c_.number(w.start);
  if (!w.moves.empty() && w.moves.size() != 3)
    c_.complain(w.moves[0], "three formulas of t are expected: [x, y, z]");
  for (std::size_t k = 0; k < w.moves.size() && w.moves.size() == 3; ++k) {
    const Term f = c_.compile(w.moves[k], SceneCompiler::Use::positions);
    if (!f.ok) continue;
    Graph& g = c_.graph();
    b.motion.along[k] = {std::make_shared<TimeFormula>(g, f.node),
                         std::make_shared<TimeFormula>(g, g.derivative(f.node, 0))};
  }
  starts_.push_back({});
  data_.bodies.push_back(std::move(b));
}

void SpaceReader::make(SpaceOfScene& out) {
  const bool units = c_.units() != SceneCompiler::Units::none;
  std::vector<double> q, u;
  for (std::size_t k = 0; k < data_.bodies.size(); ++k) {
    const SpaceBody& b = data_.bodies[k];
    if (b.fixed()) continue;
    const Start& s = starts_[k];
    const double places[] = {b.start[0],  b.start[1],  b.start[2], s.turn.w,
                             s.turn.v[0], s.turn.v[1], s.turn.v[2]};
    constexpr const char* names[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    constexpr const char* rates[] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
    for (int i = 0; i < 7; ++i) {
      std::optional<Dimension> dimension;
      if (units) dimension = i < 3 ? length_dimension : Dimension{};
      c_.coordinates().push_back({b.name + names[i], dimension, places[i], 0});
      q.push_back(places[i]);
    }
    for (int i = 0; i < 6; ++i)
      out.velocities.push_back(b.name + rates[i]), u.push_back(i < 3 ? s.velocity[i] : s.spin[i - 3]);
  }
  try {
    const auto system = std::make_shared<SpatialSystem>(std::move(data_));
    for (const auto& a : system->angles()) {
      const std::string name = fmt::format("{}.{}", system->data().joints[a.joint].name, to_string(a.what));
      c_.coordinates().push_back(
          {name, units ? std::optional<Dimension>(Dimension{}) : std::nullopt, a.start, 0});
      q.push_back(a.start);
    }
    out.q0 = Eigen::Map<const Vec>(q.data(), static_cast<Eigen::Index>(q.size()));
    out.u0 = Eigen::Map<const Vec>(u.data(), static_cast<Eigen::Index>(u.size()));
    out.system = system;
    check_assembly(out);
    if (out.system) out.names = std::make_shared<SpaceNames>(*out.system, c_.own());
  } catch (const Error& e) {
    c_.complaints().add(c_.scene().place_of("space"), "space", e.what());
  }
}

// Joints whose points or axes do not meet, or whose bodies move apart, one by one.
void SpaceReader::check_assembly(SpaceOfScene& out) {
  if (out.system->data().joints.empty()) return;
  const Assembly found =
      scene_.assemble ? assemble(*out.system, out.q0, out.u0) : look_at_joints(*out.system, out.q0, out.u0);
  const auto complain = [&](const auto& entries, std::string_view section, const Assembly::Loose& x) {
    for (const auto& e : entries.list)
      if (e.name == x.name)
        c_.complaints().add(
            e.place, fmt::format("space.{}.{}", section, e.name),
            x.text + (scene_.assemble ? "; it cannot be assembled together with the others"
                                      : "; correct it, or let bodies be moved: space.assemble: true"));
  };
  for (const Assembly::Loose& x : found.loose)
    x.gear ? complain(scene_.gears, "gears", x) : complain(scene_.joints, "joints", x);
  if (!found.loose.empty()) out.system.reset();
  for (int k = 0; scene_.assemble && k < static_cast<int>(out.q0.size()); ++k)
    c_.coordinates()[c_.own() + k].start = out.q0[k];
}

SpaceOfScene read_space(SceneCompiler& c) {
  return SpaceReader(c).read();
}

bool has_space_formulas(const SceneCompiler& c) {
  const Scene& s = c.scene();
  return !c.space()->pushes.empty() || !s.coordinates.empty() || s.mass.given() || s.kinetic.given() ||
         s.potential.given() || !s.forces.empty() || !s.contacts.empty() || !s.joints.empty() ||
         !s.motions.empty();
}

void push_along(SceneCompiler& c, int i, Graph::Id force, const Word& here, FormulaData& d) {
  const std::string& name = c.coordinates()[static_cast<std::size_t>(i)].name;
  const auto dot = name.rfind('.');
  if (name[dot + 1] == 'q')
    return c.complain(here, fmt::format("forces turn a body by its field `torque`: space.bodies.{}.torque",
                                        name.substr(0, dot)));
  push(d, c.graph(), c.graph().input(d.in.q(i)), force);
}

void add_space_pushes(SceneCompiler& c, FormulaData& d) {
  Graph& g = c.graph();
  const Dimension force = energy_dimension / length_dimension;
  SpaceNames& names = *c.space()->names;
  for (const SpacePush& p : c.space()->pushes) {
    std::vector<Graph::Id> nodes;
    const bool turns = p.on == SpacePush::On::torque || (p.on == SpacePush::On::joint && is_angle(p.what));
    for (const Formula& f : p.formulas) {
      const Term x = c.compile(f, SceneCompiler::Use::velocities);
      c.expect(x, turns ? energy_dimension : force, f, turns ? "a torque" : "a force");
      nodes.push_back(x.node);
    }
    if (p.on == SpacePush::On::joint) {
      if (const auto x = names.joint_coordinate(g, p.index, p.what)) push(d, g, x->node, nodes[0]);
      continue;
    }
    std::array<Graph::Id, 3> along = {nodes[0], nodes[1], nodes[2]};
    if (turns) along = names.in_body(g, p.index, along);
    const int first = names.velocity_of(p.index) + (turns ? 3 : 0);
    for (int i = 0; i < 3; ++i) d.forces[first + i] = g.add(d.forces[first + i], along[i]);
  }
}

}  // namespace saltus
