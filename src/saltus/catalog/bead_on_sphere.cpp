#include "saltus/catalog/bead_on_sphere.hpp"

#include <cmath>

#include "saltus/system/model.hpp"

namespace saltus {
namespace {

struct Angle {
  double phi, omega;
};

// φ̈ = a sin φ from (0, ω0) over t, by 4000 steps of the classical Runge–Kutta method: error below 1e-14.
Angle pendulum(double a, double omega0, double t) {
  Angle x{0, omega0};
  constexpr int n = 4000;
  const double h = t / n;
  const auto rate = [a](const Angle& y) { return Angle{y.omega, a * std::sin(y.phi)}; };
  const auto ahead = [](const Angle& y, const Angle& k, double s) {
    return Angle{y.phi + s * k.phi, y.omega + s * k.omega};
  };
  for (int i = 0; i < n; ++i) {
    const Angle k1 = rate(x), k2 = rate(ahead(x, k1, h / 2)), k3 = rate(ahead(x, k2, h / 2)),
                k4 = rate(ahead(x, k3, h));
    x.phi += h / 6 * (k1.phi + 2 * k2.phi + 2 * k3.phi + k4.phi);
    x.omega += h / 6 * (k1.omega + 2 * k2.omega + 2 * k3.omega + k4.omega);
  }
  return x;
}

}  // namespace

Problem BeadOnSphere::problem(double t_end) const {
  return {make_system(*this), 0, t_end, Vec{{0.0, R}}, Vec{{v0, 0.0}}};
}

Vec BeadOnSphere::sliding(double t) const {
  const Angle x = pendulum(g / R, v0 / R, t);
  const double s = std::sin(x.phi), c = std::cos(x.phi);
  return Vec{{R * s, R * c, R * x.omega * c, -R * x.omega * s}};
}

double BeadOnSphere::release_time() const {
  const double phi = std::acos(2.0 / 3 + v0 * v0 / (3 * g * R));
  double low = 0, high = 10 * std::sqrt(R / g);
  for (int i = 0; i < 60; ++i) {
    const double t = 0.5 * (low + high);
    (pendulum(g / R, v0 / R, t).phi < phi ? low : high) = t;
  }
  return 0.5 * (low + high);
}

Vec BeadOnSphere::flight(double t) const {
  const double t0 = release_time(), s = t - t0;
  const Vec x = sliding(t0);
  return Vec{{x[0] + s * x[2], x[1] + s * x[3] - g * s * s / 2, x[2], x[3] - g * s}};
}

}  // namespace saltus
