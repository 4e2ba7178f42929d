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
      du_(shape_.nu, shape_.jacobian),
      // lists that change have no place for second derivatives
      curved_(system_.curved() && !shape_.changing_contacts) {
  if (curved_) K_ = Matrix(shape_.nu, shape_.jacobian);
  force_.setZero(shape_.nu);
  set_.sharp = true;
  for (const Law& law : system.laws()) has_joints_ = has_joints_ || std::holds_alternative<Equality>(law);
}

void ClosedDynamics::freeze(std::span<const FrozenContact> closed) {
  frozen_.assign(closed.begin(), closed.end());
  slip_speed_.assign(frozen_.size(), {});
  decide_ = true, constraints_known_ = rows_known_ = known_ = false;
}

void ClosedDynamics::list(double t, const Vec& q, double look_ahead) {
  if (!shape_.changing_contacts) return;
  set_.look_ahead = look_ahead;
  system_.list(t, q, set_);
  listed_ = true, known_ = false;
}

// Which rows are constraints now: joints always, closed contacts by their frozen mode, laws without a gap
// that hold.
void ClosedDynamics::select_rows() {
  rows_.clear();
  rows_known_ = true;
  const auto laws = system_.laws();
  std::size_t k = 0;
  for (std::size_t i = 0; i < set_.contacts.size(); ++i) {
    const Contact& c = set_.contacts[i];
    const Law& law = laws[c.law];
    const int index = static_cast<int>(i);
    if (const auto* joint = std::get_if<Equality>(&law)) {
      for (int r = 0; r < joint->size; ++r) rows_.push_back({c.row + r, index});
      continue;
    }
    while (k < frozen_.size() && frozen_[k].id < c.id) ++k;
    if (k == frozen_.size() || frozen_[k].id != c.id) continue;
    const int at = static_cast<int>(k), first = needs_closed_gap(law) ? 1 : 0;
    const Mode mode = frozen_[k].mode;
    if (first == 1) rows_.push_back({c.row, index, !is_constraint(mode), at});
    if (is_frictional(law)) {
      for (const FrictionDisc& d : discs_of(law))
        for (int r = 0; r < d.rows && holds_on(frozen_[k], law, d); ++r)
          rows_.push_back({c.row + d.at + r, index});
    } else if (mode == Mode::stick) {
      for (int r = first; r < rows(law); ++r) rows_.push_back({c.row + r, index});
    }
  }
  if (!loads_.empty()) find_loads();
}

void ClosedDynamics::find_loads() {
  auto load = loads_.begin();
  for (Row& row : rows_) {
    const Contact& c = set_.contacts[row.contact];
    while (load != loads_.end() && load->id < c.id) ++load;
    if (load != loads_.end() && load->id == c.id) row.load = load->force[row.row - c.row];
  }
}

// With λ = load + μ the equations of μ have D·load on their right-hand side beside the forces.
void ClosedDynamics::carry_loads() {
  for (std::size_t k = 0; k < rows_.size(); ++k) Dt_.add_to(static_cast<int>(k), rows_[k].load, x_.data());
}

// Of a disc that slides. With one row the frozen contact says it. With two it is that of the velocity γ and,
// once γ has turned round within the step, that of its start: what lies beyond the stop only serves to locate
// it. Close to the stop, which γ misses by the error of the step, the direction of the start is blended in.
void ClosedDynamics::direction(const Row& row, const FrictionDisc& disc, int index, const Vec& u,
                               double* s) const {
  const FrozenContact& f = frozen_[row.frozen];
  if (disc.rows == 1) {
    s[0] = line_direction(f, law_of(row), disc);
    return;
  }
  const int first = row.row + disc.at;
  const double a = gamma(first, u), b = gamma(first + 1, u), speed = std::hypot(a, b);
  const double small = slip_speed_[row.frozen][index];
  s[0] = f.slip[disc.at - 1], s[1] = f.slip[disc.at];
  if ((hold_slip_ || a * s[0] + b * s[1] <= 0) && (s[0] != 0 || s[1] != 0)) return;
  const double share = small > 0 ? small * std::exp(-(speed / small) * (speed / small)) : 0;
  const double x = a + share * s[0], y = b + share * s[1], n = std::hypot(x, y);
  s[0] = n > 0 ? x / n : 0, s[1] = n > 0 ? y / n : 0;
}

