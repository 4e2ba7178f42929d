#include "saltus/scene/space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "saltus/core/error.hpp"
#include "saltus/formula/time_formula.hpp"
#include "saltus/scene/materials.hpp"
#include "saltus/scene/space_values.hpp"

namespace saltus {
namespace {

class SpaceReader : SpaceValues {
 public:
  explicit SpaceReader(SceneCompiler& c)
      : SpaceValues(c), scene_(*c.scene().space), materials_(materials_of(c)) {}

  SpaceOfScene read() {
    refuse_others();
    data_.parameters = c_.parameter_values();
    data_.materials = materials_.table;
    data_.gravity =
        vector_of({"", "space.gravity", c_.scene().place_of("space")}, scene_.gravity, {0, 0, -9.81});
    data_.margin = c_.number_in(Range::positive(), scene_.contact_margin, 0);
    for (const auto& e : scene_.bodies.list)
      name(e.name, e.place, "bodies"), body(e.value, {e.name, "space.bodies." + e.name, e.place});
    for (const auto& e : scene_.walls.list)
      name(e.name, e.place, "walls"), wall(e.value, {e.name, "space.walls." + e.name, e.place});
    if (c_.complaints().empty()) links();
    SpaceOfScene out;
    if (c_.complaints().empty()) make(out);
    return out;
  }

 private:
  // What the other sections would mean beside bodies in space is not defined.
  void refuse_others() {
    constexpr std::string_view fine[] = {"saltus",    "title", "parameters", "space",
                                         "materials", "run",   "record",     "measure"};
    for (const auto& [section, place] : c_.scene().sections)
      if (std::find(std::begin(fine), std::end(fine), section) == std::end(fine))
        c_.complaints().add(
            place, section,
            "this does not go together with `space`: bodies in space, their walls, joints, springs and "
            "gravity are fields of that section");
  }

  void name(const std::string& name, Place place, std::string_view section) {
    const std::string path = fmt::format("space.{}.{}", section, name);
    if (name.find('.') != std::string::npos)
      c_.complaints().add(place, path, "the name of a body has no dot");
    if (name == "ground")
      c_.complaints().add(place, path, "'ground' is what does not move: choose another name");
    if (!names_.insert(name).second)
      c_.complaints().add(place, path, fmt::format("the name '{}' is taken already", name));
  }

  // ---- bodies
  void body(const SceneSpaceBody& s, const Word& here) {
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
    b.force = vector_of(here, "force", s.force), b.torque = vector_of(here, "torque", s.torque);
    const Vec3 velocity = vector_of(here, "velocity", s.velocity);
    if (!s.spin.empty() && !s.spin_body.empty())
      c_.complain(s.spin_body[0],
                  "the angular velocity is given twice: `spin` is in inertial axes, `spin_body` in those of "
                  "the body");
    const Vec3 spin = s.spin_body.empty() ? vector_of(here, "spin", s.spin)
                                          : b.turn * vector_of(here, "spin_body", s.spin_body);
    shape(s, here, b);
    if (s.fixed) {
      b.motion.pivot = b.start, b.motion.velocity = velocity, b.motion.omega = spin;
      for (const Value* v : {&s.mass, &s.density})
        if (v->given()) c_.complain(*v, "a fixed body has none: leave it out");
      b.mass = 0;
    }
    starts_.push_back({turn, velocity, b.turn.transpose() * spin});
    data_.bodies.push_back(std::move(b));
  }

  double positive(const Value& v, const Word& here, std::string_view name, std::string_view owner) {
    if (!v.given()) c_.miss(here.place, here.path, name, fmt::format("a {} needs a {} > 0", owner, name));
    return c_.number_in(Range::positive(), v, 1);
  }

