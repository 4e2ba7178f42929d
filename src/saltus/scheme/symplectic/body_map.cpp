#include "saltus/scheme/symplectic/body_map.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

constexpr int most_newton = 50;
// A motion as short as that, of the size of the coordinates, leaves gaps where they were up to its square:
// rounding.
constexpr double instant = 1e-8;
}  // namespace

BodyMap::BodyMap(const System& system, Faults& faults)
    : system_(system, faults),
      shape_(system.shape()),
      rounding_(shape_),
      M_(shape_.nu, shape_.mass),
      M_other_(shape_.nu, shape_.mass),
      A_(shape_.nu, merge(shape_.mass, shape_.jacobian, shape_.nu)),
      dq_(shape_.nu, shape_.jacobian),
      du_(shape_.nu, shape_.jacobian) {
  q_.setZero(shape_.nq), moved_.setZero(shape_.nq);
  for (Vec* x : {&u_, &U_, &f_, &p0_, &p_, &rest_, &displacement_}) x->setZero(shape_.nu);
}

void BodyMap::hold(std::span<const HeldContact> held, bool friction) {
  held_.assign(held.begin(), held.end());
  friction_ = friction;
}

bool BodyMap::mass(double t, const Vec& q) {
  if (mass_known_) return true;
  M_.set_zero();
  system_.mass(t, q, M_);
  rounding_.weigh(M_);
  if (!mass_.factorize(M_)) return false;
  mass_known_ = shape_.constant_mass;
  return true;
}

