// The bouncing pendulum in its one true coordinate θ: Taylor series between impacts, ġ = −L sin θ θ̇. An
// impact turns θ̇ into −e θ̇; when the flights have become short their sum is a geometric series, and the
// pendulum stays on the stop.
#include <cmath>

#include "saltus/catalog/flexible_problems.hpp"
#include "saltus/catalog/pendulum_system.hpp"
#include "saltus/reference/lazy_reference.hpp"
#include "saltus/reference/piecewise_reference.hpp"

namespace saltus {
namespace {

double value(const Eigen::MatrixXd& c, int column, double s) {
  double x = 0;
  for (Eigen::Index k = c.rows() - 1; k >= 0; --k) x = x * s + c(k, column);
  return x;
}
double slope(const Eigen::MatrixXd& c, int column, double s) {
  double v = 0;
  for (Eigen::Index k = c.rows() - 1; k >= 1; --k) v = v * s + static_cast<double>(k) * c(k, column);
  return v;
}

// The first time in ]0, end] at which x falls below the stop, or −1.
double closing(const Eigen::MatrixXd& c, double x_min, double end, bool from_stop) {
  constexpr int looks = 64;
  double before = 0;
  for (int k = 1; k <= looks; ++k) {
    const double s = end * k / looks;
    if (value(c, 0, s) - x_min < 0 && !(from_stop && k == 1 && slope(c, 0, 0) > 0 && slope(c, 0, s) > 0)) {
      double low = before, high = s;
      for (int i = 0; i < 100 && high - low > 1e-17; ++i) {
        const double mid = 0.5 * (low + high);
        (value(c, 0, mid) - x_min < 0 ? high : low) = mid;
      }
      return low;
    }
    before = s;
  }
  return -1;
}

}  // namespace

std::shared_ptr<const Reference> bouncing_pendulum_reference(const BouncingPendulum& p, double t_end,
                                                             BouncingPendulumHistory* history) {
  const PendulumData data{p.L, p.m, p.J, p.g, p.x_min, p.e};
  auto reference = std::make_shared<PiecewiseReference>();
  const double stop = p.x_min < p.L ? std::acos(std::max(-1.0, p.x_min / p.L)) : 0;
  const double pull = p.m * p.g * p.L / (p.m * p.L * p.L + p.J);
  double t = 0, theta = p.theta0, omega = p.omega0;
  bool from_stop = false;
  while (t <= t_end) {
    const double step = pendulum_series_step(data, omega);
    const Eigen::MatrixXd c = pendulum_series(data, theta, omega);
    reference->add(t, c, from_stop);
    // a flight off the stop is sampled over its own length
    const double push = theta < 0 ? std::sin(stop) * pull * std::cos(stop) : 0, rise = slope(c, 0, 0) / p.L;
    const double window = from_stop && push > 0 ? std::min(step, 4 * std::abs(rise) / push) : step;
    const double s = closing(c, p.x_min, window, from_stop);
    if (s < 0) {
      t += window, theta = value(c, 2, window), omega = slope(c, 2, window);
      from_stop = false;
      continue;
    }
    const double before = slope(c, 0, s);
    t += s;
    theta = value(c, 2, s) > 0 ? stop : -stop, omega = -p.e * slope(c, 2, s);
    from_stop = true;
    if (history) history->impacts.push_back({t, before, -p.e * before});
    const double pulled = theta < 0 ? std::sin(stop) * pull * std::cos(stop) : 0;
    const double next = pulled > 0 ? 2 * p.e * std::abs(before) / p.L / pulled : infinity;  // its length
    if (next < 2e-7 && p.e < 1) {  // the rest is a geometric series to rounding
      t += next / (1 - p.e);
      if (history) history->accumulation = t;
      Eigen::MatrixXd still = Eigen::MatrixXd::Zero(1, 3);
      still << p.L * std::cos(theta), p.L * std::sin(theta), theta;
      reference->add(t, still, true);
      break;
    }
  }
  return reference;
}

CatalogProblem BouncingPendulum::build(double end) const {
  CatalogProblem out;
  out.problem = {std::make_shared<PendulumSystem>(PendulumData{L, m, J, g, x_min, e}, true), 0, end,
                 Vec{{L * std::cos(theta0), L * std::sin(theta0), theta0}},
                 Vec{{-L * std::sin(theta0) * omega0, L * std::cos(theta0) * omega0, omega0}}};
  out.method.scheme = GeneralizedAlpha{};
  out.method.stepping = FixedSteps{1e-3};
  // rest on the stop is the end of the story only where gravity keeps pulling towards it
  const bool held = x_min > 0 && x_min < L && g > 0;
  if (held && L * std::cos(theta0) > x_min) {
    out.reference =
        std::make_shared<LazyReference>([p = *this, end] { return bouncing_pendulum_reference(p, end); });
    out.reference_kind = "minimal coordinate, Taylor series between impacts";
  }
  return out;
}

}  // namespace saltus
