#include "saltus/spatial/space_touch.hpp"

#include <algorithm>

namespace saltus {
namespace {

using TouchKind = SpaceTouch::Kind;
using Carrier = SpaceTouch::Carrier;

constexpr double parallel_lines = 1e-7;  // the sine of the angle between two, below which they do not cross

}  // namespace

SpaceTouch point_point(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b, const Vec3& other,
                       double s) {
  SpaceTouch t;
  const Vec3 d = (a.x - b.x) + (arm - other);
  const bool hollow = s < 0;
  const double D = hollow ? -d.norm() : d.norm();
  t.r = r, t.s = s, t.core_a = arm;
  t.n = hollow ? Vec3(-direction_or(d, -D, -Vec3::UnitZ())) : direction_or(d, D, Vec3::UnitZ());
  t.c = odd_direction();
  t.curvature_1 = t.curvature_2 = D != 0 ? 1 / D : 0;  // equal ones need no directions
  place_touch(t, other, D);
  return t;
}

SpaceTouch point_face(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b, const Vec3& n,
                      double offset, const Vec3& along) {
  SpaceTouch t;
  t.r = r, t.core_a = arm, t.n = n, t.c = along, t.carrier = Carrier::b;
  const double D = n.dot((a.x - b.x) + arm) - offset;
  place_touch(t, (a.x - b.x) + arm - D * n, D);
  return t;
}

SpaceTouch point_line(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b, const Vec3& foot,
                      const Vec3& e, double s) {
  SpaceTouch t;
  const Vec3 d = (a.x - b.x) + (arm - foot), y = d - e.dot(d) * e;
  const double D = y.norm();
  t.r = r, t.s = s, t.core_a = arm, t.c = e, t.carrier = Carrier::b;
  t.n = direction_or(y, D, some_normal_to(e));
  t.along_1 = cross(e, t.n), t.curvature_1 = D > 0 ? 1 / D : 0;
  t.along_2 = e;
  place_touch(t, (a.x - b.x) + arm - D * t.n, D);
  return t;
}

SpaceTouch point_segment(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                         const Vec3& from, const Vec3& to, double s) {
  const Vec3 e = to - from, d = (a.x - b.x) + (arm - from);
  const double length = e.norm(), at = length > 0 ? e.dot(d) / length : 0;
  if (at <= 0) return point_point(a, arm, r, b, from, s);
  if (at >= length) return point_point(a, arm, r, b, to, s);
  return point_line(a, arm, r, b, from, e / length, s);
}

SpaceTouch point_polytope(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                          const Polytope& polytope, bool& beside) {
  beside = false;
  const Vec3 p = b.R.transpose() * ((a.x - b.x) + arm);
  int best = 0;
  double height = -infinity;
  for (int k = 0; k < static_cast<int>(polytope.faces.size()); ++k) {
    const double h = polytope.faces[k].normal.dot(p) - polytope.faces[k].offset;
    if (h > height) height = h, best = k;
  }
  const auto face = [&](int k) {
    const auto& f = polytope.faces[k];
    return point_face(a, arm, r, b, b.turned(f.normal), f.offset, b.turned(f.along));
  };
  if (height <= 0) return face(best);
  // outside: over a face that is in sight, or nearest to an edge
  for (int k = 0; k < static_cast<int>(polytope.faces.size()); ++k) {
    const auto& f = polytope.faces[k];
    if (!(f.normal.dot(p) - f.offset > 0)) continue;
    bool over = true;
    for (std::size_t i = 0; over && i < f.corners.size(); ++i) {
      const Vec3 &u = polytope.vertices[f.corners[i]],
                 &v = polytope.vertices[f.corners[(i + 1) % f.corners.size()]];
      over = f.normal.dot(cross(v - u, p - u)) >= 0;
    }
    if (over) return face(k);
  }
  double least = infinity;
  int nearest = 0;
  double at_nearest = 0;
  for (int k = 0; k < static_cast<int>(polytope.edges.size()); ++k) {
    const Vec3 &u = polytope.vertices[polytope.edges[k].from], &v = polytope.vertices[polytope.edges[k].to];
    const double at = std::clamp((v - u).dot(p - u) / (v - u).squaredNorm(), 0.0, 1.0);
    const double distance = (p - u - at * (v - u)).squaredNorm();
    if (distance < least) least = distance, nearest = k, at_nearest = at;
  }
  const auto& e = polytope.edges[nearest];
  SpaceTouch t =
      point_segment(a, arm, r, b, b.turned(polytope.vertices[e.from]), b.turned(polytope.vertices[e.to]), 0);
  const Vec3 n = b.R.transpose() * t.n;
  beside = at_nearest > 0 && at_nearest < 1 ? polytope.leads_beside_edge(nearest, n)
                                            : polytope.leads_beside_vertex(at_nearest > 0 ? e.to : e.from, n);
  return t;
}

SpaceTouch rim_face(const SpaceFrame& a, const Vec3& centre, const Vec3& axis, double radius,
                    const SpaceFrame& b, const Vec3& n, double offset, const Vec3& along) {
  SpaceTouch t;
  const double k = n.dot(axis);
  const Vec3 across = cross(n, axis);
  t.kind = TouchKind::rim, t.n = n, t.c = along, t.carrier = Carrier::b, t.axis = axis, t.r = radius;
  t.sine = across.norm();
  // e = −(n − k z)/s = −z×(n×z)/s, which does not cancel where the disk lies flat
  t.lowest = t.sine > 1e-14 ? Vec3(-cross(axis, across) / t.sine) : some_normal_to(axis);
  (void)k;
  t.arm_a = t.core_a = centre + radius * t.lowest;
  t.gap = n.dot((a.x - b.x) + t.arm_a) - offset;
  t.arm_b = t.core_b = (a.x - b.x) + t.arm_a - t.gap * n;
  return t;
}

SpaceTouch segment_segment(const SpaceFrame& a, const Vec3& from_a, const Vec3& to_a, double r,
                           const SpaceFrame& b, const Vec3& from_b, const Vec3& to_b, double s, bool& live) {
  constexpr double inside = 1e-9;
  SpaceTouch t;
  const Vec3 p = to_a - from_a, q = to_b - from_b, d = (a.x - b.x) + (from_a - from_b);
  const double length_a = p.norm(), length_b = q.norm();
  const Vec3 e = p / length_a, f = q / length_b, m = cross(e, f);
  const double size = m.norm();
  t.kind = TouchKind::lines, t.r = r, t.s = s, t.along_1 = e, t.along_2 = f, t.c = e, t.carrier = Carrier::a;
  live = size > parallel_lines;
  double at_a = 0.5 * length_a, at_b = 0.5 * length_b;
  if (live) {
    t.n = m / size;
    const double k = e.dot(f), square = size * size;
    at_a = (k * f.dot(d) - e.dot(d)) / square;
    at_b = (f.dot(d) - k * e.dot(d)) / square;
    live = at_a > inside * length_a && at_a < (1 - inside) * length_a && at_b > inside * length_b &&
           at_b < (1 - inside) * length_b;
    at_a = std::clamp(at_a, 0.0, length_a), at_b = std::clamp(at_b, 0.0, length_b);
  } else {
    t.n = some_normal_to(e);
  }
  t.core_a = from_a + at_a * e, t.core_b = from_b + at_b * f;
  double D = t.n.dot((a.x - b.x) + (t.core_a - t.core_b));
  if (D < 0) t.n = -t.n, D = -D;
  t.gap = D - r - s;
  t.arm_a = t.core_a - r * t.n, t.arm_b = t.core_b + s * t.n;
  return t;
}

TouchTangents tangents_of(const SpaceTouch& t) {
  TouchTangents out;
  const Vec3 pi = t.c - t.n.dot(t.c) * t.n;
  out.t1 = pi / pi.norm(), out.t2 = cross(t.n, out.t1);
  return out;
}

namespace {

// A linear system of four, with pivots; of unknowns that nothing determines the value is 0.
void solve_four(double (&A)[4][5], double (&x)[4]) {
  int row_of[4] = {-1, -1, -1, -1}, next = 0;
  for (auto& row : A) {
    double most = 0;
    for (int j = 0; j < 4; ++j) most = std::max(most, std::abs(row[j]));
    for (double& e : row) e /= most > 0 ? most : 1;
  }
  for (int j = 0; j < 4; ++j) {
    int best = next;
    for (int i = next; i < 4; ++i)
      if (std::abs(A[i][j]) > std::abs(A[best][j])) best = i;
    if (next == 4 || std::abs(A[best][j]) < 1e-14) continue;
    std::swap(A[next], A[best]);
    for (int i = 0; i < 4; ++i) {
      if (i == next) continue;
      const double f = A[i][j] / A[next][j];
      for (int k = j; k < 5; ++k) A[i][k] -= f * A[next][k];
    }
    row_of[j] = next++;
  }
  for (int j = 0; j < 4; ++j) x[j] = row_of[j] < 0 ? 0 : A[row_of[j]][4] / A[row_of[j]][j];
}

// ṅ and s_a of two bent features (space_touch.hpp), in the tangent plane: s_b = s_a + w_t − g ṅ.
void turn_bent(const SpaceTouch& t, const SpaceFrame& a, const SpaceFrame& b, const Vec3& w_t, Vec3& turn,
               Vec3& over_a) {
  const Vec3 e = t.bend_a.along, f = cross(t.n, e), by_a = cross(a.omega, t.n), by_b = cross(b.omega, t.n);
  const Vec3 along_b[] = {t.bend_b.along, cross(t.n, t.bend_b.along)};
  const double bend_a[] = {t.bend_a.curvature_1, t.bend_a.curvature_2},
               bend_b[] = {t.bend_b.curvature_1, t.bend_b.curvature_2};
  double A[4][5];
  const auto row = [&](int k, const Vec3& p, double of_turn, double of_slide, double right) {
    A[k][0] = of_turn * p.dot(e), A[k][1] = of_turn * p.dot(f);
    A[k][2] = of_slide * p.dot(e), A[k][3] = of_slide * p.dot(f), A[k][4] = right;
  };
  for (int k = 0; k < 2; ++k) {
    const Vec3 &p = k == 0 ? e : f, &q = along_b[k];
    if (std::isfinite(bend_a[k]))
      row(k, p, 1, bend_a[k], p.dot(by_a));
    else
      row(k, p, 0, 1, 0);
    if (std::isfinite(bend_b[k]))
      row(2 + k, q, 1 + bend_b[k] * t.gap, -bend_b[k], bend_b[k] * q.dot(w_t) + q.dot(by_b));
    else
      row(2 + k, q, -t.gap, 1, -q.dot(w_t));
  }
  double x[4];
  solve_four(A, x);
  turn = x[0] * e + x[1] * f, over_a = x[2] * e + x[3] * f;
}

}  // namespace

TouchMotion motion_of(const SpaceTouch& t, const SpaceFrame& a, const SpaceFrame& b) {
  TouchMotion out;
  out.w = a.velocity(t.arm_a) - b.velocity(t.arm_b);
  const Vec3 w_t = out.w - t.n.dot(out.w) * t.n;
  Vec3 over_a;  // the velocity of the contact point over a
  switch (t.kind) {
    case TouchKind::point: {
      // of P, as b sees it
      const Vec3 seen = a.velocity(t.core_a) - b.velocity((a.x - b.x) + t.core_a);
      out.turn = cross(b.omega, t.n);
      if (t.curvature_1 == t.curvature_2)
        out.turn += t.curvature_1 * (seen - t.n.dot(seen) * t.n);
      else
        out.turn +=
            t.curvature_1 * t.along_1.dot(seen) * t.along_1 + t.curvature_2 * t.along_2.dot(seen) * t.along_2;
      over_a = t.r * (cross(a.omega, t.n) - out.turn);
      break;
    }
    case TouchKind::lines: {
      const Vec3 &e = t.along_1, &f = t.along_2;
      const double k = e.dot(f), y_a = cross(a.omega, t.n).dot(e), y_b = cross(b.omega, t.n).dot(f);
      const double square = cross(e, f).squaredNorm();
      out.turn = ((y_a - k * y_b) * e + (y_b - k * y_a) * f) / square;
      Vec3 slide = (t.gap + t.r + t.s) * out.turn - (a.velocity(t.core_a) - b.velocity(t.core_b));
      slide -= t.n.dot(slide) * t.n;
      const Vec3 m = cross(t.n, f);  // at right angles to b's line
      over_a = slide.dot(m) / e.dot(m) * e + t.r * (cross(a.omega, t.n) - out.turn);
      break;
    }
    case TouchKind::support: {
      out.turn = cross(b.omega, t.n);
      const Vec3 seen = cross(a.omega, t.n) - out.turn;
      over_a = t.radius_1 * t.along_1.dot(seen) * t.along_1 + t.radius_2 * t.along_2.dot(seen) * t.along_2;
      break;
    }
    case TouchKind::bent:
      turn_bent(t, a, b, w_t, out.turn, over_a);
      break;
    case TouchKind::rim: {
      out.turn = cross(b.omega, t.n);
      const Vec3 z_rate = cross(a.omega, t.axis);
      const double k = t.n.dot(t.axis), k_rate = out.turn.dot(t.axis) + t.n.dot(z_rate);
      over_a = Vec3::Zero();
      if (t.sine > 1e-14) {
        const double s_rate = -k * k_rate / t.sine;
        const Vec3 e_rate = -(out.turn - k_rate * t.axis - k * z_rate) / t.sine - s_rate / t.sine * t.lowest;
        over_a = t.r * (e_rate - cross(a.omega, t.lowest));
      }
      break;
    }
  }
  const Vec3 over_b = over_a + w_t - t.gap * out.turn;
  out.bend = cross(a.omega, cross(a.omega, t.arm_a) + over_a) -
             cross(b.omega, cross(b.omega, t.arm_b) + over_b) + a.acceleration + cross(a.alpha, t.arm_a) -
             b.acceleration - cross(b.alpha, t.arm_b);

  const Vec3 spins = a.omega + b.omega;
  out.slip = out.w - 0.5 * t.gap * cross(spins, t.n);
  out.slip_bend = out.bend - 0.5 * (t.n.dot(out.w) * cross(spins, t.n) + t.gap * cross(spins, out.turn) +
                                    t.gap * cross(a.alpha + b.alpha, t.n));

  out.tangents = tangents_of(t);
  const Vec3 carried =
      t.carrier == Carrier::space ? Vec3::Zero() : cross(t.carrier == Carrier::a ? a.omega : b.omega, t.c);
  const double along = t.n.dot(t.c);
  const Vec3 pi = t.c - along * t.n;
  const Vec3 rate = carried - (out.turn.dot(t.c) + t.n.dot(carried)) * t.n - along * out.turn;
  const Vec3& t1 = out.tangents.t1;
  out.tangents.rate_1 = (rate - t1.dot(rate) * t1) / pi.norm();
  out.tangents.rate_2 = cross(out.turn, t1) + cross(t.n, out.tangents.rate_1);
  return out;
}

}  // namespace saltus
