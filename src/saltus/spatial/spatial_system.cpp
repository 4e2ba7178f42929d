#include "saltus/spatial/spatial_system.hpp"

#include <algorithm>
#include <numeric>

#include "saltus/core/error.hpp"
#include "saltus/linalg/pattern.hpp"
#include "saltus/planar/grid.hpp"

namespace saltus {

SpatialSystem::SpatialSystem(Data data) : data_(std::move(data)) {
  for (int i = 0; i < static_cast<int>(data_.bodies.size()); ++i) {
    const bool fixed = data_.bodies[i].fixed();
    place_.push_back(fixed ? -1 : moving_);
    if (fixed) continue;
    body_of_.push_back(i);
    ++moving_;
  }
  check();
  for (auto& [i, j] : data_.apart)
    if (i > j) std::swap(i, j);
  std::sort(data_.apart.begin(), data_.apart.end());
  data_.materials.set_tangents(2);
  find_angles();
  find_kinds();
  find_geometry();
  find_laws();
  find_pattern();
}

void SpatialSystem::check() const {
  const auto n = static_cast<int>(data_.bodies.size());
  if (moving_ == 0) fail("no body has a mass: nothing moves");
  for (const SpaceBody& b : data_.bodies) {
    if (!b.start.allFinite() || !b.turn.allFinite()) fail("body {}: its place is not finite", b.name);
    if (b.fixed()) continue;
    if (!std::isfinite(b.mass)) fail("body {}: the mass is {}", b.name, b.mass);
    if (const std::string trouble = inertia_trouble(b.inertia); !trouble.empty())
      fail("body {}: no body can have this inertia: {}", b.name, trouble);
    for (const SpaceShape& s : b.shapes)
      if (s.kind == SpaceShape::Kind::half_space)
        fail("body {}: a half-space has no mass: bodies with one are fixed or moved as prescribed", b.name);
  }
  for (const SpaceJoint& j : data_.joints) {
    if (j.a < 0 || j.b < 0 || j.a >= n || j.b >= n || j.a == j.b)
      fail("joint {}: it needs two bodies", j.name);
    if (place_[j.a] < 0 && place_[j.b] < 0) fail("joint {}: neither of its bodies can move", j.name);
    if (j.kind == SpaceJoint::Kind::distance && !(j.length > 0))
      fail("joint {}: a distance of {} has no direction; a ball joint holds points together", j.name,
           j.length);
  }
  for (const SpaceSpring& s : data_.springs)
    if (s.a < 0 || s.b < 0 || s.a >= n || s.b >= n || s.a == s.b)
      fail("spring {}: it needs two bodies", s.name);
}

void SpatialSystem::find_geometry() {
  const int n = static_cast<int>(data_.bodies.size());
  std::vector<double> reaches;
  double smallest = infinity;
  for (const SpaceBody& b : data_.bodies) {
    Geometry g;
    double width = infinity;
    for (const SpaceShape& s : b.shapes) {
      g.reach = std::max(g.reach, s.reach());
      if (s.kind != SpaceShape::Kind::sphere || !s.centre.isZero())
        g.turning = std::max(g.turning, s.reach());
      const Vec3 middle = s.middle();
      g.balls.push_back({middle, s.moved(Mat3::Identity(), -middle).reach()});
      if (const double w = s.width(); w > 0) width = std::min(width, w);
    }
    g.width = std::isfinite(width) ? width : 0;
    thinnest_ = std::min(thinnest_, width);
    if (!b.fixed() && !b.shapes.empty()) reaches.push_back(g.reach);
    geometry_.push_back(g);
  }
  double middle = 0;
  if (!reaches.empty()) {
    std::nth_element(reaches.begin(), reaches.begin() + static_cast<std::ptrdiff_t>(reaches.size() / 2),
                     reaches.end());
    middle = reaches[reaches.size() / 2];
    smallest = *std::min_element(reaches.begin(), reaches.end());
  }
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    Geometry& g = geometry_[i];
    g.large = g.reach > 4 * middle;
    (g.large ? large_ : small_).push_back(i);
    if (!g.large) largest = std::max(largest, g.reach);
  }
  cell_ = largest > 0 ? 2 * largest : 1, size_ = 2 * middle;
  if (middle > 0) data_.materials.set_length(middle);
  if (!(data_.margin > 0)) data_.margin = std::isfinite(smallest) && smallest > 0 ? 0.02 * smallest : 0.1;

