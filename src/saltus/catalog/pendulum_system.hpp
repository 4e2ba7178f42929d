// The rigid pendulum of `pendulum` and `bouncing-pendulum`: x, y, θ with x = L cos θ, y = L sin θ as joints,
// and, with a stop, x ≥ x_min. Gravity along −y. Written out with its derivatives: everything that is not a
// row is diagonal, and a step costs tenths of what dual numbers would take.
#pragma once
#include "saltus/catalog/problems.hpp"
#include "saltus/system/curvature.hpp"

namespace saltus {

struct PendulumData {
  double L = 1, m = 1, J = 0.1, g = 10, x_min = 0, e = 0;
};

class PendulumSystem final : public System, public CurvedSystem {
 public:
  PendulumSystem(const PendulumData& data, bool with_stop);
  const CurvedSystem* curved() const override { return this; }
  Shape shape() const override;
  std::span<const Law> laws() const override { return laws_; }
  std::span<const Contact> contacts() const override { return {contacts_, laws_.size()}; }
  std::string contact_name(std::uint64_t id) const override { return id == 0 ? "pivot" : "pendulum/stop"; }

  void mass(double t, In q, Matrix& M, Workspace&) const override;
  void force(double t, In q, In u, Out h, Workspace&) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace&) const override;
  void gaps(double t, In q, ContactSet& out, Workspace&) const override;
  void directions(double t, In q, ContactSet& out, Workspace&) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace&) const override;
  void curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out,
                 Workspace&) const override;
  Powers powers() const override { return Powers::none; }
  double potential(double t, In q, Workspace&) const override {
    return static_cast<void>(t), p_.m * p_.g * q[1];
  }

 private:
  int rows() const { return with_stop_ ? 3 : 2; }

  PendulumData p_;
  bool with_stop_;
  std::vector<Law> laws_;
  static constexpr Contact contacts_[2] = {{0, 0, 0}, {1, 1, 2}};  // pivot, stop
};

/// Taylor series of degree 25 of x, y, θ (columns) from (m L² + J) θ̈ = −m g L cos θ.
Eigen::MatrixXd pendulum_series(const PendulumData& p, double theta, double omega);
/// A step in which those series are good to rounding.
double pendulum_series_step(const PendulumData& p, double omega);

}  // namespace saltus
