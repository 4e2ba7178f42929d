// How far apart two functions of bounded variation are: the Hausdorff distance of their filled-in graphs
// (Moreau; Acary 2012, eq. (20)), which forgives a jump that is a little late, and the grid norms (21), which
// do not.
#pragma once
#include <cmath>
#include <span>

namespace saltus {

/// A vertex of a filled-in graph: a polyline in the (t, x) plane, t non-decreasing, vertical where x jumps.
struct GraphPoint {
  double t, x;
};

/// Hausdorff distance of two polylines in the metric max(|t−s|, |x−y|), to absolute accuracy `tolerance` (or
/// 1e-13 of the largest coordinate, if that is more). NaN if a coordinate is not finite;
/// throws Error if a polyline is empty or its t decreases.
double hausdorff_distance(std::span<const GraphPoint> a, std::span<const GraphPoint> b,
                          double tolerance = 1e-10);

/// One-sided: the larger of `at_least` and sup_{p in a} min_{q in b} d(p, q). What stays below `at_least`
/// need not be resolved, so a good guess from below saves time. Same metric, accuracy and errors.
double directed_distance(std::span<const GraphPoint> a, std::span<const GraphPoint> b,
                         double tolerance = 1e-10, double at_least = 0);

/// Norms of an error sampled on a grid: ‖e‖_p = (Σ_i w_i |e_i|^p)^{1/p} and sup_i |e_i|. A NaN stays visible.
class GridNorms {
 public:
  void add(double error, double weight) {
    const double e = std::abs(error);
    if (std::isnan(e) || e > sup_) sup_ = e;  // once NaN, no comparison replaces it
    sum_ += weight * e;
    squares_ += weight * e * e;
  }
  double sup() const { return sup_; }
  double l1() const { return sum_; }
  double l2() const { return std::sqrt(squares_); }

 private:
  double sup_ = 0, sum_ = 0, squares_ = 0;
};

}  // namespace saltus
