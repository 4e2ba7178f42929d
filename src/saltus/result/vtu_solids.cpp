#include <Eigen/Geometry>
#include <cmath>
#include <set>

#include "saltus/result/vtu_grid.hpp"
#include "saltus/system/rings.hpp"

namespace saltus::vtu {
namespace {

using Solid = Sketch::Solid;
using Vec3 = Eigen::Vector3d;

Eigen::Quaterniond rotation(const std::array<double, 4>& q) {
  return {q[3], q[0], q[1], q[2]};
}
Vec3 vector(const std::array<double, 3>& x) {
  return {x[0], x[1], x[2]};
}

// In the axes of the solid.
RingSurface surface_of(const Solid& s, int around, double far) {
  std::vector<Ring> rings;
  const int half_around = around / 2;
  switch (s.kind) {
    case Solid::Kind::sphere:
    case Solid::Kind::capsule:
      for (int k = 0; k <= half_around; ++k) {
        const double polar = M_PI * (k + 0.01) / (half_around + 0.02),
                     half = s.kind == Solid::Kind::sphere ? 0 : s.half;
        rings.push_back(
            {-s.radius * std::cos(polar) + (2 * k < around / 2 ? -half : half), s.radius * std::sin(polar)});
      }
      return saltus::surface_of(rings, around);
    case Solid::Kind::cylinder:
      rings = {{-s.half, s.radius}, {s.half, s.radius}};
      return saltus::surface_of(rings, around);
    case Solid::Kind::plane:
      return {{{-far, -far, 0}, {far, -far, 0}, {far, far, 0}, {-far, far, 0}}, {{0, 1, 2, 3}}};
    case Solid::Kind::polytope:
      break;
  }
  return {s.corners, s.faces};
}

// Velocity in space and angular velocity in inertial axes; zero of what does not move.
std::pair<Vec3, Vec3> motion_of(const Solid& s, const Vec& u) {
  if (s.velocity < 0) return {Vec3::Zero(), Vec3::Zero()};
  return {u.segment<3>(s.velocity), rotation(s.frame_turn) * Vec3(u.segment<3>(s.velocity + 3))};
}

}  // namespace

void put_solids(const RunFrame& frame, Grid& out) {
  const auto& solids = frame.sketch.solids;
  const int around = solids.size() <= 100 ? 24 : solids.size() <= 1000 ? 12 : 6;
  Vec3 low = Vec3::Constant(infinity), high = -low;
  for (const Solid& s : solids)
    if (s.velocity >= 0) low = low.cwiseMin(vector(s.centre)), high = high.cwiseMax(vector(s.centre));
  const double far = low[0] <= high[0] ? 1 + 2 * (high - low).norm() : 1;
  std::int64_t body = 0;
  for (const Solid& s : solids) {
    const RingSurface surface = surface_of(s, around, far);
    const auto turn = rotation(s.turn);
    const std::int64_t first = out.points();
    for (const auto& c : surface.corners) {
      const Vec3 x = vector(s.place) + turn * vector(c);
      out.point(x[0], x[1], x[2]);
    }
    const auto [v, spin] = motion_of(s, frame.u);
    for (const auto& face : surface.faces) {
      out.cell(polygon, first, face);
      out.vector("velocity", v[0], v[1], v[2]), out.vector("spin", spin[0], spin[1], spin[2]);
      out.integer("colour", s.colour), out.integer("body", body);
    }
    ++body;
  }
  for (const auto& strand : frame.sketch.strands) {
    for (const auto& p : strand.points) out.point(p[0], p[1], p[2]);
    out.cell(poly_line, static_cast<int>(strand.points.size()));
    out.vector("velocity", 0, 0, 0), out.vector("spin", 0, 0, 0);
    out.integer("colour", strand.colour), out.integer("body", -1);
  }
}

void put_centres(const RunFrame& frame, Grid& out) {
  std::set<int> known;
  for (const Solid& s : frame.sketch.solids) {
    if (s.velocity < 0 || !known.insert(s.velocity).second) continue;
    const auto [v, spin] = motion_of(s, frame.u);
    out.point(s.centre[0], s.centre[1], s.centre[2]);
    out.cell(vertex, 1);
    out.vector("velocity", v[0], v[1], v[2]), out.vector("spin", spin[0], spin[1], spin[2]);
    out.quaternion("orientation", {s.frame_turn[3], s.frame_turn[0], s.frame_turn[1], s.frame_turn[2]});
    out.number("radius", s.radius);
    out.integer("body", s.velocity / 6);
  }
}

}  // namespace saltus::vtu
