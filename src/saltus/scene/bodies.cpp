#include "saltus/scene/bodies.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/planar/boundary.hpp"
#include "saltus/scene/body_contacts.hpp"

namespace saltus {
namespace {

Vec2 pair(SceneCompiler& c, const Pair& p, std::string_view unit, const Vec2& missing = {0, 0}) {
  if (!p.given()) return missing;
  Value x = p.x, y = p.y;
  x.unit = y.unit = unit;
  return {c.number(x), c.number(y)};
}

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

class BodyReader {
 public:
  explicit BodyReader(SceneCompiler& c) : c_(c) {}

  std::vector<PlanarBody> read() {
    std::vector<PlanarBody> out;
    int next = static_cast<int>(c_.scene().coordinates.list.size());
    for (const auto& e : c_.scene().bodies.list) {
      PlanarBody b;
      b.name = e.name;
      shape(e.value, b);
      b.start = pair(c_, e.value.position, "m");
      b.angle = c_.number(e.value.angle);
      b.material = e.value.material;
      if (!e.value.fixed) {
        b.first = next;
        b.turns = e.value.shape.text != "point";
        next += b.turns ? 3 : 2;
        inertia(e.value, b);
      }
      out.push_back(std::move(b));
    }
    return out;
  }

 private:
  void shape(const SceneBody& s, PlanarBody& b) {
    const std::string& shape = s.shape.text;
    const auto only = [&](const Formula& f, std::string_view owner) {
      if (f.given() && shape != owner) c_.complain(f, fmt::format("only a {} has this", owner));
    };
    only(s.radius, "disk"), only(s.size.x, "box");
    if (!s.points.empty()) only(s.points[0].x, "polygon");
    if (shape == "disk") {
      b.radius = c_.number(s.radius);
      if (!(b.radius > 0)) c_.complain(s.shape, "a disk needs a radius > 0");
      b.area = M_PI * b.radius * b.radius, b.second = b.area * b.radius * b.radius / 2;
    } else if (shape == "box") {
      const Vec2 h = pair(c_, s.size, "m") / 2;
      if (!(h[0] > 0 && h[1] > 0))
        return c_.complain(s.shape, "a box needs a size [width, height], both > 0");
      b.corners = {{-h[0], -h[1]}, {h[0], -h[1]}, {h[0], h[1]}, {-h[0], h[1]}};
    } else if (shape == "polygon") {
      for (const Pair& p : s.points) b.corners.push_back(pair(c_, p, "m"));
      if (!is_convex(b.corners))
        return c_.complain(s.shape, "a polygon needs at least 3 points, convex and against the clock");
    } else if (shape != "point") {
      const std::vector<std::string> known = {"point", "disk", "box", "polygon"};
      if (s.shape.given())
        c_.complain(s.shape, fmt::format("unknown shape '{}'{}; known: {}", shape, suggestion(shape, known),
                                         fmt::join(known, ", ")));
    }
    if (b.corners.empty()) return;
    const Area a = area_of(b.corners);
    for (Vec2& p : b.corners) p -= a.centre;
    b.area = a.area, b.second = a.second;
  }

  void inertia(const SceneBody& s, PlanarBody& b) {
    if (s.mass.given() == s.density.given() && s.shape.given())
      c_.complain(s.shape, "a body that moves needs either a mass or a density");
    if (s.density.given() && s.shape.text == "point")
      c_.complain(s.density, "a point has no area: give its mass");
    b.mass = s.mass.given() ? c_.number(s.mass) : c_.number(s.density) * b.area;
    b.inertia = s.inertia.given() ? c_.number(s.inertia) : b.area > 0 ? b.mass * b.second / b.area : 0;
    const Formula& said = s.mass.given() ? s.mass : s.density;
    if (said.given() && !(b.mass > 0)) c_.complain(said, fmt::format("found {}, expected > 0", said.text));
    if (s.inertia.given() && !(b.inertia > 0))
      c_.complain(s.inertia, fmt::format("found {}, expected > 0", s.inertia.text));
  }

  SceneCompiler& c_;
};

/// Masses, gravity, links and springs.
class BodyDynamics {
 public:
  using Id = Graph::Id;
  BodyDynamics(SceneCompiler& c, FormulaData& d, const std::vector<PlanarBody>& bodies)
      : c_(c), d_(d), g_(c.graph()), f_{g_, d.in}, bodies_(bodies) {}

