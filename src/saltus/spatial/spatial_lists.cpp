// Which contacts of SpatialSystem there are at a configuration.
#include <algorithm>

#include "saltus/planar/grid.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus {

void SpatialSystem::add_joints(std::vector<Contact>& out) const {
  for (std::size_t k = 0; k < data_.joints.size(); ++k)
    if (const int rows = rows_of(data_.joints[k].kind); rows > 0) out.push_back({k, joint_law_[rows], 0});
  for (std::size_t k = 0; k < links_.size(); ++k) out.push_back({data_.joints.size() + k, links_[k].law, 0});
}

int SpatialSystem::number_rows(std::vector<Contact>& contacts) const {
  int rows = 0;
  for (Contact& c : contacts) c.row = std::exchange(rows, rows + saltus::rows(laws_[c.law]));
  return rows;
}

std::vector<Contact> SpatialSystem::all_contacts() const {
  ContactSet out;
  add_joints(out.contacts);
  const int n = static_cast<int>(data_.bodies.size());
  Room none;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) list_pair(none, i, j, infinity, out);
  number_rows(out.contacts);
  return std::move(out.contacts);
}

// By the spheres around bodies; half-spaces by their planes.
bool SpatialSystem::near(const std::vector<SpaceFrame>& frames, int i, int j, double margin) const {
  const Geometry &a = geometry_[i], &b = geometry_[j];
  if (a.reach < infinity && b.reach < infinity) {
    const double r = a.reach + b.reach + margin;
    return (frames[i].x - frames[j].x).squaredNorm() <= r * r;
  }
  const int wall = a.reach < infinity ? j : i, body = wall == i ? j : i;
  const SpaceFrame& f = frames[wall];
  const Vec3 d = frames[body].x - f.x;
  for (const SpaceShape& s : data_.bodies[wall].shapes)
    if (s.kind != SpaceShape::Kind::half_space ||
        f.turned(s.axis).dot(d) - s.axis.dot(s.centre) <= geometry_[body].reach + margin)
      return true;
  return false;
}

void SpatialSystem::list_pair(Room& room, int i, int j, double margin, ContactSet& out) const {
  if (i > j) std::swap(i, j);
  if (!may_touch(i, j) || compliance(i, j)) return;
  const int law = data_.materials.law(data_.bodies[i].material, data_.bodies[j].material);
  const auto &own = data_.bodies[i].shapes, &other = data_.bodies[j].shapes;
  int first = 0;
  for (std::size_t s = 0; s < own.size(); ++s)
    for (std::size_t x = 0; x < other.size(); ++x) {
      const int count = contacts_of_pair(own[s], other[x]);
      if (all_pairs_)
        for (int k = 0; k < count; ++k) out.contacts.push_back({id_of(i, j, first + k), law, 0});
      else if (count > 0 && shapes_near(room.frames, i, s, j, x, margin))
        list_shapes(room, i, s, j, x, first, margin, law, out);
      first += count;
    }
}

// Vertices of two flush polytopes that meet are one contact, not two: the second has the same point and
// normal, up to rounding.
void SpatialSystem::list_shapes(Room& room, int i, std::size_t s, int j, std::size_t x, int first,
                                double margin, int law, ContactSet& out) const {
  constexpr double same = 1e-9;
  const SpaceShape &a = data_.bodies[i].shapes[s], &b = data_.bodies[j].shapes[x];
  const SpaceFrame &fa = room.frames[i], &fb = room.frames[j];
  if (a.kind == SpaceShape::Kind::sphere &&
      b.kind == SpaceShape::Kind::sphere)  // as near as the balls around them
    return out.contacts.push_back({id_of(i, j, first), law, 0});
  contacts_within(a, fa, b, fb, margin, room.search);
  const bool polytopes = a.kind == SpaceShape::Kind::polytope && b.kind == SpaceShape::Kind::polytope;
  const int own = polytopes ? static_cast<int>(a.polytope.vertices.size()) : 0,
            vertices = polytopes ? own + static_cast<int>(b.polytope.vertices.size()) : 0;
  const double off = same * (polytopes ? std::max(a.polytope.reach, b.polytope.reach) : 0);
  PolytopePair known;
  room.vertices.clear();
  for (const int k : room.search.contacts) {
    const PairTouch t = touch_of_pair(a, fa, b, fb, k, out.sharp, known);
    if (t.touch.gap > margin) continue;
    if (k < vertices) {
      // of the first body, from the second to the first
      const Vec3 point = t.swapped ? t.touch.arm_b : t.touch.arm_a,
                 n = t.swapped ? Vec3(-t.touch.n) : t.touch.n;
      const auto meets = [&](const Room::Vertex& v) {
        return (v.point - point).cwiseAbs().maxCoeff() <= off && v.n.dot(n) >= 1 - same;
      };
      if (k >= own && std::any_of(room.vertices.begin(), room.vertices.end(), meets)) continue;
      if (k < own) room.vertices.push_back({point, n});
    }
    out.contacts.push_back({id_of(i, j, first + k), law, 0});
  }
}

// By the balls around shapes; half-spaces are near.
bool SpatialSystem::shapes_near(const std::vector<SpaceFrame>& frames, int i, std::size_t s, int j,
                                std::size_t x, double margin) const {
  const auto &a = geometry_[i].balls[s], &b = geometry_[j].balls[x];
  const double r = a.radius + b.radius + margin;
  if (!std::isfinite(r)) return true;
  const Vec3 d = (frames[i].x - frames[j].x) + (frames[i].turned(a.centre) - frames[j].turned(b.centre));
  return d.squaredNorm() <= r * r;
}

void SpatialSystem::list_near(Room& room, ContactSet& out) const {
  const double margin = search_margin(data_.margin, out.look_ahead, size_);
  for_each_near(room, margin, std::max(data_.margin, out.look_ahead),
                [&](int i, int j, double within) { list_pair(room, i, j, within, out); });
  std::sort(out.contacts.begin(), out.contacts.end(),
            [](const Contact& x, const Contact& y) { return x.id < y.id; });
}

void SpatialSystem::list(double t, In q, ContactSet& out, Workspace& w) const {
  if (all_pairs_) return System::list(t, q, out, w);
  auto& room = static_cast<Room&>(w);
  out.contacts.clear();
  frames(t, q, nullptr, room.frames);
  add_joints(out.contacts);
  list_near(room, out);
  out.gap.assign(static_cast<std::size_t>(number_rows(out.contacts)), 0.0);
  find_gaps(t, q, room, out);
}

}  // namespace saltus
