// The contacts of RigidSystem: which there are, their gaps, directions and second-order terms.
#include <algorithm>

#include "saltus/planar/rigid_pairs.hpp"

namespace saltus {

using Kind = RigidBody::Shape;

std::uint64_t RigidSystem::id_of(int i, int j, int feature) const {
  const auto bodies = static_cast<std::uint64_t>(data_.bodies.size());
  return (static_cast<std::uint64_t>(i) * bodies + static_cast<std::uint64_t>(j)) *
             static_cast<std::uint64_t>(most_features_) +
         static_cast<std::uint64_t>(feature);
}

RigidSystem::Partners RigidSystem::partners(std::uint64_t id) const {
  const auto bodies = static_cast<std::uint64_t>(data_.bodies.size());
  const auto features = static_cast<std::uint64_t>(most_features_);
  const std::uint64_t pair = id / features;
  return {static_cast<int>(pair / bodies), static_cast<int>(pair % bodies), static_cast<int>(id % features)};
}

double RigidSystem::thickness(std::uint64_t contact) const {
  const Partners p = partners(contact);
  double least = infinity;
  for (const int body : {p.i, p.j})
    if (const double width = geometry_[body].width; width > 0) least = std::min(least, width);
  return std::isfinite(least) ? least : 0;
}

std::string RigidSystem::contact_name(std::uint64_t id) const {
  const Partners p = partners(id);
  const RigidBody &a = data_.bodies.at(p.i), &b = data_.bodies.at(p.j);
  const int corners = static_cast<int>(a.corners.size());
  if (b.corners.empty() ? corners == 0 || b.shape == Kind::round : corners == 0) return a.name + "/" + b.name;
  return p.feature < corners ? fmt::format("{}:{}/{}", a.name, p.feature, b.name)
                             : fmt::format("{}:{}/{}", b.name, p.feature - corners, a.name);
}

// Corners of i, then those of j, against the other; one where a round body is involved.
int RigidSystem::features(int i, int j) const {
  const RigidBody &a = data_.bodies[i], &b = data_.bodies[j];
  if ((a.fixed() && b.fixed()) || !a.touches || !b.touches || (a.group >= 0 && a.group == b.group)) return 0;
  if (std::binary_search(data_.apart.begin(), data_.apart.end(), std::pair(i, j))) return 0;
  if (a.shape == Kind::round && b.shape == Kind::round) return a.radius + b.radius > 0 ? 1 : 0;
  if (a.shape == Kind::round || b.shape == Kind::round) return 1;
  return static_cast<int>(a.corners.size() + b.corners.size());
}

Touch RigidSystem::touch(const std::vector<Frame>& frames, const Partners& p, int& a, int& b, bool sharp,
                         BestSide& known) const {
  a = p.i, b = p.j;
  int corner = p.feature;
  const auto kind = [&](int body) { return data_.bodies[body].shape; };
  if (kind(a) == Kind::polygon && kind(b) == Kind::polygon) {
    if (const int own = static_cast<int>(data_.bodies[a].corners.size()); corner >= own)
      corner -= own, std::swap(a, b);
  } else if (kind(a) == Kind::plane || kind(a) == Kind::drum ||
             (kind(a) == Kind::polygon && kind(b) == Kind::round)) {
    std::swap(a, b);
  }
  const RigidBody &x = data_.bodies[a], &y = data_.bodies[b];
  const Frame &fa = frames[a], &fb = frames[b];
  const bool round = x.shape == Kind::round;
  const Vec2 arm = round ? Vec2(0, 0) : fa.turned(x.corners[corner]);
  const double radius = round ? x.radius : 0;
  switch (y.shape) {
    case Kind::plane:
      return flat_touch(fa, arm, radius, fb, fb.turned({0, 1}), 0);
    case Kind::drum:
      return round_touch(fa, arm, radius, fb, {0, 0}, -y.radius);
    case Kind::round:
      return round_touch(fa, arm, radius, fb, {0, 0}, y.radius);
    case Kind::polygon:
      break;
  }
  return round ? disk_polygon_touch(fa, radius, fb, geometry_[b].sides)
               : corner_touch_of(frames, a, corner, b, sharp, known);
}

// Of b against the corners of a: the side that separates best, and how bodies that overlap come apart
// soonest, along the best side of one of them.
void RigidSystem::find_best_side(const Frame& fa, const Frame& fb, int a, int b, BestSide& known) const {
  const int pair = a * static_cast<int>(data_.bodies.size()) + b;
  if (known.pair == pair) return;
  const auto &sides = geometry_[b].sides, &own = geometry_[a].sides;
  known.pair = pair, known.depth = 0;
  double height = 0, from_a = 0;
  known.side = best_side(fa, data_.bodies[a].corners, fb, sides, &height);
  if (height >= 0) return;
  const int side = best_side(fb, data_.bodies[b].corners, fa, own, &from_a);
  if (from_a >= 0) return;
  known.depth = -std::max(height, from_a);
  known.apart = height >= from_a ? fb.turned(sides[known.side].normal) : Vec2(-fa.turned(own[side].normal));
}

// Sharp: sides reach beyond corners by rounding, and by twice of what the bodies overlap, so that the corners
// of a stack stay above the sides they came from.
Touch RigidSystem::corner_touch_of(const std::vector<Frame>& frames, int a, int corner, int b, bool sharp,
                                   BestSide& known) const {
  const Frame &fa = frames[a], &fb = frames[b];
  const std::vector<PolygonSide>& sides = geometry_[b].sides;
  const Vec2& at = data_.bodies[a].corners[corner];
  find_best_side(fa, fb, a, b, known);
  const double most = geometry_[b].favour, off = 100 * most;
  const double size = fa.x.lpNorm<1>() + fb.x.lpNorm<1>() + geometry_[a].reach + geometry_[b].reach;
  const double tie = 256 * std::numeric_limits<double>::epsilon() * size;
  const double favour = sharp ? std::min(most, tie + 2 * known.depth) : most;
  Touch out = corner_touch(fa, at, fb, sides, known.side, favour);
  if (!(known.depth > (sharp ? 1e-2 * most : 0)) || out.gap > off || out.n.dot(known.apart) >= 0.5)
    return out;
  // A corner that is highest above a side across the way on which the bodies come apart is beside the other
  // body, or sunk in next to its edge: as a contact it would push across, even against the contacts along the
  // way, and jam the pair. There the side that faces the way counts; and what is still beside stays off, by a
  // tenth of the shortest side.
  if (out.gap >= 0) {
    Touch beside = out;
    beside.gap += off;
    return beside;
  }
  const PolygonSide& facing = sides[facing_side(fb, sides, known.apart)];
  return flat_touch(fa, fa.turned(at), 0, fb, fb.turned(facing.normal), facing.offset);
}

// room.frames are those of (t, q); what was found there last time is kept.
const std::vector<RigidSystem::Room::Known>& RigidSystem::touches(double t, In q, const ContactSet& set,
                                                                  Room& room) const {
  const std::size_t n = set.contacts.size(), m = static_cast<std::size_t>(q.size());
  bool known = room.sharp == set.sharp && room.ids.size() == n && room.place.size() == m + 1 &&
               room.place[m] == t && std::equal(q.data(), q.data() + m, room.place.data());
  for (std::size_t k = 0; known && k < n; ++k) known = room.ids[k] == set.contacts[k].id;
  if (known) return room.touches;
  room.place.assign(q.data(), q.data() + m);
  room.place.push_back(t);
  room.sharp = set.sharp;
  room.ids.resize(n), room.touches.resize(n);
  BestSide best;
  for (std::size_t k = 0; k < n; ++k) {
    room.ids[k] = set.contacts[k].id;
    Room::Known& at = room.touches[k];
    at.touch = touch(room.frames, partners(set.contacts[k].id), at.a, at.b, set.sharp, best);
  }
  return room.touches;
}

template <class Visit>
void RigidSystem::for_each_touch(double t, In q, const ContactSet& set, Room& room, Visit&& visit) const {
  auto at = touches(t, q, set, room).begin();
  for (const Contact& c : set.contacts) visit(c, at->touch, at->a, at->b), ++at;
}

// Whether two bodies can be within the margin: by the circles around them.
bool RigidSystem::near(const std::vector<Frame>& frames, int i, int j, double margin) const {
  const Geometry &a = geometry_[i], &b = geometry_[j];
  if (a.reach < infinity && b.reach < infinity) {
    const double r = a.reach + b.reach + margin;
    return (frames[i].x - frames[j].x).squaredNorm() <= r * r;
  }
  const int wall = a.reach < infinity ? j : i, body = wall == i ? j : i;
  const Frame& f = frames[wall];
  const Vec2 d = frames[body].x - f.x;
  const double distance = data_.bodies[wall].shape == Kind::plane ? f.turned({0, 1}).dot(d)
                                                                  : data_.bodies[wall].radius - d.norm();
  return distance <= geometry_[body].reach + margin;
}

void RigidSystem::list_pair(const std::vector<Frame>& frames, int i, int j, double margin,
                            ContactSet& out) const {
  if (i > j) std::swap(i, j);
  const int law = law_of(i, j), n = data_.materials.compliance(law) ? 0 : features(i, j);
  int a = 0, b = 0;
  BestSide known;
  for (int k = 0; k < n; ++k)
    if (all_pairs_ || !(touch(frames, {i, j, k}, a, b, out.sharp, known).gap > margin))
      out.contacts.push_back({id_of(i, j, k), law, 0});
}

void RigidSystem::list_near(Room& room, ContactSet& out) const {
  const auto& frames = room.frames;
  const double far = std::max(data_.margin, out.look_ahead);
  find_reaches(out, room);
  for_each_near_pair(frames, far, room,
                     [&](int i, int j, double within) { list_pair(frames, i, j, within, out); });
  std::sort(out.contacts.begin(), out.contacts.end(),
            [](const Contact& x, const Contact& y) { return x.id < y.id; });
}

// Planes that turn are taken at their pivot's speed.
double RigidSystem::speed_of(int body, const double* u) const {
  const RigidBody& b = data_.bodies[body];
  const Motion& m = b.motion;
  const int k = first_[body];
  double speed = b.fixed() ? m.velocity.norm() + std::abs(m.omega) * (b.start - m.pivot).norm()
                           : std::hypot(u[k], u[k + 1]);
  if (!b.corners.empty()) speed += std::abs(b.fixed() ? m.omega : u[k + 2]) * geometry_[body].reach;
  return speed;
}

double RigidSystem::closing_speed(In u) const {
  FastestPair pair;
  for (int i = 0; i < static_cast<int>(data_.bodies.size()); ++i) pair.take(speed_of(i, u.data()));
  return pair.speed();
}

void RigidSystem::find_reaches(const ContactSet& set, Room& room) const {
  const double asked = search_margin(data_.margin, set.look_ahead, size_);
  if (!set.velocities || !(asked > data_.margin)) return room.reaches.set(asked);
  const auto ways = [&](const std::vector<int>& bodies, std::vector<double>& out) {
    out.resize(bodies.size());
    for (std::size_t k = 0; k < bodies.size(); ++k) out[k] = set.lead * speed_of(bodies[k], set.velocities);
  };
  ways(small_, room.reaches.way), ways(large_, room.large_way);
  room.reaches.sort_out(data_.margin, asked);
}

// With few bodies every pair that can touch.
std::vector<Contact> RigidSystem::all_contacts() const {
  ContactSet out;
  const int n = static_cast<int>(data_.bodies.size());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) list_pair({}, i, j, infinity, out);
  number_rows(out.contacts);
  return std::move(out.contacts);
}