  void inertia() {
    const Vec2 gravity = pair(c_, c_.scene().gravity, "m/s^2", {0, -9.81});
    for (const auto& b : bodies_) {
      if (b.fixed()) continue;
      for (int k = 0; k < (b.turns ? 3 : 2); ++k) {
        const int i = b.first + k;
        const Id m = g_.number(k < 2 ? b.mass : b.inertia), u = g_.input(d_.in.u(i));
        if (!d_.mass.empty())
          d_.mass[i * d_.in.n + i] = m;
        else
          d_.kinetic = g_.add(d_.kinetic, g_.multiply(g_.multiply(g_.number(0.5), m), g_.multiply(u, u)));
        if (k < 2)
          d_.potential =
              g_.subtract(d_.potential, g_.multiply(g_.number(b.mass * gravity[k]), g_.input(d_.in.q(i))));
      }
    }
  }

  void links() {
    for (const auto& e : c_.scene().links.list) {
      const SceneJoint& j = e.value;
      const PlanarBody* a = find(j.a, false);
      const PlanarBody* b = find(j.b, true);
      if (!a || !b) continue;
      linked_.emplace_back(a, b);
      const Vec2 at = pair(c_, j.at, "m", j.type.text == "weld" ? b->start : Vec2{0, 0});
      const PlanePoint p = f_.point(*a, local(*a, at)), q = f_.point(*b, local(*b, at));
      const Id turn = g_.subtract(g_.subtract(f_.angle(*b), f_.angle(*a)), g_.number(b->angle - a->angle));
      std::vector<Id> rows;
      const std::string& type = j.type.text;
      if (type == "revolute" || type == "weld") rows = {g_.subtract(q.x, p.x), g_.subtract(q.y, p.y)};
      if (type == "weld") rows.push_back(turn);
      if (type == "prismatic") {
        const Vec2 axis = pair(c_, j.axis, "");
        if (!(axis.norm() > 0)) c_.complain(j.type, "a prismatic joint needs an axis");
        const PlanePoint across = f_.turned(*a, local_direction(*a, left_of(axis.normalized())));
        rows = {f_.dot(across, f_.minus(q, p)), turn};
      }
      if (type == "distance") {
        const PlanePoint r = f_.minus(f_.centre(*b), f_.centre(*a));
        const double length = c_.number(j.distance, (b->start - a->start).norm());
        if (!(length > 0)) c_.complain(j.type, "the distance must be > 0");
        rows = {g_.subtract(g_.make(Graph::Op::hypot, r.x, r.y), g_.number(length))};
      }
      if (type == "gear") {
        const double ratio = c_.number(j.ratio, -1);
        const Id turn_a = g_.subtract(f_.angle(*a), g_.number(a->angle)),
                 turn_b = g_.subtract(f_.angle(*b), g_.number(b->angle));
        rows = {g_.subtract(turn_b, g_.multiply(g_.number(ratio), turn_a))};
      }
      const std::vector<std::string> known = {"revolute", "prismatic", "weld", "distance", "gear"};
      if (rows.empty())
        c_.complain(j.type, fmt::format("unknown type '{}'{}; known: {}", type, suggestion(type, known),
                                        fmt::join(known, ", ")));
      else
        d_.contacts.push_back({e.name, Equality{static_cast<int>(rows.size())}, std::move(rows)});
    }
  }

  void springs() {
    for (const auto& e : c_.scene().springs.list) {
      const SceneSpring& s = e.value;
      const PlanarBody* a = find(s.a, false);
      const PlanarBody* b = find(s.b, true);
      if (!a || !b) continue;
      const Vec2 at_a = pair(c_, s.at_a, "m", a->start), at_b = pair(c_, s.at_b, "m", b->start);
      const PlanePoint r = f_.minus(f_.point(*b, local(*b, at_b)), f_.point(*a, local(*a, at_a)));
      const Id length = g_.make(Graph::Op::hypot, r.x, r.y);
      const Id stretch = g_.subtract(length, g_.number(c_.number(s.length, (at_b - at_a).norm())));
      d_.potential = g_.add(
          d_.potential, g_.multiply(g_.number(c_.number(s.stiffness) / 2), g_.multiply(stretch, stretch)));
      Id rate = g_.number(0);
      for (int i = 0; i < d_.in.n; ++i)
        rate = g_.add(rate, g_.multiply(g_.derivative(length, d_.in.q(i)), g_.input(d_.in.u(i))));
      const Id force = g_.multiply(g_.number(-c_.number(s.damping)), rate);
      for (int i = 0; i < d_.in.n; ++i)
        d_.forces[i] = g_.add(d_.forces[i], g_.multiply(force, g_.derivative(length, d_.in.q(i))));
    }
  }

