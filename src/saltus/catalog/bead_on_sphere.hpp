// A bead on a frictionless sphere: one contact whose direction turns. It slides from the top and leaves the
// sphere at cos φ = 2/3 + v0²/(3 g R). Exact up to rounding: φ̈ = (g/R) sin φ on the sphere, a parabola after
// it.
#pragma once
#include <vector>

#include "saltus/run/run.hpp"

namespace saltus {

struct BeadOnSphere {
  double g = 9.81, R = 1, v0 = 0.5;

  static constexpr int dof = 2;
  static constexpr bool constant_mass = true, linear_force = true;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S&, const V<S>&) const {
    return Eigen::Matrix<S, 2, 2>::Identity();
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return {S(0), S(-g)};
  }
  template <class S>
  Eigen::Matrix<S, 1, 1> gaps(const S&, const V<S>& q) const {
    return Eigen::Matrix<S, 1, 1>((q[0] * q[0] + q[1] * q[1] - R * R) / (2 * R));
  }
  std::vector<Law> laws() const { return {Unilateral{0}}; }

  Problem problem(double t_end) const;
  /// (x, y, ẋ, ẏ) while it slides, and at any t after it left.
  Vec sliding(double t) const;
  Vec flight(double t) const;
  double release_time() const;
};

}  // namespace saltus