  int all = 0;
  for (int i = 0; i < n && n <= 2 * few_pairs; ++i)
    for (int j = i + 1; j < n; ++j) all += compliance(i, j) ? 0 : features(i, j);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n && n <= 2 * few_pairs; ++j)
      most_features_ = std::max<std::uint64_t>(most_features_, static_cast<std::uint64_t>(features(i, j)));
  if (n > 2 * few_pairs) {  // of many bodies there are few kinds: by the largest ones
    std::vector<int> kinds;
    const auto signature = [&](int i) {
      std::vector<std::pair<int, std::size_t>> s;
      for (const SpaceShape& x : data_.bodies[i].shapes)
        s.emplace_back(static_cast<int>(x.kind), x.polytope.edges.size());
      return s;
    };
    for (int i = 0; i < n; ++i)
      if (std::none_of(kinds.begin(), kinds.end(), [&](int k) { return signature(k) == signature(i); }))
        kinds.push_back(i);
    for (const int i : kinds)
      for (const int j : kinds)
        most_features_ =
            std::max<std::uint64_t>(most_features_, static_cast<std::uint64_t>(shape_features(i, j)));
    all = rigid_ ? data_.few + 1 : 0;
  }
  const auto bodies = static_cast<std::uint64_t>(n);
  if (most_features_ > (std::uint64_t{1} << 54) / (bodies * bodies))
    fail("{} bodies with up to {} contacts a pair are too many to be numbered", n, most_features_);
  touching_ = all > 0;
  all_pairs_ = all <= data_.few;
}

// The laws of materials, where anything touches, then one for each size of joints.
void SpatialSystem::find_laws() {
  const auto of_materials = data_.materials.laws();
  if (touching_) laws_.assign(of_materials.begin(), of_materials.end());
  joint_law_.fill(-1);
  for (const SpaceJoint& j : data_.joints) {
    const int size = rows_of(j.kind);
    if (size == 0 || joint_law_[size] >= 0) continue;
    joint_law_[size] = static_cast<int>(laws_.size());
    laws_.emplace_back(Equality{size});
  }
  find_links();
  if (all_pairs_) contacts_ = all_contacts();
}

void SpatialSystem::find_pattern() {
  for (const int i : body_of_) {
    const Mat3& J = data_.bodies[i].inertia;
    const double size = J.cwiseAbs().maxCoeff();
    const bool diagonal = (J - Mat3(J.diagonal().asDiagonal())).isZero();
    diagonal_ = diagonal_ && diagonal;
    isotropic_ =
        isotropic_ && diagonal && (J - J(0, 0) * Mat3::Identity()).cwiseAbs().maxCoeff() <= 1e-15 * size;
  }
  for (const SpaceBody& b : data_.bodies) driven_ = driven_ || !b.force.isZero() || !b.torque.isZero();
  if (!isotropic_ || !diagonal_) jacobian_ = {Pattern::blocks, 3, nullptr};
  pushed_ = std::any_of(data_.actions.begin(), data_.actions.end(),
                        [](const SpaceAction& a) { return a.pushes(); });
  if (!has_springs() && !soft_) return;
  const int bodies = static_cast<int>(data_.bodies.size());
  if (soft_ && bodies > 2 * few_pairs) {  // it is not known which pairs will touch
    jacobian_ = {Pattern::sparse, 0, nullptr};
    for (const SpaceSpring& s : data_.springs) damped_ = damped_ || s.damping != 0;
    for (const SpaceBody& b : data_.bodies) driven_ = driven_ || b.motion.moves();
    return;
  }
  Pattern::Entries places;
  const auto add = [&](int a, int b) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) places.emplace_back(6 * a + i, 6 * b + j);
  };
  for (int k = 0; k < moving_; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) places.emplace_back(6 * k + 3 + i, 6 * k + 3 + j);
  const auto tie = [&](int a, int b) {
    driven_ = driven_ || data_.bodies[a].motion.moves() || data_.bodies[b].motion.moves();
    for (const int i : {place_[a], place_[b]})
      for (const int j : {place_[a], place_[b]})
        if (i >= 0 && j >= 0) add(i, j);
  };
  for (const SpaceSpring& s : data_.springs) damped_ = damped_ || s.damping != 0, tie(s.a, s.b);
  for (int i = 0; soft_ && i < bodies; ++i)
    for (int j = i + 1; j < bodies; ++j)
      if (may_touch(i, j) && compliance(i, j)) tie(i, j);
  for (const SpaceAction& a : data_.actions)
    if (a.pushes()) tie(data_.joints[a.joint].a, data_.joints[a.joint].b);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  jacobian_ = pattern_holding(6 * moving_, std::move(places));
}

