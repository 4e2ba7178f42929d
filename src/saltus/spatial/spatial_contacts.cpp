// The contacts and joints of SpatialSystem: their gaps, directions and second-order terms. Which there are:
// spatial_lists.cpp.
#include <algorithm>
#include <limits>

#include "saltus/core/error.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus {

std::uint64_t SpatialSystem::id_of(int i, int j, int feature) const {
  const auto bodies = static_cast<std::uint64_t>(data_.bodies.size());
  return first_contact() +
         (static_cast<std::uint64_t>(i) * bodies + static_cast<std::uint64_t>(j)) * most_features_ +
         static_cast<std::uint64_t>(feature);
}

SpatialSystem::Partners SpatialSystem::partners(std::uint64_t id) const {
  const auto bodies = static_cast<std::uint64_t>(data_.bodies.size());
  const std::uint64_t k = id - first_contact(), pair = k / most_features_;
  return {static_cast<int>(pair / bodies), static_cast<int>(pair % bodies),
          static_cast<int>(k % most_features_)};
}

double SpatialSystem::thickness(std::uint64_t contact) const {
  if (contact < first_contact()) return 0;
  const Partners p = partners(contact);
  double least = infinity;
  for (const int body : {p.i, p.j})
    if (const double width = geometry_[body].width; width > 0) least = std::min(least, width);
  return std::isfinite(least) ? least : 0;
}

std::string SpatialSystem::contact_name(std::uint64_t id) const {
  if (is_joint(id)) return data_.joints[id].name;
  if (is_link(id)) return link_name(link(id));
  const Partners p = partners(id);
  const SpaceBody &a = data_.bodies.at(p.i), &b = data_.bodies.at(p.j);
  if (features(p.i, p.j) == 1) return a.name + "/" + b.name;
  return fmt::format("{}/{}:{}", a.name, b.name, p.feature);
}

bool SpatialSystem::may_touch(int i, int j) const {
  const SpaceBody &a = data_.bodies[i], &b = data_.bodies[j];
  if ((a.fixed() && b.fixed()) || !a.touches || !b.touches || (a.group >= 0 && a.group == b.group))
    return false;
  return !std::binary_search(data_.apart.begin(), data_.apart.end(),
                             std::pair(std::min(i, j), std::max(i, j)));
}

int SpatialSystem::shape_features(int i, int j) const {
  int sum = 0;
  for (const SpaceShape& s : data_.bodies[i].shapes)
    for (const SpaceShape& x : data_.bodies[j].shapes) sum += contacts_of_pair(s, x);
  return sum;
}

int SpatialSystem::features(int i, int j) const {
  return may_touch(i, j) ? shape_features(i, j) : 0;
}

// Shapes of i, each with all shapes of j, one after the other.
SpatialSystem::Known SpatialSystem::touch(const std::vector<SpaceFrame>& frames, const Partners& p,
                                          bool sharp, PolytopePair& known) const {
  int k = p.feature;
  for (const SpaceShape& s : data_.bodies[p.i].shapes)
    for (const SpaceShape& x : data_.bodies[p.j].shapes) {
      const int n = contacts_of_pair(s, x);
      if (k < n) {
        const PairTouch t = touch_of_pair(s, frames[p.i], x, frames[p.j], k, sharp, known);
        return {t.touch, t.swapped ? p.j : p.i, t.swapped ? p.i : p.j, t.there};
      }
      k -= n;
    }
  fail("bodies {} and {} have no contact {}", data_.bodies[p.i].name, data_.bodies[p.j].name, p.feature);
}

const std::vector<SpatialSystem::Known>& SpatialSystem::touches(double t, In q, const ContactSet& set,
                                                                Room& room) const {
  const std::size_t n = set.contacts.size(), m = static_cast<std::size_t>(q.size());
  bool known = room.sharp == set.sharp && room.ids.size() == n && room.at.size() == m + 1 &&
               room.at[m] == t && std::equal(q.data(), q.data() + m, room.at.data());
  for (std::size_t k = 0; known && k < n; ++k) known = room.ids[k] == set.contacts[k].id;
  if (known) return room.touches;
  room.at.assign(q.data(), q.data() + m);
  room.at.push_back(t);
  room.sharp = set.sharp;
  room.ids.resize(n), room.touches.resize(n);
  PolytopePair pair;
  std::uint64_t last = ~std::uint64_t{0};
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint64_t id = room.ids[k] = set.contacts[k].id;
    if (id < first_contact()) continue;
    const std::uint64_t number = (id - first_contact()) / most_features_;
    if (number != last) pair = {}, last = number;
    room.touches[k] = touch(room.frames, partners(id), set.sharp, pair);
  }
  return room.touches;
}