  bool linked(const PlanarBody& a, const PlanarBody& b) const {
    return std::any_of(linked_.begin(), linked_.end(),
                       [&](const auto& l) { return l == std::pair(&a, &b) || l == std::pair(&b, &a); });
  }

 private:
  const PlanarBody* find(const Word& w, bool ground) {
    if (!w.given()) return ground ? &ground_ : nullptr;
    std::vector<std::string> known;
    for (const auto& b : bodies_) {
      if (b.name == w.text) return &b;
      known.push_back(b.name);
    }
    c_.complain(w,
                fmt::format("no body '{}'{}; bodies: {}", w.text, suggestion(w.text, known), listed(known)));
    return nullptr;
  }
  static Vec2 local_direction(const PlanarBody& b, const Vec2& d) {
    const double c = std::cos(b.angle), s = std::sin(b.angle);
    return {c * d[0] + s * d[1], -s * d[0] + c * d[1]};
  }
  static Vec2 local(const PlanarBody& b, const Vec2& at) { return local_direction(b, at - b.start); }

  SceneCompiler& c_;
  FormulaData& d_;
  Graph& g_;
  PlaneFormulas f_;
  const std::vector<PlanarBody>& bodies_;
  PlanarBody ground_;
  std::vector<std::pair<const PlanarBody*, const PlanarBody*>> linked_;
};

struct Surfaces {
  std::vector<std::string> names = {"default"};
  MaterialTable table;
  int index(const Word& w, SceneCompiler& c) const {
    const auto it = std::find(names.begin(), names.end(), w.given() ? w.text : "default");
    if (it != names.end()) return static_cast<int>(it - names.begin());
    c.complain(w, fmt::format("no material '{}'{}; materials: {}", w.text, suggestion(w.text, names),
                              listed(names)));
    return 0;
  }
};

Surfaces surfaces(SceneCompiler& c) {
  Surfaces out;
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

}  // namespace

void add_body_coordinates(SceneCompiler& c) {
  if (c.scene().bodies.empty()) {
    const Scene& s = c.scene();
    if (!s.walls.empty() || !s.links.empty() || !s.springs.empty())
      c.complaints().add({1, 1}, "bodies", "walls, links and springs need bodies");
    return;
  }
  const auto bodies = BodyReader(c).read();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const PlanarBody& b = bodies[k];
    if (b.fixed()) continue;
    const SceneBody& s = c.scene().bodies.list[k].value;
    const Vec2 v = pair(c, s.velocity, "m/s");
    std::optional<Dimension> length, angle;
    if (c.uses_units()) length = length_dimension, angle = Dimension{};
    c.coordinates().push_back({b.name + ".x", length, b.start[0], v[0]});
    c.coordinates().push_back({b.name + ".y", length, b.start[1], v[1]});
    if (b.turns) c.coordinates().push_back({b.name + ".angle", angle, b.angle, c.number(s.spin)});
  }
}

void add_bodies(SceneCompiler& c, FormulaData& d) {
  if (c.scene().bodies.empty()) return;
  auto bodies = BodyReader(c).read();
  const Surfaces s = surfaces(c);
  for (auto& b : bodies) b.surface = s.index(b.material, c);
  BodyDynamics dynamics(c, d, bodies);
  dynamics.inertia();
  dynamics.links();
  dynamics.springs();
  BodyContacts contacts(c.graph(), d, s.table);
  for (const auto& e : c.scene().walls.list) {
    const Vec2 normal = pair(c, e.value.normal, ""), point = pair(c, e.value.point, "m");
    if (!(normal.norm() > 0))
      c.complaints().add(e.place, "walls." + e.name, "the normal must not be zero");
    else
      for (const auto& b : bodies)
        contacts.wall(b, e.name, point, normal.normalized(), s.index(e.value.material, c));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!(bodies[i].fixed() && bodies[j].fixed()) && !dynamics.linked(bodies[i], bodies[j]))
        contacts.pair(bodies[j], bodies[i]);
}

}  // namespace saltus