// Returns how many there are.
int RigidSystem::number_rows(std::vector<Contact>& contacts) const {
  int rows = 0;
  for (Contact& c : contacts) c.row = std::exchange(rows, rows + saltus::rows(laws()[c.law]));
  return rows;
}

void RigidSystem::list(double t, In q, ContactSet& out, Workspace& w) const {
  if (all_pairs_ || !rigid_) return System::list(t, q, out, w);
  auto& room = static_cast<Room&>(w);
  out.contacts.clear();
  frames(t, q, nullptr, room.frames);
  list_near(room, out);
  out.gap.assign(static_cast<std::size_t>(number_rows(out.contacts)), 0.0);
  find_gaps(t, q, room, out);
}

void RigidSystem::gaps(double t, In q, ContactSet& out, Workspace& w) const {
  if (out.contacts.empty()) return;
  auto& room = static_cast<Room&>(w);
  frames(t, q, nullptr, room.frames);
  find_gaps(t, q, room, out);
}

void RigidSystem::find_gaps(double t, In q, Room& room, ContactSet& out) const {
  const auto& now = room.frames;
  // a gap below the rounding of the coordinates is closed: a stack that just touches stands from the first
  // step
  for_each_touch(t, q, out, room, [&](const Contact& c, const Touch& at, int a, int b) {
    const double size =
        now[a].x.lpNorm<1>() + now[b].x.lpNorm<1>() + at.arm_a.lpNorm<1>() + at.arm_b.lpNorm<1>();
    out.gap[c.row] = std::abs(at.gap) <= 4 * std::numeric_limits<double>::epsilon() * size ? 0 : at.gap;
  });
}