// Friction over the normal force on the rows behind that of a sliding contact, against the slip: zero on rows
// that stick. Returns their number.
int ClosedDynamics::friction(const Row& row, const Vec& u, double* s) const {
  const Law& law = law_of(row);
  const FrictionDiscs discs = discs_of(law);
  int index = 0;
  for (const FrictionDisc& d : discs) {
    double* at = s + d.at - 1;
    if (slides_on(frozen_[row.frozen], law, d)) {
      direction(row, d, index, u, at);
      for (int k = 0; k < d.rows; ++k) at[k] *= d.bound;
    } else {
      std::fill_n(at, d.rows, 0.0);
    }
    ++index;
  }
  return discs.rows() - 1;
}

// The directions in which contacts with two tangents slide where a step begins, and speeds that are small
// beside theirs: below, the direction of the velocity is that of errors.
void ClosedDynamics::begin_slip(const Vec& u) {
  for (const Row& row : rows_) {
    if (!row.slipping) continue;
    int index = -1;
    for (const FrictionDisc& d : discs_of(law_of(row))) {
      ++index;
      if (d.rows == 1 || !slides_on(frozen_[row.frozen], law_of(row), d)) continue;
      double terms = 0;
      const int first = row.row + d.at;
      for (const int r : {first, first + 1}) {
        terms += std::abs(set_.drift[r]);
        for (const auto& e : std::as_const(set_.Wt).row(r)) terms += std::abs(e.value * u[e.column]);
      }
      const double a = gamma(first, u), b = gamma(first + 1, u), n = std::hypot(a, b);
      double* slip = frozen_[row.frozen].slip.data() + d.at - 1;
      if (!decide_ && a * slip[0] + b * slip[1] <= 0) continue;  // a piece of a step, beyond the stop
      const double rounding = std::max(1e-9 * terms, no_slip_);
      if (n > rounding) slip[0] = a / n, slip[1] = b / n;
      slip_speed_[row.frozen][index] = std::max(1e-4 * n, rounding);
    }
  }
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
      double s[max_block_rows];
      for (const FrictionDisc& d : discs_of(law_of(row))) turning = turning || d.rows > 1;
      for (int k = 0, n = friction(row, u, s); k < n; ++k)
        for (const auto& e : std::as_const(set_.Wt).row(row.row + 1 + k)) Dt_.add(e.column, -s[k] * e.value);
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

// Drivers ask for the start of a step, and so does the step.
bool ClosedDynamics::is_known(double t, const Vec& q, const Vec& u, bool multipliers) const {
  return known_ && t == t_known_ && (multipliers_known_ || !multipliers) && q == q_known_ && u == u_known_ &&
         (rows_.empty() || (saddle_.regular() && !slipping_));
}

void ClosedDynamics::direct(double t, const Vec& q) {
  if (directions_known_) return;
  system_.directions(t, q, set_);
  directions_known_ = shape_.constant_directions;
}

void ClosedDynamics::place(double t, const Vec& q) {
  if (!listed_ || !shape_.changing_contacts)
    system_.list(t, q, set_), listed_ = true;
  else
    system_.gaps(t, q, set_);
  direct(t, q);
  multipliers_known_ = false;
}

void ClosedDynamics::evaluate_mass(double t, const Vec& q) {
  if (mass_known_) return;
  system_.mass(t, VectorArgument(q), M_);
  mass_known_ = shape_.constant_mass, mass_factored_ = false, weighed_ = false;
}

const Vec& ClosedDynamics::root_mass() {
  root_mass_.resize(shape_.nu);
  for (int i = 0; i < shape_.nu && !weighed_; ++i) root_mass_[i] = std::sqrt(std::abs(M_(i, i)));
  weighed_ = true;
  return root_mass_;
}

ClosedDynamics::Status ClosedDynamics::inner_acceleration(double t, const Vec& q, const Vec& u, Vec& a) {
  if (!is_free()) return evaluate(t, q, u, a, false);
  ++evaluations_;
  evaluate_mass(t, q);
  mass_elsewhere_ = !mass_known_;
  system_.force(t, VectorArgument(q), VectorArgument(u), a);
  if (!mass_factored_ && !factor_.factorize(M_)) return Status::singular_mass;
  mass_factored_ = true;
  factor_.solve(a.data());
  return finite(a) ? Status::ok : Status::not_finite;
}

ClosedDynamics::Status ClosedDynamics::evaluate(double t, const Vec& q, const Vec& u, Vec& a,
                                                bool multipliers) {
  if (is_known(t, q, u, multipliers)) {
    assign(a_known_, a);
    decide_ = false;
    return Status::ok;
  }
  if (rows_.empty() && frozen_.empty() &&
      is_known(t, q, u, false)) {  // only the contacts were looked at elsewhere
    place(t, q);
    lambda_.assign(set_.rows(), 0.0);
    assign(a_known_, a);
    multipliers_known_ = true, decide_ = false;
    return Status::ok;
  }
  known_ = false;
  ++evaluations_;
  if (!listed_ || multipliers)  // who wants those reads gaps too; stages do not
    place(t, q);
  else if (!is_free())
    direct(t, q);
  evaluate_mass(t, q);
  mass_elsewhere_ = false;
  system_.force(t, q, u, force_);
  lambda_.assign(set_.rows(), 0.0);
  push_resistances(u);
  if (!constraints_known_ && (!rows_known_ || shape_.changing_contacts)) select_rows();
  if (rows_.empty()) {
    if (!mass_factored_ && !factor_.factorize(M_)) return Status::singular_mass;
    mass_factored_ = true;
    assign(force_, a);
    factor_.solve(a.data());
  } else {
    system_.bias(t, q, u, set_);
    if (decide_ || renew_slip_) begin_slip(u), renew_slip_ = false;
    if ((decide_ || !constraints_known_) && !factor_constraints(u)) return Status::singular_mass;
    if (const Status status = solve_constraints(u, a, multipliers); status != Status::ok) return status;
  }
  if (!finite(a)) return Status::not_finite;
  known_ = true, multipliers_known_ = multipliers, t_known_ = t;
  assign(q, q_known_), assign(u, u_known_), assign(a, a_known_);
  return Status::ok;
}

ClosedDynamics::Status ClosedDynamics::solve_constraints(const Vec& u, Vec& a, bool multipliers) {
  constexpr double contradiction = 1e-6;  // of the terms of a row; where the constraints hold it is rounding
  const int m = static_cast<int>(rows_.size()), n = shape_.nu;
  x_.resize(n + m);
  std::copy_n(force_.data(), n, x_.data());
  for (int k = 0; k < m; ++k) x_[n + k] = -set_.bias[rows_[k].row];
  const bool judge = decide_ && saddle_.redundant();
  const bool shared = load_matters() && !loads_.empty();
  if (shared) carry_loads();
  if (judge) right_ = x_;
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
    if (shared) x_[n + k] += row.load;
    lambda_[row.row] += x_[n + k];
    if (!row.slipping) continue;
    double s[max_block_rows];
    for (int j = 0, tangents = friction(row, u, s); j < tangents; ++j)
      lambda_[row.row + 1 + j] -= s[j] * x_[n + k];
  }
  return Status::ok;
}

