// The forces of RigidSystem: weights, and compliant contacts. With w and H the gradient and the Hessian of a
// gap in the six coordinates of its two bodies, u their velocities, d = −g, ḋ = −wᵀu and λ(d, ḋ):
//
//     h = w λ,   ∂h/∂q = λ H − w (λ_d w + λ_ḋ H u)ᵀ,   ∂h/∂u = −λ_ḋ w wᵀ.
//
// A fixed body counts with its prescribed velocity; its rows and columns are left out. The gap of two
// polygons is −A/l, A the area of their overlap (overlap.hpp); that of others is the one their contacts would
// have.
#include "saltus/linalg/pattern.hpp"
#include "saltus/planar/rigid_pairs.hpp"

namespace saltus {

// Which kinds of pairs can occur; each pair of materials is looked for once, and a rigid one is all there is
// to find where all materials are.
void RigidSystem::find_kinds() {
  const MaterialTable& table = data_.materials;
  const bool all_rigid = table.all_rigid();
  std::vector<char> seen(table.laws().size(), 0);
  const int n = static_cast<int>(data_.bodies.size());
  for (int i = 0; i < n && !(all_rigid && rigid_); ++i)
    for (int j = i + 1; j < n && data_.bodies[i].touches; ++j) {
      const int law = law_of(i, j);
      if (seen[law] || features(i, j) == 0) continue;
      seen[law] = seen[law_of(j, i)] = 1;
      const RigidBody &a = data_.bodies[i], &b = data_.bodies[j];
      if (table.clashes(law))
        throw MaterialClash(
            fmt::format("bodies {} and {} are compliant in different ways: give their materials the same law "
                        "(with the same p or beta), or make one of them rigid",
                        a.name, b.name),
            a.material, b.material);
      if (const Compliance* c = table.compliance(law)) viscosity_.add(*c);
      (table.compliance(law) ? compliant_ : rigid_) = true;
    }
  viscosity_.turns = viscosity_.damped;
  for (const RigidBody& b : data_.bodies)
    if (b.fixed() && (!b.motion.velocity.isZero(0) || b.motion.omega != 0)) still_ = false;
  if (compliant_) jacobian_ = pattern_of_pushes();
}

// With few bodies that of all pairs; with more bodies it is not known which pairs will touch.
Pattern RigidSystem::pattern_of_pushes() const {
  if (!all_pairs_) return {Pattern::sparse, 0, nullptr};
  Pattern::Entries entries;
  const int n = static_cast<int>(data_.bodies.size());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      if (!data_.materials.compliance(law_of(i, j)) || features(i, j) == 0) continue;
      int at[6];
      places_of(i, j, at);
      for (const int r : at)
        for (const int c : at)
          if (r >= 0 && c >= 0) entries.emplace_back(r, c);
    }
  return pattern_holding(n_, std::move(entries));
}

// Where x, y, θ of two bodies stand among the coordinates; −1: they have no such.
void RigidSystem::places_of(int a, int b, int (&at)[6]) const {
  for (int k = 0; k < 6; ++k) {
    const int body = k < 3 ? a : b;
    at[k] = k % 3 < data_.bodies[body].coordinates() ? first_[body] + k % 3 : -1;
  }
}

template <class Visit>
void RigidSystem::for_each_soft_pair(Room& room, Visit&& visit) const {
  const auto& now = room.frames;
  if (!all_pairs_) {
    room.reaches.set(data_.margin);
    return for_each_near_pair(now, data_.margin, room, visit);
  }
  const int n = static_cast<int>(data_.bodies.size());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (near(now, i, j, data_.margin)) visit(i, j, data_.margin);
}

// A feature of a compliant pair, with the bodies it is between.
Touch RigidSystem::soft_touch(const std::vector<Frame>& frames, const Partners& p, int& a, int& b) const {
  const RigidBody &x = data_.bodies[p.i], &y = data_.bodies[p.j];
  BestSide known;
  if (x.shape != RigidBody::Shape::polygon || y.shape != RigidBody::Shape::polygon)
    return touch(frames, p, a, b, false, known);
  const int own = static_cast<int>(x.corners.size()), corner = p.feature < own ? p.feature : p.feature - own;
  a = p.feature < own ? p.i : p.j, b = p.feature < own ? p.j : p.i;
  return nearest_side_touch(frames[a], data_.bodies[a].corners[corner], frames[b], geometry_[b].sides);
}