// f = h + Ṁu; Ṁ along the motion, by the five-point rule over a fifth of the step. Multiplied by h it is good
// to rounding, whatever the units are, and the rule is even in h, as the adjoint needs it.
void BodyMap::force(double t, const Vec& q, const Vec& u, double h, const Vec& slip) {
  system_.force(t, q, u, f_);
  ++evaluations;
  if (!limits_.empty()) add_limits(slip);
  if (shape_.constant_mass) return;
  const double d = h / 20;
  for (const auto& [at, weight] : {std::pair{-2, 1.0}, {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
    combine(at * d, u, 0, u, displacement_);
    system_.retract(q, displacement_, moved_);
    M_other_.set_zero();
    system_.mass(t + at * d, moved_, M_other_);
    M_other_.multiply_add(weight / (12 * d), u, f_);
  }
}

// Whether forces depend on velocities; then damped_ is the factor of M − h ∂h/∂u.
bool BodyMap::damping(double t, const Vec& q, const Vec& u, double h) {
  if (undamped_) return false;
  if (shape_.linear_force && shape_.constant_mass && damped_h_ == h) return true;
  dq_.set_zero(), du_.set_zero();
  system_.force_jacobians(t, q, u, dq_, du_);
  bool any = false;
  du_.for_each([&](int, int, double value) { any = any || value != 0; });
  if (!any) {
    undamped_ = shape_.linear_force;
    return false;
  }
  A_.set_zero();
  A_.add_scaled(1, M_), A_.add_scaled(-h, du_);
  damped_h_ = damped_.factorize(A_) ? h : 0;
  return damped_h_ == h;  // where that is singular, the mass steers the iteration
}

// Velocities of coordinates in different units are compared by √M_jj |u_j|.
double BodyMap::weighted(const Vec& u) const {
  return rounding_.size_of_rates(u);
}

double BodyMap::gap_rounding(int contact, int row) const {
  const Contact& c = set_.contacts[contact];
  return rounding_(set_, c.row, saltus::rows(system_.laws()[c.law]), row);
}

// Constraints that contradict each other leave gaps, and the iteration stands still all the same.
bool BodyMap::gaps_closed() {
  double worst = touching_roundings;
  for (const Row& r : rows_) {
    if (!r.on_position) continue;
    const double off = std::abs(set_.gap[r.row]), one = gap_rounding(r.contact, r.row);
    if (!(off <= worst * one)) worst = off / one, bad_row_ = r.row;
  }
  return bad_row_ < 0;
}

// Newton's iteration for the first stage of either map. Gaps are divided by h, impulses are not by anything:
// the matrices stay regular for h → 0. Rounding of g/h leaves Λ₀ known to ε|q|/h only, which does no harm to
// U; so convergence is judged by U.
StepStatus BodyMap::solve_stage(const Start& x0, bool backward) {
  const double h = x0.h, t1 = x0.t + x0.h;
  bad_row_ = -1;
  rounding_.note(x0.q);
  if (!mass(x0.t, x0.q)) return bad_row_ = -1, StepStatus::singular;
  p0_.setZero();
  M_.multiply_add(1, x0.u, p0_);
  list(x0.t, x0.q, h, x0.u);
  system_.directions(x0.t, x0.q, set_);
  select(x0.u);
  gather(D_, true);
  find_limits();
  const int m = static_cast<int>(rows_.size());
  start_rows_.clear(), start_drift_.clear();
  for (const Row& r : rows_) {
    start_rows_.append_row(std::as_const(set_.Wt).row(r.row));
    start_drift_.push_back(set_.drift[r.row]);
  }
  first_.assign(m, 0.0), lambda_.resize(m);
  assign(x0.u, U_);
  const Factor* A = &mass_;
  if (!backward && damping(x0.t, x0.q, U_, h)) A = &damped_;
  const double rounding = m > 0 ? 1e-14 * rounding_.size(x0.q) / std::abs(h) : 0;  // of g/h
  double previous = infinity, free = 0;  // what forces alone would do: next to it less is rounding
  for (int it = 0; it < most_newton; ++it) {
    ++iterations;
    combine(h, U_, 0, U_, displacement_);
    system_.retract(x0.q, displacement_, q_);
    // what is missing in the momentum: M₀u₀ + h f + D₀Λ₀ − MU
    assign(p0_, rest_);
    if (backward) {
      if (!mass(t1, q_)) return StepStatus::singular;
    } else {
      // near a stop no U fits a friction along U
      force(x0.t, x0.q, U_, h, it < most_newton / 3 ? U_ : x0.u);
      combine(1, rest_, h, f_, rest_);
    }
    for (int k = 0; k < m; ++k)
      if (first_[k] != 0) D_.add_to(k, first_[k], rest_.data());
    M_.multiply_add(-1, U_, rest_);
    A->solve(rest_.data());
    if (it == 0) {
      free = weighted(rest_);
      // the rounding of gaps over h would be velocities next to those that are there
      if (std::abs(h) * (weighted(x0.u) + free) <= instant * rounding_.size(x0.q))
        for (Row& r : rows_) r.on_position = false;
    }
    if (m > 0) {
      system_.gaps(t1, q_, set_);
      system_.directions(t1, q_, set_);
      W_.clear();
      for (int k = 0; k < m; ++k) {
        const Row& r = rows_[k];
        if (r.on_position && is_absent(set_.gap[r.row])) {  // it left the side of a body that held it
          bad_row_ = r.row;
          return StepStatus::redundant_contacts;
        }
        W_.append_row(r.on_position ? std::as_const(set_.Wt).row(r.row) : std::as_const(start_rows_).row(k));
        const double now = r.on_position ? set_.gap[r.row] / h : W_.dot(k, U_.data()) + start_drift_[k];
        lambda_[k] = -now - W_.dot(k, rest_.data());
      }
      if (!constraints_.factorize(*A, W_, D_)) return StepStatus::singular;
      constraints_.solve(lambda_.data());
      constraints_.add(lambda_.data(), rest_.data());
      for (int k = 0; k < m; ++k) first_[k] += lambda_[k];
    }
    change_ = weighted(rest_);
    if (!std::isfinite(change_) || !finite(rest_)) return StepStatus::not_finite;
    combine(1, U_, 1, rest_, U_);
    const double size = std::max({weighted(U_), weighted(x0.u), free}), ratio = change_ / previous;
    // what is left is about ratio · change
    const bool done = change_ <= 1e-15 * size || (it > 0 && ratio < 0.5 && ratio * change_ <= 1e-16 * size);
    const bool stands = ratio >= 0.5 && change_ <= std::max(1e-9 * size, rounding);
    if (done || stands) {
      combine(h, U_, 0, U_, displacement_);
      system_.retract(x0.q, displacement_, q_);
      if (backward && !mass(t1, q_)) return StepStatus::singular;
      system_.gaps(t1, q_, set_);
      return gaps_closed() ? StepStatus::ok : StepStatus::redundant_contacts;
    }
    previous = change_;
  }
  return StepStatus::newton_diverged;
}

StepStatus BodyMap::first_stage(const Start& x0) {
  const StepStatus status = solve_stage(x0, false);
  if (status != StepStatus::ok) return status;
  p_.setZero();
  M_.multiply_add(1, U_, p_);
  return StepStatus::ok;
}

void BodyMap::free_momentum(double t1, Vec& p) {
  assign(p_, p);
  if (rows_.empty()) return;
  system_.directions(t1, q_, set_);
  for (std::size_t k = 0; k < rows_.size(); ++k)
    if (first_[k] != 0) set_.Wt.add_to(rows_[k].row, -first_[k], p.data());
}

// M₁u₁ = momentum + D₁Λ₁ with W₁ᵀu₁ + χ₁ = 0; M₁ is there.
StepStatus BodyMap::close_velocities(double t1, const Vec& momentum) {
  const int m = static_cast<int>(rows_.size());
  if (m == 0) {
    assign(momentum, u_);
    mass_.solve(u_.data());
    total_.clear();
    return finite(u_) ? StepStatus::ok : StepStatus::not_finite;
  }
  system_.directions(t1, q_, set_);
  const bool in_space = std::any_of(rows_.begin(), rows_.end(), [](const Row& r) { return r.mu[1] != 0; });
  correction_.assign(m, 0.0);
  assign(U_, u_);
  // twice or more where friction has a direction to find
  for (int it = 0; it < (in_space ? most_newton : 1); ++it) {
    if (friction_) turn(u_);
    gather(W_, false), gather(D_, true);
    assign(momentum, rest_);
    mass_.solve(rest_.data());
    for (int k = 0; k < m; ++k) lambda_[k] = -W_.dot(k, rest_.data()) - set_.drift[rows_[k].row];
    if (!constraints_.factorize(mass_, W_, D_)) return StepStatus::singular;
    constraints_.solve(lambda_.data());
    constraints_.add(lambda_.data(), rest_.data());
    combine(1, rest_, -1, u_, displacement_);
    assign(rest_, u_), correction_ = lambda_;
    if (weighted(displacement_) <= 1e-15 * weighted(u_)) break;
  }
  // what the first solve left of the velocities, where that is much next to them
  for (int k = 0; k < m; ++k) lambda_[k] = -W_.dot(k, u_.data()) - set_.drift[rows_[k].row];
  constraints_.solve(lambda_.data(), 2);
  constraints_.add(lambda_.data(), u_.data());
  total_.resize(m);
  for (int k = 0; k < m; ++k) total_[k] = first_[k] + correction_[k] + lambda_[k];
  return finite(u_) ? StepStatus::ok : StepStatus::not_finite;
}

BodyMap::Work BodyMap::work(int k, const Vec& u0) const {
  const int row = rows_[k].row;
  const double before = start_drift_[k], after = set_.drift[row], second = total_[k] - first_[k];
  const double first_rate = start_rows_.dot(k, u0.data()) + start_rows_.dot(k, U_.data()) + 2 * before;
  const double second_rate = set_.Wt.dot(row, U_.data()) + set_.Wt.dot(row, u_.data()) + 2 * after;
  return {-0.5 * (first_[k] * first_rate + second * second_rate), -(first_[k] * before + second * after)};
}

StepStatus BodyMap::second_stage(const Start& x0) {
  if (!mass(x0.t + x0.h, q_)) return StepStatus::singular;
  return close_velocities(x0.t + x0.h, p_);
}

StepStatus BodyMap::forward(const Start& x0) {
  const StepStatus status = first_stage(x0);
  return status == StepStatus::ok ? second_stage(x0) : status;
}

StepStatus BodyMap::backward(const Start& x0) {
  const StepStatus status = solve_stage(x0, true);
  if (status != StepStatus::ok) return status;
  const double t1 = x0.t + x0.h;
  if (!limits_.empty()) system_.directions(t1, q_, set_), find_limits();
  force(t1, q_, U_, x0.h, U_);
  p_.setZero();
  M_.multiply_add(1, U_, p_);
  combine(1, p_, x0.h, f_, p_);
  return close_velocities(t1, p_);
}

StepStatus BodyMap::multipliers(double t, const Vec& q, const Vec& u, double h, std::vector<double>& lambda) {
  list(t, q, h, u);
  lambda.assign(set_.rows(), 0.0);
  system_.directions(t, q, set_);
  select(u);
  const int m = static_cast<int>(rows_.size());
  find_limits();
  system_.force(t, q, u, f_);
  add_limits(u);
  int first = 0;
  for (const int i : limits_)
    for (int r = 0; r < saltus::rows(system_.laws()[set_.contacts[i].law]); ++r)
      lambda[set_.contacts[i].row + r] = limit_force_[first++];
  if (m == 0) return StepStatus::ok;
  if (!mass(t, q)) return StepStatus::singular;
  system_.bias(t, q, u, set_);
  mass_.solve(f_.data());
  gather(W_, false), gather(D_, true);
  lambda_.resize(m);
  for (int k = 0; k < m; ++k) lambda_[k] = -W_.dot(k, f_.data()) - set_.bias[rows_[k].row];
  if (!constraints_.factorize(mass_, W_, D_)) return StepStatus::singular;
  constraints_.solve(lambda_.data());
  for (int k = 0; k < m; ++k) {
    const Row& r = rows_[k];
    lambda[r.row] = lambda_[k];
    for (int j = 0; j < 2; ++j)
      if (r.mu[j] != 0) lambda[r.row + 1 + j] = -r.mu[j] * lambda_[k];
  }
  for (const double x : lambda)
    if (!std::isfinite(x)) return StepStatus::not_finite;
  return StepStatus::ok;
}

bool BodyMap::project_velocity(double t, const Vec& q, double h, Vec& u) {
  list(t, q, h, u);
  system_.directions(t, q, set_);
  select(u);
  if (rows_.empty()) return true;
  if (!mass(t, q)) return false;
  gather(W_, false), gather(D_, true);
  if (!constraints_.factorize(mass_, W_, D_)) return false;
  lambda_.resize(rows_.size());
  for (std::size_t k = 0; k < rows_.size(); ++k)
    lambda_[k] = -W_.dot(static_cast<int>(k), u.data()) - set_.drift[rows_[k].row];
  constraints_.solve(lambda_.data());
  constraints_.add(lambda_.data(), u.data());
  return finite(u);
}

}  // namespace saltus