double ClosedDynamics::mobility(int row) const {
  double sum = 0;
  for (const auto& e : set_.Wt.row(row))
    if (const double m = M_(e.column, e.column); m > 0) sum += e.value * e.value / m;
  return sum;
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
  if (shape_.constant_directions)
    set_.bias.resize(set_.rows(), 0.0);
  else if (rows_.empty())
    system_.bias(t, q, u, set_);
  rate.resize(set_.rows()), scale.resize(set_.rows());
  for (int r = 0; r < set_.rows(); ++r) {
    rate[r] = set_.bias[r], scale[r] = std::abs(set_.bias[r]);
    for (const auto& e : std::as_const(set_.Wt).row(r)) {
      const double term = e.value * a[e.column];
      rate[r] += term, scale[r] += std::abs(term);
    }
  }
}

void ClosedDynamics::force_terms(Vec& out) const {
  out = force_.cwiseAbs();
  for (int r = 0; r < set_.rows(); ++r)
    if (lambda_[r] != 0)
      for (const auto& e : set_.Wt.row(r)) out[e.column] += std::abs(e.value * lambda_[r]);
}

void ClosedDynamics::reactions(Vec& out) const {
  out.setZero(shape_.nu);
  for (int r = 0; r < set_.rows(); ++r)
    if (lambda_[r] != 0) set_.Wt.add_to(r, lambda_[r], out.data());
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
