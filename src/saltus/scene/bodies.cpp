#include "saltus/scene/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "saltus/core/error.hpp"
#include "saltus/planar/polygon.hpp"
#include "saltus/scene/layouts.hpp"
#include "saltus/scene/materials.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_bodies = 20'000;

class BodyReader {
 public:
  explicit BodyReader(SceneCompiler& c) : c_(c), materials_(materials_of(c)) {}

  void read() {
    const auto name = [&](const auto& e, std::string_view section) {
      const std::string path = fmt::format("{}.{}", section, e.name);
      if (e.name.find('.') != std::string::npos)
        c_.complaints().add(e.place, path, fmt::format("'{}': the name of a body has no dot", e.name));
      if (!names_.insert(e.name).second)
        c_.complaints().add(e.place, path, fmt::format("the name '{}' is taken already", e.name));
    };
    for (const auto& e : c_.scene().beams.list) names_.insert(e.name);
    for (const auto& e : c_.scene().bodies.list) name(e, "bodies");
    for (const auto& e : c_.scene().groups.list) name(e, "groups");
    for (const auto& e : c_.scene().walls.list) name(e, "walls");
    for (const auto& e : c_.scene().bodies.list) {
      SceneRigid b = body(e.value, e.name);
      if (b.body.fixed()) b.body.motion.pivot = b.body.start;
      c_.rigids().push_back(std::move(b));
    }
    int group = 0;
    for (const auto& e : c_.scene().groups.list) members(e.value, e.name, e.place, group++);
    for (const auto& e : c_.scene().walls.list) wall(e.value, e.name, e.place);
  }

 private:
  SceneRigid body(const SceneBody& s, const std::string& name) {
    SceneRigid out;
    RigidBody& b = out.body;
    b.name = name;
    shape(s, b);
    b.start = vector_of(c_, s.position, "m");
    b.angle = c_.number(s.angle);
    b.material = material(s.material);
    b.touches = s.contact;
    out.velocity = vector_of(c_, s.velocity, "m/s"), out.spin = c_.number(s.spin);
    out.velocity_given = s.velocity.given(), out.spin_given = s.spin.given();
    if (s.fixed) {
      b.motion = {b.start, out.velocity, out.spin, 0};
      for (const Value* v : {&s.mass, &s.density, &s.inertia})
        if (v->given()) c_.complain(*v, "a fixed body has none: leave it out");
    } else {
      inertia(s, b);
    }
    return out;
  }

  void members(const SceneGroup& s, const std::string& name, Place place, int group) {
    if (!s.layout.given()) return c_.give_up(name);  // reported already
    const std::size_t reported = c_.complaints().list().size();
    const SceneRigid pattern = body(s, name);
    const SceneLayout layout = c_.choose(s.layout);
    double reach = pattern.body.radius, width = 2 * reach, height = width;
    if (!pattern.body.corners.empty()) {
      Vec2 low(0, 0), high(0, 0);
      const Frame turn{{0, 0}, {0, 0}, {0, 0}, std::cos(pattern.body.angle), std::sin(pattern.body.angle), 0};
      for (const Vec2& p : pattern.body.corners) {
        reach = std::max(reach, p.norm());
        low = low.cwiseMin(turn.turned(p)), high = high.cwiseMax(turn.turned(p));
      }
      width = high[0] - low[0], height = high[1] - low[1];
    }
    if (c_.complaints().list().size() > reported) return c_.give_up(name);
    try {
      if (c_.rigids().size() >= most_bodies) fail("a scene has at most {} bodies", most_bodies);
      int index = 1;
      for (const LayoutPlace& p : places_of(layout, reach, width, height, c_.scene().run.seed.value)) {
        SceneRigid b = pattern;
        b.body.name = fmt::format("{}.{}", name, index++);
        b.body.start += p.at, b.body.angle += p.angle;
        const double area = p.scale * p.scale;
        b.body.radius *= p.scale, b.body.mass *= area, b.body.inertia *= area * area;
        for (Vec2& corner : b.body.corners) corner *= p.scale;
        if (!s.self_contact) b.body.group = group;
        if (s.fixed) b.body.motion.pivot = b.body.start;
        b.body.colour = group;
        c_.rigids().push_back(std::move(b));
      }
    } catch (const Error& e) {
      c_.complaints().add(place, fmt::format("groups.{}.layout", name), e.what());
      c_.give_up(name);
    }
  }

