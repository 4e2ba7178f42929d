#include "saltus/spatial/space_closest.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace saltus {
namespace {

using Feature = PartFeature::Kind;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

double core_apart(const ConvexPart& a, const ConvexPart& b, const Vec3& n) {
  return -a.reach(-n) - b.reach(n);
}

// With pivots: of two planes that are nearly parallel M is nearly of rank one, and minors are rounding alone.
Vec3 solve_three(Mat3 M, Vec3 r) {
  for (int k = 0; k < 2; ++k) {
    int top = k;
    for (int i = k + 1; i < 3; ++i)
      if (std::abs(M(i, k)) > std::abs(M(top, k))) top = i;
    if (top != k) M.row(k).swap(M.row(top)), std::swap(r[k], r[top]);
    for (int i = k + 1; i < 3; ++i) {
      const double part = M(i, k) / M(k, k);
      M.row(i) -= part * M.row(k), r[i] -= part * r[k];
    }
  }
  return M.triangularView<Eigen::Upper>().solve(r);
}

/// Nearest points in turn, with a moved by `shift`.
struct Approach {
  const ConvexPart &a, &b;
  Vec3 shift, x;  // x on the moved a
  ConvexPart::Foot on_a, on_b;

  void run() {
    const double size = std::min(a.size, b.size), tie = 1e-9 * size;  // features are what is wanted
    on_b = b.nearest(x);
    int idle = 0;
    for (int it = 0; it < 60 && idle < 2; ++it) {
      on_a = a.nearest(on_b.at - shift);
      const Vec3 z = on_a.at + shift, step = z - x;
      const double before = (x - on_b.at).squaredNorm();
      const Mat3 M = (1 + 1e-13) * Mat3::Identity() - on_a.derivative * on_b.derivative;
      const Vec3 from = std::exchange(x, z), newton = solve_three(M, step);
      on_b = b.nearest(z);
      if (!newton.allFinite()) continue;
      if (newton.cwiseAbs().maxCoeff() <= tie || step.isZero(0)) break;
      if (!take(from + newton) && newton.squaredNorm() > 1e-12 * size * size) {
        // too far: as far as a goes straight, and as the distance, which is convex on the way, falls
        line_search(from, a.nearest(from + newton - shift).at + shift - from);
        line_search(from, straight(from, newton) * newton);
      }
      idle = (x - on_b.at).squaredNorm() < before * (1 - 1e-14) ? 0 : idle + 1;
    }
    on_a = a.nearest(on_b.at - shift);
    x = on_a.at + shift;
  }
  void line_search(const Vec3& from, const Vec3& way) {
    double low = 0, high = 1;
    for (int k = 0; k < 14; ++k) {
      const double middle = 0.5 * (low + high);
      const Vec3 at = from + middle * way;
      (way.dot(at - b.nearest(at).at) > 0 ? high : low) = middle;
    }
    take(from + (high < 1 ? low : 1) * way);
  }
  // The part of a way from a point of a that is in it.
  double straight(const Vec3& from, const Vec3& way) const {
    double low = 0, high = std::min(1.0, 4 * a.size / way.norm());
    for (int k = 0; k < 30; ++k) {
      const double middle = 0.5 * (low + high);
      const Vec3 at = from + middle * way - shift;
      ((a.nearest(at).at - at).squaredNorm() > 1e-18 * a.size * a.size ? high : low) = middle;
    }
    return low;
  }
  // What is on a nearest to it, unless farther from b.
  bool take(const Vec3& near) {
    const Vec3 w = a.nearest(near - shift).at + shift;
    const ConvexPart::Foot of_w = b.nearest(w);
    if (!((w - of_w.at).squaredNorm() <= (x - on_b.at).squaredNorm())) return false;
    x = w, on_b = of_w;
    return true;
  }
};

/// The point of the feature of `p` that is nearest to the surface of `q`, from a point near it.
struct Slide {
  const ConvexPart& p;
  const PartFeature& on_p;
  const ConvexPart& q;
  const PartFeature& on_q;
  Vec3 x;
  PartSurface seen;

