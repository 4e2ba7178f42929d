#include "saltus/scene/space_names.hpp"

namespace saltus {
namespace {

using SpaceNodes = std::array<Graph::Id, 3>;

constexpr std::string_view axis_letters = "xyz";

Graph::Id node_dot(Graph& g, const SpaceNodes& a, const SpaceNodes& b) {
  Graph::Id sum = g.number(0);
  for (int i = 0; i < 3; ++i) sum = g.add(sum, g.multiply(a[i], b[i]));
  return sum;
}
SpaceNodes nodes_between(Graph& g, const SpaceNodes& a, const SpaceNodes& b) {
  return {g.subtract(a[0], b[0]), g.subtract(a[1], b[1]), g.subtract(a[2], b[2])};
}
Graph::Id node_length(Graph& g, const SpaceNodes& a) {
  return g.make(Graph::Op::hypot, g.make(Graph::Op::hypot, a[0], a[1]), a[2]);
}

}  // namespace

SpaceNames::SpaceNames(const SpatialSystem& system, int own) : system_(system), own_(own) {
  const auto& data = system.data();
  for (int k = 0; k < static_cast<int>(data.bodies.size()); ++k) {
    bodies_.emplace(data.bodies[k].name, k);
    const int place = system.place_of(k);
    frame_of_.push_back(place < 0 ? Frame{} : Frame{own + 7 * place, own + 6 * place});
  }
  for (int k = 0; k < static_cast<int>(data.joints.size()); ++k) joints_.emplace(data.joints[k].name, k);
}

int SpaceNames::body(std::string_view name) const {
  const auto it = bodies_.find(name);
  return it == bodies_.end() ? -1 : it->second;
}

void SpaceNames::add_known(std::vector<std::string>& out) const {
  constexpr int first = 10;
  int count = 0;
  for (const auto& [name, k] : bodies_)
    if (frame_of_[k].q >= 0 && count++ < first)
      for (const char* what : {"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "axis3.z", "spin.z"})
        out.push_back(fmt::format("{}.{}", name, what));
  if (count > 1) out.emplace_back("distance(a, b)");
}

// ṗ = ½ p∘(0, ω); angles of joints by the gradient of their formula.
const FormulaInputs& SpaceNames::inputs(Graph& g) {
  if (inputs_) return *inputs_;
  auto motion = std::make_shared<FormulaMotion>();
  for (int i = 0; i < own_; ++i) motion->of.push_back({{i, g.number(1)}});
  const Id half = g.number(0.5), minus_half = g.number(-0.5);
  for (int k = 0; k < system_.bodies_moving(); ++k) {
    const int q = own_ + 7 * k, u = own_ + 6 * k;
    for (int i = 0; i < 3; ++i) motion->of.push_back({{u + i, g.number(1)}});
    const auto p = [&](int i) { return g.input(1 + q + 3 + i); };
    const auto term = [&](int i, int of, bool negative) {
      return FormulaMotion::Term{u + 3 + i, g.multiply(negative ? minus_half : half, p(of))};
    };
    motion->of.push_back({term(0, 1, true), term(1, 2, true), term(2, 3, true)});
    motion->of.push_back({term(0, 0, false), term(1, 3, true), term(2, 2, false)});
    motion->of.push_back({term(0, 3, false), term(1, 0, false), term(2, 1, true)});
    motion->of.push_back({term(0, 2, true), term(1, 1, false), term(2, 0, false)});
  }
  const int nu = own_ + 6 * system_.bodies_moving();
  const FormulaInputs bodies{nu, motion};
  std::vector<std::vector<FormulaMotion::Term>> turns;
  for (const auto& a : system_.angles()) {
    const Id theta = angle(g, system_.data().joints[a.joint], a.what);
    auto& terms = turns.emplace_back();
    for (const int j : moved_by(g, bodies, theta)) terms.push_back({j, along(g, bodies, theta, j)});
  }
  auto all = std::make_shared<FormulaMotion>(*motion);
  all->of.insert(all->of.end(), turns.begin(), turns.end());
  inputs_ = FormulaInputs{nu, std::move(all)};
  return *inputs_;
}

SpaceNames::Vector SpaceNames::constant(Graph& g, const Vec3& x) {
  return {g.number(x[0]), g.number(x[1]), g.number(x[2])};
}

SpaceNames::Vector SpaceNames::centre(Graph& g, int body) {
  const int q = frame_of_[body].q;
  if (q < 0) return constant(g, system_.data().bodies[body].start);
  return {g.input(1 + q), g.input(2 + q), g.input(3 + q)};
}

// Column k of R(p).
SpaceNames::Vector SpaceNames::axis(Graph& g, int body, int k) {
  const int q = frame_of_[body].q;
  if (q < 0) return constant(g, system_.data().bodies[body].turn.col(k));
  const auto p = [&](int i) { return g.input(1 + q + 3 + i); };
  const auto product = [&](int i, int j) { return g.multiply(p(i), p(j)); };
  const Id two = g.number(2);
  Vector out;
  for (int i = 0; i < 3; ++i) {
    if (i == k) {  // 1 − 2 (y² + z²)
      const int a = 1 + (k + 1) % 3, b = 1 + (k + 2) % 3;
      out[i] = g.subtract(g.number(1), g.multiply(two, g.add(product(a, a), product(b, b))));
    } else {  // 2 (x_i x_k ∓ w x_other)
      const int other = 1 + (3 - i - k);
      const Id mixed = product(1 + i, 1 + k), turn = product(0, other);
      out[i] = g.multiply(two, (i + 1) % 3 == k ? g.subtract(mixed, turn) : g.add(mixed, turn));
    }
  }
  return out;
}

SpaceNames::Vector SpaceNames::direction(Graph& g, int body, const Vec3& x) {
  Vector out = {g.number(0), g.number(0), g.number(0)};
  for (int k = 0; k < 3; ++k) {
    if (x[k] == 0) continue;
    const Vector column = axis(g, body, k);
    for (int i = 0; i < 3; ++i) out[i] = g.add(out[i], g.multiply(g.number(x[k]), column[i]));
  }
  return out;
}

SpaceNames::Vector SpaceNames::point(Graph& g, int body, const Vec3& x) {
  const Vector c = centre(g, body), d = direction(g, body, x);
  return {g.add(c[0], d[0]), g.add(c[1], d[1]), g.add(c[2], d[2])};
}

std::array<Graph::Id, 3> SpaceNames::in_body(Graph& g, int body, const std::array<Graph::Id, 3>& moment) {
  return {node_dot(g, axis(g, body, 0), moment), node_dot(g, axis(g, body, 1), moment),
          node_dot(g, axis(g, body, 2), moment)};
}

// As coordinate_row (space_joint.hpp), up to whole turns.
Graph::Id SpaceNames::angle(Graph& g, const SpaceJoint& j, JointCoordinate what) {
  const auto A = [&](int k) { return direction(g, j.a, j.axes_a.col(k)); };
  const auto B = [&](int k) { return direction(g, j.b, j.axes_b.col(k)); };
  const auto between = [&](const Vector& s, const Vector& c, const Vector& x) {
    return g.make(Graph::Op::atan2, node_dot(g, s, x), node_dot(g, c, x));
  };
  if (what == JointCoordinate::angle_2) return between(B(2), B(0), A(0));
  return j.kind == SpaceJoint::Kind::universal ? between(A(2), A(1), B(1)) : between(A(1), A(0), B(0));
}

std::optional<SpaceNames::Quantity> SpaceNames::joint_coordinate(Graph& g, int joint, JointCoordinate what) {
  const SpaceJoint& j = system_.data().joints[joint];
  if (!has_coordinate(j.kind, what)) return {};
  if (is_angle(what)) {
    const auto angles = system_.angles();
    for (std::size_t k = 0; k < angles.size(); ++k)
      if (angles[k].joint == joint && angles[k].what == what)
        return Quantity{g.input(1 + own_ + 7 * system_.bodies_moving() + static_cast<int>(k)), {}, false};
    return {};
  }
  const Vector d = nodes_between(g, point(g, j.b, j.point_b), point(g, j.a, j.point_a));
  const bool planar = j.kind == SpaceJoint::Kind::planar;
  if (what == JointCoordinate::length) return Quantity{node_length(g, d), length_dimension, false};
  if (what != JointCoordinate::shift && what != JointCoordinate::shift_2) return {};
  const int k = what == JointCoordinate::shift_2 ? 1 : planar ? 0 : 2;
  double start = 0;
  for (const SpaceAction& a : system_.data().actions)
    if (a.joint == joint && a.what == what) start = a.start;
  return Quantity{g.add(g.number(start), node_dot(g, direction(g, j.a, j.axes_a.col(k)), d)),
                  length_dimension, false};
}

std::optional<SpaceNames::Quantity> SpaceNames::of_body(Graph& g, int body, std::string_view what) {
  const auto letter = [](char c) { return axis_letters.find(c); };
  const Frame& f = frame_of_[body];
  const SpaceMotion& motion = system_.data().bodies[body].motion;
  if (f.q < 0 && (!motion.velocity.isZero() || !motion.omega.isZero() || motion.along[0].place)) return {};
  const Dimension speed = length_dimension / time_dimension, rate = Dimension{} / time_dimension;
  if (what.size() == 1 && letter(what[0]) < 3)
    return Quantity{centre(g, body)[letter(what[0])], length_dimension};
  if (what.size() == 7 && what.starts_with("axis") && what[4] >= '1' && what[4] <= '3' && what[5] == '.' &&
      letter(what[6]) < 3)
    return Quantity{axis(g, body, what[4] - '1')[letter(what[6])], {}};
  if (f.q < 0) return {};
  const int u = inputs(g).u(f.u);
  constexpr std::string_view components = "wxyz";
  if (what.size() == 2 && what[0] == 'q' && components.find(what[1]) < 4)
    return Quantity{g.input(1 + f.q + 3 + static_cast<int>(components.find(what[1]))), {}};
  if (what.size() == 2 && letter(what[1]) < 3 && (what[0] == 'v' || what[0] == 'w'))
    return Quantity{g.input(u + (what[0] == 'w' ? 3 : 0) + static_cast<int>(letter(what[1]))),
                    what[0] == 'w' ? rate : speed, true};
  if (what.size() == 6 && what.starts_with("spin.") && letter(what[5]) < 3) {
    Id sum = g.number(0);
    for (int k = 0; k < 3; ++k)
      sum = g.add(sum, g.multiply(axis(g, body, k)[letter(what[5])], g.input(u + 3 + k)));
    return Quantity{sum, rate, true};
  }
  return {};
}

std::optional<SpaceNames::Quantity> SpaceNames::distance(Graph& g, std::string_view arguments) {
  const auto comma = arguments.find(',');
  const int a = body(arguments.substr(0, comma)), b = body(arguments.substr(comma + 1));
  if (a < 0 || b < 0 || a == b) return {};
  return Quantity{node_length(g, nodes_between(g, centre(g, a), centre(g, b))), length_dimension};
}

std::optional<SpaceNames::Quantity> SpaceNames::find(Graph& g, std::string_view name) {
  if (name.ends_with('\'')) {
    const auto x = find(g, name.substr(0, name.size() - 1));
    if (!x || x->velocity) return {};
    return Quantity{rate_of(g, inputs(g), x->node), x->dimension / time_dimension, true};
  }
  constexpr std::string_view between = "distance(";
  if (name.starts_with(between) && name.ends_with(')'))
    return distance(g, name.substr(between.size(), name.size() - between.size() - 1));
  for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    const std::string_view head = name.substr(0, dot), tail = name.substr(dot + 1);
    if (const int k = body(head); k >= 0)
      if (const auto x = of_body(g, k, tail)) return x;
    if (const auto it = joints_.find(head); it != joints_.end())
      for (int c = 0; c < joint_coordinates; ++c)
        if (to_string(static_cast<JointCoordinate>(c)) == tail)
          return joint_coordinate(g, it->second, static_cast<JointCoordinate>(c));
  }
  return {};
}

}  // namespace saltus