  void wall(const SceneWall& w, const std::string& name, Place place) {
    SceneRigid out;
    RigidBody& b = out.body;
    b.name = name;
    b.start = vector_of(c_, w.point, "m");
    b.angle = c_.number(w.angle);
    b.material = material(w.material);
    b.motion = {vector_of(c_, w.pivot, "m", b.start), vector_of(c_, w.velocity, "m/s"), c_.number(w.spin),
                c_.number(w.start)};
    const std::string shape = w.shape.given() ? w.shape.text : "plane";
    const Word here{shape, "walls." + name, place};
    const auto only = [&](const Formula& f, std::string_view owner, bool fits) {
      if (f.given() && !fits) c_.complain(f, fmt::format("only a {} has this", owner));
    };
    only(w.normal.x, "plane", shape == "plane"), only(w.size.x, "box", shape == "box");
    only(w.radius, "circle or a drum", shape == "circle" || shape == "drum");
    only(w.angle, "box", shape == "box");
    if (shape == "plane") {
      const auto normal =
          direction_of(c_, w.normal, here, "a plane needs a normal: [x, y] away from the wall");
      if (!normal) return c_.give_up(name);
      b.shape = RigidBody::Shape::plane;
      b.angle = std::atan2(-(*normal)[0], (*normal)[1]);  // turns (0, 1) to the normal
    } else if (shape == "circle" || shape == "drum") {
      b.radius = radius(w.radius, here);
      if (shape == "drum") b.shape = RigidBody::Shape::drum;
    } else if (shape == "box") {
      b.shape = RigidBody::Shape::polygon;
      b.corners = box_corners(size(w.size, here));
    } else {
      unknown(w.shape, {"plane", "circle", "drum", "box"});
      return c_.give_up(name);
    }
    c_.rigids().push_back(std::move(out));
  }

  // Of a disk, circle or drum; 1 after a complaint.
  double radius(const Value& v, const Word& shape) {
    if (!v.given()) miss(shape, "radius", fmt::format("a {} needs a radius > 0", shape.text));
    return c_.number_in(Range::positive(), v, 1);
  }
  // Of a box; 1 × 1 after a complaint.
  Vec2 size(const Pair& p, const Word& shape) {
    if (!p.given()) miss(shape, "size", "a box needs a size: [width, height]");
    Value x = p.x, y = p.y;
    x.unit = y.unit = "m";
    return {c_.number_in(Range::positive(), x, 1), c_.number_in(Range::positive(), y, 1)};
  }

  // A field that is missing from what has this shape.
  void miss(const Word& shape, std::string_view field, std::string message) {
    std::string path = shape.path;
    if (path.ends_with(".shape")) path.resize(path.size() - std::string_view(".shape").size());
    c_.miss(shape.place, path, field, std::move(message));
  }

  void unknown(const Word& w, const std::vector<std::string>& known) {
    c_.complain(w, fmt::format("unknown shape '{}'{}; known: {}", w.text, suggestion(w.text, known),
                               fmt::join(known, ", ")));
  }

  int material(const Word& w) {
    const auto& names = materials_.names;
    const auto it = std::find(names.begin(), names.end(), w.given() ? w.text : "default");
    if (it != names.end()) return static_cast<int>(it - names.begin());
    c_.complain(w, fmt::format("no material '{}'{}; materials: {}", w.text, suggestion(w.text, names),
                               fmt::join(names, ", ")));
    return 0;
  }

  void shape(const SceneBody& s, RigidBody& b) {
    const std::string& shape = s.shape.text;
    const std::vector<std::string> known = {"point", "disk", "box", "polygon"};
    if (std::find(known.begin(), known.end(), shape) == known.end()) {
      area_ = second_ = 1;  // it turns, whatever it is
      b.radius = 1;
      if (s.shape.given()) unknown(s.shape, known);
      return;
    }
    const auto only = [&](const Formula& f, std::string_view owner) {
      if (f.given() && shape != owner) c_.complain(f, fmt::format("only a {} has this", owner));
    };
    only(s.radius, "disk"), only(s.size.x, "box");
    if (!s.points.empty()) only(s.points[0].x, "polygon");
    for (const Value* v : {&s.angle, &s.spin, &s.inertia})
      if (v->given() && shape == "point") c_.complain(*v, "a point does not turn: take a disk");
    if (shape == "disk") {
      b.radius = radius(s.radius, s.shape);
      area_ = M_PI * b.radius * b.radius, second_ = area_ * b.radius * b.radius / 2;
    } else if (shape == "box") {
      b.corners = box_corners(size(s.size, s.shape));
    } else if (shape == "polygon") {
      b.corners = polygon(s);
    } else {
      area_ = second_ = 0;
    }
    if (b.corners.empty()) return;
    b.shape = RigidBody::Shape::polygon;
    const Area a = area_of(b.corners);
    for (Vec2& p : b.corners) p -= a.centre;
    area_ = a.area, second_ = a.second;
  }

