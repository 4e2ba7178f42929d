// The rigid pendulum of `pendulum` and `bouncing-pendulum`: x, y, θ with x = L cos θ, y = L sin θ as joints,
// and, with a stop, x ≥ x_min. Gravity along −y.
#pragma once
#include "saltus/catalog/problems.hpp"
#include "saltus/system/model.hpp"

namespace saltus {

template <bool with_stop>
struct PendulumModel {
  static constexpr int dof = 3;
  static constexpr bool constant_mass = true, linear_force = true;
  static constexpr int rows = with_stop ? 3 : 2;
  double L = 1, m = 1, J = 0.1, g = 10, x_min = 0, e = 0;
  template <class S>
  using V = Eigen::Matrix<S, 3, 1>;

  template <class S>
  Eigen::Matrix<S, 3, 3> mass(const S&, const V<S>&) const {
    Eigen::Matrix<S, 3, 3> M = Eigen::Matrix<S, 3, 3>::Zero();
    M(0, 0) = M(1, 1) = m;
    M(2, 2) = J;
    return M;
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return V<S>(S(0), S(-m * g), S(0));
  }
  template <class S>
  Eigen::Matrix<S, rows, 1> gaps(const S&, const V<S>& q) const {
    using std::cos, std::sin;
    Eigen::Matrix<S, rows, 1> out;
    out[0] = q[0] - L * cos(q[2]);
    out[1] = q[1] - L * sin(q[2]);
    if constexpr (with_stop) out[2] = q[0] - x_min;
    return out;
  }
  std::vector<Law> laws() const {
    if constexpr (with_stop) return {Equality{2}, Unilateral{e}};
    return {Equality{2}};
  }
  std::vector<std::string> contact_names() const {
    if constexpr (with_stop) return {"pivot", "pendulum/stop"};
    return {"pivot"};
  }
  template <class S>
  S potential(const S&, const V<S>& q) const {
    return m * g * q[1];
  }
};

/// Taylor series of degree 25 of x, y, θ (columns) from (m L² + J) θ̈ = −m g L cos θ.
Eigen::MatrixXd pendulum_series(const PendulumModel<true>& p, double theta, double omega);
/// A step in which those series are good to rounding.
double pendulum_series_step(const PendulumModel<true>& p, double omega);

}  // namespace saltus