void SpatialSystem::gaps(double t, In q, ContactSet& out, Workspace& w) const {
  if (out.contacts.empty()) return;
  auto& room = static_cast<Room&>(w);
  frames(t, q, nullptr, room.frames);
  find_gaps(t, q, room, out);
}

void SpatialSystem::find_gaps(double t, In q, Room& room, ContactSet& out) const {
  const auto& now = room.frames;
  const auto& known = touches(t, q, out, room);
  JointRow rows[max_block_rows];
  for (std::size_t k = 0; k < known.size(); ++k) {
    const Contact& c = out.contacts[k];
    if (is_joint(c.id)) {
      joint_rows_at(static_cast<int>(c.id), q, now, rows);
      for (int r = 0; r < rows_of(data_.joints[c.id].kind); ++r) out.gap[c.row + r] = rows[r].gap;
      continue;
    }
    if (is_link(c.id)) {
      out.gap[c.row] = link_row(link(c.id), t, q, now).gap;
      continue;
    }
    // a gap below the rounding of the coordinates is closed
    const auto& [at, a, b, there] = known[k];
    const double size =
        now[a].x.lpNorm<1>() + now[b].x.lpNorm<1>() + at.arm_a.lpNorm<1>() + at.arm_b.lpNorm<1>();
    out.gap[c.row] = !there                                                                  ? absent_gap
                     : std::abs(at.gap) <= 4 * std::numeric_limits<double>::epsilon() * size ? 0
                                                                                             : at.gap;
  }
}

// ---- directions

void SpatialSystem::joint_rows_at(int joint, In q, const std::vector<SpaceFrame>& frames,
                                  JointRow* out) const {
  const SpaceJoint& j = data_.joints[joint];
  const bool screw = j.kind == SpaceJoint::Kind::screw;
  joint_rows(j, frames[j.a], frames[j.b], screw ? angle_near(joint, JointCoordinate::angle, q) : 0, out);
}

// move·v + turn·ω in inertial axes, as part of a row of velocities; prescribed ones are drift.
void SpatialSystem::add_part(int body, const std::vector<SpaceFrame>& frames, const Vec3& move,
                             const Vec3& turn, int row, ContactSet& out) const {
  const SpaceFrame& f = frames[body];
  const int k = place_[body];
  if (k < 0) {
    out.drift[row] += move.dot(f.v) + turn.dot(f.omega);
    return;
  }
  const Vec3 own = f.R.transpose() * turn;
  for (int i = 0; i < 3; ++i) out.Wt.add(6 * k + i, move[i]);
  for (int i = 0; i < 3; ++i) out.Wt.add(6 * k + 3 + i, own[i]);
}

void SpatialSystem::add_row(int a, int b, const std::vector<SpaceFrame>& frames, const Vec3& move_a,
                            const Vec3& turn_a, const Vec3& move_b, const Vec3& turn_b, int row,
                            ContactSet& out) const {
  if (a < b)
    add_part(a, frames, move_a, turn_a, row, out), add_part(b, frames, move_b, turn_b, row, out);
  else
    add_part(b, frames, move_b, turn_b, row, out), add_part(a, frames, move_a, turn_a, row, out);
  out.Wt.end_row();
}

void SpatialSystem::add_row(LinkRow& link, const std::vector<SpaceFrame>& frames, int row,
                            ContactSet& out) const {
  std::sort(link.part, link.part + link.parts, [](const auto& x, const auto& y) { return x.body < y.body; });
  out.drift[row] += link.drift;
  for (int k = 0; k < link.parts; ++k)
    add_part(link.part[k].body, frames, link.part[k].move, link.part[k].turn, row, out);
  out.Wt.end_row();
}