template <class Visit>
void RigidSystem::for_each_push(double t, In q, const double* u, bool second, Room& room,
                                Visit&& visit) const {
  auto& now = room.frames;
  frames(t, q, u, now);
  const auto pair = [&](int i, int j, double) {
    if (i > j) std::swap(i, j);
    const Compliance* compliance = data_.materials.compliance(law_of(i, j));
    const int n = compliance ? features(i, j) : 0;
    Pressing here{i, j, 0, {}, {}, {}};
    const auto press = [&] {
      const Frame &x = now[here.a], &y = now[here.b];
      here.velocity << x.v, x.omega, y.v, y.omega;
      visit(std::as_const(here), *compliance);
    };
    const auto press_at = [&](const Touch& at) {
      if (!(at.gap < 0)) return;
      here.overlap = -at.gap;
      here.w = gradient_of(at);
      if (second) here.H = hessian_of(at);
      press();
    };
    const RigidBody &one = data_.bodies[i], &other = data_.bodies[j];
    if (n > 0 && one.shape == RigidBody::Shape::polygon && other.shape == RigidBody::Shape::polygon) {
      Overlap o;
      if (!overlap_of(now[i], one.corners, now[j], other.corners, second, room.overlap, o)) return;
      const double length = std::min(geometry_[i].side, geometry_[j].side);
      here.overlap = o.area / length;
      here.w = -o.gradient / length;
      if (second) here.H = -o.hessian / length;
      press();
    }
    for (int k = 0; k < n; ++k) {
      const Touch at = soft_touch(now, {i, j, k}, here.a, here.b);  // sets the bodies first
      press_at(at);
    }
  };
  for_each_soft_pair(room, pair);
}

// The force of a pair is not smooth where a disk touches, or a corner enters the other polygon.
void RigidSystem::kinks(double t, In q, In u, std::vector<Kink>& out, Workspace& w) const {
  if (!compliant_) return;
  auto& room = static_cast<Room&>(w);
  const auto& now = room.frames;
  frames(t, q, u.data(), room.frames);
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for_each_soft_pair(room, [&](int i, int j, double) {
    if (i > j) std::swap(i, j);
    const int n = data_.materials.compliance(law_of(i, j)) ? features(i, j) : 0;
    for (int k = 0; k < n; ++k) {
      int a = 0, b = 0;
      const Touch at = soft_touch(now, {i, j, k}, a, b);
      const Vec2 velocity = now[a].velocity(at.arm_a) - now[b].velocity(at.arm_b);
      out.push_back({id_of(i, j, k), at.gap, at.n.dot(velocity)});
    }
  });
  std::sort(out.begin() + first, out.end(), [](const Kink& x, const Kink& y) { return x.id < y.id; });
}

void RigidSystem::force(double t, In q, In u, Out h, Workspace& w) const {
  for (std::size_t i = 0; i < data_.bodies.size(); ++i) {
    const RigidBody& b = data_.bodies[i];
    for (int k = 0; k < b.coordinates(); ++k) h[first_[i] + k] = k < 2 ? b.mass * data_.gravity[k] : 0;
  }
  if (!compliant_) return;
  for_each_push(t, q, u.data(), false, static_cast<Room&>(w), [&](const Pressing& x, const Compliance& law) {
    const double force = law.push(x.overlap, -x.w.dot(x.velocity)).force;
    int at[6];
    places_of(x.a, x.b, at);
    for (int k = 0; k < 6; ++k)
      if (at[k] >= 0) h[at[k]] += x.w[k] * force;
  });
}

void RigidSystem::force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const {
  dq.set_zero();
  du.set_zero();
  if (!compliant_) return;
  for_each_push(t, q, u.data(), true, static_cast<Room&>(w), [&](const Pressing& x, const Compliance& law) {
    const auto push = law.push(x.overlap, -x.w.dot(x.velocity));
    const TouchVector change = push.by_overlap * x.w + push.by_rate * (x.H * x.velocity);
    int at[6];
    places_of(x.a, x.b, at);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) {
        if (at[r] < 0 || at[c] < 0) continue;
        if (const double e = push.force * x.H(r, c) - x.w[r] * change[c]; e != 0) dq.add(at[r], at[c], e);
        if (const double e = push.by_rate * x.w[r] * x.w[c]; e != 0) du.add(at[r], at[c], -e);
      }
  });
}

