// A rigid pendulum as x, y, θ with x = L cos θ, y = L sin θ as joints. The reference integrates the one true
// degree of freedom, (m L² + J) θ̈ = −m g L cos θ, by Taylor series of degree 25.
#include <cmath>

#include "saltus/catalog/pendulum_system.hpp"
#include "saltus/catalog/problems.hpp"
#include "saltus/reference/lazy_reference.hpp"
#include "saltus/reference/piecewise_reference.hpp"

namespace saltus {

// Series of θ, c = cos θ and s = sin θ together: ċ = −s θ̇, ṡ = c θ̇.
Eigen::MatrixXd pendulum_series(const PendulumData& p, double theta, double omega) {
  constexpr int degree = 25;
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(degree + 1, 3);
  Eigen::VectorXd th = Eigen::VectorXd::Zero(degree + 1), c = th, s = th;
  th[0] = theta, th[1] = omega, c[0] = std::cos(theta), s[0] = std::sin(theta);
  const double factor = -p.m * p.g * p.L / (p.m * p.L * p.L + p.J);
  for (int n = 0; n < degree; ++n) {
    if (n >= 1) th[n + 1] = factor * c[n - 1] / (n * (n + 1.0));
    for (int j = 0; j <= n; ++j) {
      const double w = (j + 1) * th[j + 1];  // coefficient j of θ̇; complete for j ≤ n
      c[n + 1] -= s[n - j] * w / (n + 1);
      s[n + 1] += c[n - j] * w / (n + 1);
    }
  }
  k.col(0) = p.L * c, k.col(1) = p.L * s, k.col(2) = th;
  return k;
}

double pendulum_series_step(const PendulumData& p, double omega) {
  return 0.2 / (std::abs(omega) + std::sqrt(2 * std::abs(p.g) / p.L) + 1);
}

namespace {

std::shared_ptr<const Reference> pendulum_reference(const PendulumData& data, double theta, double omega,
                                                    double end) {
  auto reference = std::make_shared<PiecewiseReference>();
  const double step = pendulum_series_step(data, omega);
  double t = 0;
  Vec q, u;
  while (t <= end) {
    reference->add(t, pendulum_series(data, theta, omega), false);
    t += step;
    reference->state(t, Side::right, q, u);
    theta = q[2], omega = u[2];
  }
  return reference;
}

}  // namespace

CatalogProblem RigidPendulum::build(double end) const {
  CatalogProblem out;
  out.problem = {std::make_shared<PendulumSystem>(PendulumData{L, m, J, g}, false), 0, end,
                 Vec{{L * std::cos(theta0), L * std::sin(theta0), theta0}},
                 Vec{{-L * std::sin(theta0) * omega0, L * std::cos(theta0) * omega0, omega0}}};
  out.method.stepping = FixedSteps{1e-4};
  out.reference =
      std::make_shared<LazyReference>([data = PendulumData{L, m, J, g}, theta = theta0, omega = omega0, end] {
        return pendulum_reference(data, theta, omega, end);
      });
  out.reference_kind = "minimal coordinate, Taylor series";
  return out;
}

}  // namespace saltus