  void shape(const SceneSpaceBody& s, const Word& here, SpaceBody& b) {
    const std::string& kind = s.shape.text;
    const std::vector<std::string> known = {"sphere", "box", "capsule", "cylinder", "disk", "hull", "point"};
    if (s.shape.given() && std::find(known.begin(), known.end(), kind) == known.end())
      return c_.complain(s.shape, fmt::format("unknown shape '{}'{}; known: {}", kind,
                                              suggestion(kind, known), fmt::join(known, ", ")));
    const auto only = [&](const Formula& f, std::initializer_list<std::string_view> owners) {
      if (f.given() && std::find(owners.begin(), owners.end(), kind) == owners.end())
        c_.complain(f, fmt::format("only a {} has this", fmt::join(owners, " or ")));
    };
    only(s.radius, {"sphere", "capsule", "cylinder", "disk"}), only(s.length, {"capsule"}),
        only(s.height, {"cylinder"});
    if (!s.size.empty()) only(s.size[0], {"box"});
    if (!s.points.empty() && !s.points[0].empty()) only(s.points[0][0], {"hull"});
    if (!s.axis.empty()) only(s.axis[0], {"capsule", "cylinder", "disk"});
    const Vec3 axis = direction_of(here, "axis", s.axis, {0, 0, 1});
    try {
      if (kind == "sphere") b.shapes.push_back(SpaceShape::sphere(positive(s.radius, here, "radius", kind)));
      if (kind == "point") b.shapes.push_back(SpaceShape::sphere(0));
      if (kind == "capsule")
        b.shapes.push_back(SpaceShape::capsule(positive(s.radius, here, "radius", kind),
                                               positive(s.length, here, "length", kind), axis));
      if (kind == "cylinder")
        b.shapes.push_back(SpaceShape::cylinder(positive(s.radius, here, "radius", kind),
                                                positive(s.height, here, "height", kind), axis));
      if (kind == "disk")
        b.shapes.push_back(SpaceShape::disk(positive(s.radius, here, "radius", kind), axis));
      if (kind == "box") {
        if (s.size.empty()) c_.miss(here.place, here.path, "size", "a box needs a size: [x, y, z]");
        Vec3 size(1, 1, 1);
        if (!s.size.empty() && has(s.size, 3, field(here, "size"), "three lengths: [x, y, z]"))
          for (int k = 0; k < 3; ++k)
            size[k] = c_.number_in(Range::positive(), s.size[static_cast<std::size_t>(k)], 1);
        b.shapes.push_back(SpaceShape::box(size / 2));
      }
      if (kind == "hull") b.shapes.push_back(hull(s, here));
    } catch (const Error& e) {
      c_.complaints().add(here.place, here.path, e.what());
      return;
    }
    if (!s.fixed) inertia(s, here, b);
  }

  SpaceShape hull(const SceneSpaceBody& s, const Word& here) {
    std::vector<Vec3> points;
    for (const Values& p : s.points) points.push_back(vector_of(field(here, "points"), p));
    SpaceShape out = SpaceShape::of(hull_of(points));
    return out.moved(Mat3::Identity(), -mass_properties(out, 1).centre);
  }

