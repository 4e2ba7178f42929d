#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {

ClosedDynamics::ClosedDynamics(const System& system, Faults& faults)
    : system_(system, faults),
      shape_(system.shape()),
      M_(shape_.nu, shape_.mass),
      dq_(shape_.nu, shape_.jacobian),
      du_(shape_.nu, shape_.jacobian) {
  force_.setZero(shape_.nu);
}

void ClosedDynamics::freeze(std::span<const FrozenContact> closed) {
  frozen_.assign(closed.begin(), closed.end());
}

// Which rows are constraints now: joints always, closed contacts by their frozen mode, laws without a gap
// that hold.
void ClosedDynamics::select_rows(const Vec&) {
  rows_.clear();
  const auto laws = system_.laws();
  std::size_t k = 0;
  for (std::size_t i = 0; i < set_.contacts.size(); ++i) {
    const Contact& c = set_.contacts[i];
    const Law& law = laws[c.law];
    const int index = static_cast<int>(i);
    if (const auto* joint = std::get_if<Equality>(&law)) {
      for (int r = 0; r < joint->size; ++r) rows_.push_back({c.row + r, index, false, -1});
      continue;
    }
    while (k < frozen_.size() && frozen_[k].id < c.id) ++k;
    if (k == frozen_.size() || frozen_[k].id != c.id) continue;
    const int at = static_cast<int>(k);
    const Mode mode = frozen_[k].mode;
    if (needs_closed_gap(law))
      rows_.push_back({c.row, index, mode == Mode::slip || mode == Mode::slip_back, at});
    if (mode == Mode::stick)
      for (int r = needs_closed_gap(law) ? 1 : 0; r < rows(law); ++r)
        rows_.push_back({c.row + r, index, false, at});
  }
}

void ClosedDynamics::friction(const Row& row, const Vec& u, double* s, int& tangents, double& mu) const {
  const auto& law = std::get<Coulomb>(system_.laws()[set_.contacts[row.contact].law]);
  tangents = law.tangents;
  mu = law.mu;
  double slip[2] = {gamma(row.row + 1, u), tangents == 2 ? gamma(row.row + 2, u) : 0};
  slip_direction(frozen_[row.frozen], slip, tangents, s);
}

// Laws without a gap that yield push with the edge of their set.
void ClosedDynamics::add_resistances(const Vec& u) {
  const auto laws = system_.laws();
  auto c = set_.contacts.begin();
  for (const FrozenContact& f : frozen_) {
    while (c != set_.contacts.end() && c->id < f.id) ++c;
    if (c == set_.contacts.end()) return;
    const Law& law = laws[c->law];
    if (c->id != f.id || needs_closed_gap(law) || is_constraint(f.mode)) continue;
    double slip[max_block_rows], s[max_block_rows];
    const int n = rows(law);
    for (int r = 0; r < n; ++r) slip[r] = gamma(c->row + r, u);
    slip_direction(f, slip, n, s);
    resistance(law, s, lambda_.data() + c->row);
    for (int r = 0; r < n; ++r) set_.Wt.add_to(c->row + r, lambda_[c->row + r], force_.data());
  }
}

// The column of D that belongs to a constraint row, added to d.
void ClosedDynamics::add_column(const Row& row, const Vec& u, double* d) const {
  set_.Wt.add_to(row.row, 1, d);
  if (!row.slipping) return;
  double s[2], mu = 0;
  int tangents = 0;
  friction(row, u, s, tangents, mu);
  for (int k = 0; k < tangents; ++k) set_.Wt.add_to(row.row + 1 + k, -mu * s[k], d);
}

bool ClosedDynamics::factor_constraints() {
  const int m = static_cast<int>(rows_.size()), n = shape_.nu;
  S_.resize(static_cast<std::size_t>(m) * m);
  for (int k = 0; k < m; ++k)
    for (int j = 0; j < m; ++j) S_[k * m + j] = set_.Wt.dot(rows_[j].row, Z_.data() + k * n);
  least_.setThreshold(1e-11);
  least_.compute(Eigen::Map<const Eigen::MatrixXd>(S_.data(), m, m));
  redundant_ = least_.rank() < m;
  return true;
}

