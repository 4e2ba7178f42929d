// How well a curve through two states of ẋ = f(t, x) can solve the equation: the smallest defect among the
// cubic with the rates of both states and what rounds of Picard's iteration on Gauss' points make of it.
// Every one of them is a curve through both states, so its defect is what the rates of the problem would have
// to differ by.
//
// Where the equation is stiff, rates at states that are right to their last digits are not, and no such curve
// is good. Gauss' collocation from x0 then ends at some x1', by Newton's method, and what counts is how far
// that is from x1: rates that differ by (I/h − J)(x1 − x1') lead there.
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

  /// From (t, x0) to (t + h, x1), h > 0; false when a rate has no finite value. Beyond `enough` of a part it
  /// is tried whether the equation is stiff.
  bool measure(double t, double h, const Vec& x0, const Vec& x1, double enough);
  double part() const { return part_; }    ///< of the sizes: what the defect makes of x in the step
  double value() const { return value_; }  ///< the largest rate that is missing
  /// The states of that curve at Gauss' points, and the time and weight of each.
  const Vec& state(int i) const { return best_[i]; }
  static double node(int i);
  static double weight(int i);

 private:
  bool judge(double t, double h, bool& better);
  bool jacobian(double t, const Vec& x);
  void try_stiff(double t, double h, const Vec& x0, const Vec& x1);

  Rates rates_;
  Vec size_, f0_, f1_, now_;
  Eigen::Matrix<double, points, points>
      integral_;  // of the polynomials that are one at a point, up to each point
  std::array<Vec, points> x_, slope_, next_, best_;
  Eigen::MatrixXd jacobian_;
  double part_ = 0, value_ = 0;
};

}  // namespace saltus
