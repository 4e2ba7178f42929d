// How well a curve through two states of ẋ = f(t, x) can solve the equation: the smallest defect among the
// cubic with the rates of both states and what rounds of Picard's iteration on Gauss' points make of it.
// Every one of them is a curve through both states, so its defect is what the rates of the problem would have
// to differ by.
#pragma once
#include <Eigen/Core>
#include <array>
#include <functional>

#include "saltus/core/types.hpp"

namespace saltus {

class CurveDefect {
 public:
  static constexpr int points = 5;
  /// f at a state; false when it has none.
  using Rates = std::function<bool(double t, const Vec& x, Vec& f)>;
  /// Components are compared with `size`.
  CurveDefect(Rates rates, Vec size);

  /// From (t, x0) to (t + h, x1), h > 0; false when a rate has no finite value.
  bool measure(double t, double h, const Vec& x0, const Vec& x1);
  double part() const { return part_; }    ///< of the sizes: what the defect makes of x in the step
  double value() const { return value_; }  ///< the largest rate that is missing
  /// The states of that curve at Gauss' points, and the time and weight of each.
  const Vec& state(int i) const { return best_[i]; }
  static double node(int i);
  static double weight(int i);

 private:
  bool judge(double t, double h, bool& better);

  Rates rates_;
  Vec size_, f0_, f1_, now_;
  Eigen::Matrix<double, points, points>
      integral_;  // of the polynomials that are one at a point, up to each point
  std::array<Vec, points> x_, slope_, next_, best_;
  double part_ = 0, value_ = 0;
};

}  // namespace saltus