  void run() {
    if (on_p.is_curve())
      along_curve();
    else if (on_p.is_surface())
      along_surface();
    seen = q.surface(on_q, x);
  }
  void along_curve() {
    double u = p.parameter(on_p, x);
    for (int it = 0; it < 30; ++it) {
      const PartCurve c = p.curve(on_p, u);
      x = c.at;
      const PartSurface s = q.surface(on_q, x);
      const double slope = s.n.dot(c.first), bend = s.form(c.first, c.first) + s.n.dot(c.second);
      if (!(bend * p.size > 1e-13)) return;
      const double step = std::clamp(-slope / bend, -0.3 * p.size, 0.3 * p.size);
      u += step;
      if (std::abs(step) <= 2 * epsilon * p.size) break;
    }
    x = p.curve(on_p, u).at;
  }
  void along_surface() {
    for (int it = 0; it < 30; ++it) {
      const PartSurface s = q.surface(on_q, x), own = p.surface(on_p, x);
      const Vec3 e = own.along, f = cross(own.n, e);
      const double g_1 = s.n.dot(e), g_2 = s.n.dot(f), h_11 = s.form(e, e) + own.form(e, e),
                   h_12 = s.form(e, f), h_22 = s.form(f, f) + own.form(f, f), det = h_11 * h_22 - h_12 * h_12;
      if (!(det > 1e-13 * (h_11 + h_22) * (h_11 + h_22))) return;
      Vec3 step = ((h_12 * g_2 - h_22 * g_1) * e + (h_12 * g_1 - h_11 * g_2) * f) / det;
      const double size = step.norm(), most = 0.3 * p.size;
      if (size > most) step *= most / size;
      const Vec3 next = x + step;
      const PartSurface there = p.surface(on_p, next);
      x = next - there.distance * there.n;
      if (size <= 2 * epsilon * p.size) return;
    }
  }
};

/// Two curves, or a corner and a curve: where d = p − q is at right angles to both.
void cross_curves(const ConvexPart& a, const ConvexPart& b, Closest& c) {
  const bool has_u = c.of_a.is_curve(), has_v = c.of_b.is_curve();
  double u = has_u ? a.parameter(c.of_a, c.on_a) : 0, v = has_v ? b.parameter(c.of_b, c.on_b) : 0;
  const PartCurve at_a{c.on_a, Vec3::Zero(), Vec3::Zero()}, at_b{c.on_b, Vec3::Zero(), Vec3::Zero()};
  PartCurve p = at_a, q = at_b;
  for (int it = 0; it < 30; ++it) {
    if (has_u) p = a.curve(c.of_a, u);
    if (has_v) q = b.curve(c.of_b, v);
    const Vec3 d = p.at - q.at;
    const double g_1 = p.first.dot(d), g_2 = -q.first.dot(d), h_11 = has_u ? 1 + d.dot(p.second) : 1,
                 h_12 = -p.first.dot(q.first), h_22 = has_v ? 1 - d.dot(q.second) : 1,
                 det = h_11 * h_22 - h_12 * h_12;
    if (!(det > 1e-14)) break;
    const double most_u = 0.3 * a.size, most_v = 0.3 * b.size;
    const double du = has_u ? std::clamp((h_12 * g_2 - h_22 * g_1) / det, -most_u, most_u) : 0,
                 dv = has_v ? std::clamp((h_12 * g_1 - h_11 * g_2) / det, -most_v, most_v) : 0;
    u += du, v += dv;
    if (std::abs(du) <= 2 * epsilon * a.size && std::abs(dv) <= 2 * epsilon * b.size) break;
  }
  if (has_u) p = a.curve(c.of_a, u);
  if (has_v) q = b.curve(c.of_b, v);
  c.on_a = p.at, c.on_b = q.at;
  const Vec3 d = p.at - q.at, m = has_u && has_v ? cross(p.first, q.first) : Vec3::Zero();
  const double sine = m.norm(), D = d.norm();
  // by what is known better: the tangents where they cross well, d where it is long
  if (sine > 1e-7 && sine * (a.size + b.size) > D)
    c.n = (m.dot(c.n) < 0 ? -1 : 1) / sine * m;
  else if (D > 64 * epsilon * (a.size + b.size))
    c.n = (d.dot(c.n) < 0 ? -1 : 1) / D * d;
  c.gap = c.n.dot(d);
}

// On the features that were found.
void refine(const ConvexPart& a, const ConvexPart& b, Closest& c) {
  if (a.kind == ConvexPart::Kind::disk && c.of_b.kind == Feature::face) {
    // a disk that lies on a face: by its lowest point, where that is above it
    const Vec3 n = b.surface(c.of_b, c.on_a).n, low = a.farthest(-n);
    if (b.nearest(low + 1e-6 * a.size * n).feature == c.of_b) c.on_a = low, c.of_a = {Feature::rim, 1};
  }
  if (c.of_b.is_surface() && (c.of_a.kind != Feature::face || c.of_b.kind == Feature::face)) {
    Slide slide{a, c.of_a, b, c.of_b, c.on_a, {}};
    slide.run();
    c.on_a = slide.x, c.n = slide.seen.n, c.gap = slide.seen.distance;
    c.on_b = c.on_a - c.gap * c.n;
  } else if (c.of_a.is_surface()) {
    Slide slide{b, c.of_b, a, c.of_a, c.on_b, {}};
    slide.run();
    c.on_b = slide.x, c.n = -slide.seen.n, c.gap = slide.seen.distance;
    c.on_a = c.on_b + c.gap * c.n;
  } else {
    cross_curves(a, b, c);
  }
}

// Whether the points found are on the features they were looked for on.
bool fits(const ConvexPart& a, const ConvexPart& b, const Closest& c) {
  const double off = 1e-7 * std::min(a.size, b.size);
  const bool on_face = a.kind == ConvexPart::Kind::disk && c.of_b.kind == Feature::face;
  return b.nearest(c.on_b + off * c.n).feature == c.of_b &&
         (on_face || a.nearest(c.on_a - off * c.n).feature == c.of_a);
}

PartFeature of_surface(PartFeature f, PartFeature otherwise) {
  return f.kind == Feature::inside ? otherwise : f;
}

// Whether a point found is not on its part: where planes or lines of features meet that end before.
bool lies_beside(const ConvexPart& a, const ConvexPart& b, const Closest& c) {
  const double beside =
      std::max((a.nearest(c.on_a).at - c.on_a).norm(), (b.nearest(c.on_b).at - c.on_b).norm());
  return beside > 1e-12 * (a.size + b.size);
}

constexpr double most_off = 1e-6;  // of the size: where a gap is farther off, none was found

/// What a search ends with: planes along n separate the parts by `apart`, and it is `off` from being the gap;
/// `fits`: the points are on the features they were looked for on; `beside`: one is not even on its part.
struct Found {
  Closest at;
  double apart = -infinity, off = infinity;
  bool fits = false, beside = false;

