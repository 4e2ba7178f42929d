#include "saltus/planar/rigid_system.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

using Kind = RigidBody::Shape;

void check_body(const RigidBody& b, int materials) {
  need(b.radius >= 0 && std::isfinite(b.radius), "body {}: radius = {} must be a finite number >= 0", b.name,
       b.radius);
  need(b.start.allFinite() && std::isfinite(b.angle), "body {}: its start is not finite", b.name);
  need(b.material >= 0 && b.material < materials, "body {}: material {} does not exist, there are {}", b.name,
       b.material, materials);
  need((b.shape == Kind::polygon) == !b.corners.empty(), "body {}: corners belong to polygons", b.name);
  need(b.shape != Kind::polygon || b.corners.size() >= 3, "body {}: a polygon has at least 3 corners",
       b.name);
  need(b.shape != Kind::drum || b.radius > 0, "body {}: a drum needs a radius > 0", b.name);
  for (const Vec2& p : b.corners) need(p.allFinite(), "body {}: a corner is not finite", b.name);
  if (b.fixed()) return;
  need(b.shape == Kind::round || b.shape == Kind::polygon, "body {}: planes and drums are fixed", b.name);
  need(std::isfinite(b.mass), "body {}: mass = {} is not a finite number", b.name, b.mass);
  need(!b.turns() || (b.inertia > 0 && std::isfinite(b.inertia)),
       "body {}: inertia = {} must be a finite number > 0", b.name, b.inertia);
}

// Of bodies that stand still. Quarter turns are exact: a vertical wall, whose angle has a rounding, does not
// push upwards by 6e-17 of its force, against which a wall on the other side could do nothing.
Frame standing_frame(const RigidBody& b) {
  constexpr double quarter = std::numbers::pi / 2;
  const double turns = std::round(b.angle / quarter);
  if (std::abs(b.angle - turns * quarter) > 1e-15 * std::abs(b.angle))
    return {b.start, {0, 0}, {0, 0}, std::cos(b.angle), std::sin(b.angle), 0};
  constexpr double cosine[] = {1, 0, -1, 0};
  const int k = static_cast<int>(std::fmod(turns, 4)) & 3;
  return {b.start, {0, 0}, {0, 0}, cosine[k], cosine[(k + 3) & 3], 0};
}

}  // namespace

Frame RigidSystem::fixed_frame(const RigidBody& b, double t) {
  Frame f = standing_frame(b);
  const Motion& m = b.motion;
  if (t < m.start || (m.omega == 0 && m.velocity == Vec2{0, 0})) return f;
  const double turn = m.omega * (t - m.start);
  const Frame turned{{0, 0}, {0, 0}, {0, 0}, std::cos(turn), std::sin(turn), 0};
  const Vec2 arm = turned.turned(b.start - m.pivot);
  f.x = m.pivot + (t - m.start) * m.velocity + arm;
  f.v = m.velocity + m.omega * left_of(arm);
  f.acceleration = -m.omega * m.omega * arm;
  f.cosine = std::cos(b.angle + turn), f.sine = std::sin(b.angle + turn), f.omega = m.omega;
  return f;
}

RigidSystem::RigidSystem(Data data) : data_(std::move(data)) {
  const int bodies = static_cast<int>(data_.bodies.size());
  double smallest = infinity, middle = 0;
  std::vector<double> reaches;
  for (const RigidBody& b : data_.bodies) {
    check_body(b, data_.materials.materials());
    Geometry g{sides_of(b.corners), b.radius, infinity, false};
    for (const Vec2& p : b.corners) g.reach = std::max(g.reach, p.norm());
    for (const PolygonSide& s : g.sides)
      g.favour = std::min(g.favour, 1e-3 * s.length), g.side += s.length / 4;
    g.width = b.corners.empty() ? 2 * b.radius : width_of(b.corners, g.sides);
    if (b.shape == Kind::plane || b.shape == Kind::drum) g.reach = g.width = infinity;
    if (g.width > 0) thinnest_ = std::min(thinnest_, g.width);
    first_.push_back(n_);
    n_ += b.coordinates();
    if (!b.fixed() && g.reach > 0) smallest = std::min(smallest, g.reach);
    if (!b.fixed()) reaches.push_back(g.reach);
    geometry_.push_back(std::move(g));
  }
  need(n_ > 0, "none of the bodies can move");
  need(data_.gravity.allFinite(), "gravity has a component that is not finite");
  for (auto& [i, j] : data_.apart)
    if (i > j) std::swap(i, j);
  std::sort(data_.apart.begin(), data_.apart.end());
  if (data_.margin == 0) data_.margin = smallest < infinity ? smallest / 10 : 1e-3;
  std::nth_element(reaches.begin(), reaches.begin() + static_cast<std::ptrdiff_t>(reaches.size() / 2),
                   reaches.end());
  middle = reaches[reaches.size() / 2];
  double largest = 0;
  for (int i = 0; i < bodies; ++i) {
    Geometry& g = geometry_[i];
    g.large = g.reach > 4 * middle + data_.margin;
    (g.large ? large_ : small_).push_back(i);
    if (!g.large) largest = std::max(largest, g.reach);
    most_features_ = std::max(most_features_, 2 * static_cast<int>(data_.bodies[i].corners.size()));
  }
  cell_ = 2 * largest, size_ = 2 * middle;
  if (middle > 0) data_.materials.set_length(middle);
  all_pairs_ = bodies <= data_.few;
  find_kinds();
  if (all_pairs_ && rigid_) contacts_ = all_contacts();
}

