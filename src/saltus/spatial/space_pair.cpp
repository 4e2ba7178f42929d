#include "saltus/spatial/space_pair.hpp"

#include <algorithm>
#include <limits>

#include "saltus/spatial/space_solids.hpp"

namespace saltus {
namespace {

struct Segment3 {
  Vec3 from, to;  // arms, in space
};
Segment3 axis_of(const SpaceShape& capsule, const SpaceFrame& f) {
  return {f.turned(capsule.centre - capsule.half * capsule.axis),
          f.turned(capsule.centre + capsule.half * capsule.axis)};
}
Segment3 edge_of(const Polytope& p, const SpaceFrame& f, int edge) {
  return {f.turned(p.vertices[p.edges[edge].from]), f.turned(p.vertices[p.edges[edge].to])};
}

struct Wall {
  Vec3 n, along;
  double offset;  // from the centre of its body
};
Wall wall_of(const SpaceShape& half_space, const SpaceFrame& f) {
  return {f.turned(half_space.axis), f.turned(some_normal_to(half_space.axis)),
          half_space.axis.dot(half_space.centre)};
}

// The end of a disk, cylinder or cone: 0 is its rim, then the points that carry it.
SpaceTouch round_end(const SpaceShape& a, const SpaceFrame& fa, int side, int k, const Wall& w,
                     const SpaceFrame& fb) {
  const Vec3 end = a.centre + side * a.half * a.axis;
  if (k == 0) return rim_face(fa, fa.turned(end), fa.turned(a.axis), a.radius, fb, w.n, w.offset, w.along);
  return point_face(fa, fa.turned(standing_point(a, side, k - 1)), 0, fb, w.n, w.offset, w.along);
}

SpaceTouch against_wall(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                        int k) {
  const Wall w = wall_of(b, fb);
  const auto point = [&](const Vec3& p, double r) {
    return point_face(fa, fa.turned(p), r, fb, w.n, w.offset, w.along);
  };
  switch (a.kind) {
    case SpaceShape::Kind::sphere:
      return point(a.centre, a.radius);
    case SpaceShape::Kind::capsule:
      return point(a.centre + (k == 0 ? -1 : 1) * a.half * a.axis, a.radius);
    case SpaceShape::Kind::polytope:
      return point(a.polytope.vertices[k], 0);
    case SpaceShape::Kind::ellipsoid:
      return ellipsoid_face(fa, a, fb, w.n, w.offset, w.along);
    default:
      break;
  }
  if (a.kind == SpaceShape::Kind::cone && k == 0) return point(a.centre + a.half * a.axis, 0);
  if (a.kind == SpaceShape::Kind::cone) return round_end(a, fa, -1, k - 1, w, fb);
  const int ends = a.kind == SpaceShape::Kind::cylinder ? 2 : 1;
  return round_end(a, fa, k % ends == 0 ? 1 : -1, k / ends, w, fb);
}

// Two edges that do not cross are no contact: how far their nearest points are says when they may be one.
PairTouch not_there(SpaceTouch t, const SpaceFrame& a, const SpaceFrame& b) {
  t.gap = ((a.x - b.x) + (t.core_a - t.core_b)).norm() - t.r - t.s;
  return {t, false, false};
}

PairTouch capsule_capsule(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b,
                          const SpaceFrame& fb, int k) {
  const Segment3 p = axis_of(a, fa), q = axis_of(b, fb);
  if (k < 2) return {point_segment(fa, k == 0 ? p.from : p.to, a.radius, fb, q.from, q.to, b.radius), false};
  if (k < 4) return {point_segment(fb, k == 2 ? q.from : q.to, b.radius, fa, p.from, p.to, a.radius), true};
  bool live = false;
  const SpaceTouch t = segment_segment(fa, p.from, p.to, a.radius, fb, q.from, q.to, b.radius, live);
  return live ? PairTouch{t} : not_there(t, fa, fb);
}

// Where steps end with overlaps, normals that lead over a neighbour would stop what rolls across a joint of
// two pieces. Where they do not, distances of all pieces are true ones and change without jumps.
PairTouch sphere_polytope(const SpaceFrame& fa, const Vec3& arm, double radius, const SpaceFrame& fb,
                          const Polytope& p, bool sharp) {
  bool beside = false;
  const SpaceTouch t = point_polytope(fa, arm, radius, fb, p, beside);
  return {t, false, sharp || !beside};
}

PairTouch capsule_polytope(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b,
                           const SpaceFrame& fb, int k, bool sharp) {
  const Segment3 p = axis_of(a, fa);
  const int vertices = static_cast<int>(b.polytope.vertices.size());
  if (k < 2) return sphere_polytope(fa, k == 0 ? p.from : p.to, a.radius, fb, b.polytope, sharp);
  if (k -= 2; k < vertices) {
    const SpaceTouch t = point_segment(fb, fb.turned(b.polytope.vertices[k]), 0, fa, p.from, p.to, a.radius);
    const bool beside = !sharp && b.polytope.leads_beside_vertex(k, -(fb.R.transpose() * t.n));
    return {t, true, !beside};
  }
  const Segment3 q = edge_of(b.polytope, fb, k - vertices);
  bool live = false;
  const SpaceTouch t = segment_segment(fa, p.from, p.to, a.radius, fb, q.from, q.to, 0, live);
  live = live && (sharp || !b.polytope.leads_beside_edge(k - vertices, fb.R.transpose() * t.n));
  return live ? PairTouch{t} : not_there(t, fa, fb);
}

// The face of b that is highest above the vertices of a nearest to it.
int best_face(const Polytope& a, const SpaceFrame& fa, const Polytope& b, const SpaceFrame& fb,
              double& height) {
  int best = 0;
  height = -infinity;
  for (int k = 0; k < static_cast<int>(b.faces.size()); ++k) {
    const Vec3 n = fb.turned(b.faces[k].normal), seen = fa.R.transpose() * n;
    double low = infinity;
    for (const Vec3& v : a.vertices) low = std::min(low, seen.dot(v));
    low += n.dot(fa.x - fb.x) - b.faces[k].offset;
    if (low > height) height = low, best = k;
  }
  return best;
}

void look_at_pair(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                  PolytopePair& known) {
  if (known.a == &a && known.b == &b) return;
  known.a = &a, known.b = &b, known.depth = 0;
  double on_b = 0, on_a = 0;
  known.face_of_b = best_face(a.polytope, fa, b.polytope, fb, on_b);
  known.face_of_a = best_face(b.polytope, fb, a.polytope, fa, on_a);
  known.height = std::max(on_a, on_b);
  if (known.height >= 0) return;
  known.depth = -known.height;
  known.apart = on_b >= on_a ? fb.turned(b.polytope.faces[known.face_of_b].normal)
                             : Vec3(-fa.turned(a.polytope.faces[known.face_of_a].normal));
}

// A vertex of a against the highest face of b; the face that separates the bodies best counts as higher by
// `favour`, so that vertices above vertices, as in a stack, stay on the faces they lie on
// (planar/rigid_touch).
SpaceTouch vertex_polytope(const SpaceShape& a, const SpaceFrame& fa, int vertex, const SpaceShape& b,
                           const SpaceFrame& fb, int best, const Vec3& apart, double depth, bool sharp) {
  const Vec3 arm = fa.turned(a.polytope.vertices[vertex]), p = fb.R.transpose() * ((fa.x - fb.x) + arm);
  const auto& faces = b.polytope.faces;
  const double width = b.width(), most = 1e-3 * width, off = 0.1 * width;
  const double size = fa.x.lpNorm<1>() + fb.x.lpNorm<1>() + arm.lpNorm<1>() + p.lpNorm<1>();
  const double tie = 256 * std::numeric_limits<double>::epsilon() * size;
  const double favour = sharp ? std::min(most, tie + 2 * depth) : most;
  const auto height = [&](int k) { return faces[k].normal.dot(p) - faces[k].offset; };
  int highest = best;
  double top = height(best) + favour;
  for (int k = 0; k < static_cast<int>(faces.size()); ++k)
    if (const double h = height(k); h > top) top = h, highest = k;
  const auto on = [&](int k) {
    return point_face(fa, arm, 0, fb, fb.turned(faces[k].normal), faces[k].offset, fb.turned(faces[k].along));
  };
  SpaceTouch t = on(highest);
  if (!(depth > (sharp ? 1e-2 * most : 0)) || t.gap > off || t.n.dot(apart) >= 0.5) return t;
  // beside the way on which the bodies come apart: see RigidSystem::corner_touch_of; not one above the rim of
  // its face, as where boxes of one size meet, however deep a step ends
  if (t.gap >= favour) {
    t.gap += off;
    return t;
  }
  int facing = 0;
  for (int k = 1; k < static_cast<int>(faces.size()); ++k)
    if (fb.turned(faces[k].normal).dot(apart) > fb.turned(faces[facing].normal).dot(apart)) facing = k;
  return on(facing);
}

// The directions from an edge into its faces: a normal of the edge has none of them on its side.
bool is_normal_of(const Polytope& p, const SpaceFrame& f, int edge, const Vec3& n, double tie) {
  const auto& e = p.edges[edge];
  const Vec3 along = (p.vertices[e.to] - p.vertices[e.from]).normalized(), seen = f.R.transpose() * n;
  // faces to the left of the directed edge: n×e leads into them
  return cross(p.faces[e.left].normal, along).dot(seen) <= tie &&
         cross(p.faces[e.right].normal, along).dot(seen) >= -tie;
}

PairTouch polytope_polytope(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b,
                            const SpaceFrame& fb, int k, bool sharp, PolytopePair& known) {
  look_at_pair(a, fa, b, fb, known);
  const int own = static_cast<int>(a.polytope.vertices.size()),
            other = static_cast<int>(b.polytope.vertices.size());
  if (k < own)
    return {vertex_polytope(a, fa, k, b, fb, known.face_of_b, known.apart, known.depth, sharp), false};
  if (k -= own; k < other)
    return {vertex_polytope(b, fb, k, a, fa, known.face_of_a, -known.apart, known.depth, sharp), true};
  k -= other;
  const int edges = static_cast<int>(b.polytope.edges.size()), i = k / edges, j = k % edges;
  const Segment3 p = edge_of(a.polytope, fa, i), q = edge_of(b.polytope, fb, j);
  bool live = false;
  SpaceTouch t = segment_segment(fa, p.from, p.to, 0, fb, q.from, q.to, 0, live);
  const auto& e = b.polytope.edges[j];
  if (t.n.dot(fb.turned(b.polytope.faces[e.left].normal + b.polytope.faces[e.right].normal)) < 0)
    t.n = -t.n, t.gap = -t.gap;
  const double size = fa.x.lpNorm<1>() + fb.x.lpNorm<1>() + a.reach() + b.reach();
  const double tie = 256 * std::numeric_limits<double>::epsilon() * size;
  const auto is_normal = [&](double off) {
    return is_normal_of(b.polytope, fb, j, t.n, off) && is_normal_of(a.polytope, fa, i, -t.n, off);
  };
  // where bodies overlap, edges count that separate them better than all faces, clearly between their own
  // faces; or that help those faces
  const bool helps = known.depth == 0 || t.n.dot(known.apart) >= 0.5;
  live = live &&
         (helps ? t.gap >= known.height - tie - known.depth && is_normal(1e-9)
                : t.gap >= known.height - tie && is_normal(-0.02)) &&
         !b.polytope.leads_beside_edge(j, fb.R.transpose() * t.n) &&
         !a.polytope.leads_beside_edge(i, -(fa.R.transpose() * t.n));
  return live ? PairTouch{t} : not_there(t, fa, fb);
}

int contacts_in_order(const SpaceShape& a, const SpaceShape& b) {
  using enum SpaceShape::Kind;
  const auto vertices = [](const SpaceShape& s) { return static_cast<int>(s.polytope.vertices.size()); };
  const auto edges = [](const SpaceShape& s) { return static_cast<int>(s.polytope.edges.size()); };
  if (a.kind == half_space) return 0;
  if (a.kind == sphere) return b.kind == sphere && !(a.radius + b.radius > 0) ? 0 : 1;
  if (b.kind == half_space) {
    if (a.kind == capsule) return 2;
    if (a.kind == polytope) return vertices(a);
    if (a.kind == ellipsoid) return 1;
    if (a.kind == cone) return 2 + standing_points;
    return (a.kind == cylinder ? 2 : 1) * (1 + standing_points);
  }
  if (is_solid_pair(a, b)) return contacts_of_solids(a, b);
  if (a.kind == capsule) return b.kind == capsule ? 5 : 2 + vertices(b) + edges(b);
  return vertices(a) + vertices(b) + edges(a) * edges(b);
}

PairTouch touch_in_order(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                         int k, bool sharp, PolytopePair& known) {
  using enum SpaceShape::Kind;
  if (b.kind == half_space) return {against_wall(a, fa, b, fb, k), false};
  if (is_solid_pair(a, b)) return touch_of_solids(a, fa, b, fb, k, sharp, known);
  if (a.kind == polytope) return polytope_polytope(a, fa, b, fb, k, sharp, known);
  if (a.kind == capsule)
    return b.kind == capsule ? capsule_capsule(a, fa, b, fb, k) : capsule_polytope(a, fa, b, fb, k, sharp);
  const Vec3 arm = fa.turned(a.centre);
  if (b.kind == sphere) return {point_point(fa, arm, a.radius, fb, fb.turned(b.centre), b.radius), false};
  if (b.kind == polytope) return sphere_polytope(fa, arm, a.radius, fb, b.polytope, sharp);
  if (b.kind == capsule) {
    const Segment3 q = axis_of(b, fb);
    return {point_segment(fa, arm, a.radius, fb, q.from, q.to, b.radius), false};
  }
  if (b.kind == ellipsoid) return {point_ellipsoid(fa, arm, a.radius, fb, b), false};
  if (b.kind == cone) return {point_cone(fa, arm, a.radius, fb, b), false};
  return {point_cylinder(fa, arm, a.radius, fb, b), false};
}

// A bit of each vertex of a for each face of b (the first 64) that it lies above by more than `height`. False
// where all lie above one: the bodies are apart.
bool faces_above(const Polytope& a, const SpaceFrame& fa, const Polytope& b, const SpaceFrame& fb,
                 double height, std::vector<std::uint64_t>& above) {
  above.assign(a.vertices.size(), 0);
  const std::size_t faces = std::min<std::size_t>(b.faces.size(), 64);
  std::uint64_t all = ~std::uint64_t{0};
  const Vec3 shift = fb.R.transpose() * (fa.x - fb.x);
  const Mat3 turn = fb.R.transpose() * fa.R;
  for (std::size_t v = 0; v < a.vertices.size(); ++v) {
    const Vec3 p = turn * a.vertices[v] + shift;
    for (std::size_t k = 0; k < faces; ++k)
      if (b.faces[k].normal.dot(p) - b.faces[k].offset > height) above[v] |= std::uint64_t{1} << k;
    all &= above[v];
  }
  return all == 0;
}

void polytopes_within(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                      double margin, PairSearch& search) {
  auto& [out, of_a, of_b] = search;
  const Polytope &p = a.polytope, &q = b.polytope;
  // see `favour`: the face of a vertex may be lower than another one by so much
  const double room = margin + 1e-3 * std::max(p.width, q.width);
  if (!faces_above(p, fa, q, fb, room, of_a) || !faces_above(q, fb, p, fa, room, of_b)) return;
  const int own = static_cast<int>(p.vertices.size()), other = static_cast<int>(q.vertices.size()),
            edges = static_cast<int>(q.edges.size());
  for (int k = 0; k < own; ++k)
    if (of_a[k] == 0) out.push_back(k);
  for (int k = 0; k < other; ++k)
    if (of_b[k] == 0) out.push_back(own + k);
  for (int i = 0; i < static_cast<int>(p.edges.size()); ++i) {
    if ((of_a[p.edges[i].from] & of_a[p.edges[i].to]) != 0) continue;
    for (int j = 0; j < edges; ++j)
      if ((of_b[q.edges[j].from] & of_b[q.edges[j].to]) == 0) out.push_back(own + other + i * edges + j);
  }
}

}  // namespace

void contacts_within(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                     double margin, PairSearch& out) {
  out.contacts.clear();
  if (a.kind == SpaceShape::Kind::polytope && b.kind == SpaceShape::Kind::polytope)
    return polytopes_within(a, fa, b, fb, margin, out);
  if (is_solid_pair(a, b)) {
    if (a.kind <= b.kind) return solids_within(a, fa, b, fb, margin, out.contacts);
    return solids_within(b, fb, a, fa, margin, out.contacts);
  }
  for (int k = 0, n = contacts_of_pair(a, b); k < n; ++k) out.contacts.push_back(k);
}

int contacts_of_pair(const SpaceShape& a, const SpaceShape& b) {
  return a.kind <= b.kind ? contacts_in_order(a, b) : contacts_in_order(b, a);
}

PairTouch touch_of_pair(const SpaceShape& a, const SpaceFrame& fa, const SpaceShape& b, const SpaceFrame& fb,
                        int contact, bool sharp, PolytopePair& known) {
  if (a.kind <= b.kind) return touch_in_order(a, fa, b, fb, contact, sharp, known);
  PairTouch t = touch_in_order(b, fb, a, fa, contact, sharp, known);
  t.swapped = !t.swapped;
  return t;
}

}  // namespace saltus