  // The distance is the most that planes show; where they show the same, the points decide. Points beside
  // their parts show no distance.
  bool better_than(const Found& other, double size) const {
    if (beside != other.beside && std::max(off, other.off) <= most_off * size) return other.beside;
    const double gain = (apart - 10 * off) - (other.apart - 10 * other.off);
    if (std::abs(gain) <= 1e-12 * size) return fits && !other.fits;
    return gain > 0;
  }
};

// `m`: a direction that separates them, and then a better one.
Found search(const ConvexPart& a, const ConvexPart& b, const Vec3& start, Vec3& m) {
  const double size = std::min(a.size, b.size);
  Vec3 from = start;
  Closest out;
  Found best;
  if (core_apart(a, b, m) < -1e-6 * size) {  // a bad direction to begin with, or they overlap
    Approach way{a, b, Vec3::Zero(), from, {}, {}};
    way.run();
    const Vec3 d = way.x - way.on_b.at;
    if (const double D = d.norm(); D > 1e-12 * size && core_apart(a, b, d / D) > core_apart(a, b, m))
      m = d / D;
  }
  for (double margin = 1e-3 * size; margin > 1e-9 * size; margin *= 0.02) {
    double moved = std::max(0.0, margin - core_apart(a, b, m));
    Approach way{a, b, moved * m, from + moved * m, {}, {}};
    for (int round = 0; round < 6; ++round) {
      way.run();
      const Vec3 d = way.x - way.on_b.at;
      m = direction_or(d, d.norm(), m);
      const double next = std::max(0.0, margin - core_apart(a, b, m));
      if (moved == 0 || next >= moved * (1 - 1e-6)) break;
      way.x += next * m - way.shift, way.shift = next * m, moved = next;
    }
    out.of_a = of_surface(way.on_a.feature, {Feature::corner, 0});
    out.of_b = of_surface(way.on_b.feature, {Feature::corner, 0});
    out.on_a = way.x - way.shift, out.on_b = way.on_b.at, out.n = m;
    refine(a, b, out);
    Found here{out, core_apart(a, b, out.n), 0, fits(a, b, out)};
    here.beside = !here.fits && lies_beside(a, b, out);
    here.off = std::abs(out.gap - here.apart);
    if (here.better_than(best, size) || !(best.apart > -infinity)) best = here;
    if (here.fits) break;
    from = best.at.on_a;
  }
  return best;
}

ShapeBend bend_of(const ConvexPart& s, const PartFeature& f, const Vec3& p, const Vec3& outwards) {
  if (f.is_surface()) {
    const PartSurface at = s.surface(f, p);
    return {at.along, at.curvature_1, at.curvature_2};
  }
  const double sharp = s.swell > 0 ? 1 / s.swell : infinity;
  if (!f.is_curve()) return {some_normal_to(outwards), sharp, sharp};
  const PartCurve c = s.curve(f, s.parameter(f, p));
  return {c.first, -c.second.dot(outwards), sharp};
}

}  // namespace