  void inertia(const SceneSpaceBody& s, const Word& here, SpaceBody& b) {
    if (s.mass.given() == s.density.given())
      c_.miss(here.place, here.path, "mass", "a body that moves needs either a mass or a density");
    b.mass = c_.number_in(Range::positive(), s.mass, 1);
    const double density = c_.number_in(Range::positive(), s.density, 1);
    try {
      const bool solid = !b.shapes.empty() && s.shape.text != "point" && s.shape.text != "disk";
      if (s.density.given() && !solid) fail("only a body with a volume has a density: give its mass");
      MassProperties p;
      if (solid) p = mass_properties(b.shapes[0], density);
      if (s.density.given()) b.mass = p.mass;
      if (solid) b.inertia = b.mass / p.mass * p.inertia;
      if (s.shape.text == "disk") {  // thin and homogeneous
        const SpaceShape& disk = b.shapes[0];
        b.inertia =
            b.mass * disk.radius * disk.radius / 4 * (Mat3::Identity() + disk.axis * disk.axis.transpose());
      }
      if (s.inertia.list.empty() && b.inertia.isZero())
        c_.miss(here.place, here.path, "inertia",
                "a body without a volume needs an inertia: one number, or three principal moments");
    } catch (const Error& e) {
      c_.complain(s.density, e.what());
    }
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

  int material(const Word& w) {
    const auto& names = materials_.names;
    const auto it = std::find(names.begin(), names.end(), w.given() ? w.text : "default");
    if (it != names.end()) return static_cast<int>(it - names.begin());
    c_.complain(w, fmt::format("no material '{}'{}; materials: {}", w.text, suggestion(w.text, names),
                               fmt::join(names, ", ")));
    return 0;
  }

  void wall(const SceneSpaceWall& w, const Word& here) {
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

  // ---- joints and springs
  int find_body(const Word& w) {
    if (!w.given() || w.text == "ground") {
      if (ground_ < 0) {
        ground_ = static_cast<int>(data_.bodies.size());
        SpaceBody b;
        b.name = "ground", b.touches = false;
        data_.bodies.push_back(std::move(b)), starts_.push_back({});
      }
      return ground_;
    }
    std::vector<std::string> known;
    for (std::size_t k = 0; k < data_.bodies.size(); ++k) {
      if (data_.bodies[k].name == w.text) return static_cast<int>(k);
      known.push_back(data_.bodies[k].name);
    }
    c_.complain(w, fmt::format("no body '{}'{}; bodies: {}", w.text, suggestion(w.text, known),
                               fmt::join(known, ", ")));
    return -1;
  }
  Vec3 in_frame(int body, const Vec3& point) const {
    const SpaceBody& b = data_.bodies[body];
    return b.turn.transpose() * (point - b.start);
  }

  void links() {
    for (const auto& e : scene_.joints.list) joint(e.value, {e.name, "space.joints." + e.name, e.place});
    for (const auto& e : scene_.springs.list) spring(e.value, {e.name, "space.springs." + e.name, e.place});
  }

  // The joint's b is the body that the scene calls a: forces of its rows are those on that one.
  void joint(const SceneSpaceJoint& s, const Word& here) {
    using Type = SpaceJoint::Kind;
    constexpr std::array kinds = {Type::ball,   Type::hinge,       Type::universal, Type::fixed,
                                  Type::slider, Type::cylindrical, Type::planar,    Type::distance};
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](Type k) { return to_string(k) == s.type.text; });
    if (kind == kinds.end()) {
      std::vector<std::string> known;
      for (const Type k : kinds) known.emplace_back(to_string(k));
      return c_.complain(s.type, fmt::format("unknown joint '{}'{}; known: {}", s.type.text,
                                             suggestion(s.type.text, known), fmt::join(known, ", ")));
    }
    SpaceJoint j;
    j.name = here.text, j.kind = *kind;
    j.b = find_body(s.a), j.a = find_body(s.b);
    if (j.a < 0 || j.b < 0) return;
    if (j.a == j.b) return c_.complain(s.a, "a joint needs two bodies");
    const bool has_axis = *kind != Type::ball && *kind != Type::distance && *kind != Type::fixed;
    if (has_axis && s.axis.empty())
      c_.complaints().add(here.place, here.path,
                          fmt::format("a {} joint needs an axis: [x, y, z]", s.type.text));
    if (!has_axis && !s.axis.empty())
      c_.complain(s.axis[0], fmt::format("a {} joint has no axis", s.type.text));
    const Vec3 at = vector_of(here, "at", s.at, data_.bodies[j.b].start);
    const Vec3 at_b = vector_of(here, "at_b", s.at_b,
                                *kind == Type::distance && s.at_b.empty() ? data_.bodies[j.a].start : at);
    if (!s.at_b.empty() && *kind != Type::distance) c_.complain(s.at_b[0], "only a distance has two points");
    if (s.length.given() && *kind != Type::distance) c_.complain(s.length, "only a distance has a length");
    j.point_b = in_frame(j.b, at), j.point_a = in_frame(j.a, at_b);
    j.length = c_.number_in(Range::positive(), s.length, (at - at_b).norm());
    Vec3 axis = direction_of(here, "axis", s.axis, {0, 0, 1}), first = some_normal_to(axis);
    Mat3 axes;
    if (*kind == Type::universal) {
      // rows d, a₁·b₂: a₁ is held at right angles to b₂
      Vec3 other = direction_of(here, "axis_b", s.axis_b, some_normal_to(axis));
      if (std::abs(other.dot(axis)) > 1e-9)
        c_.complain(s.axis_b[0], "the two axes of a universal joint are at right angles");
      axes << axis, other, cross(axis, other);
    } else {
      if (!s.axis_b.empty()) c_.complain(s.axis_b[0], "only a universal joint has two axes");
      axes << first, cross(axis, first), axis;
    }
    j.axes_b = data_.bodies[j.b].turn.transpose() * axes;
    j.axes_a = data_.bodies[j.a].turn.transpose() * axes;
    j.scale = scale_of(j);
    if (!s.contact) data_.apart.emplace_back(std::min(j.a, j.b), std::max(j.a, j.b));
    data_.joints.push_back(std::move(j));
  }

