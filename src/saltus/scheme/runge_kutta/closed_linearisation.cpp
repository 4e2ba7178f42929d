// Smooth motion with a frozen contact set, for Newton's iterations: its derivatives, and accelerations of
// stages.
#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"

namespace saltus {

// ∂(Dλ)/∂u = −μ λ_N W_T (1 − s sᵀ)/|γ| W_Tᵀ: friction turns with the velocity, the faster the slower it is.
bool ClosedDynamics::turn_friction(const Vec& u) {
  bool any = false;
  for (const Row& row : rows_) {
    if (!row.slipping || hold_slip_) continue;
    int index = -1;
    for (const FrictionDisc& d : discs_of(law_of(row))) {
      ++index;
      if (d.rows == 1 || !slides_on(frozen_[row.frozen], law_of(row), d)) continue;
      double s[2];
      direction(row, d, index, u, s);
      if (!any && friction_.size() == 0) friction_ = Matrix(shape_.nu, {Pattern::sparse, 0, nullptr});
      if (!any) friction_.set_zero();
      any = true;
      const int first = row.row + d.at;
      const double a = gamma(first, u), b = gamma(first + 1, u);
      if (!(a * s[0] + b * s[1] > 0 || std::hypot(a, b) <= no_slip_)) continue;
      const double f =
          -d.bound * lambda_[row.row] / std::max(std::hypot(a, b), slip_speed_[row.frozen][index]);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          for (const auto& v : std::as_const(set_.Wt).row(first + i))
            for (const auto& w : std::as_const(set_.Wt).row(first + j))
              friction_.add(v.column, w.column, f * ((i == j ? 1 : 0) - s[i] * s[j]) * v.value * w.value);
    }
  }
  return any;
}

void ClosedDynamics::jacobians(double t, const Vec& q, const Vec& u, Eigen::MatrixXd& by_q,
                               Eigen::MatrixXd& by_u) {
  const int n = shape_.nu, m = static_cast<int>(rows_.size());
  system_.force_jacobians(t, q, u, dq_, du_);
  by_q.resize(n, n);
  by_u.resize(n, n);
  column_.resize(n + m);
  for (auto* pair : {&by_q, &by_u}) {
    const Matrix& J = pair == &by_q ? dq_ : du_;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) column_[i] = J(i, j);
      std::fill_n(column_.data() + n, m, 0.0);
      if (m == 0)
        factor_.solve(column_.data());
      else
        saddle_.solve(column_.data());
      std::copy_n(column_.data(), n, pair->data() + j * n);
    }
  }
}

const ClosedDynamics::Linearisation& ClosedDynamics::linearise(double t, const Vec& q, const Vec& u,
                                                               const Vec& a) {
  const int m = static_cast<int>(rows_.size());
  if (mass_elsewhere_) {
    evaluate_mass(t, q);
    factor_.factorize(M_);
    mass_factored_ = true, mass_elsewhere_ = false;
  }
  system_.force_jacobians(t, q, u, dq_, du_);
  const bool second = curved_ && (m > 0 || !shape_.constant_mass);
  if (second) {
    K_.set_zero();
    system_.curvature(t, q, u, a, lambda_.data(), K_, curvature_);
    dq_.add_scaled(-1, K_);
  }
  kept_W_.clear(), kept_D_.clear(), rate_rows_.clear(), acceleration_rows_.clear();
  for (int k = 0; k < m; ++k) {
    if (saddle_.dropped(k)) continue;
    kept_W_.append_row(std::as_const(Wt_).row(k));
    if (slipping_) kept_D_.append_row(std::as_const(Dt_).row(k));
    if (!second) continue;
    rate_rows_.append_row(std::as_const(curvature_.velocity).row(rows_[k].row));
    acceleration_rows_.append_row(std::as_const(curvature_.acceleration).row(rows_[k].row));
  }
  linearisation_ = {&M_,
                    &dq_,
                    &du_,
                    &kept_W_,
                    slipping_ ? &kept_D_ : &kept_W_,
                    second ? &rate_rows_ : nullptr,
                    second ? &acceleration_rows_ : nullptr,
                    slipping_ && m > 0 && turn_friction(u) ? &friction_ : nullptr};
  return linearisation_;
}

