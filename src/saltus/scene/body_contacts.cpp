#include "saltus/scene/body_contacts.hpp"

namespace saltus {
namespace {

using Op = Graph::Op;

/// A side in the frame of its polygon: n·p = offset, n outwards.
struct Side {
  Vec2 from, along, normal;
  double length, offset;
};
std::vector<Side> sides_of(const PlanarBody& b) {
  std::vector<Side> out;
  for (std::size_t k = 0; k < b.corners.size(); ++k) {
    const Vec2 edge = b.corners[(k + 1) % b.corners.size()] - b.corners[k], along = edge.normalized();
    const Vec2 normal = -left_of(along);
    out.push_back({b.corners[k], along, normal, edge.norm(), normal.dot(b.corners[k])});
  }
  return out;
}

}  // namespace

void BodyContacts::add(std::string name, Id gap, PlanePoint tangent, PlanePoint at, const PlanarBody& a,
                       const PlanarBody* b, int surface_b) {
  const Law law = table_.laws()[table_.law(a.surface, surface_b)];
  FormulaContact c{std::move(name), law, {gap}};
  if (rows(law) > 1) {
    PlanePoint slip = f_.velocity(a, at);
    if (b) slip = f_.minus(slip, f_.velocity(*b, at));
    c.rows.push_back(f_.dot(tangent, slip));
  }
  d_.contacts.push_back(std::move(c));
}

void BodyContacts::wall(const PlanarBody& b, const std::string& name, const Vec2& point, const Vec2& normal,
                        int surface) {
  if (b.fixed()) return;
  const PlanePoint n = f_.constant(normal), tangent = f_.left(n);
  const auto distance = [&](PlanePoint p, double r) {
    return g_.subtract(f_.dot(n, p), g_.number(normal.dot(point) + r));
  };
  if (b.corners.empty()) {
    const PlanePoint at = f_.minus(f_.centre(b), f_.constant(b.radius * normal));
    return add(b.name + "/" + name, distance(f_.centre(b), b.radius), tangent, at, b, nullptr, surface);
  }
  for (std::size_t k = 0; k < b.corners.size(); ++k) {
    const PlanePoint at = f_.point(b, b.corners[k]);
    add(fmt::format("{}:{}/{}", b.name, k, name), distance(at, 0), tangent, at, b, nullptr, surface);
  }
}

void BodyContacts::pair(const PlanarBody& a, const PlanarBody& b) {
  if (a.corners.empty() && b.corners.empty()) return disks(a, b);
  if (a.corners.empty()) return disk_polygon(a, b);
  if (b.corners.empty()) return disk_polygon(b, a);
  corners(a, b);
  corners(b, a);
}

void BodyContacts::disks(const PlanarBody& a, const PlanarBody& b) {
  if (a.radius + b.radius == 0) return;  // two points do not meet
  const PlanePoint r = f_.minus(f_.centre(a), f_.centre(b));
  const Id distance = g_.make(Op::hypot, r.x, r.y);
  const PlanePoint n{g_.make(Op::divide, r.x, distance), g_.make(Op::divide, r.y, distance)};
  const PlanePoint at = f_.plus(f_.centre(b), f_.scaled(g_.number(b.radius), n));
  add(a.name + "/" + b.name, g_.subtract(distance, g_.number(a.radius + b.radius)), f_.left(n), at, a, &b,
      b.surface);
}

// Outside by the nearest point of the sides, inside by the nearest side.
void BodyContacts::disk_polygon(const PlanarBody& disk, const PlanarBody& polygon) {
  const PlanePoint p = f_.seen_from(polygon, f_.centre(disk));
  Id depth = 0, nearest = 0;
  PlanePoint normal{0, 0}, closest{0, 0};
  bool first = true;
  for (const Side& s : sides_of(polygon)) {
    const Id height = g_.subtract(f_.dot(f_.constant(s.normal), p), g_.number(s.offset));
    const Id place = g_.subtract(f_.dot(f_.constant(s.along), p), g_.number(s.along.dot(s.from)));
    const Id held = g_.make(Op::min, g_.make(Op::max, place, g_.number(0)), g_.number(s.length));
    const PlanePoint foot = f_.plus(f_.constant(s.from), f_.scaled(held, f_.constant(s.along)));
    const PlanePoint r = f_.minus(p, foot);
    const Id square = f_.dot(r, r);
    const Id higher = first ? g_.number(1) : g_.make(Op::less, depth, height);
    const Id nearer = first ? g_.number(1) : g_.make(Op::less, square, nearest);
    depth = g_.make(Op::select, height, depth, higher);
    normal = f_.choose(higher, f_.constant(s.normal), normal);
    nearest = g_.make(Op::select, square, nearest, nearer);
    closest = f_.choose(nearer, foot, closest);
    first = false;
  }
  const Id outside = g_.make(Op::less, g_.number(0), depth), distance = g_.make(Op::sqrt, nearest, nearest);
  const PlanePoint r = f_.minus(p, closest);
  const PlanePoint away{g_.make(Op::divide, r.x, distance), g_.make(Op::divide, r.y, distance)};
  const PlanePoint n = f_.turned(polygon, f_.choose(outside, away, normal));
  const Id gap = g_.subtract(g_.make(Op::select, distance, depth, outside), g_.number(disk.radius));
  const PlanePoint at = f_.minus(f_.centre(disk), f_.scaled(g_.number(disk.radius), n));
  add(disk.name + "/" + polygon.name, gap, f_.left(n), at, disk, &polygon, polygon.surface);
}

// The distance of a corner to a convex polygon is that to its highest side. Where corners lie on corners, as
// in a stack, two sides are equally high up to rounding; so the side that separates the two bodies best is
// favoured by a thousandth of the shortest side.
void BodyContacts::corners(const PlanarBody& a, const PlanarBody& b) {
  const auto sides = sides_of(b);
  double favour = infinity;
  for (const Side& s : sides) favour = std::min(favour, 1e-3 * s.length);
  std::vector<PlanePoint> at, seen;
  for (const Vec2& corner : a.corners) {
    at.push_back(f_.point(a, corner));
    seen.push_back(f_.seen_from(b, at.back()));
  }
  const auto height = [&](const Side& s, std::size_t k) {
    return g_.subtract(f_.dot(f_.constant(s.normal), seen[k]), g_.number(s.offset));
  };
  Id best = 0, which = g_.number(0);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    Id lowest = height(sides[i], 0);
    for (std::size_t k = 1; k < seen.size(); ++k) lowest = g_.make(Op::min, lowest, height(sides[i], k));
    const Id better = i == 0 ? g_.number(1) : g_.make(Op::less, best, lowest);
    best = g_.make(Op::select, lowest, best, better);
    which = g_.make(Op::select, g_.number(static_cast<double>(i)), which, better);
  }
  for (std::size_t k = 0; k < seen.size(); ++k) {
    Id gap = 0;
    PlanePoint normal{0, 0};
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const Id favoured = g_.make(Op::equal, which, g_.number(static_cast<double>(i)));
      const Id value =
          g_.subtract(height(sides[i], k), g_.make(Op::select, g_.number(0), g_.number(favour), favoured));
      const Id higher = i == 0 ? g_.number(1) : g_.make(Op::less, gap, value);
      gap = g_.make(Op::select, value, gap, higher);
      normal = f_.choose(higher, f_.constant(sides[i].normal), normal);
    }
    add(fmt::format("{}:{}/{}", a.name, k, b.name), gap, f_.left(f_.turned(b, normal)), at[k], a, &b,
        b.surface);
  }
}

}  // namespace saltus
