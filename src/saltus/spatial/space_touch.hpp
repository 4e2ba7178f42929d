// Where two bodies of space come closest, and how that changes. With n from b to a, the closest points p_a,
// p_b = p_a − g n, arms r from the centres, w = v_a + ω_a×r_a − v_b − ω_b×r_b:
//
//     γ_N = ġ = n·w,   γ_T = t·w,   W = (n, R_aᵀ(r_a×n); −n, −R_bᵀ(r_b×n))
//     bias_N = ṅ·w + n·[ω_a×(ω_a×r_a + s_a)] − n·[ω_b×(ω_b×r_b + s_b)],   s_a − s_b = −w_t + g ṅ
//
// where s_a, s_b are the velocities of the contact points over their bodies. They and ṅ depend on the kind:
//
//     point   a point P of a, with a radius r around it, against a surface of b. Seen from b the normal turns
//     by
//             K (v_P − v_b(P)), K the curvature of the surface at that distance: two directions, two numbers
//             (a face 0, 0; an edge or the side of a cylinder 0, 1/D; a vertex or a sphere 1/D, 1/D)
//     lines   an edge (or the axis of a capsule) of each; n is at right angles to both
//     rim     the circle around a disk of a against a face of b
//     support the point of a smooth surface of a (an ellipsoid) that is nearest to a face of b
//     bent    any two features with their curvatures κ, of directions p in the tangent plane of a, q of b:
//             κ p·s_a = p·(ω_a×n − ṅ),  κ q·s_b = q·(ṅ − ω_b×n);  across an edge (κ infinite) p·s_a = 0
//
// The tangents t₁ ⊥ n along a direction c that is fixed in one of the bodies or in space, t₂ = n×t₁: a smooth
// function of the configuration as long as n is not c.
#pragma once
#include "saltus/spatial/space_frame.hpp"
#include "saltus/spatial/space_shape.hpp"

namespace saltus {

/// How a feature bends: curvatures along a direction and along n×that. Infinite: the contact point stays.
struct ShapeBend {
  Vec3 along{1, 0, 0};
  double curvature_1 = 0, curvature_2 = 0;
};

struct SpaceTouch {
  enum class Kind : std::uint8_t { point, lines, rim, support, bent };
  enum class Carrier : std::uint8_t { space, a, b };
  Kind kind = Kind::point;
  double gap = 0;
  Vec3 n{0, 0, 1}, arm_a{0, 0, 0}, arm_b{0, 0, 0};
  Vec3 c{1, 0, 0};  ///< what tangents are made of
  Carrier carrier = Carrier::space;

  Vec3 core_a{0, 0, 0}, core_b{0, 0, 0};    ///< arms of P and of its foot, without radii
  double r = 0, s = 0;                      ///< radii of a and b around them
  Vec3 along_1{1, 0, 0}, along_2{0, 1, 0};  ///< point: directions of curvature; lines: the two edges
  double curvature_1 = 0, curvature_2 = 0;  ///< point
  Vec3 axis{0, 0, 1}, lowest{1, 0, 0};      ///< rim: its axis z, and e, from its centre to the contact point
  double sine = 0;                          ///< rim: |n×z|
  double radius_1 = 0, radius_2 = 0;        ///< support: radii of curvature along the two directions
  ShapeBend bend_a, bend_b;                 ///< bent
};

/// Tangents of contacts without a direction of their own are made of this one: not along anything that users
/// are likely to write.
inline Vec3 odd_direction() {
  return Vec3(0.36398151, 0.48507125, 0.79513128).normalized();
}

/// Both contact points from the foot of b (an arm), n and the distance D of the cores.
inline void place_touch(SpaceTouch& t, const Vec3& foot, double D) {
  t.core_b = foot;
  t.gap = D - t.r - t.s;
  t.arm_a = t.core_a - t.r * t.n;
  t.arm_b = t.core_b + t.s * t.n;
}

/// Where points coincide, any direction does.
inline Vec3 direction_or(const Vec3& d, double D, const Vec3& otherwise) {
  return D > 0 ? Vec3(d / D) : otherwise;
}

/// A point of a (arm, radius) against a point of b. s < 0: a is inside a hollow sphere of radius −s.
SpaceTouch point_point(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b, const Vec3& other,
                       double s);
/// Against the plane n·(p − x_b) = offset; `along` lies in it. Both in space.
SpaceTouch point_face(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b, const Vec3& n,
                      double offset, const Vec3& along);
/// Against the line through x_b + foot along e (of length one) with radius s around it.
SpaceTouch point_line(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b, const Vec3& foot,
                      const Vec3& e, double s);
/// Against a segment of b from x_b + from to x_b + to, with radius s around it.
SpaceTouch point_segment(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                         const Vec3& from, const Vec3& to, double s);
/// Against a polytope: the nearest point of it, and inside the nearest face. `beside`: the normal leads over
/// a neighbour (Polytope::beside_edge).
SpaceTouch point_polytope(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                          const Polytope& polytope, bool& beside);
/// Against a cylinder (or, of half height 0, a disk): side, cap or rim.
SpaceTouch point_cylinder(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                          const SpaceShape& cylinder);
/// Against a cone: side, base, rim or tip.
SpaceTouch point_cone(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                      const SpaceShape& cone);
/// Against an ellipsoid: the nearest point of it, from outside or from less than its radii of curvature
/// inside.
SpaceTouch point_ellipsoid(const SpaceFrame& a, const Vec3& arm, double r, const SpaceFrame& b,
                           const SpaceShape& ellipsoid);
/// An ellipsoid against a plane of b.
SpaceTouch ellipsoid_face(const SpaceFrame& a, const SpaceShape& ellipsoid, const SpaceFrame& b,
                          const Vec3& n, double offset, const Vec3& along);
/// The point x of an ellipsoid nearest to p, in its frame: p − x = t x/r².
Vec3 nearest_on_ellipsoid(const Vec3& radii, const Vec3& p, double& t);
/// Principal directions (the other is n×along) and radii of curvature of an ellipsoid where its normal is n;
/// square: Σ rᵢ² eᵢeᵢᵀ.
struct PrincipalRadii {
  Vec3 along;
  double radius_1, radius_2;
};
PrincipalRadii radii_of_ellipsoid(const Mat3& square, const Vec3& n);
/// The rim of a disk or of one end of a cylinder (centre, axis, radius in space) against a plane of b.
SpaceTouch rim_face(const SpaceFrame& a, const Vec3& centre, const Vec3& axis, double radius,
                    const SpaceFrame& b, const Vec3& n, double offset, const Vec3& along);
/// Two segments with radii. `live`: the lines come closest within both, away from their ends.
SpaceTouch segment_segment(const SpaceFrame& a, const Vec3& from_a, const Vec3& to_a, double r,
                           const SpaceFrame& b, const Vec3& from_b, const Vec3& to_b, double s, bool& live);

/// The tangents, and with velocities their rates.
struct TouchTangents {
  Vec3 t1, t2, rate_1{0, 0, 0}, rate_2{0, 0, 0};
};
TouchTangents tangents_of(const SpaceTouch& touch);
/// What `bias` of the three rows is made of: bias along d is ḋ·w + d·bend, ḋ = turn for the normal.
/// Tangential velocities are those of one point, between the two: they have a `slip` and its rate of their
/// own.
struct TouchMotion {
  Vec3 w, turn, bend, slip, slip_bend;
  TouchTangents tangents;
};
TouchMotion motion_of(const SpaceTouch& touch, const SpaceFrame& a, const SpaceFrame& b);

}  // namespace saltus