saltus::Shape SpatialSystem::shape() const {
  saltus::Shape s;
  s.nq = 7 * moving_ + static_cast<int>(angles_.size()), s.nu = 6 * moving_;
  s.mass = diagonal_ ? Pattern{Pattern::diagonal, 0, nullptr} : Pattern{Pattern::blocks, 3, nullptr};
  s.jacobian = jacobian_;
  s.constant_mass = true;
  s.linear_force = isotropic_ && !has_springs() && !soft_ && !turned_loads();
  s.changing_contacts = !all_pairs_;
  s.constant_directions = all_pairs_ && contacts_.empty();
  s.spins = !isotropic_ || !diagonal_;
  s.tells_passages = touching_;
  return s;
}

bool SpatialSystem::turned_loads() const {
  return std::any_of(data_.bodies.begin(), data_.bodies.end(),
                     [](const SpaceBody& b) { return !b.torque.isZero(); });
}

void SpatialSystem::mass(double, In, Matrix& M, Workspace&) const {
  for (int k = 0; k < moving_; ++k) {
    const SpaceBody& b = data_.bodies[body_of_[k]];
    for (int i = 0; i < 3; ++i) M.set(6 * k + i, 6 * k + i, b.mass);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (i == j || !diagonal_) M.set(6 * k + 3 + i, 6 * k + 3 + j, b.inertia(i, j));
  }
}

// ---- configurations

void SpatialSystem::retract(In q, In v, Out out) const {
  predict_angles(q, v, out);
  for (int k = 0; k < moving_; ++k) {
    const double *p = q.data() + 7 * k, *d = v.data() + 6 * k;
    double* o = out.data() + 7 * k;
    if (std::all_of(d, d + 6, [](double x) { return x == 0; })) {  // bodies at rest keep their bits
      std::copy_n(p, 7, o);
      continue;
    }
    const Rotation turned = (Rotation::of(p + 3) * rotation_exp({d[3], d[4], d[5]})).normalised();
    for (int i = 0; i < 3; ++i) o[i] = p[i] + d[i];
    turned.put(o + 3);
  }
  settle_angles(out);
}

void SpatialSystem::difference(In q, In p, Out v) const {
  for (int k = 0; k < moving_; ++k) {
    const double *a = q.data() + 7 * k, *b = p.data() + 7 * k;
    double* o = v.data() + 6 * k;
    const Vec3 phi = rotation_log(Rotation::of(a + 3).conjugate() * Rotation::of(b + 3));
    for (int i = 0; i < 3; ++i) o[i] = b[i] - a[i], o[3 + i] = phi[i];
  }
}

void SpatialSystem::lift(In v, In u, Out out) const {
  for (int k = 0; k < moving_; ++k) {
    const Vec3 x = rotation_lift(v.segment<3>(6 * k + 3), u.segment<3>(6 * k + 3));
    for (int i = 0; i < 3; ++i) out[6 * k + i] = u[6 * k + i], out[6 * k + 3 + i] = x[i];
  }
}

void SpatialSystem::push(In v, In x, Out out) const {
  for (int k = 0; k < moving_; ++k) {
    const Vec3 y = rotation_push(v.segment<3>(6 * k + 3), x.segment<3>(6 * k + 3));
    for (int i = 0; i < 3; ++i) out[6 * k + i] = x[6 * k + i], out[6 * k + 3 + i] = y[i];
  }
}

