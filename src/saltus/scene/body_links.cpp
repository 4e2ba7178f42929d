// Links, springs and motors between the bodies of a scene, as formulas.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "saltus/core/error.hpp"
#include "saltus/scene/bodies.hpp"

namespace saltus {
namespace {

using Id = Graph::Id;
using Use = SceneCompiler::Use;

class BodyFormulas {
 public:
  BodyFormulas(SceneCompiler& c, FormulaData& d) : c_(c), d_(d), g_(c.graph()), f_{g_, d.in} {
    for (std::size_t i = 0; i < c.rigids().size(); ++i)
      by_name_.emplace(c.rigids()[i].body.name, static_cast<int>(i));
  }

  void links() {
    for (const auto& e : c_.scene().links.list) {
      const int a = find(e.value.a, false), b = find(e.value.b, true);
      if (a != none && a == b)
        c_.complain(e.value.b, "a body is linked to another one, not to itself");
      else if (a != none && b != none && is_fixed(a) && is_fixed(b))
        c_.complain(e.value.a, "neither end of the link can move");
      else if (a != none && b != none)
        link(e.name, e.value, a, b);
      else
        c_.give_up(e.name);
    }
  }

  void springs() {
    for (const auto& e : c_.scene().springs.list) {
      const SceneSpring& s = e.value;
      const int a = find(s.a, false), b = find(s.b, true);
      if (a == none || b == none) continue;
      if (a == b) c_.complain(s.b, "a spring is between two bodies, not from one to itself");
      if (is_fixed(a) && is_fixed(b)) c_.complain(s.a, "neither end of the spring can move");
      const auto value = [&](const Value& v, double missing) {
        return c_.number_in(Range::non_negative(), v, missing);
      };
      if (!s.stiffness.given() && !s.damping.given())
        c_.miss(e.place, "springs." + e.name, "stiffness", "a spring needs a stiffness, a damping, or both");
      const Vec2 at_a = vector_of(c_, s.at_a, "m", at(a).body.start),
                 at_b = vector_of(c_, s.at_b, "m", at(b).body.start);
      const double free = value(s.length, (at_b - at_a).norm()), damping = value(s.damping, 0);
      const auto centred = [&](int body, const Pair& p, const Vec2& point) {
        if (p.given() && body != ground && is_point(body) && point != at(body).body.start)
          c_.complain(p.x, "a point does not turn, so nothing can hold it beside its centre: take a disk");
      };
      centred(a, s.at_a, at_a), centred(b, s.at_b, at_b);
      if (at_a == at_b && (free > 0 || damping > 0))
        c_.complain(s.a,
                    "the ends of the spring lie on each other at the start, so its force has no direction "
                    "(without damping and with length: 0 that is allowed)");
      spring(a, at_a, b, at_b, free, value(s.stiffness, 0), damping);
    }
  }

  // Neighbours of a group in a chain, and its ends to the ground.
  void chains() {
    for (const auto& e : c_.scene().groups.list) {
      if (e.value.layout.name.text != ChainLayout::name) continue;
      const SceneLayout chosen = c_.choose(e.value.layout);
      const auto& chain = std::get<ChainLayout>(chosen);
      const auto it = by_name_.find(e.name + ".1");
      if (it == by_name_.end() || chain.link == ChainLayout::Link::none) continue;
      if (is_point(it->second) &&
          (chain.link == ChainLayout::Link::revolute || chain.link == ChainLayout::Link::weld)) {
        c_.complaints().add(e.value.layout.place, "groups." + e.name + ".layout",
                            "points do not turn: take link: distance or spring, or disks");
        continue;
      }
      const int first = it->second, last = first + chain.count - 1;
      const Vec2 half = Vec2(chain.dx, chain.dy) / 2;
      const auto join = [&](int a, int b, const Vec2& middle) {
        const std::string name = fmt::format("{}/{}", at(a).body.name, at(b).body.name);
        switch (chain.link) {
          case ChainLayout::Link::spring: {
            const Vec2 end = b == ground ? middle : at(b).body.start;
            return spring(a, at(a).body.start, b, end, (end - at(a).body.start).norm(), chain.stiffness,
                          chain.damping);
          }
          case ChainLayout::Link::distance:
            return rows(name, a, b, {distance(a, b, b == ground ? middle : at(b).body.start, 0)});
          default:
            return rows(name, a, b, pinned(a, b, middle, chain.link == ChainLayout::Link::weld));
        }
      };
      using Anchor = ChainLayout::Anchor;
      if (chain.anchor == Anchor::first || chain.anchor == Anchor::both)
        join(first, ground, at(first).body.start - half);
      for (int i = first; i < last; ++i) join(i, i + 1, at(i).body.start + half);
      if (chain.anchor == Anchor::last || chain.anchor == Anchor::both)
        join(last, ground, at(last).body.start + half);
    }
  }

