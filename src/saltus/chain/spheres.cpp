#include "saltus/chain/spheres.hpp"

#include <cmath>
#include <numbers>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

double compliance(const SphereMaterial& m) {
  return (1 - m.nu * m.nu) / m.E;
}

}  // namespace

double mass_of(const Sphere& s) {
  return 4.0 / 3 * std::numbers::pi * s.radius * s.radius * s.radius * s.material.density;
}

double hertz_stiffness(const Sphere& a, const Sphere& b) {
  const double radius = a.radius * b.radius / (a.radius + b.radius);
  return 4.0 / 3 * std::sqrt(radius) / (compliance(a.material) + compliance(b.material));
}

double hertz_stiffness(const Sphere& a, const SphereMaterial& wall) {
  return 4.0 / 3 * std::sqrt(a.radius) / (compliance(a.material) + compliance(wall));
}

ChainData chain_of(const std::vector<Sphere>& spheres, double gamma, double beta) {
  const int n = static_cast<int>(spheres.size());
  ChainData d;
  d.m.resize(n);
  d.k = Vec::Zero(n + 1);
  d.gamma = Vec::Constant(n + 1, gamma);
  d.beta = beta;
  for (int i = 0; i < n; ++i) {
    if (!(spheres[i].radius > 0) || !std::isfinite(spheres[i].radius))
      fail("sphere {}: radius = {} must be a finite number > 0", i, spheres[i].radius);
    check(spheres[i].material);
    d.m[i] = mass_of(spheres[i]);
    if (i > 0) d.k[i] = hertz_stiffness(spheres[i - 1], spheres[i]);
  }
  return d;
}

}  // namespace saltus
