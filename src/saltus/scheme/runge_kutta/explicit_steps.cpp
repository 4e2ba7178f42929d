#include "saltus/scheme/runge_kutta/explicit_steps.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// The eigenvector of M⁻¹J (on the constraints) with the largest eigenvalue in modulus; false: there is none.
bool dominant(ClosedDynamics& dynamics, const Matrix& J, Vec& x, Vec& y) {
  constexpr int most = 200;
  const auto n = static_cast<int>(x.size());
  for (int i = 0; i < n; ++i)
    x[i] = 1 + 0.5 * std::sin(7.0 * i + 1);  // no symmetry, and the same in every run
  double before = 0;
  for (int k = 0; k < most; ++k) {
    x /= x.norm();
    y.setZero();
    J.multiply_add(1, x, y);
    dynamics.respond(y);
    const double size = y.norm();
    if (!(size > 0) || !std::isfinite(size)) return false;
    std::swap(x, y);
    if (k > 10 && std::abs(size - before) <= 1e-4 * size) break;
    before = size;
  }
  x /= x.norm();
  return true;
}

// Roots and moduli of complex numbers are written out: every library of C++ has its own, with other last
// digits, and the length of a step comes from them.
double modulus(std::complex<double> z) {
  return std::hypot(z.real(), z.imag());
}
std::complex<double> root_of(double x) {
  return x < 0 ? std::complex<double>(0, std::sqrt(-x)) : std::complex<double>(std::sqrt(x));
}

// R(z) stage by stage: of an explicit tableau no equations need be solved, however large z is.
std::complex<double> amplification(const Tableau& t, std::complex<double> z) {
  std::vector<std::complex<double>> stage(t.stages());
  std::complex<double> end = 1;
  for (int i = 0; i < t.stages(); ++i) {
    stage[i] = 1;
    for (int j = 0; j < i; ++j) stage[i] += z * t.A(i, j) * stage[j];
    end += z * t.b[i] * stage[i];
  }
  return end;
}

// xᵀ M⁻¹J x for |x| = 1
double quotient(ClosedDynamics& dynamics, const Matrix& J, const Vec& x, Vec& y) {
  y.setZero();
  J.multiply_add(1, x, y);
  dynamics.respond(y);
  return x.dot(y);
}

}  // namespace

ExplicitLimit explicit_limit(const Tableau& tableau, std::complex<double> rate, double h) {
  constexpr double bounded = 1e-3;  // growth of a step that does not count
  const auto growth = [&](double step) {
    return std::log(modulus(amplification(tableau, step * rate))) - std::max(0.0, step * rate.real());
  };
  ExplicitLimit out{rate, growth(h), h};
  if (!(modulus(rate) > 0)) return {rate, 0, infinity};
  // from short steps up: R may be small again far beyond the limit
  double step = 0.05 / modulus(rate);
  while (growth(1.02 * step) <= bounded && step * modulus(rate) < 1e3) step *= 1.02;
  out.step = step;
  return out;
}

ExplicitLimit explicit_limit(const Tableau& tableau, const System& system, double t, const Vec& q,
                             const Vec& u, double h) {
  Faults faults;
  ClosedDynamics dynamics(system, faults);
  Vec a = Vec::Zero(system.shape().nu);
  ExplicitLimit out;
  if (dynamics.acceleration(t, q, u, a) != ClosedDynamics::Status::ok) return out;
  const auto& at = dynamics.linearise(t, q, u, a);
  Vec x = a, y = a;
  for (const Matrix* J : {at.by_q, at.by_u}) {
    if (!dominant(dynamics, *J, x, y)) continue;
    const double k = quotient(dynamics, *at.by_q, x, y), c = quotient(dynamics, *at.by_u, x, y);
    const std::complex<double> root = root_of(c * c / 4 + k);  // λ² = c λ + k
    for (const std::complex<double> rate : {c / 2 + root, c / 2 - root})
      if (const ExplicitLimit limit = explicit_limit(tableau, rate, h); limit.step < out.step) out = limit;
  }
  return out;
}

void check_explicit_steps(const Tableau& tableau, const System& system, double t, const Vec& q, const Vec& u,
                          double h, std::int64_t steps) {
  constexpr double outgrown = 37;   // ln 1e16: rounding becomes as large as the motion
  constexpr double watched = 1000;  // steps: later on the stiffness of the start may be gone
  const ExplicitLimit limit = explicit_limit(tableau, system, t, q, u, h);
  if (!(limit.step < h && limit.growth * std::min(watched, static_cast<double>(steps)) > outgrown)) return;
  fail(
      "the explicit tableau {} is unstable with steps of {:.3g}: the fastest motion of the system at its "
      "start "
      "has the rate |λ| = {:.3g}, and what rounding leaves of it is multiplied by {:.3g} in each step; "
      "stable "
      "steps are below {:.2g}: use --h {:.2g}, or an implicit tableau such as radau-iia-5",
      tableau.name, h, modulus(limit.rate), std::exp(limit.growth), limit.step, limit.step);
}

}  // namespace saltus