void SpatialSystem::directions(double t, In q, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  auto& now = room.frames;
  frames(t, q, nullptr, now);
  out.Wt.clear();
  out.drift.assign(out.gap.size(), 0.0);
  const auto& known = touches(t, q, out, room);
  JointRow rows[max_block_rows];
  for (std::size_t k = 0; k < known.size(); ++k) {
    const Contact& c = out.contacts[k];
    if (is_joint(c.id)) {
      const SpaceJoint& j = data_.joints[c.id];
      joint_rows_at(static_cast<int>(c.id), q, now, rows);
      for (int r = 0; r < rows_of(j.kind); ++r)
        add_row(j.a, j.b, now, rows[r].move_a, rows[r].turn_a, rows[r].move_b, rows[r].turn_b, c.row + r,
                out);
      continue;
    }
    if (is_link(c.id)) {
      LinkRow row = link_row(link(c.id), t, q, now);
      add_row(row, now, c.row, out);
      continue;
    }
    const auto& [at, a, b, there] = known[k];
    // a and b by name: clang 14 captures no structured bindings
    const auto force = [&, a = a, b = b](const Vec3& d, const Vec3& arm_a, const Vec3& arm_b, int r) {
      add_row(a, b, now, d, cross(arm_a, d), -d, -cross(arm_b, d), c.row + r, out);
    };
    force(at.n, at.arm_a, at.arm_b, 0);
    const Law& law = laws_[c.law];
    if (saltus::rows(law) == 1) continue;
    // friction acts at one point, between the two: where a step ends with a gap, two would make a couple
    const Vec3 half = 0.5 * at.gap * at.n, arm_a = at.arm_a - half, arm_b = at.arm_b + half;
    const TouchTangents tangents = tangents_of(at);
    force(tangents.t1, arm_a, arm_b, 1), force(tangents.t2, arm_a, arm_b, 2);
    if (const auto* rolling = std::get_if<RollingFriction>(&law)) {
      const Vec3 axes[] = {tangents.t1, tangents.t2, at.n};
      for (int r = 3; r < saltus::rows(law); ++r) {
        const Vec3 m = rolling->length * axes[r - 3];
        add_row(a, b, now, Vec3::Zero(), m, Vec3::Zero(), -m, c.row + r, out);
      }
    }
  }
}

void SpatialSystem::bias(double t, In q, In u, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  auto& now = room.frames;
  frames(t, q, u.data(), now);
  out.bias.assign(out.gap.size(), 0.0);
  const auto& known = touches(t, q, out, room);
  JointRow rows[max_block_rows];
  for (std::size_t k = 0; k < known.size(); ++k) {
    const Contact& c = out.contacts[k];
    if (is_joint(c.id)) {
      joint_rows_at(static_cast<int>(c.id), q, now, rows);
      for (int r = 0; r < rows_of(data_.joints[c.id].kind); ++r) out.bias[c.row + r] = rows[r].bias;
      continue;
    }
    if (is_link(c.id)) {
      out.bias[c.row] = link_row(link(c.id), t, q, now).bias;
      continue;
    }
    const auto& [at, a, b, there] = known[k];
    if (!there) continue;  // nothing turns or slides where edges do not cross, and parallel ones never do
    const TouchMotion m = motion_of(at, now[a], now[b]);
    out.bias[c.row] = m.turn.dot(m.w) + at.n.dot(m.bend);
    const Law& law = laws_[c.law];
    if (saltus::rows(law) == 1) continue;
    out.bias[c.row + 1] = m.tangents.rate_1.dot(m.slip) + m.tangents.t1.dot(m.slip_bend);
    out.bias[c.row + 2] = m.tangents.rate_2.dot(m.slip) + m.tangents.t2.dot(m.slip_bend);
    if (const auto* rolling = std::get_if<RollingFriction>(&law)) {
      const Vec3 turn = now[a].omega - now[b].omega, change = now[a].alpha - now[b].alpha;
      const Vec3 axes[] = {m.tangents.t1, m.tangents.t2, at.n},
                 rates[] = {m.tangents.rate_1, m.tangents.rate_2, m.turn};
      for (int r = 3; r < saltus::rows(law); ++r)
        out.bias[c.row + r] = rolling->length * (rates[r - 3].dot(turn) + axes[r - 3].dot(change));
    }
  }
}

}  // namespace saltus
