// Gragg–Bulirsch–Stoer: the explicit midpoint rule with n = 2, 4, …, 2k substeps, extrapolated in h² (Hairer,
// Nørsett, Wanner I, II.9); order 2k, here 14. For references, not for speed: steps shrink by themselves
// where the right-hand side is not smooth, so that tolerances near rounding are met through opening contacts.
#pragma once
#include <functional>
#include <vector>

#include "saltus/core/types.hpp"

namespace saltus {

class Gbs {
 public:
  using Rhs = std::function<void(double t, const Vec& y, Vec& f)>;
  static constexpr int columns = 7;

  explicit Gbs(int n);

  /// One step; returns the largest difference to the result with one row less, |T_kk − T_{k−1,k−1}|: far too
  /// careful where f is smooth, about right where it has a kink.
  double step(const Rhs& f, double t, const Vec& y, double h, Vec& y1);

  /// A step of length h or less whose estimate is below tolerance · max|y| (1e-15 at least); returns its
  /// length and makes h the next one to try. 0 when not even the smallest step is finite.
  double adaptive_step(const Rhs& f, double t, const Vec& y, double& h, double tolerance, Vec& y1);
  std::int64_t evaluations() const { return evaluations_; }

 private:
  void midpoint(const Rhs& f, double t, const Vec& y, double h, int n, Vec& out);

  Vec f0_, f_, a_, b_, y1_, at_;
  std::vector<Vec> row_;
  std::int64_t evaluations_ = 0;
};

}  // namespace saltus