// M ȧ − W λ̇ = ∂(F + Wλ − M a)/∂q u + ∂F/∂u a,  Wᵀȧ = −∂γ̇/∂q u − ∂γ̇/∂u a
bool ClosedDynamics::acceleration_rate(const Vec& u, const Vec& a, Vec& out) {
  const Linearisation& at = linearisation_;
  if (!is_plain() || !at.rate) return false;
  const int n = shape_.nu, m = static_cast<int>(rows_.size());
  x_.assign(n + m, 0.0);
  at.by_q->multiply_add(1, u.data(), x_.data());
  at.by_u->multiply_add(1, a.data(), x_.data());
  for (int k = 0; k < m; ++k) x_[n + k] = -at.acceleration->dot(k, u.data()) - 2 * at.rate->dot(k, a.data());
  saddle_.solve(x_.data());
  std::copy_n(x_.data(), n, out.data());
  return finite(out);
}

ClosedDynamics::Status ClosedDynamics::stage_acceleration(double t, const Vec& q, const Vec& u, Vec& a,
                                                          Stage& stage) {
  if (constraints_known_ || !is_plain()) return evaluate(t, q, u, a, false);
  known_ = false;
  ++evaluations_;
  direct(t, q);
  evaluate_mass(t, q);
  system_.force(t, q, u, force_);
  push_resistances(u);
  system_.bias(t, q, u, set_);
  if (stage.begun)
    correct_stage(stage);
  else if (!begin_stage(stage))
    return evaluate(t, q, u, a, false);
  std::copy_n(stage.x.data(), shape_.nu, a.data());
  return finite(a) ? Status::ok : Status::not_finite;
}

// False where rows are redundant, or nearly so, at this state: which ones has been decided elsewhere.
bool ClosedDynamics::begin_stage(Stage& stage) {
  const int n = shape_.nu, m = static_cast<int>(rows_.size());
  Wt_.clear();
  for (const Row& row : rows_) Wt_.append_row(std::as_const(set_.Wt).row(row.row));
  using Saddle = SaddleFactor<double>;
  const Saddle::Block mass{1, &M_};
  const Saddle::Rows rows{1, &Wt_};
  if (!stage.saddle.factorize({{&mass, 1}, {&rows, 1}, &Wt_}) || stage.saddle.perturbed() > 0 ||
      stage.saddle.redundant())
    return false;
  stage.x.resize(n + m);
  std::copy_n(force_.data(), n, stage.x.data());
  for (int k = 0; k < m; ++k) stage.x[n + k] = -set_.bias[rows_[k].row];
  stage.saddle.solve(stage.x.data());
  stage.begun = true;
  return true;
}

// x += (factor of the first time)⁻¹ (F + Wλ − M a, −Wᵀa − bias)
void ClosedDynamics::correct_stage(Stage& stage) {
  const int n = shape_.nu, m = static_cast<int>(rows_.size());
  const double *const a = stage.x.data(), *const lambda = a + n;
  x_.resize(n + m);
  std::copy_n(force_.data(), n, x_.data());
  M_.multiply_add(-1, a, x_.data());
  for (int k = 0; k < m; ++k) {
    double missing = -set_.bias[rows_[k].row];
    for (const auto& e : std::as_const(set_.Wt).row(rows_[k].row)) {
      missing -= e.value * a[e.column];
      x_[e.column] += lambda[k] * e.value;
    }
    x_[n + k] = missing;
  }
  stage.saddle.solve(x_.data());
  for (int k = 0; k < n + m; ++k) stage.x[k] += x_[k];
}

void ClosedDynamics::respond(Vec& f) {
  if (rows_.empty()) return factor_.solve(f);
  x_.assign(f.data(), f.data() + f.size());
  x_.resize(f.size() + rows_.size(), 0.0);
  saddle_.solve(x_.data());
  std::copy_n(x_.data(), f.size(), f.data());
}

}  // namespace saltus
