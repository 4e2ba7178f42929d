// The path r̂∘û = τ e by its arc length, around its folds: a step along the tangent, then Newton steps at
// right angles to it, with τ as one more unknown. Lengths are relative: in the scaling of the point, divided
// by √τ.
#include <algorithm>
#include <cmath>

#include "saltus/contact/interior_point.hpp"

namespace saltus::detail {
namespace {

constexpr double on_centre = 0.1;      // a point this far from r̂∘û = τ e is on the path
constexpr double tangent_reach = 0.7;  // of the way, for a tangent step
constexpr int most_corrections = 8, most_tries = 12, most_centring = 40;
// A path that has not come down by `descent` in so many iterations, in all of its turns, leads nowhere.
constexpr double descent = 0.5;
constexpr int patience = 2000;

}  // namespace

// How far the linearised point is from the path of τ, relative to τ and √τ
double InteriorPointSolver::off_centre(double tau) const {
  double worst = 0, c[3];
  for (const Block& b : blocks_)
    for (int k = b.joint; b.cones == 0 && k < b.joint + b.rows; ++k)
      worst = std::max(worst, std::abs(defect_[k]) / speed_);
  for (const Cone& cone : cones_) {
    lorentz::product(cone.size, cone.scaling.lambda, cone.scaling.lambda, c);
    c[0] -= tau * cone.share;
    worst = std::max(worst, std::sqrt(lorentz::dot(cone.size, c, c)) / tau);
    lorentz::multiply(cone.size, cone.scaling.inverse, defect_.data() + cone.at, c);
    worst = std::max(worst, std::sqrt(lorentz::dot(cone.size, c, c) / tau));
  }
  return worst;
}

// of (dr_, du_) with a direction, in the scaling of the point
double InteriorPointSolver::scaled_product(const Point& d, double tau) const {
  double sum = 0, a[3], b[3];
  for (const Cone& cone : cones_) {
    const int n = cone.size, at = cone.at;
    lorentz::multiply(n, cone.scaling.F, dr_.data() + at, a);
    lorentz::multiply(n, cone.scaling.F, d.r.data() + at, b);
    sum += lorentz::dot(n, a, b);
    lorentz::multiply(n, cone.scaling.inverse, du_.data() + at, a);
    lorentz::multiply(n, cone.scaling.inverse, d.u.data() + at, b);
    sum += lorentz::dot(n, a, b);
  }
  return sum / tau;
}

// The unit tangent at on_path_, forward; its `tau` is that of log τ.
bool InteriorPointSolver::tangent(const ContactProblem& problem, Point& d, SolveReport& report) {
  r_ = on_path_.r, u_ = on_path_.u;
  examine(problem, report);
  linearise();
  ++report.iterations;
  if (!factorize()) return false;
  direction(on_path_.tau, 0);
  d.r = dr_, d.u = du_;
  const double length = std::sqrt(1 + scaled_product(d, on_path_.tau));
  d.tau = -bodies_.sign() / length;
  for (auto* x : {&d.r, &d.u})
    for (double& e : *x) e *= d.tau;
  return std::isfinite(length);
}

// Newton at right angles to the direction, back to the path; true when it arrives.
bool InteriorPointSolver::correct(const ContactProblem& problem, const Point& d, double& tau,
                                  SolveReport& report) {
  Point up;
  for (int k = 0; k < most_corrections; ++k) {
    examine(problem, report);
    linearise();
    ++report.iterations;
    if (!factorize()) return false;
    if (off_centre(tau) <= on_centre) return true;
    direction(tau, 0);
    const double slope = d.tau + scaled_product(d, tau);
    up.r = dr_, up.u = du_;
    direction(tau);
    const double change = -scaled_product(d, tau) / slope;  // of log τ
    for (std::size_t j = 0; j < dr_.size(); ++j) dr_[j] += change * up.r[j], du_[j] += change * up.u[j];
    const double step = std::min({1.0, 0.9 * longest_step(), 2 / std::max(1e-300, std::abs(change))});
    if (!std::isfinite(step) || !std::isfinite(change)) return false;
    advance(step);
    tau *= std::exp(step * change);
  }
  return false;
}

// Newton steps to the point of the path with the present τ. The start has r̂·û in proportion to the masses;
// from there it may fail where they differ much, and a start with equal products does not.
bool InteriorPointSolver::centre(const ContactProblem& problem, SolveReport& report) {
  on_path_.tau = gap(0);
  lowest_at_ = report.iterations;
  for (const bool even : {false, true}) {
    if (even) {
      begin(problem);
      for (const Cone& c : cones_) r_[c.at] = on_path_.tau * c.share / u_[c.at];
    }
    for (int k = 0; k < most_centring && !spent(report); ++k) {
      examine(problem, report);
      linearise();
      ++report.iterations;
      if (!factorize()) break;
      if (off_centre(on_path_.tau) <= on_centre) return true;
      direction(on_path_.tau);
      advance(std::min(1.0, 0.9 * longest_step()));
    }
  }
  return false;
}

bool InteriorPointSolver::spent(const SolveReport& report) const {
  return report.iterations >= spec_.max_iterations || report.iterations > lowest_at_ + patience;
}

bool InteriorPointSolver::trace(const ContactProblem& problem, double end, SolveReport& report) {
  if (on_path_.r.empty()) {
    if (!centre(problem, report)) return false;
    on_path_.r = r_, on_path_.u = u_;
    lowest_ = on_path_.tau, lowest_at_ = report.iterations;
  }
  Point d;
  double length = std::sqrt(static_cast<double>(cones_.size()));
  while (on_path_.tau > end) {
    if (spent(report) || !tangent(problem, d, report)) return false;
    bool arrived = false;
    for (int k = 0; k < most_tries && !arrived && !spent(report); ++k) {
      r_ = on_path_.r, u_ = on_path_.u;
      dr_ = d.r, du_ = d.u;
      const double step = std::min(length, tangent_reach * longest_step());
      advance(step);
      double tau = on_path_.tau * std::exp(step * d.tau);
      arrived = correct(problem, d, tau, report);
      if (arrived) on_path_ = {r_, u_, tau};
      if (arrived && tau < descent * lowest_) lowest_ = tau, lowest_at_ = report.iterations;
      length = arrived ? (k == 0 ? 2 : 1) * step : step / 3;
    }
    if (!arrived || !(report.residual > spec_.tolerance)) return arrived;
  }
  return true;
}

}  // namespace saltus::detail