// f = Σ w value(pressing, law)
template <class Value>
void RigidSystem::add_along(double t, In q, Out f, Room& room, Value&& value) const {
  f.setZero();
  if (!compliant_) return;
  for_each_push(t, q, nullptr, false, room, [&](const Pressing& x, const Compliance& law) {
    const double size = value(x, law);
    int at[6];
    places_of(x.a, x.b, at);
    for (int k = 0; k < 6; ++k)
      if (at[k] >= 0) f[at[k]] += x.w[k] * size;
  });
}

void RigidSystem::contact_force(double t, In q, Out f, Workspace& w) const {
  add_along(t, q, f, static_cast<Room&>(w),
            [](const Pressing& x, const Compliance& law) { return law.push(x.overlap, 0).force; });
}

void RigidSystem::momentum(double t, In q, Out S, Workspace& w) const {
  add_along(t, q, S, static_cast<Room&>(w),
            [](const Pressing& x, const Compliance& law) { return law.momentum(x.overlap); });
}

void RigidSystem::contact_jacobian(double t, In q, Matrix& K, Workspace& w) const {
  K.set_zero();
  if (!compliant_) return;
  for_each_push(t, q, nullptr, true, static_cast<Room&>(w), [&](const Pressing& x, const Compliance& law) {
    const auto push = law.push(x.overlap, 0);
    int at[6];
    places_of(x.a, x.b, at);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        if (at[r] >= 0 && at[c] >= 0)
          if (const double e = push.force * x.H(r, c) - push.by_overlap * x.w[r] * x.w[c]; e != 0)
            K.add(at[r], at[c], e);
  });
}

// γ |H u|/|w| of the translations: by this angle the direction of a contact turns within γ.
double RigidSystem::turning(double t, In q, In u, Workspace& w) const {
  double most = 0;
  if (!compliant_) return most;
  for_each_push(t, q, u.data(), true, static_cast<Room&>(w), [&](const Pressing& x, const Compliance& law) {
    const TouchVector turn = x.H * x.velocity;
    const double gamma = law.momentum(x.overlap) / law.push(x.overlap, 0).force;
    for (const int k : {0, 3}) {
      const double size = x.w.segment<2>(k).norm();
      if (size > 0) most = std::max(most, gamma * turn.segment<2>(k).norm() / size);
    }
  });
  return most;
}

double RigidSystem::potential(double t, In q, Workspace& w) const {
  double sum = 0;
  for (std::size_t i = 0; i < data_.bodies.size(); ++i)
    if (const RigidBody& b = data_.bodies[i]; !b.fixed())
      sum -= b.mass * (data_.gravity[0] * q[first_[i]] + data_.gravity[1] * q[first_[i] + 1]);
  if (compliant_)
    for_each_push(t, q, nullptr, false, static_cast<Room&>(w),
                  [&](const Pressing& x, const Compliance& law) { sum += law.potential(x.overlap); });
  return sum;
}

// Of a push λ with elastic part φ: the damper takes (λ − φ) ḋ, and a body that moves as prescribed, with
// velocity v in the direction w, does −λ w·v.
Power RigidSystem::power(double t, In q, In u, Workspace& w) const {
  Power out;
  if (!compliant_) return out;
  for_each_push(t, q, u.data(), false, static_cast<Room&>(w), [&](const Pressing& x, const Compliance& law) {
    const double rate = -x.w.dot(x.velocity), force = law.push(x.overlap, rate).force;
    out.damping += (force - law.push(x.overlap, 0).force) * rate;
    if (data_.bodies[x.a].fixed()) out.work -= force * x.w.head<3>().dot(x.velocity.head<3>());
    if (data_.bodies[x.b].fixed()) out.work -= force * x.w.tail<3>().dot(x.velocity.tail<3>());
  });
  return out;
}

}  // namespace saltus
