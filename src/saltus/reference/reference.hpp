// A reference solution, exact or of high precision, and the distance of a trajectory from it in the norms
// that make sense for functions of bounded variation.
#pragma once
#include <memory>
#include <vector>

#include "saltus/run/trajectory.hpp"

namespace saltus {

class Reference {
 public:
  virtual ~Reference() = default;
  /// q(t) and the velocity's limit from that side. Right-continuous values are the ones compared on a grid.
  virtual void state(double t, Side side, Vec& q, Vec& u) const = 0;
  /// The times in ]t0, t1[ at which the velocity jumps or its derivative does, increasing.
  virtual std::vector<double> breaks(double t0, double t1) const = 0;
  /// Whether velocities may jump; if not, the distance of their graphs says no more than the other norms and
  /// is left out.
  virtual bool jumps() const { return true; }
  /// The reference is good up to here.
  virtual double valid_until() const { return infinity; }
};

/// Norms (21) on the trajectory's own grid (along its dense output, where it has one), the errors at its end,
/// and the Hausdorff distance of the filled-in graphs (20) of the velocities; maxima over the components.
/// Between samples without an event the error is joined linearly, so that the graphs are no farther apart
/// there than the samples are.
struct TrajectoryError {
  double q_sup = 0, q_l1 = 0, q_l2 = 0, q_final = 0;
  double u_sup = 0, u_l1 = 0, u_l2 = 0, u_hausdorff = 0;
};
struct CompareOptions {
  bool hausdorff = true;
  double arc_tolerance = 1e-9;  ///< chord error of the reference's graph, relative to its size
  bool chords = false;          ///< graphs: samples joined linearly, as published values of (20) have it
};
TrajectoryError compare(const Trajectory& trajectory, const Reference& reference,
                        const CompareOptions& options = {});

}  // namespace saltus
