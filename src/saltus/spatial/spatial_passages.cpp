// Bodies of SpatialSystem that go through each other between two configurations (system/passage.hpp).
#include "saltus/spatial/space_grid.hpp"
#include "saltus/spatial/space_solids.hpp"
#include "saltus/spatial/spatial_system.hpp"
#include "saltus/system/passage.hpp"

namespace saltus {
namespace {

using Way = SpatialSystem::Way;

struct Apart {
  double gap = -infinity;
  Vec3 n{0, 0, 1};
};

/// One shape at one place.
struct Placed {
  const SpaceShape& shape;
  const SpaceFrame& f;

  /// How far it reaches along n.
  double reach(const Vec3& n) const { return n.dot(f.x) + shape.extent(f.R.transpose() * n); }
};

// Shapes are as far apart as along the direction that separates them best. `along` is one of a to b or back.
void look_along(const Placed& a, const Placed& b, const Vec3& along, Apart& best) {
  for (const Vec3& n : {Vec3(along), Vec3(-along)})
    if (const double gap = -a.reach(-n) - b.reach(n); gap > best.gap) best = {gap, n};
}

void look_along_faces(const Placed& a, const Placed& b, const Placed& of, Apart& best) {
  for (const auto& face : of.shape.polytope.faces) look_along(a, b, of.f.turned(face.normal), best);
}

Vec3 edge_of(const Placed& a, const Polytope::Edge& e) {
  const auto& corners = a.shape.polytope.vertices;
  return a.f.turned(corners[e.to] - corners[e.from]);
}

// The directions that can be it: faces, edges by edges, the normals of all contacts that a pair may have.
Apart apart(const Placed& a, const Placed& b) {
  Apart best;
  if (const Vec3 d = a.f.x - b.f.x + a.f.turned(a.shape.middle()) - b.f.turned(b.shape.middle());
      d.squaredNorm() > 0)
    look_along(a, b, d.normalized(), best);
  look_along_faces(a, b, a, best), look_along_faces(a, b, b, best);
  if (a.shape.kind == SpaceShape::Kind::polytope && b.shape.kind == SpaceShape::Kind::polytope) {
    for (const auto& e : a.shape.polytope.edges)
      for (const auto& f : b.shape.polytope.edges) {
        const Vec3 u = edge_of(a, e), v = edge_of(b, f), n = cross(u, v);
        if (n.squaredNorm() > 1e-12 * u.squaredNorm() * v.squaredNorm())
          look_along(a, b, n.normalized(), best);
      }
    return best;
  }
  if (is_solid_pair(a.shape, b.shape)) {  // one direction is the best of all
    look_along(a, b, solids_apart(a.shape, a.f, b.shape, b.f), best);
    return best;
  }
  PolytopePair known;
  for (int k = 0, n = contacts_of_pair(a.shape, b.shape); k < n; ++k)
    look_along(a, b, touch_of_pair(a.shape, a.f, b.shape, b.f, k, true, known).touch.n, best);
  return best;
}

// How far a wall is below a point.
double height(const SpaceShape& wall, const SpaceFrame& f, const Vec3& p) {
  return wall.axis.dot(f.seen(p) - wall.centre);
}

/// Two shapes of a width together, and how far a point of one moves past the other.
struct ShapePair {
  const SpaceShape &a, &b;
  double width, travel;
};

bool shapes_pass(const ShapePair& pair, const Way& a, const Way& b, double share) {
  const auto at = [&](double s) {
    const SpaceFrame fa = a.at(s), fb = b.at(s);
    return apart({pair.a, fa}, {pair.b, fb});
  };
  return goes_through({0, 1}, pair.width, pair.travel, share, at);
}

// Contacts of polytopes are those of corners, which have no width: one that is past the middle of the other
// body is pushed out on its far side.
bool corner_passes(const ShapePair& pair, const Way& a, const Way& b, double share) {
  if (pair.a.kind != SpaceShape::Kind::polytope || pair.b.kind != SpaceShape::Kind::polytope) return false;
  for (const Vec3& corner : pair.a.polytope.vertices) {
    const SpaceShape tip = SpaceShape::sphere(0, corner);
    if (shapes_pass({tip, pair.b, pair.b.width(), pair.travel}, a, b, share)) return true;
  }
  return false;
}

}  // namespace

SpatialSystem::Way::Way(const SpaceFrame& a, const SpaceFrame& b)
    : from(a), to(b), dx(b.x - a.x), turn(rotation_log(rotation_of(a.R.transpose() * b.R))) {}

SpaceFrame SpatialSystem::Way::at(double s) const {
  if (s <= 0) return from;
  if (s >= 1) return to;
  SpaceFrame f = from;
  f.x += s * dx;
  f.R = from.R * rotation_exp(s * turn).matrix();
  return f;
}

bool SpatialSystem::falls_behind(int body, int wall, const Way& way, const Way& its, double share,
                                 Passage& out) const {
  const double width = width_or_thinnest(body);
  for (const SpaceShape& x : data_.bodies[wall].shapes) {
    if (x.kind != SpaceShape::Kind::half_space) continue;
    const double h0 = height(x, its.from, way.from.x), h1 = height(x, its.to, way.to.x);
    if (!(width < infinity) || !goes_behind(h0, h1, width, share)) continue;
    out = {data_.bodies[body].name + " and " + data_.bodies[wall].name, h0 - h1, width};
    return true;
  }
  return false;
}

bool SpatialSystem::pair_passes(int i, int j, const Way& a, const Way& b, double share, Passage& out) const {
  if (!may_touch(i, j)) return false;
  const Geometry &gi = geometry_[i], &gj = geometry_[j];
  if (gj.reach == infinity && falls_behind(i, j, a, b, share, out)) return true;
  if (gi.reach == infinity && falls_behind(j, i, b, a, share, out)) return true;
  const Vec3 d = a.from.x - b.from.x, v = a.dx - b.dx;
  if (gi.reach + gj.reach < infinity) {
    const Stretch near = near_stretch(d, v, gi.reach + gj.reach);
    if (near.begin > near.end) return false;
  }
  const auto turning = [](const Way& way, const Geometry::Ball& of) {
    return way.turn.norm() * (of.centre.norm() + of.radius);
  };
  for (std::size_t s = 0; s < data_.bodies[i].shapes.size(); ++s)
    for (std::size_t x = 0; x < data_.bodies[j].shapes.size(); ++x) {
      const SpaceShape &own = data_.bodies[i].shapes[s], &other = data_.bodies[j].shapes[x];
      if (own.kind == SpaceShape::Kind::half_space || other.kind == SpaceShape::Kind::half_space) continue;
      const Geometry::Ball &ball = gi.balls[s], &hit = gj.balls[x];
      const double travel = v.norm() + turning(a, ball) + turning(b, hit);
      const Vec3 apart = d + a.from.turned(ball.centre) - b.from.turned(hit.centre);
      if (apart.norm() > ball.radius + hit.radius + travel) continue;
      const double width = own.width() + other.width();
      const ShapePair pair{own, other, width, travel}, back{other, own, width, travel};
      if (!shapes_pass(pair, a, b, share) && !corner_passes(pair, a, b, share) &&
          !corner_passes(back, b, a, share))
        continue;
      const auto thick = [](double w) { return w > 0 ? w : infinity; };
      out = {data_.bodies[i].name + " and " + data_.bodies[j].name, travel,
             std::min(width, 2 * std::min(thick(own.width()), thick(other.width())))};
      return true;
    }
  return false;
}

// Of bodies without a width, points, disks and walls, the thinnest of the others decides.
double SpatialSystem::width_or_thinnest(int body) const {
  const double width = geometry_[body].width;
  return width > 0 ? width : thinnest_;
}

// How far a point of it moves at most.
double SpatialSystem::travel(int body, double t0, In q0, double t1, In q1) const {
  const int k = place_[body];
  const double reach = geometry_[body].turning;
  if (k < 0) {
    if (!data_.bodies[body].motion.moves()) return 0;
    const Way way(frame(body, t0, q0, nullptr), frame(body, t1, q1, nullptr));
    return way.turn.isZero() ? way.dx.norm() : way.dx.norm() + way.turn.norm() * reach;
  }
  const Eigen::Vector4d p = q0.segment<4>(7 * k + 3), r = q1.segment<4>(7 * k + 3);
  const double chord = std::min((p - r).norm(), (p + r).norm());
  const double turn = reach > 0 ? 4 * std::asin(std::min(1.0, chord / 2)) : 0;
  return (q1.segment<3>(7 * k) - q0.segment<3>(7 * k)).norm() + turn * reach;
}

// One of a pair that goes through moves by a quarter of its own width.
bool SpatialSystem::passes(double t0, In q0, double t1, In q1, double share, Passage& out) const {
  const int n = static_cast<int>(data_.bodies.size());
  std::vector<int> fast;
  double farthest = 0;
  for (int i = 0; i < n; ++i) {
    if (data_.bodies[i].shapes.empty() || !data_.bodies[i].touches) continue;
    const double far = travel(i, t0, q0, t1, q1);
    if (far > share * width_or_thinnest(i)) fast.push_back(i);
    if (!geometry_[i].large) farthest = std::max(farthest, far);
  }
  if (fast.empty() || !std::isfinite(farthest)) return false;
  std::vector<Way> ways;
  std::vector<Vec3> centres;
  std::vector<int> cells, number(data_.bodies.size(), -1);
  for (int i = 0; i < n; ++i) ways.emplace_back(frame(i, t0, q0, nullptr), frame(i, t1, q1, nullptr));
  for (std::size_t k = 0; k < small_.size(); ++k)
    centres.push_back(ways[small_[k]].from.x), number[small_[k]] = static_cast<int>(k);
  const SpaceGrid grid(centres, cell_ + 2 * farthest, cells);
  for (const int i : fast) {
    bool found = false;
    const auto look = [&](int j) {
      found = found || (j != i && pair_passes(i, j, ways[i], ways[j], share, out));
    };
    for (const int j : large_) look(j);
    if (geometry_[i].large)
      for (const int j : small_) look(j);
    else
      grid.near(number[i], [&](int k) { look(small_[k]); });
    if (found) return true;
  }
  return false;
}

}  // namespace saltus
