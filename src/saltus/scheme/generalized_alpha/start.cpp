// How generalized-α begins: consistent accelerations and multipliers of a start (38), and the data of a step.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"

namespace saltus {
namespace {

double max_abs(In x) {
  double most = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i]));
  return most;
}

}  // namespace

State GeneralizedAlphaStepper::start(double t, In q, In u) {
  State x;
  x.t = t, x.q = q, x.u = u;
  Vec a = Vec::Zero(n_), lambda;
  evaluate_mass(t, q);
  solve_acceleration(t, q, u, a, lambda);
  if (options_.start == GeneralizedAlpha::Start::zero) a.setZero();
  a_smooth_ = a, a_ = a, lambda_ = lambda;
  x.aux.resize(n_ + 2 * m_);  // v̇, λ, γ; the first step, which knows h, makes a and η
  x.aux << a, lambda, gamma_;
  return x;
}

// Reads the state, makes what is constant in the step, and predicts: v̇ and λ as they were, no corrections.
void GeneralizedAlphaStepper::begin(const State& x0, double h) {
  t_ = x0.t + h, h_ = h;
  cq_ = h * h * c_.beta * c_.kappa(), cv_ = h * c_.gamma * c_.kappa();
  scales_[pos] = 1 / (h * h), scales_[vel] = 1 / h;
  scales_[acc] = smooth_ == Smooth::position                                         ? 1 / cq_
                 : smooth_ == Smooth::velocity || smooth_ == Smooth::smooth_velocity ? 1 / cv_
                                                                                     : 1;
  const double* aux = x0.aux.data();
  const bool first = x0.aux.size() == n_ + 2 * m_;
  const double *a0 = aux, *lambda0 = aux + n_;
  const double *shifted = a0, *eta0 = lambda0, *gamma0 = aux + n_ + m_;
  if (first && options_.start == GeneralizedAlpha::Start::shifted) {
    const double d = (c_.am - c_.af) * h;
    Vec move = d * x0.u + 0.5 * d * d * x0.aux.head(n_), u = x0.u + d * x0.aux.head(n_), eta;
    Vec q(shape_.nq);
    system_.retract(x0.q, move, q);
    evaluate_mass(x0.t + d, q);
    solve_acceleration(x0.t + d, q, u, work_, eta);
    eta_ = eta;
    shifted = work_.data(), eta0 = eta_.data();
  } else if (!first) {
    shifted = aux + n_, lambda0 = aux + 2 * n_, eta0 = lambda0 + m_, gamma0 = eta0 + m_;
  }
  const double outer = 1 / (1 - c_.am), q_weight = h * h * (0.5 - c_.beta), v_weight = h * (1 - c_.gamma);
  for (int i = 0; i < n_; ++i) {
    a_smooth_[i] = a0[i];
    a_known_[i] = outer * (c_.af * a0[i] - c_.am * shifted[i]);
    base_q_[i] = h * x0.u[i] + q_weight * shifted[i] + h * h * c_.beta * a_known_[i];
    base_v_[i] = x0.u[i] + v_weight * shifted[i] + h * c_.gamma * a_known_[i];
  }
  U_.setZero(), V_.setZero();
  for (int r = 0; r < m_; ++r) {
    lambda_[r] = lambda0[r];
    eta_known_[r] = outer * (c_.af * lambda0[r] - c_.am * eta0[r]);
    nu_base_[r] = q_weight * eta0[r] + h * h * c_.beta * eta_known_[r];
    Lambda_base_[r] = v_weight * eta0[r] + h * c_.gamma * eta_known_[r];
    gamma0_[r] = gamma0[r];
    nu_[r] = Lambda_[r] = 0;
  }
  for (const Contact& c : set_.contacts)
    if (info_[c.row].kind != Kind::joint)
      restitution(*info_[c.row].law, gamma0_.data() + c.row, rebound_.data() + c.row);
  if (options_.levels == GeneralizedAlpha::Levels::pv73) {
    directions_known_ = false;
    system_.list(x0.t, x0.q, set_);
    system_.directions(x0.t, x0.q, set_);
    W0_ = set_.Wt;
  }
  if (prox_rows_) carried_.setConstant(0.5), std::fill(flips_.begin(), flips_.end(), 0);
  moved_ = false;
}

// (38): v̇ and λ from q and u. Joints, and with strategy 3 the contacts that are closed and stay so; an
// active-set iteration finds which of them carry a force.
void GeneralizedAlphaStepper::solve_acceleration(double t, In q, In u, Vec& a, Vec& lambda) {
  geometry(t, q, u, true);
  lambda.setZero(m_);
  if (!mass_factored_ && !mass_factor_.factorize(M_)) fail("the mass matrix is singular at the start");
  mass_factored_ = true;
  Vec free(n_);
  system_.force(t, q, u, free);
  mass_factor_.solve(free.data());
  a = free;
  if (smooth_ == Smooth::none || m_ == 0) return;
  const double near = 1e-9 * (1 + max_abs(q)), slow = 1e-9 * (1 + max_abs(u));
  std::vector<int> candidates, on;
  for (int r = 0; r < m_; ++r)
    if (info_[r].kind == Kind::joint ||
        (info_[r].kind == Kind::normal && smooth_ == Smooth::acceleration && options_.strategy == 3 &&
         set_.gap[r] <= near && std::abs(gamma_[r]) <= slow))
      candidates.push_back(r);
  const int k = static_cast<int>(candidates.size());
  std::vector<Vec> Y(k, Vec::Zero(n_));
  for (int j = 0; j < k; ++j) {
    set_.Wt.add_to(candidates[j], 1, Y[j].data());
    mass_factor_.solve(Y[j].data());
  }
  on.assign(k, 1);
  for (int iteration = 0; iteration < 100; ++iteration) {
    std::vector<double> G(static_cast<std::size_t>(k) * k, 0.0), x(k, 0.0);
    std::vector<int> pivot(k);
    for (int i = 0; i < k; ++i) {
      if (!on[i]) {
        G[static_cast<std::size_t>(i) * k + i] = 1;
        continue;
      }
      const int r = candidates[i];
      for (int j = 0; j < k; ++j) G[static_cast<std::size_t>(j) * k + i] = set_.Wt.dot(r, Y[j].data());
      x[i] = -set_.Wt.dot(r, free.data()) - set_.bias[r];
    }
    const int bad = dense_lu(k, G.data(), pivot.data(), 4 * std::numeric_limits<double>::epsilon());
    if (bad >= 0)
      fail(
          "contact {}: the joints and closed contacts at the start are redundant; remove one of them, or use "
          "levels=pva with strategy=1",
          system_.contact_name(id_of(candidates[bad])));
    dense_lu_solve(k, G.data(), pivot.data(), x.data());
    a = free;
    for (int j = 0; j < k; ++j) a += x[j] * Y[j], lambda[candidates[j]] = x[j];
    bool changed = false;
    for (int i = 0; i < k; ++i) {
      const int r = candidates[i];
      if (info_[r].kind == Kind::joint) continue;
      const double y = set_.Wt.dot(r, a.data()) + set_.bias[r];
      const int now = x[i] - row_mass_[r] * (on[i] ? 0 : y) >= 0;
      changed = changed || now != on[i], on[i] = now;
    }
    if (!changed) return;
  }
}

}  // namespace saltus
