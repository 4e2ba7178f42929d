// Where two rigid bodies of the plane come closest, and how that changes. Two kinds of contact are enough:
//
//     round:  points p_a, p_b of the bodies, d = p_a − p_b, D = ±|d|, n = d/D,   g = D − r_a − r_b
//     flat:   a point p_a against a side of b with outer normal n that turns with b,   g = n·(p_a − p_b) −
//     r_a
//
// (disk and disk, disk and corner, and with D = −|d|, r_b = −R the inside of a drum; corner and side, disk
// and side.) With t = left of n, arms from the centres x_a, x_b to the points (flat: b's arm to p_a), levers
// l_a = n·arm_a − r_a, l_b = n·arm_b + r_b (flat: r_b = −r_a), and ν the rate at which n turns:
//
//     γ_N = n·(v_pa − v_pb),   γ_T = t·(v_a − v_b) + ω_a l_a − ω_b l_b
//     γ̇_N = n·(p̈_a − p̈_b) + (flat ? 2 : 1) ν t·(v_pa − v_pb),   ν = ω_b or t·(v_pa − v_pb)/D
#pragma once
#include <cmath>
#include <vector>

#include "saltus/planar/boundary.hpp"

namespace saltus {

/// Centre and turn of a body at one time, and how they move.
struct Frame {
  Vec2 x{0, 0}, v{0, 0}, acceleration{0, 0};
  double cosine = 1, sine = 0, omega = 0;

  Vec2 turned(const Vec2& a) const { return {cosine * a[0] - sine * a[1], sine * a[0] + cosine * a[1]}; }
  Vec2 seen(const Vec2& p) const {  ///< a point of the plane, in the body's frame
    const Vec2 r = p - x;
    return {cosine * r[0] + sine * r[1], cosine * r[1] - sine * r[0]};
  }
  Vec2 velocity(const Vec2& arm) const { return v + omega * left_of(arm); }
  Vec2 acceleration_of(const Vec2& arm) const { return acceleration - omega * omega * arm; }
};

/// A side of a polygon in its frame: n·p = offset, n outwards.
struct PolygonSide {
  Vec2 from, along, normal;
  double length, offset;
};
/// Corners against the clock.
std::vector<PolygonSide> sides_of(const std::vector<Vec2>& corners);

struct Touch {
  bool flat = false;
  double gap = 0, r_a = 0, r_b = 0, curvature = 0;  ///< curvature: 1/D of a round one
  Vec2 n{0, 1}, arm_a{0, 0}, arm_b{0, 0};

  double lever_a() const { return n.dot(arm_a) - r_a; }
  double lever_b() const { return n.dot(arm_b) + r_b; }
};

/// Of the gap as a function of the coordinates x, y, θ of a, then those of b.
using TouchVector = Eigen::Matrix<double, 6, 1>;
using TouchMatrix = Eigen::Matrix<double, 6, 6>;
TouchVector gradient_of(const Touch& touch);
TouchMatrix hessian_of(const Touch& touch);

/// r_b < 0: a is inside a drum of radius −r_b.
Touch round_touch(const Frame& a, const Vec2& arm_a, double r_a, const Frame& b, const Vec2& arm_b,
                  double r_b);
/// Against a line with outer normal n (in the plane) at distance `offset` from b's centre.
Touch flat_touch(const Frame& a, const Vec2& arm_a, double r_a, const Frame& b, const Vec2& n, double offset);

/// A disk and a polygon: outside by the nearest point of the sides, inside by the highest side.
Touch disk_polygon_touch(const Frame& disk, double radius, const Frame& polygon,
                         const std::vector<PolygonSide>& sides);
/// Which side of b separates it best from the corners of a; `height` receives how far (< 0: not at all).
int best_side(const Frame& a, const std::vector<Vec2>& corners, const Frame& b,
              const std::vector<PolygonSide>& sides, double* height = nullptr);
/// The same for a direction: the side whose normal points most that way.
int facing_side(const Frame& b, const std::vector<PolygonSide>& sides, const Vec2& direction);
/// A corner of a against b: its distance to the highest side. Where corners lie on corners, as in a stack,
/// two sides are equally high up to rounding; so the best side reaches beyond its corners by `favour`. For
/// rigid bodies: compliant ones have overlap.hpp.
Touch corner_touch(const Frame& a, const Vec2& corner, const Frame& b, const std::vector<PolygonSide>& sides,
                   int best, double favour);
/// A corner of a against the highest side of b; inside b that is the nearest one.
Touch nearest_side_touch(const Frame& a, const Vec2& corner, const Frame& b,
                         const std::vector<PolygonSide>& sides);

/// Second-order terms of the normal and the tangential row (see above).
struct TouchBias {
  double normal, tangential;
};
TouchBias bias_of(const Touch& touch, const Frame& a, const Frame& b);

}  // namespace saltus