Vec3 separating_direction(const ConvexPart& a, const ConvexPart& b) {
  const Vec3 d = a.middle() - b.middle();
  Vec3 best = direction_or(d, d.norm(), Vec3::UnitZ());
  double most = core_apart(a, b, best);
  const auto look = [&](const Vec3& n) {
    const double size = n.norm();
    if (!(size > 1e-9 * (a.size + b.size))) return;
    for (const double sign : {1.0, -1.0})
      if (const double at = core_apart(a, b, sign / size * n); at > most) most = at, best = sign / size * n;
  };
  for (const ConvexPart* p : {&a, &b}) {
    if (p->kind == ConvexPart::Kind::polytope) {
      for (const auto& f : p->polytope->faces) look(p->size * (p->R * f.normal));
    } else if (p->kind != ConvexPart::Kind::ellipsoid) {
      look(d - p->axis.dot(d) * p->axis), look(p->size * p->axis);
    }
  }
  look(std::min(a.size, b.size) * cross(a.axis, b.axis));
  return best;
}

double apart_along(const ConvexPart& a, const ConvexPart& b, const Vec3& n) {
  return core_apart(a, b, n) - a.swell - b.swell;
}

Closest closest_points(const ConvexPart& a, const ConvexPart& b, const Vec3& start) {
  const double size = std::min(a.size, b.size);
  Vec3 m = separating_direction(a, b);
  Found found = search(a, b, start, m);
  if (found.off > 1e-12 * size || found.beside) {
    // there are ways on which one of them hardly gets on: then the other
    Vec3 back = -m;
    Found other = search(b, a, found.at.on_b, back);
    if (other.better_than(found, size)) {
      found = other, m = -back;
      std::swap(found.at.of_a, found.at.of_b), std::swap(found.at.on_a, found.at.on_b);
      found.at.n = -found.at.n;
    }
  }
  Closest out = found.at;
  if (found.off > most_off * size) {
    // far inside of each other: by the planes that separate them best so far
    out.n = m, out.gap = core_apart(a, b, m);
    out.on_a = a.farthest(-m), out.on_b = out.on_a - out.gap * m;
    out.of_a = out.of_b = {Feature::corner, 0};
  }
  out.gap -= a.swell + b.swell;
  return out;
}

SpaceTouch touch_at(const Closest& c, const ConvexPart& a, const SpaceFrame& fa, const ConvexPart& b,
                    const SpaceFrame& fb) {
  SpaceTouch t;
  t.kind = SpaceTouch::Kind::bent;
  t.n = c.n, t.gap = c.gap;
  t.arm_a = t.core_a = c.on_a - a.swell * c.n - (fa.x - fb.x);
  t.arm_b = t.core_b = c.on_b + b.swell * c.n;
  t.bend_a = bend_of(a, c.of_a, c.on_a, -c.n), t.bend_b = bend_of(b, c.of_b, c.on_b, c.n);
  t.c = odd_direction();
  const auto carry = [&](const Vec3& d, SpaceTouch::Carrier by) {
    if (t.carrier == SpaceTouch::Carrier::space && std::abs(d.dot(t.n)) < 0.9) t.c = d, t.carrier = by;
  };
  // a direction of a feature that is fixed in its body
  const auto look = [&](const PartFeature& on, const ConvexPart& part, const ShapeBend& bend,
                        const SpaceFrame& f, SpaceTouch::Carrier by) {
    const bool flat_end = on.kind == Feature::face && part.kind != ConvexPart::Kind::polytope;
    if (flat_end)
      carry(f.turned(some_normal_to(f.R.transpose() * part.axis)), by);
    else if (on.kind == Feature::line || on.kind == Feature::face)
      carry(bend.along, by);
    else if (on.kind == Feature::rim || on.kind == Feature::side)
      carry(part.axis, by);
  };
  look(c.of_b, b, t.bend_b, fb, SpaceTouch::Carrier::b);
  look(c.of_a, a, t.bend_a, fa, SpaceTouch::Carrier::a);
  return t;
}

}  // namespace saltus
