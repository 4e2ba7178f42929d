// Compliant contacts of SpatialSystem: forces along gaps, as in the plane (planar/rigid_forces.cpp). With w
// the gradient of a gap by the displacements of its two bodies, u their velocities, d = −g, ḋ = −wᵀu and λ(d,
// ḋ):
//
//     h = w λ,   ∂h/∂q = λ Dw − w (λ_d w + λ_ḋ Dw u)ᵀ,   ∂h/∂u = −λ_ḋ w wᵀ.
//
// The rate of γ = wᵀu at constant u, which is the second-order term of a rigid contact, is uᵀ S u; S by
// polarisation. Displacements that turn a body do not commute, D_j w_i = S_ij + ½ (e_j×e_i)·w of the same
// body.
#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus {
namespace {

using Twelve = Eigen::Matrix<double, 12, 1>;
using Square = Eigen::Matrix<double, 12, 12>;

Twelve gradient(const SpaceTouch& t, const SpaceFrame& a, const SpaceFrame& b) {
  Twelve w;
  w << t.n, a.R.transpose() * cross(t.arm_a, t.n), -t.n, -(b.R.transpose() * cross(t.arm_b, t.n));
  return w;
}

Twelve velocities(const SpaceFrame& a, const SpaceFrame& b) {
  Twelve u;
  u << a.v, a.R.transpose() * a.omega, b.v, b.R.transpose() * b.omega;
  return u;
}

// Column j: the change of w by the displacement j.
Square change_of_gradient(const SpaceTouch& t, const Twelve& w, SpaceFrame a, SpaceFrame b) {
  a.acceleration = a.alpha = b.acceleration = b.alpha = Vec3::Zero();
  const auto along = [&](const Twelve& u) {
    a.v = u.segment<3>(0), a.omega = a.R * u.segment<3>(3);
    b.v = u.segment<3>(6), b.omega = b.R * u.segment<3>(9);
    const TouchMotion m = motion_of(t, a, b);
    return m.turn.dot(m.w) + t.n.dot(m.bend);
  };
  Square D;
  for (int i = 0; i < 12; ++i) D(i, i) = along(Twelve::Unit(i));
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < i; ++j)
      D(i, j) = D(j, i) = 0.5 * (along(Twelve::Unit(i) + Twelve::Unit(j)) - D(i, i) - D(j, j));
  for (const int of : {3, 9}) D.block<3, 3>(of, of) += 0.5 * cross_matrix(w.segment<3>(of));
  return D;
}

}  // namespace

const Compliance* SpatialSystem::compliance(int i, int j) const {
  return data_.materials.compliance(data_.materials.law(data_.bodies[i].material, data_.bodies[j].material));
}

// Which kinds of pairs can occur, by the materials of bodies that move and of those they may touch.
void SpatialSystem::find_kinds() {
  const MaterialTable& table = data_.materials;
  rigid_ = true;
  if (table.all_rigid()) return;
  rigid_ = false;
  const auto first_of = [&](int material, int but, bool moving) {
    for (int i = 0; i < static_cast<int>(data_.bodies.size()); ++i)
      if (const SpaceBody& b = data_.bodies[i];
          b.material == material && i != but && b.touches && !b.shapes.empty() && !(moving && b.fixed()))
        return i;
    return -1;
  };
  for (int a = 0; a < table.materials(); ++a)
    for (int b = 0; b < table.materials(); ++b) {
      const int i = first_of(a, -1, true), j = i < 0 ? -1 : first_of(b, i, false);
      if (j < 0) continue;
      const int law = table.law(a, b);
      if (table.clashes(law))
        throw MaterialClash(
            fmt::format("bodies {} and {} are compliant in different ways: give their materials the same law "
                        "(with the same p or beta), or make one of them rigid",
                        data_.bodies[i].name, data_.bodies[j].name),
            a, b);
      const Compliance* c = table.compliance(law);
      (c ? soft_ : rigid_) = true;
      damped_ = damped_ || (c && c->b != 0);
    }
}

