#include "saltus/scheme/generalized_alpha/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::generalized_alpha {
namespace {

double largest_entry(const Matrix& A) {
  double most = 0;
  A.for_each([&](int, int, double x) { most = std::max(most, std::abs(x)); });
  return most;
}

}  // namespace

Evaluator::Evaluator(const System& system, Faults& faults)
    : system_(system, faults),
      curved_(system.curved() != nullptr),
      shape_(system.shape()),
      Fq_(shape_.nu, shape_.jacobian) {
  if (shape_.constant_mass && shape_.constant_directions) curved_ = false;
  at_.curved = curved_;
  at_.linear = shape_.constant_mass && shape_.linear_force && shape_.constant_directions && shape_.flat;
  at_.M = Matrix(shape_.nu, shape_.mass);
  at_.K = at_.Fv = Fq_;
  for (Vec* x : {&at_.inverse_mass, &at_.unit, &at_.force}) x->setZero(shape_.nu);
}

void Evaluator::evaluate_mass(double t, In q) {
  system_.mass(t, q, at_.M);
  for (int i = 0; i < shape_.nu; ++i) {
    at_.inverse_mass[i] = 1 / at_.M(i, i);
    at_.unit[i] = std::sqrt(std::abs(at_.inverse_mass[i]));
  }
  mass_known_ = shape_.constant_mass;
  mass_factored_ = false;
}

bool Evaluator::factor_mass() {
  if (!mass_factored_) mass_factored_ = at_.mass_factor.factorize(at_.M);
  return mass_factored_;
}

void Evaluator::list(double t, In q, double look_ahead) {
  at_.set.look_ahead = look_ahead;
  system_.list(t, q, at_.set);
}

void Evaluator::rows(double t, In q, In v, const Vec& vdot, bool accelerations) {
  ContactSet& set = at_.set;
  if (shape_.changing_contacts)
    system_.gaps(t, q, set);
  else
    system_.list(t, q, set);
  const bool fresh = !directions_known_;
  if (fresh) {
    system_.directions(t, q, set);
    directions_known_ = shape_.constant_directions;
  }
  const int m = set.rows();
  if (at_.gamma.size() != m)
    for (Vec* x : {&at_.gamma, &at_.acceleration, &at_.row_mass, &at_.row_unit}) x->setZero(m);
  if (m == 0) return;
  if (accelerations) system_.bias(t, q, v, set);
  const bool masses = fresh || !shape_.constant_mass;
  const double *pv = v.data(), *pa = vdot.data(), *inverse_mass = at_.inverse_mass.data();
  for (int r = 0; r < m; ++r) {
    double velocity = 0, acceleration = 0, inverse = 0;
    for (const auto& [column, w] : std::as_const(set.Wt).row(r)) {
      velocity += w * pv[column], acceleration += w * pa[column];
      inverse += w * w * inverse_mass[column];
    }
    at_.gamma[r] = velocity + set.drift[r];
    if (accelerations) at_.acceleration[r] = acceleration + set.bias[r];
    if (masses) at_.row_mass[r] = inverse > 0 ? 1 / inverse : 1, at_.row_unit[r] = std::sqrt(at_.row_mass[r]);
  }
}

void Evaluator::row_accelerations(double t, In q, In v, const Vec& vdot) {
  ContactSet& set = at_.set;
  if (set.rows() == 0) return;
  system_.bias(t, q, v, set);
  for (int r = 0; r < set.rows(); ++r) at_.acceleration[r] = set.Wt.dot(r, vdot.data()) + set.bias[r];
}

void Evaluator::keep_directions(double t, In q) {
  directions_known_ = false;
  system_.list(t, q, at_.set);
  system_.directions(t, q, at_.set);
  at_.W0 = at_.set.Wt;
}

void Evaluator::derivatives(double t, In q, In v, In vdot, const Vec& lambda) {
  if (!jacobians_known_) {
    system_.force_jacobians(t, q, v, Fq_, at_.Fv);
    jacobians_known_ = shape_.linear_force;
    springs_ = largest_entry(Fq_) > 0, at_.damped = largest_entry(at_.Fv) > 0;
  }
  at_.K.set_zero();
  if (springs_) at_.K.add_scaled(-1, Fq_);
  if (curved_) system_.curvature(t, q, v, vdot, lambda.data(), at_.K, at_.curvature);
  at_.stiff = largest_entry(at_.K) > 0;
}

}  // namespace saltus::generalized_alpha
