#include "saltus/scene/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "saltus/core/error.hpp"
#include "saltus/scene/layouts.hpp"

namespace saltus {
namespace {

// Area, centre and second moment of a polygon about its centre.
struct Area {
  double area = 0, second = 0;
  Vec2 centre{0, 0};
};
Area area_of(const std::vector<Vec2>& p) {
  Area out;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const Vec2 &a = p[k], &b = p[(k + 1) % p.size()];
    const double cross = a[0] * b[1] - a[1] * b[0];
    out.area += cross / 2;
    out.centre += cross / 6 * (a + b);
    out.second += cross / 12 * (a.dot(a) + a.dot(b) + b.dot(b));
  }
  out.centre /= out.area;
  out.second -= out.area * out.centre.squaredNorm();
  return out;
}

bool is_convex(const std::vector<Vec2>& p) {
  const std::size_t n = p.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2 a = p[(k + 1) % n] - p[k], b = p[(k + 2) % n] - p[(k + 1) % n];
    if (!(a[0] * b[1] - a[1] * b[0] > 0)) return false;
  }
  return n >= 3;
}

std::vector<Vec2> box_corners(const Vec2& size) {
  const Vec2 h = size / 2;
  return {{-h[0], -h[1]}, {h[0], -h[1]}, {h[0], h[1]}, {-h[0], h[1]}};
}

constexpr std::size_t most_bodies = 20'000;

struct Materials {
  std::vector<std::string> names = {"default"};
  MaterialTable table;
};

Materials materials_of(SceneCompiler& c) {
  Materials out;
  std::vector<Material> list = {{}};
  for (const auto& e : c.scene().materials.list) {
    const Material m{c.number(e.value.mu), c.number(e.value.e_n), c.number(e.value.e_t)};
    try {
      check(m);
    } catch (const Error& trouble) {
      c.complaints().add(e.place, "materials." + e.name, trouble.what());
      continue;
    }
    if (e.name == "default")
      list[0] = m;
    else
      out.names.push_back(e.name), list.push_back(m);
  }
  out.table = MaterialTable(list);
  return out;
}

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
    if (s.fixed)
      b.motion = {b.start, out.velocity, out.spin, 0};
    else
      inertia(s, b);
    return out;
  }

  void members(const SceneGroup& s, const std::string& name, Place place, int group) {
    if (!s.layout.given()) return;  // told already
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
    if (!c_.complaints().empty()) return;
    try {
      if (c_.rigids().size() >= most_bodies) fail("a scene has at most {} bodies", most_bodies);
      int index = 1;
      for (const LayoutPlace& p : places_of(layout, reach, width, height, c_.scene().run.seed)) {
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
    const auto problem = [&](std::string text) {
      c_.complaints().add(place, "walls." + name, std::move(text));
    };
    const auto only = [&](const Formula& f, std::string_view owner, bool fits) {
      if (f.given() && !fits) c_.complain(f, fmt::format("only a {} has this", owner));
    };
    only(w.normal.x, "plane", shape == "plane"), only(w.size.x, "box", shape == "box");
    only(w.radius, "circle or a drum", shape == "circle" || shape == "drum");
    if (shape == "plane") {
      const Vec2 normal = vector_of(c_, w.normal, "");
      if (!w.normal.given()) return problem("a plane needs a normal: [x, y] away from the wall");
      if (!(normal.norm() > 0)) return problem("the normal must not be zero");
      b.shape = RigidBody::Shape::plane;
      b.angle = std::atan2(-normal[0], normal[1]);  // turns (0, 1) to the normal
    } else if (shape == "circle" || shape == "drum") {
      b.radius = c_.number(w.radius);
      if (!(b.radius > 0)) return problem(fmt::format("a {} needs a radius > 0", shape));
      if (shape == "drum") b.shape = RigidBody::Shape::drum;
    } else if (shape == "box") {
      const Vec2 size = vector_of(c_, w.size, "m");
      if (!(size.minCoeff() > 0)) return problem("a box needs a size [width, height], both > 0");
      b.shape = RigidBody::Shape::polygon;
      b.corners = box_corners(size);
    } else {
      unknown(w.shape, {"plane", "circle", "drum", "box"});
      return;
    }
    c_.rigids().push_back(std::move(out));
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
    const auto only = [&](const Formula& f, std::string_view owner) {
      if (f.given() && shape != owner) c_.complain(f, fmt::format("only a {} has this", owner));
    };
    only(s.radius, "disk"), only(s.size.x, "box");
    if (!s.points.empty()) only(s.points[0].x, "polygon");
    if (shape == "disk") {
      b.radius = c_.number(s.radius);
      if (!(b.radius > 0)) c_.complain(s.shape, "a disk needs a radius > 0");
      area_ = M_PI * b.radius * b.radius, second_ = area_ * b.radius * b.radius / 2;
    } else if (shape == "box") {
      const Vec2 size = vector_of(c_, s.size, "m");
      if (!(size.minCoeff() > 0)) return c_.complain(s.shape, "a box needs a size [width, height], both > 0");
      b.corners = box_corners(size);
    } else if (shape == "polygon") {
      for (const Pair& p : s.points) b.corners.push_back(vector_of(c_, p, "m"));
      if (!is_convex(b.corners)) {
        b.corners.clear();
        return c_.complain(s.shape, "a polygon needs at least 3 points, convex and against the clock");
      }
    } else if (shape == "point") {
      area_ = second_ = 0;
    } else if (s.shape.given()) {
      unknown(s.shape, {"point", "disk", "box", "polygon"});
    }
    if (b.corners.empty()) return;
    b.shape = RigidBody::Shape::polygon;
    const Area a = area_of(b.corners);
    for (Vec2& p : b.corners) p -= a.centre;
    area_ = a.area, second_ = a.second;
  }

  void inertia(const SceneBody& s, RigidBody& b) {
    if (s.mass.given() == s.density.given() && s.shape.given())
      c_.complain(s.shape, "a body that moves needs either a mass or a density");
    if (s.density.given() && s.shape.text == "point")
      c_.complain(s.density, "a point has no area: give its mass");
    b.mass = s.mass.given() ? c_.number(s.mass) : c_.number(s.density) * area_;
    b.inertia = s.inertia.given() ? c_.number(s.inertia) : area_ > 0 ? b.mass * second_ / area_ : 0;
    const Formula& said = s.mass.given() ? s.mass : s.density;
    if (said.given() && !(b.mass > 0)) c_.complain(said, fmt::format("found {}, expected > 0", said.text));
    if (s.inertia.given() && !(b.inertia > 0))
      c_.complain(s.inertia, fmt::format("found {}, expected > 0", s.inertia.text));
    if (!(b.mass > 0)) b.mass = 1;  // told already; it keeps its coordinates
  }

  SceneCompiler& c_;
  Materials materials_;
  std::set<std::string> names_;
  double area_ = 0, second_ = 0;  // of the body that is being read
};

// Bodies heaped up at one place, or a huge margin, would make more contacts than memory holds. Circles around
// the bodies, from left to right.
void check_neighbours(const RigidSystem::Data& d) {
  constexpr long most = 300'000;
  struct Circle {
    double left, right;
    const RigidBody* body;
  };
  std::vector<Circle> circles;
  for (const RigidBody& b : d.bodies) {
    if (!b.touches || b.shape == RigidBody::Shape::plane || b.shape == RigidBody::Shape::drum) continue;
    double reach = b.radius;
    for (const Vec2& p : b.corners) reach = std::max(reach, p.norm());
    const Circle c{b.start[0] - reach, b.start[0] + reach + d.margin, &b};
    if (std::isfinite(c.right - c.left)) circles.push_back(c);  // others are refused where the system is made
  }
  std::sort(circles.begin(), circles.end(), [](const Circle& a, const Circle& b) { return a.left < b.left; });
  long pairs = 0;
  for (std::size_t i = 0; i < circles.size(); ++i)
    for (std::size_t j = i + 1; j < circles.size() && circles[j].left <= circles[i].right; ++j) {
      const RigidBody &a = *circles[i].body, &b = *circles[j].body;
      const double reach = (circles[i].right - circles[i].left + circles[j].right - circles[j].left) / 2;
      if ((a.fixed() && b.fixed()) || (a.group >= 0 && a.group == b.group)) continue;
      if (std::abs(a.start[1] - b.start[1]) <= reach && ++pairs > most)
        fail(
            "more than {} pairs of bodies are close to each other at the start: give them room, a smaller "
            "contact_margin, or self_contact: false",
            most);
    }
}

}  // namespace

