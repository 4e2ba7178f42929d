#include <Eigen/Geometry>
#include <cmath>
#include <set>

#include "saltus/result/vtu_grid.hpp"

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

struct Surface {
  std::vector<Vec3> points;  // in the axes of the solid
  std::vector<std::vector<int>> faces;
};

// Rings about the third axis, from below: (height, radius) each.
Surface of_rings(const std::vector<std::pair<double, double>>& rings, int around) {
  Surface s;
  for (const auto& [z, r] : rings)
    for (int k = 0; k < around; ++k)
      s.points.emplace_back(r * std::cos(2 * M_PI * k / around), r * std::sin(2 * M_PI * k / around), z);
  const int n = static_cast<int>(rings.size());
  std::vector<int> low, high;
  for (int k = 0; k < around; ++k) low.push_back(around - 1 - k), high.push_back((n - 1) * around + k);
  s.faces.push_back(low), s.faces.push_back(high);
  for (int r = 0; r + 1 < n; ++r)
    for (int k = 0; k < around; ++k) {
      const int next = (k + 1) % around, a = r * around;
      s.faces.push_back({a + k, a + next, a + around + next, a + around + k});
    }
  return s;
}

Surface surface_of(const Solid& s, int around, double far) {
  std::vector<std::pair<double, double>> rings;
  switch (s.kind) {
    case Solid::Kind::sphere:
    case Solid::Kind::capsule:
      for (int k = 0; k <= around / 2; ++k) {
        const double polar = M_PI * (k + 0.01) / (around / 2 + 0.02),
                     half = s.kind == Solid::Kind::sphere ? 0 : s.half;
        rings.emplace_back(-s.radius * std::cos(polar) + (2 * k < around / 2 ? -half : half),
                           s.radius * std::sin(polar));
      }
      return of_rings(rings, around);
    case Solid::Kind::cylinder:
      return of_rings({{-s.half, s.radius}, {s.half, s.radius}}, around);
    case Solid::Kind::plane:
      return {{{-far, -far, 0}, {far, -far, 0}, {far, far, 0}, {-far, far, 0}}, {{0, 1, 2, 3}}};
    case Solid::Kind::polytope:
      break;
  }
  Surface out;
  for (const auto& c : s.corners) out.points.push_back(vector(c));
  out.faces = s.faces;
  return out;
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
    const Surface surface = surface_of(s, around, far);
    const auto turn = rotation(s.turn);
    const std::int64_t first = out.points();
    for (const Vec3& p : surface.points) {
      const Vec3 x = vector(s.place) + turn * p;
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
