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
  decide_ = true, constraints_known_ = false;
}

void ClosedDynamics::list(double t, const Vec& q, double look_ahead) {
  if (!shape_.changing_contacts) return;
  set_.look_ahead = look_ahead;
  system_.list(t, q, set_);
  listed_ = true;
}

// Which rows are constraints now: joints always, closed contacts by their frozen mode, laws without a gap
// that hold.
void ClosedDynamics::select_rows() {
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
    const int at = static_cast<int>(k), first = needs_closed_gap(law) ? 1 : 0;
    const Mode mode = frozen_[k].mode;
    if (first == 1) rows_.push_back({c.row, index, !is_constraint(mode), at});
    if (mode == Mode::stick)
      for (int r = first; r < rows(law); ++r) rows_.push_back({c.row + r, index, false, at});
  }
}

void ClosedDynamics::friction(const Row& row, const Vec& u, double* s, int& tangents, double& mu) const {
  const auto& law = std::get<Coulomb>(system_.laws()[set_.contacts[row.contact].law]);
  tangents = law.tangents;
  mu = law.mu;
  const double slip[2] = {gamma(row.row + 1, u), tangents == 2 ? gamma(row.row + 2, u) : 0};
  slip_direction(frozen_[row.frozen], slip, tangents, s);
}

// The rows of Wᵀ and Dᵀ and the factor; nothing where none of it can have changed.
bool ClosedDynamics::factor_constraints(const Vec& u) {
  Wt_.clear(), Dt_.clear();
  slipping_ = false;
  bool turning = false;  // a direction of slip that depends on u
  for (const Row& row : rows_) {
    Wt_.append_row(std::as_const(set_.Wt).row(row.row));
    slipping_ = slipping_ || row.slipping;
  }
  for (const Row& row : rows_) {
    if (!slipping_) break;
    for (const auto& e : std::as_const(set_.Wt).row(row.row)) Dt_.add(e.column, e.value);
    if (row.slipping) {
      double s[2], mu = 0;
      int tangents = 0;
      friction(row, u, s, tangents, mu);
      turning = turning || tangents > 1;
      for (int k = 0; k < tangents; ++k)
        for (const auto& e : std::as_const(set_.Wt).row(row.row + 1 + k))
          Dt_.add(e.column, -mu * s[k] * e.value);
    }
    Dt_.end_row();
  }
  using Saddle = SaddleFactor<double>;
  const Saddle::Block mass{1, &M_};
  const Saddle::Rows rows{1, &Wt_};
  if (!saddle_.factorize({{&mass, 1}, {&rows, 1}, slipping_ ? &Dt_ : &Wt_},
                         decide_ ? Saddle::Rank::decide : Saddle::Rank::keep) ||
      saddle_.perturbed() > 0)
    return false;
  constraints_known_ = mass_known_ && directions_known_ && !turning;
  return true;
}

// Laws without a gap that yield push with the edge of their set.
void ClosedDynamics::push_resistances(const Vec& u) {
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

ClosedDynamics::Status ClosedDynamics::evaluate(double t, const Vec& q, const Vec& u, Vec& a,
                                                bool multipliers) {
  ++evaluations_;
  if (shape_.changing_contacts && listed_)
    system_.gaps(t, q, set_);
  else
    system_.list(t, q, set_), listed_ = true;
  if (!directions_known_) {
    system_.directions(t, q, set_);
    directions_known_ = shape_.constant_directions;
  }
  if (!mass_known_) {
    system_.mass(t, q, M_);
    mass_known_ = shape_.constant_mass, mass_factored_ = false;
  }
  system_.force(t, q, u, force_);
  lambda_.assign(set_.rows(), 0.0);
  push_resistances(u);
  if (!constraints_known_) select_rows();
  if (rows_.empty()) {
    if (!mass_factored_ && !factor_.factorize(M_)) return Status::singular_mass;
    mass_factored_ = true;
    assign(force_, a);
    factor_.solve(a.data());
  } else {
    system_.bias(t, q, u, set_);
    if ((decide_ || !constraints_known_) && !factor_constraints(u)) return Status::singular_mass;
    if (const Status status = solve_constraints(u, a, multipliers); status != Status::ok) return status;
  }
  return finite(a) ? Status::ok : Status::not_finite;
}

ClosedDynamics::Status ClosedDynamics::solve_constraints(const Vec& u, Vec& a, bool multipliers) {
  constexpr double contradiction = 1e-6;  // of the terms of a row; where the constraints hold it is rounding
  const int m = static_cast<int>(rows_.size()), n = shape_.nu;
  x_.resize(n + m);
  std::copy_n(force_.data(), n, x_.data());
  for (int k = 0; k < m; ++k) x_[n + k] = -set_.bias[rows_[k].row];
  const bool judge = decide_ && saddle_.redundant();
  if (judge) right_ = x_;
  // friction follows the multipliers, so with slipping rows a depends on which are taken
  if (multipliers || slipping_)
    saddle_.solve_least_norm(x_.data());
  else
    saddle_.solve(x_.data());
  decide_ = false;
  if (a.size() != n) a.resize(n);
  std::copy_n(x_.data(), n, a.data());
  if (judge) {
    int row = 0;
    if (saddle_.left_over(x_.data(), right_.data(), &row) > contradiction) {
      note_contradiction(row);
      return Status::contradictory;
    }
  }
  for (int k = 0; k < m; ++k) {
    const Row& row = rows_[k];
    lambda_[row.row] += x_[n + k];
    if (!row.slipping) continue;
    double s[2], mu = 0;
    int tangents = 0;
    friction(row, u, s, tangents, mu);
    for (int j = 0; j < tangents; ++j) lambda_[row.row + 1 + j] = -mu * s[j] * x_[n + k];
  }
  return Status::ok;
}

void ClosedDynamics::note_contradiction(int row) {
  const auto id = [&](int k) { return set_.contacts[rows_[k].contact].id; };
  bad_contact_ = id(row);
  saddle_.rows_behind(row, behind_);
  contradiction_.assign(1, bad_contact_);
  for (const int k : behind_) contradiction_.push_back(id(k));
  std::sort(contradiction_.begin(), contradiction_.end());
  contradiction_.erase(std::unique(contradiction_.begin(), contradiction_.end()), contradiction_.end());
}

void ClosedDynamics::row_accelerations(double t, const Vec& q, const Vec& u, const Vec& a,
                                       std::vector<double>& rate, std::vector<double>& scale) {
  if (rows_.empty()) system_.bias(t, q, u, set_);
  rate.resize(set_.rows()), scale.resize(set_.rows());
  for (int r = 0; r < set_.rows(); ++r) {
    rate[r] = set_.bias[r], scale[r] = std::abs(set_.bias[r]);
    for (const auto& e : std::as_const(set_.Wt).row(r)) {
      const double term = e.value * a[e.column];
      rate[r] += term, scale[r] += std::abs(term);
    }
  }
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

ClosedDynamics::ForceJacobians ClosedDynamics::force_jacobians(double t, const Vec& q, const Vec& u) {
  system_.force_jacobians(t, q, u, dq_, du_);
  return {dq_, du_, M_};
}

void ClosedDynamics::project_velocity(Vec& u) {
  const int n = shape_.nu, m = static_cast<int>(rows_.size());
  if (m == 0) return;
  std::fill_n(x_.data(), n, 0.0);
  for (int k = 0; k < m; ++k) x_[n + k] = -gamma(rows_[k].row, u);
  saddle_.solve(x_.data());
  for (int i = 0; i < n; ++i) u[i] += x_[i];
}

}  // namespace saltus