void RigidSystem::directions(double t, In q, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  auto& now = room.frames;
  frames(t, q, nullptr, now);
  out.Wt.clear();
  out.drift.assign(out.gap.size(), 0.0);
  for_each_touch(t, q, out, room, [&](const Contact& c, const Touch& at, int a, int b) {
    const Vec2 tangent = left_of(at.n);
    const auto row = [&](int r, const Vec2& d, double turn_a, double turn_b) {
      const auto add = [&](int body, double sign, double turn, const Frame& f) {
        const RigidBody& x = data_.bodies[body];
        if (x.fixed()) {
          out.drift[r] += sign * (d.dot(f.v) + turn * f.omega);
          return;
        }
        for (int k = 0; k < 2; ++k) out.Wt.add(first_[body] + k, sign * d[k]);
        if (x.turns()) out.Wt.add(first_[body] + 2, sign * turn);
      };
      if (a < b)
        add(a, 1, turn_a, now[a]), add(b, -1, turn_b, now[b]);
      else
        add(b, -1, turn_b, now[b]), add(a, 1, turn_a, now[a]);
      out.Wt.end_row();
    };
    row(c.row, at.n, -tangent.dot(at.arm_a), -tangent.dot(at.arm_b));  // n·left(arm) = −t·arm
    if (saltus::rows(laws()[c.law]) > 1) row(c.row + 1, tangent, at.lever_a(), at.lever_b());
    if (const auto* rolling = std::get_if<RollingFriction>(&laws()[c.law]))
      row(c.row + 2, {0, 0}, rolling->length, rolling->length);
  });
}

void RigidSystem::bias(double t, In q, In u, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  auto& now = room.frames;
  frames(t, q, u.data(), now);
  out.bias.assign(out.gap.size(), 0.0);
  for_each_touch(t, q, out, room, [&](const Contact& c, const Touch& at, int a, int b) {
    const TouchBias x = bias_of(at, now[a], now[b]);
    out.bias[c.row] = x.normal;
    if (saltus::rows(laws()[c.law]) > 1) out.bias[c.row + 1] = x.tangential;
  });
}

}  // namespace saltus
