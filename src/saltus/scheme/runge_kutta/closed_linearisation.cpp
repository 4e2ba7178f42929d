// Smooth motion with a frozen contact set: its derivatives, for Newton's iterations and for how fast it is.
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
      if (!(a * s[0] + b * s[1] > 0)) continue;
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

void ClosedDynamics::respond(Vec& f) {
  if (rows_.empty()) return factor_.solve(f);
  x_.assign(f.data(), f.data() + f.size());
  x_.resize(f.size() + rows_.size(), 0.0);
  saddle_.solve(x_.data());
  std::copy_n(x_.data(), f.size(), f.data());
}

}  // namespace saltus
