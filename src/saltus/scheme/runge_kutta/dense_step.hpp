// One step on smooth motion with a frozen contact set, with an estimate of its local error and dense output:
// after attempt(), every state within the step is there without integrating again.
#pragma once
#include <algorithm>
#include <cmath>

#include "saltus/scheme/runge_kutta/flow.hpp"

namespace saltus {

/// Errors of size one, of each coordinate and each velocity, and the period of the motion as it is seen.
struct ErrorScales {
  Vec q, u;
  double period = 0;
};

class DenseStep {
 public:
  explicit DenseStep(ClosedDynamics& dynamics) : dynamics_(dynamics) {}
  virtual ~DenseStep() = default;

  /// A step of length h from (t, q, u); nothing is known of its error yet.
  virtual StepStatus attempt(double t, const Vec& q, const Vec& u, double h, const ErrorScales& scales) = 0;
  /// The estimated error of the last attempt, root mean square over all coordinates and velocities.
  virtual double error(const ErrorScales& scales) = 0;
  /// What the step may be multiplied by after such an error.
  virtual double growth(double error) const = 0;
  /// The state s after the start of the last attempt.
  virtual StepStatus inside(double s, Vec& q, Vec& u) = 0;
  /// The whole of it as polynomials; false: a value that this needs is not finite.
  virtual bool dense(DensePiece& out) = 0;
  /// Loads may jump at that time: steps that end there count with their values before.
  void stay_before(double t) { last_ = std::nextafter(t, -infinity); }

 protected:
  double time(double t) const { return std::min(t, last_); }
  /// a(t, q, u), multipliers aside
  StepStatus evaluate(double t, const Vec& q, const Vec& u, Vec& a) {
    return step_status(dynamics_.stage_acceleration(t, q, u, a));
  }
  /// The same at a stage that nobody else asks for.
  StepStatus evaluate_inner(double t, const Vec& q, const Vec& u, Vec& a) {
    return step_status(dynamics_.inner_acceleration(t, q, u, a));
  }
  ClosedDynamics& dynamics_;

 private:
  double last_ = infinity;
};

}  // namespace saltus
