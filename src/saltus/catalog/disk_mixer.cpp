// Disks in a drum. Everything random comes from our own generator, so that a seed means the same disks on
// every machine. The start is a loose hexagonal lattice filled from the bottom, each disk moved a little.
#include <algorithm>
#include <cmath>

#include "saltus/catalog/problems.hpp"
#include "saltus/core/random.hpp"
#include "saltus/planar/disk_system.hpp"

namespace saltus {
namespace {

constexpr double packing = 0.82;                             // of a settled bed
constexpr double stirrer_size = 0.15, stirrer_orbit = 0.45;  // in drum radii

// Places for disks of radius r within the drum and away from the stirrer, row by row from the bottom.
std::vector<Vec2> lattice(int n, double drum, double r, double pitch, const Circle* stirrer) {
  std::vector<Vec2> out;
  const double height = pitch * std::sqrt(0.75), reach = drum - r;
  for (int row = 0; row * height <= 2 * reach && static_cast<int>(out.size()) < n; ++row) {
    const double y = -reach + row * height, half = std::sqrt(std::max(0.0, reach * reach - y * y));
    const double shift = row % 2 == 0 ? 0 : 0.5;
    for (int k = static_cast<int>(std::ceil(-half / pitch - shift));
         (k + shift) * pitch <= half && static_cast<int>(out.size()) < n; ++k) {
      const Vec2 p((k + shift) * pitch, y);
      if (!stirrer || (p - stirrer->centre).norm() >= stirrer->radius + r) out.push_back(p);
    }
  }
  return out;
}

}  // namespace

CatalogProblem DiskMixer::build(double end) const {
  SplitMix64 random(static_cast<std::uint64_t>(seed));
  DiskSystem::Data d;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double radius = r * (1 + spread * random.between(-1, 1));
    d.disks.push_back({radius, m * (radius / r) * (radius / r), 0, 0, i * layers / n});
    squares += radius * radius;
  }
  const double largest = r * (1 + spread), play = 0.03 * r;  // each disk may be moved by `play`
  const double R = std::max(std::sqrt(squares / (packing * fill)), 2 * largest),
               Omega = std::sqrt(froude * g / R);
  const bool stirs = mode == Mode::stirrer;
  const Motion turn{{0, 0}, {0, 0}, Omega, settle};
  const Circle stirrer{{0, -stirrer_orbit * R}, stirrer_size * R};
  d.boundaries.push_back({"drum", Circle{{0, 0}, R, true}, stirs ? Motion{} : turn, 0});
  if (stirs) d.boundaries.push_back({"stirrer", stirrer, turn, 0});
  d.materials = MaterialTable({{mu, e, 0}});
  d.gravity = {0, -g};

  const auto places = lattice(n, R, largest + play, 2 * (largest + play), stirs ? &stirrer : nullptr);
  if (static_cast<int>(places.size()) < n)
    fail("disk-mixer: only {} of n = {} disks find a start place in the drum; lower fill = {} or spread = {}",
         places.size(), n, fill, spread);
  Vec q0 = Vec::Zero(3 * n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 2; ++k) q0[3 * i + k] = places[i][k] + play * random.between(-0.7, 0.7);

  CatalogProblem p;
  p.problem = {std::make_shared<DiskSystem>(std::move(d)), 0, end, q0, Vec::Zero(3 * n)};
  p.method.scheme = MoreauMidpoint{};
  p.method.stepping = FixedSteps{5e-4};
  p.method.solver = AutomaticSolver{5e-5};
  return p;
}

}  // namespace saltus