  void motors() {
    for (const auto& e : c_.scene().motors.list) motor(e.name, e.place, e.value);
  }

  std::vector<std::pair<int, int>> linked;

 private:
  static constexpr int ground = -1, none = -2;
  struct Drive {  // what a motor on a link moves: the angle or way of b against a, or of a against the ground
    std::string name, type;
    Id way;
  };

  const SceneRigid& at(int i) const { return i == ground ? ground_ : c_.rigids()[i]; }

  int find(const Word& w, bool may_be_ground) {
    if (!w.given()) return may_be_ground ? ground : none;
    if (const auto it = by_name_.find(w.text); it != by_name_.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& r : c_.rigids()) known.push_back(r.body.name);
    if (!c_.is_given_up(w.text))
      c_.complain(
          w, fmt::format("no body '{}'{}; bodies: {}", w.text, suggestion(w.text, known), listed(known)));
    return none;
  }

  static Vec2 local_direction(const SceneRigid& b, const Vec2& d) {
    const double c = std::cos(b.body.angle), s = std::sin(b.body.angle);
    return {c * d[0] + s * d[1], -s * d[0] + c * d[1]};
  }
  static Vec2 local(const SceneRigid& b, const Vec2& p) { return local_direction(b, p - b.body.start); }

  /// The turn of b against a since the start.
  Id turn(int a, int b) {
    return g_.subtract(g_.subtract(f_.angle(at(b)), f_.angle(at(a))),
                       g_.number(at(b).body.angle - at(a).body.angle));
  }
  std::vector<Id> pinned(int a, int b, const Vec2& p, bool weld) {
    const PlanePoint r = f_.minus(f_.point(at(b), local(at(b), p)), f_.point(at(a), local(at(a), p)));
    std::vector<Id> out = {r.x, r.y};
    if (weld) out.push_back(turn(a, b));
    return out;
  }
  /// Of a's centre and the point `end` of b; 0: that of the start.
  Id distance(int a, int b, const Vec2& end, double length) {
    const PlanePoint r = f_.minus(f_.point(at(b), local(at(b), end)), f_.centre(at(a)));
    return g_.subtract(f_.length(r), g_.number(length > 0 ? length : (end - at(a).body.start).norm()));
  }
  void rows(const std::string& name, int a, int b, std::vector<Id> formulas) {
    d_.contacts.push_back({name, Equality{static_cast<int>(formulas.size())}, std::move(formulas)});
    if (b != ground) linked.emplace_back(std::min(a, b), std::max(a, b));
  }

  bool is_fixed(int i) const { return i == ground || at(i).body.fixed(); }
  // A mass point of the scene, which has no angle.
  bool is_point(int i) const { return i != ground && !at(i).body.fixed() && !at(i).body.turns(); }