saltus::Shape RigidSystem::shape() const {
  saltus::Shape s;
  s.nq = s.nu = n_;
  s.mass.kind = Pattern::diagonal;
  s.jacobian = jacobian_;
  s.constant_mass = s.flat = s.tells_passages = s.kinked_gaps = true;
  s.linear_force = !compliant_;
  s.changing_contacts = rigid_ && !all_pairs_;
  s.constant_directions = compliant_ && !rigid_;  // there are none
  return s;
}

void RigidSystem::mass(double, In, Matrix& M, Workspace&) const {
  for (std::size_t i = 0; i < data_.bodies.size(); ++i) {
    const RigidBody& b = data_.bodies[i];
    for (int k = 0; k < b.coordinates(); ++k) M.set(first_[i] + k, first_[i] + k, k < 2 ? b.mass : b.inertia);
  }
}

double RigidSystem::energy(double t, In q, In u, Workspace& w) const {
  double twice = 0;
  for (std::size_t i = 0; i < data_.bodies.size(); ++i) {
    const RigidBody& b = data_.bodies[i];
    for (int k = 0; k < b.coordinates(); ++k)
      twice += (k < 2 ? b.mass : b.inertia) * u[first_[i] + k] * u[first_[i] + k];
  }
  return twice / 2 + potential(t, q, w);
}

void RigidSystem::frames(double t, In q, const double* u, std::vector<Frame>& out) const {
  out.resize(data_.bodies.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const RigidBody& b = data_.bodies[i];
    if (b.fixed()) {
      out[i] = fixed_frame(b, t);
      continue;
    }
    const int k = first_[i];
    Frame f{{q[k], q[k + 1]}};
    if (!b.corners.empty()) f.cosine = std::cos(q[k + 2]), f.sine = std::sin(q[k + 2]);
    if (u) f.v = {u[k], u[k + 1]}, f.omega = b.turns() ? u[k + 2] : 0;
    out[i] = f;
  }
}

bool RigidSystem::sketch(double t, In q, Sketch& out) const {
  const auto& bodies = data_.bodies;
  std::vector<Frame> now;
  frames(t, q, nullptr, now);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const RigidBody& b = bodies[i];
    const Frame& f = now[i];
    if (b.shape == Kind::plane) {
      const Vec2 along = f.turned({1, 0});
      out.lines.push_back({f.x[0], f.x[1], along[0], along[1]});
      continue;
    }
    const int colour = b.fixed() ? -1 : b.colour;
    const Sketch::Coordinates at = {b.fixed() ? -1 : first_[i], b.turns()};
    if (b.corners.empty()) {
      const double angle = b.fixed() ? std::atan2(f.sine, f.cosine) : b.turns() ? q[first_[i] + 2] : 0;
      out.rounds.push_back({f.x[0], f.x[1], b.radius, angle, colour, at});
    } else {
      out.polygons.push_back({f.x[0], f.x[1], {}, colour, at});
      for (const Vec2& c : b.corners) {
        const Vec2 p = f.x + f.turned(c);
        out.polygons.back().points.push_back({p[0], p[1]});
      }
    }
  }
  return true;
}

}  // namespace saltus
