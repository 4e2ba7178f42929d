#include "saltus/scheme/runge_kutta/motion_rate.hpp"

#include <cmath>

namespace saltus {

// No symmetry, and the same in every run. Velocities too: damping may be all there is.
MotionRate::MotionRate(int n) : q_(n), u_(n), force_(Vec::Zero(n)) {
  for (int i = 0; i < n; ++i)
    q_[i] = 1 + 0.5 * std::sin(7.0 * i + 1), u_[i] = 1 + 0.5 * std::cos(5.0 * i + 2);
}

double MotionRate::size(const ErrorScales& scales) const {
  const auto square = [](double x) { return x * x; };
  double sum = 0;
  for (Eigen::Index k = 0; k < q_.size(); ++k)
    sum += square(q_[k] / scales.q[k]) + square(u_[k] / scales.u[k]);
  return std::sqrt(sum);
}

// √(|J²x|/|x|), since a pair of eigenvalues turns x; until it stands still within a tenth.
double MotionRate::estimate(ClosedDynamics& dynamics, const ClosedDynamics::Linearisation& at,
                            const ErrorScales& scales) {
  constexpr int most = 12;
  double before = 0;
  for (int i = 0; i < most; ++i) {
    const double length = size(scales);
    if (!(length > 0) || !std::isfinite(length)) {
      *this = MotionRate(static_cast<int>(q_.size()));
      return 0;
    }
    q_ /= length, u_ /= length;
    for (int k = 0; k < 2; ++k) {
      force_.setZero();
      at.by_q->multiply_add(1, q_, force_);
      at.by_u->multiply_add(1, u_, force_);
      if (at.friction) at.friction->multiply_add(1, u_, force_);
      dynamics.respond(force_);
      std::swap(q_, u_);
      std::swap(u_, force_);
    }
    const double rate = std::sqrt(size(scales));
    if (std::abs(rate - before) <= 0.1 * rate) return rate;
    before = rate;
  }
  return before;
}

}  // namespace saltus