void ClosedDynamics::solve_constraints() {
  Eigen::Map<Vec> x(rhs_.data(), static_cast<Eigen::Index>(rhs_.size()));
  x = least_.solve(Vec(x));
}

ClosedDynamics::Status ClosedDynamics::acceleration(double t, const Vec& q, const Vec& u, Vec& a) {
  ++evaluations_;
  system_.list(t, q, set_);
  if (!directions_known_) {
    system_.directions(t, q, set_);
    directions_known_ = shape_.constant_directions;
  }
  if (!mass_known_) {
    system_.mass(t, q, M_);
    if (!factor_.factorize(M_)) return Status::singular_mass;
    mass_known_ = shape_.constant_mass;
  }
  system_.force(t, q, u, force_);
  lambda_.assign(set_.rows(), 0.0);
  add_resistances(u);
  assign(force_, a);
  factor_.solve(a.data());
  select_rows(u);
  redundant_ = false;
  const int m = static_cast<int>(rows_.size()), n = shape_.nu;
  if (m > 0) {
    system_.bias(t, q, u, set_);
    Z_.assign(static_cast<std::size_t>(m) * n, 0.0);
    rhs_.resize(m);
    for (int k = 0; k < m; ++k) {
      add_column(rows_[k], u, Z_.data() + k * n);
      factor_.solve(Z_.data() + k * n);
      rhs_[k] = -(set_.Wt.dot(rows_[k].row, a.data()) + set_.bias[rows_[k].row]);
    }
    if (!factor_constraints()) return Status::rank_deficient;
    solve_constraints();
    for (int k = 0; k < m; ++k) {
      lambda_[rows_[k].row] += rhs_[k];
      for (int i = 0; i < n; ++i) a[i] += Z_[k * n + i] * rhs_[k];
      if (rows_[k].slipping) {
        double s[2], mu = 0;
        int tangents = 0;
        friction(rows_[k], u, s, tangents, mu);
        for (int j = 0; j < tangents; ++j) lambda_[rows_[k].row + 1 + j] = -mu * s[j] * rhs_[k];
      }
    }
  }
  return finite(a) ? Status::ok : Status::not_finite;
}

void ClosedDynamics::jacobians(double t, const Vec& q, const Vec& u, Eigen::MatrixXd& by_q,
                               Eigen::MatrixXd& by_u) {
  const int n = shape_.nu, m = static_cast<int>(rows_.size());
  system_.force_jacobians(t, q, u, dq_, du_);
  by_q.resize(n, n);
  by_u.resize(n, n);
  for (auto* pair : {&by_q, &by_u}) {
    const Matrix& J = pair == &by_q ? dq_ : du_;
    for (int j = 0; j < n; ++j) {
      double* column = pair->data() + j * n;
      for (int i = 0; i < n; ++i) column[i] = J(i, j);
      factor_.solve(column);
      if (m == 0) continue;
      for (int k = 0; k < m; ++k) rhs_[k] = -set_.Wt.dot(rows_[k].row, column);
      solve_constraints();
      for (int k = 0; k < m; ++k)
        for (int i = 0; i < n; ++i) column[i] += Z_[k * n + i] * rhs_[k];
    }
  }
}

ClosedDynamics::ForceJacobians ClosedDynamics::force_jacobians(double t, const Vec& q, const Vec& u) {
  system_.force_jacobians(t, q, u, dq_, du_);
  return {dq_, du_, M_};
}

void ClosedDynamics::project_velocity(Vec& u) {
  const int n = shape_.nu, m = static_cast<int>(rows_.size());
  if (m == 0) return;
  for (int k = 0; k < m; ++k) rhs_[k] = -gamma(rows_[k].row, u);
  solve_constraints();
  for (int k = 0; k < m; ++k)
    for (int i = 0; i < n; ++i) u[i] += Z_[k * n + i] * rhs_[k];
}

}  // namespace saltus