Vec2 vector_of(SceneCompiler& c, const Pair& p, std::string_view unit, const Vec2& missing) {
  if (!p.given()) return missing;
  Value x = p.x, y = p.y;
  x.unit = y.unit = unit;
  return {c.number(x), c.number(y)};
}

void add_body_coordinates(SceneCompiler& c) {
  const Scene& s = c.scene();
  if (s.bodies.empty() && s.groups.empty()) {
    if (!s.walls.empty() || !s.links.empty() || !s.springs.empty() || !s.motors.empty())
      c.complaints().add({1, 1}, "bodies", "walls, links, springs and motors need bodies");
    return;
  }
  BodyReader(c).read();
  for (SceneRigid& r : c.rigids()) {
    if (r.body.fixed()) continue;
    r.first = static_cast<int>(c.coordinates().size());
    std::optional<Dimension> length, angle;
    if (c.uses_units()) length = length_dimension, angle = Dimension{};
    const auto add = [&](const char* name, const std::optional<Dimension>& dimension, double start,
                         double velocity, bool given) {
      c.coordinates().push_back({r.body.name + name, dimension, start, velocity, true, given});
    };
    add(".x", length, r.body.start[0], r.velocity[0], r.velocity_given);
    add(".y", length, r.body.start[1], r.velocity[1], r.velocity_given);
    if (r.body.turns()) add(".angle", angle, r.body.angle, r.spin, r.spin_given);
  }
}

std::shared_ptr<const RigidSystem> rigid_system(SceneCompiler& c, std::vector<std::pair<int, int>> linked) {
  if (c.rigids().empty()) return nullptr;
  RigidSystem::Data d;
  for (const SceneRigid& r : c.rigids()) d.bodies.push_back(r.body);
  d.materials = materials_of(c).table;
  d.gravity = vector_of(c, c.scene().gravity, "m/s^2", {0, -9.81});
  d.apart = std::move(linked);
  d.margin = c.number(c.scene().contact_margin);
  if (c.scene().contact_margin.given() && !(d.margin > 0))
    c.complain(c.scene().contact_margin,
               fmt::format("found {}, expected > 0", c.scene().contact_margin.text));
  check_neighbours(d);
  return std::make_shared<RigidSystem>(std::move(d));
}

}  // namespace saltus
