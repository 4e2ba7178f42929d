#include "saltus/spatial/space_solids.hpp"

#include <algorithm>
#include <limits>

#include "saltus/spatial/space_closest.hpp"

namespace saltus {

using ShapeKind = SpaceShape::Kind;

namespace {

using Feature = PartFeature::Kind;
constexpr double standing_part = 0.999;  // of the radius outside, so that a rim that rolls does not meet them
constexpr double flush = 1e-9;           // 1 − |n·axis| of a flat end that lies on what it touches

bool has_ends(const SpaceShape& s) {
  return s.kind == ShapeKind::disk || s.kind == ShapeKind::cylinder || s.kind == ShapeKind::cone;
}
int ends(const SpaceShape& s) {
  return !has_ends(s) ? 0 : s.kind == ShapeKind::cylinder ? 2 : 1;
}
int points(const SpaceShape& s) {
  if (s.kind == ShapeKind::capsule) return 2;
  if (s.kind == ShapeKind::polytope) return static_cast<int>(s.polytope.vertices.size());
  return ends(s) * standing_points + (s.kind == ShapeKind::cone);
}
int lines(const SpaceShape& s) {
  return s.kind == ShapeKind::polytope ? static_cast<int>(s.polytope.edges.size())
                                       : s.kind != ShapeKind::disk;
}
// Of disks, cylinders and cones alone lines lie on flat ends of the first body; others have covered them.
int lines_of_second(const SpaceShape& a, const SpaceShape& b) {
  return has_ends(a) ? lines(b) : 0;
}

// One body with another that is looked at part by part.
struct Side {
  const SpaceShape& shape;
  const SpaceFrame& f;
};
struct Sub {
  enum class Kind : std::uint8_t { point, end, line };
  Kind kind;
  bool second;  // of the second body
  int index, start = 0;
};
Sub sub_of(const SpaceShape& a, const SpaceShape& b, int k) {
  using enum Sub::Kind;
  const auto in = [&](int n) { return k < n || (k -= n, false); };
  if (in(points(a))) return {point, false, k};
  if (in(points(b))) return {point, true, k};
  if (in(ends(a))) return {end, false, k};
  if (in(ends(b))) return {end, true, k};
  if (in(2 * lines(a))) return {line, false, k / 2, k % 2};
  return {line, true, k / 2, k % 2};
}

int side_of_end(const SpaceShape& s, int end) {
  return s.kind == ShapeKind::cone || end == 1 ? -1 : 1;
}

Vec3 point_of(const SpaceShape& s, int k) {
  if (s.kind == ShapeKind::polytope) return s.polytope.vertices[k];
  if (s.kind == ShapeKind::capsule) return s.centre + (k == 0 ? -1 : 1) * s.half * s.axis;
  if (s.kind == ShapeKind::cone && k-- == 0) return s.centre + s.half * s.axis;
  return standing_point(s, side_of_end(s, k / standing_points), k % standing_points);
}

// The part of a line or an end; `start`: where its closest points are looked for from.
ConvexPart part_of(const Side& s, const Sub& sub, const Vec3& o, Vec3& start) {
  ConvexPart out;
  if (sub.kind == Sub::Kind::end) {
    out = ConvexPart::end(s.shape, s.f, o, side_of_end(s.shape, sub.index));
    start = out.centre;
    return out;
  }
  if (s.shape.kind == ShapeKind::polytope) {
    const auto& e = s.shape.polytope.edges[sub.index];
    const auto at = [&](int vertex) {
      return Vec3((s.f.x - o) + s.f.turned(s.shape.polytope.vertices[vertex]));
    };
    out = ConvexPart::segment(at(e.from), at(e.to), 0);
  } else if (s.shape.kind == ShapeKind::cone) {
    out = ConvexPart::of(s.shape, s.f, o);
  } else {
    const Vec3 centre = (s.f.x - o) + s.f.turned(s.shape.centre),
               along = s.shape.half * s.f.turned(s.shape.axis);
    out = ConvexPart::segment(centre - along, centre + along, s.shape.radius);
  }
  start = out.centre + (sub.start == 0 ? -out.half : out.half) * out.axis;
  return out;
}

SpaceTouch far_away(const Side& p, const Side& q) {
  SpaceTouch t;
  t.gap = p.shape.reach() + q.shape.reach();
  return t;
}

PairTouch against_point(const Side& p, int k, const Side& q, bool sharp) {
  const double r = p.shape.kind == ShapeKind::capsule ? p.shape.radius : 0;
  const Vec3 arm = p.f.turned(point_of(p.shape, k));
  PairTouch out;
  bool beside = false;
  if (q.shape.kind == ShapeKind::capsule) {
    const Vec3 c = q.f.turned(q.shape.centre), e = q.shape.half * q.f.turned(q.shape.axis);
    out.touch = point_segment(p.f, arm, r, q.f, c - e, c + e, q.shape.radius);
  } else if (q.shape.kind == ShapeKind::polytope) {
    out.touch = point_polytope(p.f, arm, r, q.f, q.shape.polytope, beside);
  } else {
    out.touch = q.shape.kind == ShapeKind::cone ? point_cone(p.f, arm, r, q.f, q.shape)
                                                : point_cylinder(p.f, arm, r, q.f, q.shape);
  }
  if (p.shape.kind == ShapeKind::polytope)
    beside = p.shape.polytope.leads_beside_vertex(k, -(p.f.R.transpose() * out.touch.n));
  out.there = sharp || !beside;
  return out;
}

bool leads_beside(const Side& s, const PartFeature& f, const Vec3& outwards) {
  if (s.shape.kind != ShapeKind::polytope) return false;
  const Vec3 n = s.f.R.transpose() * outwards;
  return (f.kind == Feature::line && s.shape.polytope.leads_beside_edge(f.index, n)) ||
         (f.kind == Feature::corner && s.shape.polytope.leads_beside_vertex(f.index, n));
}

bool lies_flat(const Closest& c, const ConvexPart& q) {
  return std::abs(c.n.dot(q.axis)) > 1 - flush;
}

// Whether no other contact has the closest points of an end of p and q.
bool end_counts(const Closest& c, const ConvexPart& end, const ConvexPart& q, bool second) {
  // inside of the other body no matter by what: its corners may have passed beside
  if (c.gap < -1e-9 * end.size) return true;
  if (c.of_a.kind == Feature::face) return c.of_b.kind == Feature::face;
  if (c.of_b.kind == Feature::corner) return q.swell == 0;  // sharp ones may pass beside each other
  if (c.of_b.kind == Feature::line) return !lies_flat(c, end);
  return c.of_b.kind != Feature::rim || !second;
}

bool line_counts(const Closest& c, const ConvexPart& line, const ConvexPart& q, const Sub& sub) {
  const bool passed = c.gap < -1e-9 * line.size && c.of_b.kind != Feature::face && line.swell == 0;
  if (passed && c.of_a.kind == Feature::corner) return sub.start == 0 && !sub.second;
  if (c.of_a.kind != Feature::line && c.of_a.kind != Feature::side) return false;
  if (c.of_b.kind == Feature::corner) return sub.start == 0 && !sub.second && line.swell == 0;
  if (c.of_b.kind == Feature::side)
    return sub.start == 0 && !sub.second &&
           (c.of_a.kind == Feature::side || cross(line.axis, q.axis).norm() > 1e-7 ||
            q.kind == ConvexPart::Kind::cone);
  return (c.of_b.kind == Feature::rim || c.of_b.kind == Feature::face) && lies_flat(c, q);
}

void look_at_whole(const Side& a, const Side& b, PolytopePair& known) {
  if (known.a == &a.shape && known.b == &b.shape) return;
  known.a = &a.shape, known.b = &b.shape;
  const ConvexPart p = ConvexPart::of(a.shape, a.f, b.f.x), q = ConvexPart::of(b.shape, b.f, b.f.x);
  const Closest c = closest_points(p, q, p.middle());
  known.height = c.gap, known.depth = std::max(0.0, -c.gap), known.apart = c.n;
  known.face_of_a = c.of_a.kind == Feature::face, known.face_of_b = c.of_b.kind == Feature::face;
}

// Where sides of two bodies are flush, a part can leave the other body sideways as soon as along the way on
// which the bodies come apart: then that way counts (RigidSystem::corner_touch_of). By how much it may be
// longer:
double favour(const Side& a, const Side& b, bool sharp, double depth) {
  const auto thick = [](const Side& s) { return s.shape.width() > 0 ? s.shape.width() : s.shape.radius; };
  const double most = 1e-3 * std::min(thick(a), thick(b));
  const double size = a.f.x.lpNorm<1>() + b.f.x.lpNorm<1>() + a.shape.reach() + b.shape.reach();
  return sharp ? std::min(most, 256 * std::numeric_limits<double>::epsilon() * size + 2 * depth) : most;
}

}  // namespace

Vec3 standing_point(const SpaceShape& s, int side, int k) {
  const double angle = 2 * std::acos(-1.0) * k / standing_points;
  const Vec3 e = some_normal_to(s.axis), f = cross(s.axis, e);
  return s.centre + side * s.half * s.axis +
         standing_part * s.radius * (std::cos(angle) * e + std::sin(angle) * f);
}

bool is_solid_pair(const SpaceShape& a, const SpaceShape& b) {
  const auto edged = [](const SpaceShape& s) {
    return s.kind == ShapeKind::capsule || s.kind == ShapeKind::polytope;
  };
  const auto other = [](const SpaceShape& s) {
    return s.kind == ShapeKind::sphere || s.kind == ShapeKind::half_space;
  };
  return !other(a) && !other(b) && (!edged(a) || !edged(b));
}

Vec3 solids_apart(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb) {
  const ConvexPart p = ConvexPart::of(a, fa, fb.x), q = ConvexPart::of(b, fb, fb.x);
  return closest_points(p, q, p.middle()).n;
}

int contacts_of_solids(const SpaceShape& a, const SpaceShape& b) {
  if (a.kind == ShapeKind::ellipsoid || b.kind == ShapeKind::ellipsoid) return 1;
  return points(a) + points(b) + ends(a) + ends(b) + 2 * lines(a) + 2 * lines_of_second(a, b);
}

PairTouch touch_of_solids(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b,
                          const SpaceFrame& fb, int contact, bool sharp, PolytopePair& known) {
  const Side first{a, fa}, second{b, fb};
  if (a.kind == ShapeKind::ellipsoid || b.kind == ShapeKind::ellipsoid) {
    const ConvexPart p = ConvexPart::of(a, fa, fb.x), q = ConvexPart::of(b, fb, fb.x);
    const Closest c = closest_points(p, q, p.farthest(q.middle() - p.middle()));
    const bool beside = leads_beside(first, c.of_a, -c.n) || leads_beside(second, c.of_b, c.n);
    return {touch_at(c, p, fa, q, fb), false, sharp || !beside};
  }
  const Sub sub = sub_of(a, b, contact);
  const Side &p = sub.second ? second : first, &q = sub.second ? first : second;
  if (sub.kind == Sub::Kind::point) {
    PairTouch out = against_point(p, sub.index, q, sharp);
    out.swapped = sub.second;
    return out;
  }
  Vec3 start;
  const ConvexPart part = part_of(p, sub, q.f.x, start), whole = ConvexPart::of(q.shape, q.f, q.f.x);
  if (sub.kind == Sub::Kind::line && (sub.start == 1 || sub.second) &&
      part.kind == ConvexPart::Kind::segment &&
      std::abs(part.axis.dot(whole.axis)) > 1e-4)  // it cannot lie on a flat end
    return {far_away(p, q), sub.second, false};
  const Closest c = closest_points(part, whole, start);
  PairTouch out{touch_at(c, part, p.f, whole, q.f), sub.second, true};
  if (sub.kind == Sub::Kind::end) {
    out.there = end_counts(c, part, whole, sub.second);
  } else {
    out.there = line_counts(c, part, whole, sub);
    if (out.there && sub.start == 1) {
      const Closest other = closest_points(part, whole, 2 * part.centre - start);
      out.there = (other.on_b - c.on_b).norm() > 1e-9 * part.size;
    }
  }
  if (out.there && !sharp)
    out.there = !leads_beside(q, c.of_b, c.n) &&
                !(sub.kind == Sub::Kind::line && p.shape.kind == ShapeKind::polytope &&
                  leads_beside(p, {Feature::line, sub.index}, -c.n));
  if (!out.there || !(c.gap < favour(first, second, sharp, 0) || c.gap < 0)) return out;
  look_at_whole(first, second, known);
  const Vec3 n = sub.second ? Vec3(-known.apart) : known.apart;
  const double along = apart_along(part, whole, n);
  if (c.n.dot(n) >= 0.5 || along < c.gap - favour(first, second, sharp, known.depth)) return out;
  const bool on_face = sub.second ? known.face_of_a != 0 : known.face_of_b != 0;
  if (sub.kind != Sub::Kind::end || !on_face) {
    out.there = false;
    return out;
  }
  out.touch = rim_face(p.f, part.centre - (p.f.x - q.f.x), part.axis, part.radius, q.f, n, whole.reach(n),
                       some_normal_to(n));
  out.touch.c = odd_direction(), out.touch.carrier = SpaceTouch::Carrier::space;
  return out;
}

void solids_within(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                   double margin, std::vector<int>& out) {
  const ConvexPart p = ConvexPart::of(a, fa, fb.x), q = ConvexPart::of(b, fb, fb.x);
  const Vec3 n = separating_direction(p, q);
  if (apart_along(p, q, n) > margin) return;
  const double of_a = -p.reach(-n), of_b = q.reach(n);  // without swells
  for (int k = 0, count = contacts_of_solids(a, b); k < count; ++k) {
    if (a.kind != ShapeKind::ellipsoid && b.kind != ShapeKind::ellipsoid) {
      const Sub sub = sub_of(a, b, k);
      const Side s = sub.second ? Side{b, fb} : Side{a, fa};
      const double sign = sub.second ? -1 : 1, other = sub.second ? of_a - p.swell : of_b + q.swell;
      double near;
      Vec3 start;
      if (sub.kind == Sub::Kind::point) {
        near = sign * n.dot((s.f.x - fb.x) + s.f.turned(point_of(s.shape, sub.index))) -
               (s.shape.kind == ShapeKind::capsule ? s.shape.radius : 0);
      } else {
        const ConvexPart part = part_of(s, sub, fb.x, start);
        near = -part.reach(-sign * n) - part.swell;
      }
      if (near - sign * other > margin) continue;
    }
    out.push_back(k);
  }
}

}  // namespace saltus