  void link(const std::string& name, const SceneJoint& j, int a, int b) {
    const std::string& type = j.type.text;
    const auto only = [&](const Formula& f, std::initializer_list<std::string_view> owners) {
      if (f.given() && std::find(owners.begin(), owners.end(), type) == owners.end())
        c_.complain(
            f, fmt::format("a {} joint has no such field; it belongs to {}", type, fmt::join(owners, ", ")));
    };
    only(j.at.x, {"revolute", "prismatic", "weld"}), only(j.axis.x, {"prismatic"});
    only(j.distance, {"distance"}), only(j.ratio, {"gear"});
    const Vec2 p = vector_of(c_, j.at, "m", type == "weld" ? at(b).body.start : Vec2{0, 0});
    if (type == "revolute" && !j.at.given()) {
      c_.give_up(name);
      return c_.miss(j.type.place, "links." + name, "at",
                     "a revolute joint needs at: [x, y], the point where it pins");
    }
    for (const int body : {a, b})
      if (is_point(body) &&
          (type == "weld" || type == "gear" || (type == "revolute" && p != at(body).body.start))) {
        c_.give_up(name);
        return c_.complain(
            body == a ? j.a : j.b,
            fmt::format("{} is a point, which does not turn: link it by its distance, pin it at "
                        "its centre, or take a disk",
                        at(body).body.name));
      }
    if (type == "revolute" || type == "weld") {
      rows(name, a, b, pinned(a, b, p, type == "weld"));
      drives_.push_back({name, type, b == ground ? turn(ground, a) : turn(a, b)});
    } else if (type == "prismatic") {
      const auto axis = direction_of(c_, j.axis, j.type, "a prismatic joint needs an axis: [x, y]");
      if (!axis) return c_.give_up(name);
      const PlanePoint r = f_.minus(f_.point(at(b), local(at(b), p)), f_.point(at(a), local(at(a), p)));
      const SceneRigid& rail = at(is_point(a) ? b : a);
      const auto along = [&](const Vec2& d) {
        return f_.dot(f_.direction(rail, local_direction(rail, d)), r);
      };
      std::vector<Id> held = {along(left_of(*axis))};
      if (!is_point(a) && !is_point(b)) held.push_back(turn(a, b));
      rows(name, a, b, std::move(held));
      const Vec2 forward = b == ground ? Vec2(-*axis) : *axis;
      drives_.push_back({name, type, along(forward)});
    } else if (type == "distance") {
      const double start = (at(b).body.start - at(a).body.start).norm();
      const double length = c_.number_in(Range::positive(), j.distance, start);
      if (!(length > 0)) return c_.complain(j.type, "the centres lie on each other: give another start");
      rows(name, a, b, {distance(a, b, at(b).body.start, length)});
    } else if (type == "gear") {
      const double ratio = c_.number(j.ratio, -1);
      if (ratio == 0)
        c_.complain(j.ratio, "found 0: a gear turns body b by ratio (-1 when not given) times the turn of a");
      if (b == ground) return c_.complain(j.type, "a gear needs two bodies, a and b");
      rows(name, a, b, {g_.subtract(turn(ground, b), g_.multiply(g_.number(ratio), turn(ground, a)))});
    } else {
      const std::vector<std::string> known = {"revolute", "prismatic", "weld", "distance", "gear"};
      c_.give_up(name);
      if (j.type.given())
        c_.complain(j.type, fmt::format("unknown type '{}'{}; known: {}", type, suggestion(type, known),
                                        fmt::join(known, ", ")));
    }
  }

  void spring(int a, const Vec2& at_a, int b, const Vec2& at_b, double free, double stiffness,
              double damping) {
    const PlanePoint r = f_.minus(f_.point(at(b), local(at(b), at_b)), f_.point(at(a), local(at(a), at_a)));
    if (free == 0 && damping == 0) {  // smooth where the ends meet
      d_.potentials.push_back(g_.multiply(g_.number(stiffness / 2), f_.dot(r, r)));
      return;
    }
    const Id length = f_.length(r);
    const Id stretch = g_.subtract(length, g_.number(free));
    d_.potentials.push_back(g_.multiply(g_.number(stiffness / 2), g_.multiply(stretch, stretch)));
    push(d_, g_, length, g_.multiply(g_.number(-damping), rate_of(g_, d_.in, length)));
  }

