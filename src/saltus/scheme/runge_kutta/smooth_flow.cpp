#include "saltus/scheme/runge_kutta/smooth_flow.hpp"

#include <cmath>
#include <limits>

#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/runge_kutta/explicit_steps.hpp"

namespace saltus {

SmoothFlow::SmoothFlow(const System& system, const Tableau& tableau, Faults& faults)
    : Flow(system, faults),
      tableau_(tableau),
      explicit_(is_explicit(tableau)),
      dense_(system.shape().nu <= 2),
      order_(saltus::order(tableau)),
      n_(system.shape().nu),
      A2_(tableau.A * tableau.A),
      chart_(system) {
  const int s = tableau.stages();
  K_.assign(s, Vec::Zero(n_));
  V_.assign(s, Vec::Zero(n_));
  Q_ = a_ = start_ = before_ = Vec::Zero(n_);
  if (!chart_.flat()) phi_ = rate_ = V_;
  if (explicit_) return;
  middle_q_.assign(most_halvings, Vec::Zero(system.shape().nq));
  middle_u_.assign(most_halvings, Vec::Zero(n_));
  R_.assign(s, Vec::Zero(n_));
  stages_.resize(s);
  if (dense_)
    residual_.resize(static_cast<std::size_t>(s) * n_);
  else
    solver_ = StageSolver(tableau);
}

// The last stage of many tableaus is at the end of the step: a load that jumps there (a breakpoint of the
// run) counts with its value before.
double SmoothFlow::stage_time(int i, double t, double h) const {
  return tableau_.c[i] < 1 ? t + tableau_.c[i] * h : std::nextafter(t + tableau_.c[i] * h, t);
}

// V_i and Q_i from the first `known` stages.
void SmoothFlow::stage(int i, const Vec& q, const Vec& u, double h, int known) {
  assign(u, V_[i]);
  for (int j = 0; j < known; ++j)
    if (tableau_.A(i, j) != 0) combine(1, V_[i], h * tableau_.A(i, j), K_[j], V_[i]);
  if (!chart_.flat()) return stage_in_chart(i, h, known);
  // Q_i = q + h c_i u + h² Σ (A²)_ij K_j
  combine(1, q, h * tableau_.c[i], u, Q_);
  for (int j = 0; j < known; ++j)
    if (A2_(i, j) != 0) combine(1, Q_, h * h * A2_(i, j), K_[j], Q_);
}

// φ_i = h Σ a_ij lift(φ_j, V_j)
void SmoothFlow::stage_in_chart(int i, double h, int known) {
  if (explicit_) {
    assign(origin_, phi_[i]);
    for (int j = 0; j < known; ++j)
      if (tableau_.A(i, j) != 0) combine(1, phi_[i], h * tableau_.A(i, j), rate_[j], phi_[i]);
    chart_.rate(phi_[i], V_[i], rate_[i]);
  } else if (i == 0) {
    for (int k = 1; k < known; ++k) {  // all V are needed first
      assign(V_[0], V_[k]);
      for (int j = 0; j < known; ++j)
        combine(1, V_[k], h * (tableau_.A(k, j) - tableau_.A(0, j)), K_[j], V_[k]);
    }
    chart_.solve(tableau_.A, h, V_, phi_, rate_);
  }
  chart_.place(phi_[i], Q_);
}

StepStatus SmoothFlow::explicit_stages(double t, const Vec& q, const Vec& u, double h) {
  const int s = tableau_.stages();
  for (int i = 0; i < s; ++i) {
    stage(i, q, u, h, i);
    const StepStatus status = evaluate(stage_time(i, t, h), Q_, V_[i], K_[i]);
    if (status != StepStatus::ok) return status;
    if (i == s - 2) assign(chart_.flat() ? Q_ : phi_[i], before_);
  }
  return is_unstable(h) ? StepStatus::not_finite : StepStatus::ok;  // before it overflows
}

// Whether an oscillation grows because the step is too long for it: two stages differ along it, and
// |Δa|/|ΔQ| is its ω². Beyond (hω)² = 20 all explicit tableaus amplify by ten and more. One large ratio may
// come from elsewhere (a force that changes with time); three, each with eight times the largest acceleration
// there was before, do not.
bool SmoothFlow::is_unstable(double h) {
  constexpr double limit = 20, growth = 8;
  const int s = tableau_.stages();
  if (s < 2) return false;
  double force = 0, way = 0, size = 0;
  for (int k = 0; k < n_; ++k) {
    const double a = K_[s - 1][k], da = a - K_[s - 2][k], end = chart_.flat() ? Q_[k] : phi_[s - 1][k];
    const double dq = end - before_[k];
    force += da * da, way += dq * dq, size = std::max(size, std::abs(a));
  }
  const bool stiff = h * h * h * h * force > limit * limit * way;
  if (stiff && growing_ == 0) frequency_ = std::sqrt(std::sqrt(force / way));
  if (record_ < 0) record_ = size;
  if (stiff && size > growth * record_)
    ++growing_;
  else if (size < record_)
    growing_ = 0;
  record_ = std::max(record_, size);
  return growing_ >= patience;
}

double SmoothFlow::stable_step() const {
  return growing_ < patience ? 0 : explicit_limit(tableau_, {0, frequency_}, 1).step;
}

// About the state of the last evaluation, whose result was a.
bool SmoothFlow::factorize(double t, const Vec& q, const Vec& u, const Vec& a, double h) {
  return dense_ ? factor_dense(t, q, u, h) : solver_.factorize(dynamics_.linearise(t, q, u, a), h);
}

// All accelerations are that of the start, and change at its rate where that is known and slow. The rate of a
// stiff motion says nothing of the end of the step.
void SmoothFlow::predict(const Vec& u, double h) {
  const bool follow =
      !dense_ && dynamics_.acceleration_rate(u, start_, a_) && std::abs(h) * largest(a_) <= largest(start_);
  for (int i = 0; i < tableau_.stages(); ++i) {
    if (follow)
      combine(1, start_, h * tableau_.c[i], a_, K_[i]);
    else
      assign(start_, K_[i]);
    stages_[i].begun = false;
    if (!chart_.flat()) phi_[i].setZero();
  }
}

// I − h A ⊗ ∂a/∂u − h² A² ⊗ ∂a/∂q, stages innermost
bool SmoothFlow::factor_dense(double t, const Vec& q, const Vec& u, double h) {
  const int s = tableau_.stages(), N = s * n_;
  dynamics_.jacobians(t, q, u, by_q_, by_u_);
  J_.resize(static_cast<std::size_t>(N) * N), pivot_.resize(N);
  for (int l = 0; l < n_; ++l)
    for (int j = 0; j < s; ++j)
      for (int k = 0; k < n_; ++k)
        for (int i = 0; i < s; ++i)
          J_[static_cast<std::size_t>(l * s + j) * N + k * s + i] = (i == j && k == l ? 1.0 : 0.0) -
                                                                    h * tableau_.A(i, j) * by_u_(k, l) -
                                                                    h * h * A2_(i, j) * by_q_(k, l);
  return dense_lu(N, J_.data(), pivot_.data()) < 0;
}

void SmoothFlow::solve_dense() {
  const int s = tableau_.stages();
  for (int i = 0; i < s; ++i)
    for (int k = 0; k < n_; ++k) residual_[k * s + i] = R_[i][k];
  dense_lu_solve(s * n_, J_.data(), pivot_.data(), residual_.data());
  for (int i = 0; i < s; ++i)
    for (int k = 0; k < n_; ++k) R_[i][k] = residual_[k * s + i];
}

StepStatus SmoothFlow::implicit_stages(double t, const Vec& q, const Vec& u, double h) {
  constexpr int max_iterations = 60, max_refreshes = 8;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const int s = tableau_.stages();
  StepStatus status = evaluate(t, q, u, start_);
  if (status != StepStatus::ok) return status;
  if (!factorize(t, q, u, start_, h)) return StepStatus::singular;
  predict(u, h);
  const Vec& weight = dynamics_.root_mass();  // accelerations of coordinates in different units, comparable
  double fastest = 0, farthest = 0;
  for (int k = 0; k < n_; ++k) {
    fastest = std::max(fastest, weight[k] * std::abs(u[k]));
    farthest = std::max(farthest, weight[k] * std::abs(q[k]));
  }
  double first = 0, last = infinity;
  int slow = 0, worse = 0, refreshes = 0;
  for (int it = 0; it < max_iterations; ++it) {
    ++newton_iterations_;
    // It converges badly: linearised anew about the middle of the step as it is now.
    const bool refresh = slow >= 2 && refreshes < max_refreshes;
    for (int i = 0; i < s; ++i) {
      stage(i, q, u, h, s);
      if (refresh) stages_[i].begun = false;
      // what is linearised about is the last evaluation
      status =
          refresh && i == s / 2
              ? evaluate(stage_time(i, t, h), Q_, V_[i], a_)
              : step_status(dynamics_.stage_acceleration(stage_time(i, t, h), Q_, V_[i], a_, stages_[i]));
      if (status != StepStatus::ok) return status;
      combine(1, a_, -1, K_[i], R_[i]);
      if (refresh && i == s / 2 && !factorize(t + tableau_.c[i] * h, Q_, V_[i], a_, h))
        return StepStatus::singular;
    }
    if (refresh) slow = 0, ++refreshes, last = infinity;
    if (dense_)
      solve_dense();
    else
      solver_.solve(R_);
    double change = 0, size = 0;
    for (int i = 0; i < s; ++i)
      for (int k = 0; k < n_; ++k) {
        K_[i][k] += R_[i][k];
        change = std::max(change, weight[k] * std::abs(R_[i][k]));
        size = std::max(size, weight[k] * std::abs(K_[i][k]));
      }
    if (!std::isfinite(change)) return StepStatus::not_finite;
    // what is left matters as h·change in the velocity
    const double floor = 1e-15 * (size + fastest / std::abs(h));
    if (change <= floor) return StepStatus::ok;
    // of a linear iteration, what is left is change · rate/(1 − rate); the first change says nothing of it
    const double rate = change / last;
    if (last < infinity && rate < 0.1 && change * rate <= 0.5 * floor) return StepStatus::ok;
    // It stands still at rounding: its own, or that of the positions the forces are made of. Stiff forces are
    // differences of positions, so theirs is larger.
    const double positions = eps * farthest / (h * h);
    if (rate >= 0.5 && change <= std::max(1e3 * floor, 8 * positions)) return StepStatus::ok;
    if (rate >= 0.5) ++slow;
    if (slow >= 2 && change <= 5e3 * positions) return StepStatus::ok;
    if (it == 0) first = change;
    if (rate > 2) ++worse;
    if (worse > 2 || change > 1e3 * first) break;  // before it leaves what the forces are made for
    last = change;
  }
  return StepStatus::newton_diverged;
}

StepStatus SmoothFlow::cover(double t, const Vec& q, const Vec& u, double h, Vec& q1, Vec& u1, int depth) {
  if (depth > 0) dynamics_.renew_slip(depth == most_halvings);
  if (!chart_.flat()) chart_.begin(q, origin_);
  const StepStatus status = explicit_ ? explicit_stages(t, q, u, h) : implicit_stages(t, q, u, h);
  if (status == StepStatus::newton_diverged || status == StepStatus::singular) {
    if (explicit_ || depth == most_halvings) return status;
    Vec &q2 = middle_q_[depth], &u2 = middle_u_[depth];
    const StepStatus half = cover(t, q, u, h / 2, q2, u2, depth + 1);
    return half == StepStatus::ok ? cover(t + h / 2, q2, u2, h / 2, q1, u1, depth + 1) : half;
  }
  if (status != StepStatus::ok) return status;
  if (!chart_.flat()) {
    assign(u, u1);
    assign(origin_, a_);
    for (int i = 0; i < tableau_.stages(); ++i) {
      combine(1, u1, h * tableau_.b[i], K_[i], u1);
      combine(1, a_, h * tableau_.b[i], rate_[i], a_);
    }
    chart_.place(a_, q1);
    return finite(q1) && finite(u1) ? StepStatus::ok : StepStatus::not_finite;
  }
  assign(u, u1);
  combine(1, q, h, u, Q_);  // q₁ = q + h u + h² Σ (bᵀA)_j K_j
  for (int i = 0; i < tableau_.stages(); ++i) {
    combine(1, u1, h * tableau_.b[i], K_[i], u1);
    const double w = tableau_.b.dot(tableau_.A.col(i));
    if (w != 0) combine(1, Q_, h * h * w, K_[i], Q_);
  }
  assign(Q_, q1);
  return finite(q1) && finite(u1) ? StepStatus::ok : StepStatus::not_finite;
}

StepStatus SmoothFlow::step(double t, const Vec& q, const Vec& u, double h, Vec& q1, Vec& u1) {
  dynamics_.begin_step();
  dynamics_.renew_slip(false);
  return cover(t, q, u, h, q1, u1, 0);
}

}  // namespace saltus