template <class Visit>
void SpatialSystem::for_each_soft(Room& room, Visit&& visit) const {
  const auto pair = [&](int i, int j, double) {
    if (i > j) std::swap(i, j);
    const Compliance* law = compliance(i, j);
    if (!law || !may_touch(i, j)) return;
    int first = 0;
    PolytopePair known;
    const auto &own = data_.bodies[i].shapes, &other = data_.bodies[j].shapes;
    for (std::size_t s = 0; s < own.size(); ++s)
      for (std::size_t x = 0; x < other.size(); ++x) {
        const int count = contacts_of_pair(own[s], other[x]);
        room.vertices.clear();
        for (int k = 0; k < count && shapes_near(room.frames, i, s, j, x, data_.margin); ++k) {
          const PairTouch t = touch_of_pair(own[s], room.frames[i], other[x], room.frames[j], k, true, known);
          if (!t.there) continue;
          // parts of shapes that meet at one point push once
          const Vec3 point = t.swapped ? t.touch.arm_b : t.touch.arm_a,
                     n = t.swapped ? Vec3(-t.touch.n) : t.touch.n;
          const double off = 1e-9 * (geometry_[i].balls[s].radius < infinity ? geometry_[i].balls[s].radius
                                                                             : geometry_[j].balls[x].radius);
          const bool known_one =
              std::any_of(room.vertices.begin(), room.vertices.end(), [&](const Room::Vertex& v) {
                return (v.point - point).cwiseAbs().maxCoeff() <= off && v.n.dot(n) >= 1 - 1e-9;
              });
          if (known_one) continue;
          room.vertices.push_back({point, n});
          visit(Known{t.touch, t.swapped ? j : i, t.swapped ? i : j, true}, *law, id_of(i, j, first + k));
        }
        first += count;
      }
  };
  for_each_near(room, data_.margin, data_.margin, pair);
}

void SpatialSystem::soft_kinks(Room& room, std::vector<Kink>& out) const {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for_each_soft(room, [&](const Known& at, const Compliance&, std::uint64_t id) {
    const SpaceFrame &a = room.frames[at.a], &b = room.frames[at.b];
    out.push_back(
        {id, at.touch.gap, at.touch.n.dot(a.velocity(at.touch.arm_a) - b.velocity(at.touch.arm_b))});
  });
  std::sort(out.begin() + first, out.end(), [](const Kink& x, const Kink& y) { return x.id < y.id; });
}

// visit(frames of a and b, w, overlap, rate of it, law, touch, a, b) for all that press
template <class Visit>
void SpatialSystem::for_each_push(Room& room, Visit&& visit) const {
  for_each_soft(room, [&](const Known& at, const Compliance& law, std::uint64_t) {
    if (!(at.touch.gap < 0)) return;
    const SpaceFrame &a = room.frames[at.a], &b = room.frames[at.b];
    const Twelve w = gradient(at.touch, a, b);
    visit(at, law, w, -w.dot(velocities(a, b)));
  });
}

void SpatialSystem::add_soft(Room& room, Out h) const {
  for_each_push(room, [&](const Known& at, const Compliance& law, const Twelve& w, double rate) {
    const double force = law.push(-at.touch.gap, rate).force;
    for (int k = 0; k < 12; ++k)
      if (const int body = place_[k < 6 ? at.a : at.b]; body >= 0) h[6 * body + k % 6] += w[k] * force;
  });
}

void SpatialSystem::add_soft_jacobians(Room& room, Matrix& dq, Matrix& du) const {
  for_each_push(room, [&](const Known& at, const Compliance& law, const Twelve& w, double rate) {
    const SpaceFrame &a = room.frames[at.a], &b = room.frames[at.b];
    const auto push = law.push(-at.touch.gap, rate);
    const Square D = change_of_gradient(at.touch, w, a, b);
    const Twelve change = push.by_overlap * w + push.by_rate * (D.transpose() * velocities(a, b));
    for (int r = 0; r < 12; ++r)
      for (int c = 0; c < 12; ++c) {
        const int row = place_[r < 6 ? at.a : at.b], column = place_[c < 6 ? at.a : at.b];
        if (row < 0 || column < 0) continue;
        dq.add(6 * row + r % 6, 6 * column + c % 6, push.force * D(r, c) - w[r] * change[c]);
        if (push.by_rate != 0) du.add(6 * row + r % 6, 6 * column + c % 6, -push.by_rate * w[r] * w[c]);
      }
  });
}

double SpatialSystem::soft_potential(Room& room) const {
  double sum = 0;
  for_each_push(room, [&](const Known& at, const Compliance& law, const Twelve&, double) {
    sum += law.potential(-at.touch.gap);
  });
  return sum;
}

// Of a push λ with elastic part φ: the damper takes (λ − φ) ḋ, and a body that moves as prescribed does −λ
// w·v.
void SpatialSystem::add_soft_power(Room& room, Power& out) const {
  for_each_push(room, [&](const Known& at, const Compliance& law, const Twelve& w, double rate) {
    const double force = law.push(-at.touch.gap, rate).force;
    const Twelve u = velocities(room.frames[at.a], room.frames[at.b]);
    out.damping += (force - law.push(-at.touch.gap, 0).force) * rate;
    if (place_[at.a] < 0) out.work -= force * w.head<6>().dot(u.head<6>());
    if (place_[at.b] < 0) out.work -= force * w.tail<6>().dot(u.tail<6>());
  });
}

}  // namespace saltus