  void motor(const std::string& name, Place place, const SceneMotor& m) {
    const auto problem = [&](std::string text) {
      c_.complaints().add(place, "motors." + name, std::move(text));
    };
    if (c_.complaints().about("motors." + name)) return;
    if (m.body.given() == m.link.given()) return problem("give either a body or a link");
    if (m.torque.given() + m.force.given() + m.speed.given() != 1)
      return problem("give one of torque, force and speed");
    if (m.limit.given() && !m.speed.given()) return c_.complain(m.limit, "only a speed has a limit");
    const Drive* drive = nullptr;
    Drive own{name, "revolute", 0};
    if (m.body.given()) {
      const int b = find(m.body, false);
      if (b == none) return;
      own.way = turn(ground, b), drive = &own;
    } else {
      for (const Drive& d : drives_)
        if (d.name == m.link.text) drive = &d;
      std::vector<std::string> known;
      for (const Drive& d : drives_) known.push_back(d.name);
      if (!drive && c_.is_given_up(m.link.text)) return;
      for (const auto& e : c_.scene().links.list)
        if (!drive && e.name == m.link.text)
          return c_.complain(m.link, fmt::format("a {} joint cannot be driven", e.value.type.text));
      if (!drive)
        return c_.complain(m.link, fmt::format("no link '{}' that can be driven{}; known: {}", m.link.text,
                                               suggestion(m.link.text, known), listed(known)));
    }
    const bool slides = drive->type == "prismatic";
    if (drive->type == "weld") return c_.complain(m.link, "a weld joint cannot be driven");
    if (slides ? m.torque.given() : m.force.given())
      return problem(slides ? "a prismatic link needs a force, not a torque"
                            : "a body or link that turns needs a torque, not a force");
    if (g_.is_number(drive->way)) return problem("what it drives cannot move");
    const Dimension effort = slides ? energy_dimension / length_dimension : energy_dimension;
    const Formula& f = m.torque.given() ? m.torque : m.force.given() ? m.force : m.speed;
    const Term x = c_.compile(f, m.speed.given() ? Use::positions : Use::velocities);
    if (m.speed.given() && g_.depends(x.node, d_.in.q(0), d_.in.u(0)))
      return c_.complain(m.speed, "a speed is a formula of t and parameters");
    if (!m.speed.given()) {
      c_.expect(x, effort, f, slides ? "a force" : "a torque");
      return push(d_, g_, drive->way, x.node);
    }
    Dimension speed = Dimension{} / time_dimension;
    if (slides) speed = speed * length_dimension;
    c_.expect(x, speed, f, "a speed");
    hold(name, *drive, m, x, effort);
  }

  // A speed: with a limit, friction of fixed size against the wanted motion; without, a joint.
  void hold(const std::string& name, const Drive& drive, const SceneMotor& m, const Term& speed,
            const Dimension& effort) {
    if (m.limit.given()) {
      c_.expect(c_.constant(m.limit), effort, m.limit, "this limit");
      const double value = c_.number_in(Range::positive(), m.limit, 1);
      d_.contacts.push_back(
          {name, Tresca{.limit = value}, {g_.subtract(rate_of(g_, d_.in, drive.way), speed.node)}});
      return;
    }
    if (!g_.is_number(speed.node))
      return c_.complain(m.speed,
                         "a speed that changes needs a limit; or prescribe the coordinate under `motions`");
    d_.contacts.push_back(
        {name, Equality{1}, {g_.subtract(drive.way, g_.multiply(speed.node, g_.input(d_.in.t())))}});
  }

  SceneCompiler& c_;
  FormulaData& d_;
  Graph& g_;
  PlaneFormulas f_;
  SceneRigid ground_;
  std::unordered_map<std::string, int> by_name_;
  std::vector<Drive> drives_;
};

}  // namespace

std::vector<std::pair<int, int>> add_body_formulas(SceneCompiler& c, FormulaData& d) {
  BodyFormulas formulas(c, d);
  formulas.links();
  formulas.springs();
  formulas.chains();
  formulas.motors();
  return std::move(formulas.linked);
}

}  // namespace saltus
