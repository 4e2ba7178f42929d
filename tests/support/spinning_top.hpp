// A rigid body that turns about a fixed point: unit quaternion (w, x, y, z), angular velocity in the body
// frame. Four coordinates, three velocities: the smallest system whose configurations are no vectors.
#pragma once
#include <Eigen/Geometry>
#include <cmath>

#include "saltus/system/system.hpp"

namespace saltus::testing {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

inline Mat3 cross_matrix(const Vec3& a) {
  return (Mat3() << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0).finished();
}

/// T(φ): ω = T(φ) φ̇ where R = R₀ exp[φ].
inline Mat3 tangent(const Vec3& phi) {
  const double x = phi.norm();
  const double a = x < 1e-4 ? 0.5 - x * x / 24 : 2 * std::pow(std::sin(x / 2) / x, 2);
  const double b = x < 1e-2 ? 1.0 / 6 - x * x / 120 + x * x * x * x / 5040 : (x - std::sin(x)) / (x * x * x);
  const Mat3 S = cross_matrix(phi);
  return Mat3::Identity() - a * S + b * S * S;
}

class SpinningTop final : public System {
 public:
  /// The point `tip` of the body stays above the height −depth.
  SpinningTop(Vec3 inertia, Vec3 weight, Vec3 tip, double depth, double e)
      : J_(std::move(inertia)), weight_(std::move(weight)), tip_(std::move(tip)), depth_(depth) {
    laws_.emplace_back(Unilateral{e});
  }
  static Eigen::Quaterniond turn(In q) { return {q[0], q[1], q[2], q[3]}; }

  Shape shape() const override {
    Shape s;
    s.nq = 4, s.nu = 3;
    s.mass.kind = Pattern::diagonal;
    s.jacobian.kind = Pattern::dense;
    s.constant_mass = true;
    return s;
  }
  std::span<const Law> laws() const override { return laws_; }
  std::span<const Contact> contacts() const override { return {&contact_, 1}; }
  void mass(double, In, Matrix& M, Workspace&) const override {
    for (int i = 0; i < 3; ++i) M.set(i, i, J_[i]);
  }
  void force(double, In q, In u, Out h, Workspace&) const override {
    const Vec3 w = u;
    h = J_.cwiseProduct(w).cross(w) - weight_.cross(up(q));
  }
  void force_jacobians(double, In q, In u, Matrix& dq, Matrix& du, Workspace&) const override {
    const Vec3 w = u;
    const Mat3 by_q = -cross_matrix(weight_) * cross_matrix(up(q));
    const Mat3 by_u = cross_matrix(J_.cwiseProduct(w)) - cross_matrix(w) * J_.asDiagonal();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) dq.set(i, j, by_q(i, j)), du.set(i, j, by_u(i, j));
  }
  void gaps(double, In q, ContactSet& out, Workspace&) const override {
    out.gap[0] = up(q).dot(tip_) + depth_;
  }
  void directions(double, In q, ContactSet& out, Workspace&) const override {
    const Vec3 w = tip_.cross(up(q));
    out.drift.assign(1, 0.0);
    out.Wt.clear();
    for (int i = 0; i < 3; ++i) out.Wt.add(i, w[i]);
    out.Wt.end_row();
  }
  void bias(double, In q, In u, ContactSet& out, Workspace&) const override {
    const Vec3 w = u;
    out.bias.assign(1, up(q).dot(w.cross(w.cross(tip_))));
  }
  double potential(double, In q, Workspace&) const override { return up(q).dot(weight_); }

  void retract(In q, In v, Out out) const override {
    const Vec3 phi = v;
    const double x = phi.norm(), s = x < 1e-8 ? 0.5 : std::sin(x / 2) / x;
    const Eigen::Quaterniond p =
        (turn(q) * Eigen::Quaterniond(std::cos(x / 2), s * phi[0], s * phi[1], s * phi[2]));
    const double length = p.norm();
    out << p.w() / length, p.x() / length, p.y() / length, p.z() / length;
  }
  void difference(In q, In p, Out v) const override {
    Eigen::Quaterniond d = turn(q).conjugate() * turn(p);
    if (d.w() < 0) d.coeffs() *= -1;
    const double s = d.vec().norm();
    v = s > 0 ? Vec3(2 * std::atan2(s, d.w()) / s * d.vec()) : Vec3::Zero();
  }
  void lift(In v, In u, Out out) const override { out = Vec3(tangent(v).inverse() * Vec3(u)); }
  void push(In v, In x, Out out) const override { out = Vec3(tangent(v) * Vec3(x)); }

 private:
  static Vec3 up(In q) { return turn(q).conjugate() * Vec3(0, 0, 1); }

  Vec3 J_, weight_, tip_;
  double depth_;
  std::vector<Law> laws_;
  Contact contact_{0, 0, 0};
};

}  // namespace saltus::testing
