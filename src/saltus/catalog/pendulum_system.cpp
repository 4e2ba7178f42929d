#include "saltus/catalog/pendulum_system.hpp"

#include <cmath>

namespace saltus {

PendulumSystem::PendulumSystem(const PendulumData& data, bool with_stop) : p_(data), with_stop_(with_stop) {
  laws_.emplace_back(Equality{2});
  if (with_stop) laws_.emplace_back(Unilateral{p_.e});
  for (std::size_t i = 0; i < laws_.size(); ++i) check_law(laws_[i], contact_name(i));
}

Shape PendulumSystem::shape() const {
  Shape s;
  s.nq = s.nu = 3;
  s.mass.kind = s.jacobian.kind = Pattern::diagonal;
  s.constant_mass = s.linear_force = s.flat = true;
  return s;
}

void PendulumSystem::mass(double, In, Matrix& M, Workspace&) const {
  M.set(0, 0, p_.m), M.set(1, 1, p_.m), M.set(2, 2, p_.J);
}

void PendulumSystem::force(double, In, In, Out h, Workspace&) const {
  h[0] = 0, h[1] = -p_.m * p_.g, h[2] = 0;
}

void PendulumSystem::force_jacobians(double, In, In, Matrix& dq, Matrix& du, Workspace&) const {
  dq.set_zero(), du.set_zero();
}

void PendulumSystem::gaps(double, In q, ContactSet& out, Workspace&) const {
  const double x = q[0], y = q[1], theta = q[2];
  out.gap[0] = x - p_.L * std::cos(theta);
  out.gap[1] = y - p_.L * std::sin(theta);
  if (with_stop_) out.gap[2] = x - p_.x_min;
}

// The pattern once, later the values in place.
void PendulumSystem::directions(double, In q, ContactSet& out, Workspace&) const {
  if (out.Wt.rows() != rows()) {
    out.drift.assign(rows(), 0.0);
    out.Wt.clear();
    out.Wt.add(0, 1), out.Wt.add(2, 0), out.Wt.end_row();
    out.Wt.add(1, 1), out.Wt.add(2, 0), out.Wt.end_row();
    if (with_stop_) out.Wt.add(0, 1), out.Wt.end_row();
  }
  const double theta = q[2];
  out.Wt.row(0)[1].value = p_.L * std::sin(theta);
  out.Wt.row(1)[1].value = -p_.L * std::cos(theta);
}

void PendulumSystem::bias(double, In q, In u, ContactSet& out, Workspace&) const {
  const double x = p_.L * std::cos(q[2]), y = p_.L * std::sin(q[2]), w2 = u[2] * u[2];
  out.bias.resize(rows());
  out.bias[0] = x * w2, out.bias[1] = y * w2;
  if (with_stop_) out.bias[2] = 0;
}

void PendulumSystem::curvature(double, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out,
                               Workspace&) const {
  const double x = p_.L * std::cos(q[2]), y = p_.L * std::sin(q[2]), w = u[2], w2 = w * w;
  K.add(2, 2, -lambda[0] * x - lambda[1] * y);
  if (out.velocity.rows() != rows())
    for (SparseRows* of : {&out.velocity, &out.acceleration}) {
      of->clear();
      for (int r = 0; r < 2; ++r) of->add(2, 0), of->end_row();
      if (with_stop_) of->end_row();
    }
  out.velocity.row(0)[0].value = x * w, out.velocity.row(1)[0].value = y * w;
  out.acceleration.row(0)[0].value = x * a[2] - y * w2, out.acceleration.row(1)[0].value = y * a[2] + x * w2;
}

}  // namespace saltus