void SpatialSystem::sizes(In q, Out out) const {
  for (int k = 0; k < moving_; ++k)
    for (int i = 0; i < 3; ++i) out[6 * k + i] = std::abs(q[7 * k + i]), out[6 * k + 3 + i] = 1;
}

std::vector<std::string> SpatialSystem::remarks() const {
  std::vector<std::string> out;
  for (const int i : body_of_)
    if (const std::string doubt = inertia_doubt(data_.bodies[i].inertia); !doubt.empty())
      out.push_back(fmt::format("body {}: {}; the run takes it as it is", data_.bodies[i].name, doubt));
  return out;
}

// h ω_θ×Jω_θ − [(E₊ − 1) Jω₁ − (E₋ − 1) Jω₀]
void SpatialSystem::spin_impulse(double h, double theta, In u0, In u1, Out out) const {
  out.setZero();
  for (int k = 0; k < moving_; ++k) {
    const Mat3& J = data_.bodies[body_of_[k]].inertia;
    const Vec3 w0 = u0.segment<3>(6 * k + 3), w1 = u1.segment<3>(6 * k + 3),
               w = (1 - theta) * w0 + theta * w1;
    // (E − 1) x without cancellation: 2 (sin(θ/2)) terms of the quaternion
    const auto turn = [](const Vec3& phi, const Vec3& x) {
      const Rotation e = rotation_exp(phi);
      const Vec3 s = 2 * cross(e.v, x);
      return Vec3(e.w * s + cross(e.v, s));
    };
    const Vec3 add = h * cross(w, J * w) - (turn((1 - theta) * h * w, J * w1) - turn(-theta * h * w, J * w0));
    for (int i = 0; i < 3; ++i) out[6 * k + 3 + i] = add[i];
  }
}

SpaceFrame SpatialSystem::frame(int body, double t, In q, const double* u) const {
  const SpaceBody& b = data_.bodies[body];
  const int k = place_[body];
  if (k < 0) return frame_at(b.start, b.turn, b.motion, t);
  SpaceFrame f;
  f.x = q.segment<3>(7 * k);
  f.R = Rotation::of(q.data() + 7 * k + 3).matrix();
  if (u) {
    const double* v = u + 6 * k;
    f.v = {v[0], v[1], v[2]};
    f.omega = f.R * Vec3(v[3], v[4], v[5]);
  }
  return f;
}

void SpatialSystem::frames(double t, In q, const double* u, std::vector<SpaceFrame>& out) const {
  out.resize(data_.bodies.size());
  for (int i = 0; i < static_cast<int>(out.size()); ++i) out[i] = frame(i, t, q, u);
}

SpatialSystem::Momentum SpatialSystem::momentum(In q, In u) const {
  Momentum out;
  for (int k = 0; k < moving_; ++k) {
    const SpaceBody& b = data_.bodies[body_of_[k]];
    const SpaceFrame f = frame(body_of_[k], 0, q, u.data());
    out.linear += b.mass * f.v;
    out.angular += b.mass * cross(f.x, f.v) + f.R * (b.inertia * Vec3(u.segment<3>(6 * k + 3)));
  }
  return out;
}

// Of the two fastest bodies, as if they met head on; a body turns about its centre with its reach.
double SpatialSystem::closing_speed(In u) const {
  FastestPair pair;
  for (int i = 0; i < static_cast<int>(data_.bodies.size()); ++i) {
    const SpaceBody& b = data_.bodies[i];
    if (b.shapes.empty()) continue;
    const int k = place_[i];
    const double reach = std::isfinite(geometry_[i].reach) ? geometry_[i].reach : 0;
    double speed = 0;
    if (k >= 0) {
      const bool ball =
          b.shapes.size() == 1 && b.shapes[0].kind == SpaceShape::Kind::sphere && b.shapes[0].centre.isZero();
      speed = u.segment<3>(6 * k).norm() + (ball ? 0 : u.segment<3>(6 * k + 3).norm() * reach);
    } else if (b.motion.moves()) {
      const SpaceFrame f = frame_at(b.start, b.turn, b.motion, b.motion.start);
      speed = f.v.norm() + f.omega.norm() * reach;
    }
    pair.take(speed);
  }
  return pair.speed();
}

}  // namespace saltus
