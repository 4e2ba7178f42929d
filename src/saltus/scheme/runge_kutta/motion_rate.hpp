// How fast the fastest motion about a state is: |λ| of the largest eigenvalue of J = ∂(u, a)/∂(q, u) with all
// that is closed staying closed, by a power iteration that goes on from call to call.
#pragma once
#include "saltus/scheme/runge_kutta/dense_step.hpp"

namespace saltus {

class MotionRate {
 public:
  explicit MotionRate(int n);

  /// About the state of a linearisation; the last evaluation of `dynamics` is close to it.
  double estimate(ClosedDynamics& dynamics, const ClosedDynamics::Linearisation& at,
                  const ErrorScales& scales);

  /// What it keeps from call to call.
  template <class M>
  void memory(M& m) {
    const auto n = q_.size();
    m(q_, u_), m.require(q_.size() == n && u_.size() == n);
  }

 private:
  double size(const ErrorScales& scales) const;
  Vec q_, u_, force_;
};

}  // namespace saltus
