// The reference of a system for which no solution is known: the system itself, solved far below the errors
// that are measured. Mechanical systems by tolerance, with dense output; systems of first order and ODAEs by
// extrapolation to rounding.
#pragma once
#include <string>

#include "saltus/reference/reference.hpp"

namespace saltus {

/// A run that was kept: between its samples its dense output, at events both limits.
class TrajectoryReference final : public Reference {
 public:
  /// `breakpoints`: where loads jump.
  TrajectoryReference(Trajectory trajectory, std::vector<double> breakpoints, bool jumps);

  void state(double t, Side side, Vec& q, Vec& u) const override;
  std::vector<double> breaks(double t0, double t1) const override;
  bool jumps() const override { return jumps_; }
  double valid_until() const override { return trajectory_.t(trajectory_.size() - 1); }

 private:
  Trajectory trajectory_;
  std::vector<double> breaks_;
  bool jumps_;
};

struct OwnReference {
  std::shared_ptr<const Reference> reference;
  std::string kind;  ///< "run by tolerance 1e-12"
  double error = 0;  ///< an estimate of its own error in q, in the sup norm; 0: rounding
};

/// Computed now. Throws Error where the run does not reach the end of the problem.
OwnReference own_reference(const Problem& problem, const RunControl& control = {});

}  // namespace saltus