  // Corners in their order; a square after a complaint.
  std::vector<Vec2> polygon(const SceneBody& s) {
    const std::size_t reported = c_.complaints().list().size();
    std::vector<Vec2> p;
    for (const Pair& point : s.points) p.push_back(vector_of(c_, point, "m"));
    const std::size_t n = p.size();
    if (n < 3)
      miss(s.shape, "points", "a polygon needs at least 3 points, against the clock");
    else if (c_.complaints().list().size() > reported)
      ;  // one of them is wrong in itself
    else if (!(area_of(p).area > 0))
      c_.complain(s.points[0].x, "the points must go round against the clock; these do not");
    else if (const int k = corner_not_convex(p); k >= 0)
      c_.complain(
          s.points[k].x,
          fmt::format("a polygon must be convex: the corner at ({:.6g}, {:.6g}) is not one that points "
                      "outwards",
                      p[k][0], p[k][1]));
    else
      return p;
    return box_corners({1, 1});
  }

  void inertia(const SceneBody& s, RigidBody& b) {
    if (!s.mass.given() && !s.density.given() && s.shape.given())
      miss(s.shape, "mass", "a body that moves needs either a mass or a density");
    if (s.mass.given() && s.density.given())
      c_.complain(s.density, "give either a mass or a density, not both");
    if (s.density.given() && s.shape.text == "point")
      c_.complain(s.density, "a point has no area: give its mass");
    const auto positive = [&](const Value& v, double instead) {
      return c_.number_in(Range::positive(), v, instead);
    };
    const double density = positive(s.density, 1);
    b.mass = s.mass.given() || !(area_ > 0) ? positive(s.mass, 1) : density * area_;
    b.inertia = positive(s.inertia, area_ > 0 ? b.mass * second_ / area_ : 0);
  }

  SceneCompiler& c_;
  Materials materials_;
  std::set<std::string> names_;
  double area_ = 0, second_ = 0;  // of the body that is being read
};

}  // namespace

Vec2 vector_of(SceneCompiler& c, const Pair& p, std::string_view unit, const Vec2& missing) {
  if (!p.given()) return missing;
  Value x = p.x, y = p.y;
  x.unit = y.unit = unit;
  return {c.number(x), c.number(y)};
}

std::optional<Vec2> direction_of(SceneCompiler& c, const Pair& p, const Word& need, std::string_view text) {
  if (!p.given()) {
    c.complain(need, std::string(text));
    return {};
  }
  const Term x = c.constant(p.x), y = c.constant(p.y);
  if (!x.ok || !y.ok) return {};
  const Vec2 out(c.graph().node(x.node).value, c.graph().node(y.node).value);
  if (x.dimension && y.dimension && !(*x.dimension == *y.dimension))
    c.complain(p.y, fmt::format("x is {} and y is {}: a direction has two alike", described(*x.dimension),
                                described(*y.dimension)));
  if (out.norm() > 0) return out.normalized();
  c.complain(p.x, "a direction must not be zero");
  return {};
}

void add_body_coordinates(SceneCompiler& c) {
  const Scene& s = c.scene();
  if (s.bodies.empty() && s.groups.empty()) {
    for (const auto& [section, given] : {std::pair{"walls", !s.walls.empty()},
                                         {"links", !s.links.empty()},
                                         {"springs", !s.springs.empty()},
                                         {"motors", !s.motors.empty()},
                                         {"materials", !s.materials.empty() && !s.chain && !s.space},
                                         {"gravity", s.gravity.given() && s.beams.empty()},
                                         {"contact_margin", s.contact_margin.given()}})
      if (given && !c.complaints().about("bodies") && !c.complaints().about("groups"))
        c.complaints().add(s.place_of(section), section, "this is for bodies, and the scene has none");
    return;
  }
  vector_of(c, s.gravity, "m/s^2");  // reported before those of bodies
  c.number_in(Range::positive(), s.contact_margin, 1);
  BodyReader(c).read();
  for (SceneRigid& r : c.rigids()) {
    if (r.body.fixed()) continue;
    r.first = static_cast<int>(c.coordinates().size());
    std::optional<Dimension> length, angle;
    if (c.units() != SceneCompiler::Units::none) length = length_dimension, angle = Dimension{};
    const auto add = [&](const char* name, const std::optional<Dimension>& dimension, double start,
                         double velocity, bool given) {
      c.coordinates().push_back({r.body.name + name, dimension, start, velocity, true, given});
    };
    add(".x", length, r.body.start[0], r.velocity[0], r.velocity_given);
    add(".y", length, r.body.start[1], r.velocity[1], r.velocity_given);
    if (r.body.turns()) add(".angle", angle, r.body.angle, r.spin, r.spin_given);
  }
}

}  // namespace saltus
