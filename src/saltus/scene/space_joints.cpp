// Joints of bodies in space, what acts on their coordinates, gears and springs.
#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/formula/time_formula.hpp"
#include "saltus/scene/space_reader.hpp"

namespace saltus {
namespace {

using Type = SpaceJoint::Kind;

bool has_points(Type t) {  // two, at a distance
  return t == Type::distance || t == Type::rope;
}
bool has_axis(Type t) {
  return t != Type::ball && t != Type::fixed && !has_points(t);
}

// The smallest turn from one unit vector to another.
Mat3 turn_between(const Vec3& from, const Vec3& to) {
  const Vec3 m = cross(from, to);
  const double s = m.norm(), angle = std::atan2(s, from.dot(to));
  return rotation_exp(s > 0 ? Vec3(angle / s * m) : Vec3(angle * some_normal_to(from))).matrix();
}

}  // namespace

int SpaceReader::find_body(const Word& w) {
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

Vec3 SpaceReader::in_frame(int body, const Vec3& point) const {
  const SpaceBody& b = data_.bodies[body];
  return b.turn.transpose() * (point - b.start);
}

void SpaceReader::links() {
  for (const auto& e : scene_.joints.list)
    name(e.name, e.place, "joints"), joint(e.value, {e.name, "space.joints." + e.name, e.place});
  for (const auto& e : scene_.springs.list) spring(e.value, {e.name, "space.springs." + e.name, e.place});
  for (const auto& e : scene_.gears.list) gear(e.value, {e.name, "space.gears." + e.name, e.place});
}

// The joint's b is the body that the scene calls a: forces of its rows are those on that one, and its
// coordinates are those of that one.
void SpaceReader::joint(const SceneSpaceJoint& s, const Word& here) {
  constexpr std::array kinds = {Type::ball,  Type::hinge,  Type::slider, Type::universal, Type::cylindrical,
                                Type::screw, Type::planar, Type::fixed,  Type::distance,  Type::rope};
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
  const Vec3 at = vector_of(here, "at", s.at, data_.bodies[j.b].start);
  const Vec3 at_b =
      vector_of(here, "at_b", s.at_b, has_points(*kind) && s.at_b.empty() ? data_.bodies[j.a].start : at);
  if (s.length.given() && !has_points(*kind)) c_.complain(s.length, "only a distance or rope has a length");
  if (s.e.given() && *kind != Type::rope)
    c_.complain(s.e, "only a rope has this; the limits of a coordinate have an e of their own");
  if (s.pitch.given() != (*kind == Type::screw))
    c_.complaints().add(s.pitch.given() ? s.pitch.place : here.place, field(here, "pitch").path,
                        "a screw needs a pitch, its way in one turn; others have none");
  j.point_b = in_frame(j.b, at), j.point_a = in_frame(j.a, at_b);
  j.length = c_.number_in(Range::positive(), s.length, (at - at_b).norm());
  j.pitch = c_.number(s.pitch);
  joint_axes(s, here, j);
  j.scale = scale_of(j);
  if (!s.contact) data_.apart.emplace_back(std::min(j.a, j.b), std::max(j.a, j.b));
  data_.joints.push_back(std::move(j));
  if (*kind == Type::rope) {
    SpaceAction taut;
    taut.joint = static_cast<int>(data_.joints.size()) - 1, taut.what = JointCoordinate::length;
    taut.upper = data_.joints.back().length, taut.e = c_.number_in(Range::closed(0, 1), s.e, 0);
    data_.actions.push_back(std::move(taut));
  }
  const std::pair<const std::optional<SceneJointAction>*, JointCoordinate> actions[] = {
      {&s.angle, JointCoordinate::angle},
      {&s.angle_2, JointCoordinate::angle_2},
      {&s.shift, JointCoordinate::shift},
      {&s.shift_2, JointCoordinate::shift_2},
      {&s.swing, JointCoordinate::swing}};
  for (const auto& [given, what] : actions)
    if (*given) action(**given, field(here, to_string(what)), what);
}

// Columns of axes_a and axes_b: equal in space where the joint is assembled.
void SpaceReader::joint_axes(const SceneSpaceJoint& s, const Word& here, SpaceJoint& j) {
  const bool axis_needed = has_axis(j.kind) || (j.kind == Type::ball && s.swing);
  if (axis_needed && s.axis.empty())
    c_.complaints().add(here.place, here.path,
                        fmt::format("a {} joint needs an axis: [x, y, z]", s.type.text));
  if (!axis_needed && !s.axis.empty())
    c_.complain(s.axis[0], fmt::format("a {} joint has no axis", s.type.text));
  const Vec3 axis = direction_of(here, "axis", s.axis, {0, 0, 1});
  Mat3 axes, axes_b;
  if (j.kind == Type::universal) {
    // rows d, a₁·b₂: a₁ is held at right angles to b₂
    const Vec3 other = direction_of(here, "axis_b", s.axis_b, some_normal_to(axis));
    if (std::abs(other.dot(axis)) > 1e-9)
      c_.complain(s.axis_b[0], "the two axes of a universal joint are at right angles");
    axes << axis, other, cross(axis, other);
    axes_b = axes;
  } else {
    const Vec3 first = direction_of(here, "across", s.across, some_normal_to(axis));
    if (!s.across.empty() && j.kind != Type::planar) c_.complain(s.across[0], "only a planar joint has this");
    if (!s.across.empty() && std::abs(first.dot(axis)) > 1e-9)
      c_.complain(s.across[0], "this direction and the axis are at right angles");
    axes << first, cross(axis, first), axis;
    axes_b = axes;
    if (!s.axis_b.empty() && !axis_needed) c_.complain(s.axis_b[0], "this joint has no axes");
    if (!s.axis_b.empty()) axes_b = turn_between(axis, direction_of(here, "axis_b", s.axis_b, axis)) * axes;
  }
  j.axes_b = data_.bodies[j.b].turn.transpose() * axes;
  j.axes_a = data_.bodies[j.a].turn.transpose() * axes_b;
}

// A length of the bodies: their radius of inertia.
double SpaceReader::scale_of(const SpaceJoint& j) const {
  double most = 0;
  for (const int k : {j.a, j.b})
    if (const SpaceBody& b = data_.bodies[k]; b.mass > 0)
      most = std::max(most, std::sqrt(b.inertia.trace() / b.mass));
  return most > 0 ? most : 1;
}

SpaceMotion::Along SpaceReader::time_formula(const Formula& f) {
  if (!f.given()) return {};
  const Term x = c_.compile(f, SceneCompiler::Use::positions);
  if (!x.ok) return {};
  Graph& g = c_.graph();
  return {std::make_shared<TimeFormula>(g, x.node),
          std::make_shared<TimeFormula>(g, g.derivative(x.node, 0))};
}

void SpaceReader::action(const SceneJointAction& s, const Word& here, JointCoordinate what) {
  const SpaceJoint& j = data_.joints.back();
  if (!has_coordinate(j.kind, what)) {
    std::vector<std::string_view> known;
    for (int k = 0; k < joint_coordinates; ++k)
      if (const auto c = static_cast<JointCoordinate>(k);
          has_coordinate(j.kind, c) && c != JointCoordinate::length)
        known.push_back(to_string(c));
    return c_.complaints().add(
        here.place, here.path,
        fmt::format("a {} joint has no {}; it has {}", to_string(j.kind), to_string(what),
                    known.empty() ? "no coordinate" : fmt::format("{}", fmt::join(known, ", "))));
  }
  SpaceAction a;
  a.joint = static_cast<int>(data_.joints.size()) - 1, a.what = what;
  a.start = c_.number(s.start);
  if (!s.limits.empty() && has(s.limits, 2, field(here, "limits"), "two numbers: [smallest, largest]")) {
    a.lower = c_.number(s.limits[0]), a.upper = c_.number(s.limits[1]);
    if (!(a.lower < a.upper))
      c_.complain(s.limits[0], fmt::format("{} is not below {}", s.limits[0].text, s.limits[1].text));
  }
  a.e = c_.number_in(Range::closed(0, 1), s.e, 0);
  a.friction = c_.number_in(Range::non_negative(), s.friction, 0);
  a.stiffness = c_.number_in(Range::non_negative(), s.stiffness, 0), a.rest = c_.number(s.rest);
  a.damping = c_.number_in(Range::non_negative(), s.damping, 0);
  if (is_plain(s.force, true))
    a.force = time_formula(s.force).place;
  else
    pushes_.push_back({SpacePush::On::joint, a.joint, what, {s.force}});
  a.speed = time_formula(s.speed).place;
  a.most = c_.number_in(Range::positive(), s.most, infinity);
  a.follow = time_formula(s.follow);
  if (s.most.given() && !s.speed.given()) c_.complain(s.most, "this is of a motor: give its speed");
  if (s.follow.given() && s.speed.given())
    c_.complain(s.speed, "a coordinate follows a formula or has a motor, not both");
  if (what == JointCoordinate::swing) {
    for (const Formula* f : {static_cast<const Formula*>(&s.start), static_cast<const Formula*>(&s.friction),
                             static_cast<const Formula*>(&s.stiffness),
                             static_cast<const Formula*>(&s.damping), &s.force, &s.speed, &s.follow})
      if (f->given()) c_.complain(*f, "a swing has limits only: [0, largest angle]");
    if (!s.limits.empty() && (a.lower != 0 || !(a.upper < std::acos(-1.0))))
      c_.complain(s.limits[0], "the swing of a ball is between 0 and less than π: [0, largest angle]");
  }
  data_.actions.push_back(std::move(a));
}

// JOINT.COORDINATE; an action without forces where there is none.
int SpaceReader::find_action(const Word& w) {
  const auto dot = w.text.rfind('.');
  std::vector<std::string> known;
  for (std::size_t k = 0; k < data_.joints.size(); ++k)
    for (int c = 0; c < joint_coordinates; ++c) {
      const auto what = static_cast<JointCoordinate>(c);
      const SpaceJoint& j = data_.joints[k];
      if (!has_coordinate(j.kind, what) || what == JointCoordinate::swing || what == JointCoordinate::length)
        continue;
      known.push_back(fmt::format("{}.{}", j.name, to_string(what)));
      if (dot == std::string::npos || known.back() != w.text) continue;
      for (std::size_t i = 0; i < data_.actions.size(); ++i)
        if (data_.actions[i].joint == static_cast<int>(k) && data_.actions[i].what == what)
          return static_cast<int>(i);
      SpaceAction a;
      a.joint = static_cast<int>(k), a.what = what;
      data_.actions.push_back(std::move(a));
      return static_cast<int>(data_.actions.size()) - 1;
    }
  c_.complain(w,
              fmt::format("no coordinate of a joint '{}'{}; there are: {}", w.text, suggestion(w.text, known),
                          known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  return -1;
}

void SpaceReader::gear(const SceneSpaceGear& s, const Word& here) {
  SpaceGear g;
  g.name = here.text;
  g.driver = find_action(s.driver), g.driven = find_action(s.driven);
  if (g.driver < 0 || g.driven < 0) return;
  if (g.driver == g.driven) return c_.complain(s.driven, "a gear needs two coordinates");
  g.ratio = c_.number(s.ratio);
  if (g.ratio == 0) c_.complain(s.ratio, "a ratio of zero holds the driven one: leave the gear out");
  g.offset = data_.actions[g.driven].start - g.ratio * data_.actions[g.driver].start;
  data_.gears.push_back(std::move(g));
}

void SpaceReader::spring(const SceneSpaceSpring& s, const Word& here) {
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

}  // namespace saltus