  // A length of the bodies: their radius of inertia.
  double scale_of(const SpaceJoint& j) const {
    double most = 0;
    for (const int k : {j.a, j.b})
      if (const SpaceBody& b = data_.bodies[k]; b.mass > 0)
        most = std::max(most, std::sqrt(b.inertia.trace() / b.mass));
    return most > 0 ? most : 1;
  }

  void spring(const SceneSpaceSpring& s, const Word& here) {
    SpaceSpring x;
    x.name = here.text, x.a = find_body(s.a), x.b = find_body(s.b);
    if (x.a < 0 || x.b < 0) return;
    if (x.a == x.b) return c_.complain(s.a, "a spring needs two bodies");
    const Vec3 at_a = vector_of(here, "at_a", s.at_a, data_.bodies[x.a].start),
               at_b = vector_of(here, "at_b", s.at_b, data_.bodies[x.b].start);
    x.point_a = in_frame(x.a, at_a), x.point_b = in_frame(x.b, at_b);
    x.stiffness = c_.number_in(Range::non_negative(), s.stiffness, 0),
    x.damping = c_.number_in(Range::non_negative(), s.damping, 0);
    x.length = c_.number_in(Range::non_negative(), s.length, (at_a - at_b).norm());
    data_.springs.push_back(std::move(x));
  }

  void make(SpaceOfScene& out) {
    const Dimension speed = length_dimension / time_dimension;
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
    (void)speed;
    out.q0 = Eigen::Map<const Vec>(q.data(), static_cast<Eigen::Index>(q.size()));
    out.u0 = Eigen::Map<const Vec>(u.data(), static_cast<Eigen::Index>(u.size()));
    try {
      out.system = std::make_shared<SpatialSystem>(std::move(data_));
    } catch (const Error& e) {
      c_.complaints().add(c_.scene().place_of("space"), "space", e.what());
    }
  }

  struct Start {
    Rotation turn;
    Vec3 velocity{0, 0, 0}, spin{0, 0, 0};  // spin in the frame of the body
  };
  const SceneSpace& scene_;
  Materials materials_;
  SpatialSystem::Data data_;
  std::vector<Start> starts_;
  std::set<std::string> names_;
  std::vector<std::string> groups_;
  int ground_ = -1;
};

}  // namespace

SpaceOfScene compile_space(SceneCompiler& c) {
  return SpaceReader(c).read();
}

}  // namespace saltus
