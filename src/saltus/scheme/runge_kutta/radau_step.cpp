#include "saltus/scheme/runge_kutta/radau_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int most_stages = 7;

double square(double x) {
  return x * x;
}

// The Lagrange polynomials of some nodes at x.
template <class Nodes>
void lagrange(const Nodes& c, int n, double x, double* out) {
  for (int j = 0; j < n; ++j) {
    out[j] = 1;
    for (int k = 0; k < n; ++k)
      if (k != j) out[j] *= (x - c[k]) / (c[j] - c[k]);
  }
}

// Column j: the Lagrange polynomial of node j as terms of a dense piece.
Eigen::MatrixXd dense_terms(const std::vector<double>& nodes) {
  const auto n = static_cast<int>(nodes.size());
  Eigen::MatrixXd out(n, n);
  for (int j = 0; j < n; ++j) {
    Vec c = Vec::Zero(n);
    c[0] = 1;
    for (int k = 0, degree = 0; k < n; ++k) {  // times (x − c_k)/(c_j − c_k)
      if (k == j) continue;
      ++degree;
      for (int i = degree; i >= 0; --i)
        c[i] = ((i > 0 ? c[i - 1] : 0) - nodes[k] * c[i]) / (nodes[j] - nodes[k]);
    }
    dense_from_powers(c.data(), 1, n);
    out.col(j) = c;
  }
  return out;
}

}  // namespace

RadauStep::RadauStep(ClosedDynamics& dynamics, int stages, int n)
    : DenseStep(dynamics),
      tableau_(radau_iia(stages)),
      s_(stages),
      n_(n),
      chart_(dynamics.system()),
      solver_(tableau_) {
  gamma_ = solver_.real_eigenvalue();
  nodes_.push_back(0);
  nodes_.insert(nodes_.end(), tableau_.c.begin(), tableau_.c.end());
  terms_ = dense_terms(nodes_);
  first_.resize(s_);
  lagrange(tableau_.c, s_, 0, first_.data());
  Q_.assign(s_, Vec::Zero(n));
  V_ = K_ = R_ = last_K_ = Q_;
  if (!chart_.flat()) L_ = Q_;
  q_ = u_ = a_ = error_q_ = error_u_ = shifted_ = force_ = last_u_ = Vec::Zero(n);
}

StepStatus RadauStep::attempt(double t, const Vec& q, const Vec& u, double h, const ErrorScales& scales) {
  t_ = t, h_ = h;
  chart_.begin(q, q_), assign(u, u_), assign(q, start_);
  dynamics_.begin_step();
  dynamics_.renew_slip(false);
  if (const StepStatus status = evaluate(t, start_, u_, a_); status != StepStatus::ok) return status;
  at_ = &dynamics_.linearise(t, start_, u_, a_);
  if (!solver_.factorize(*at_, h)) return StepStatus::newton_diverged;
  predict(scales);
  const StepStatus status = newton(scales);
  if (status != StepStatus::ok) hard_ = true, speed_ = 1;
  return status;
}

// K from the polynomial of the step before, where this one continues it and is not much longer, else from the
// start; V and Q follow.
void RadauStep::predict(const ErrorScales& scales) {
  constexpr double most = 3;
  bool continues = last_h_ > 0 && h_ <= most * last_h_ && std::abs(t_ - end_) <= 1e-9 * h_;
  for (int k = 0; continues && k < n_; ++k) continues = std::abs(u_[k] - last_u_[k]) <= 10 * scales.u[k];
  for (int i = 0; i < s_; ++i) {
    if (!continues) {
      assign(a_, K_[i]);
      continue;
    }
    double weight[most_stages];
    lagrange(tableau_.c, s_, 1 + tableau_.c[i] * h_ / last_h_, weight);
    K_[i].setZero();
    for (int j = 0; j < s_; ++j) combine(1, K_[i], weight[j], last_K_[j], K_[i]);
  }
  for (int i = 0; i < s_; ++i) {
    assign(u_, V_[i]);
    for (int j = 0; j < s_; ++j) combine(1, V_[i], h_ * tableau_.A(i, j), K_[j], V_[i]);
  }
  for (int i = 0; i < s_; ++i) {
    assign(q_, Q_[i]);
    for (int j = 0; j < s_; ++j) combine(1, Q_[i], h_ * tableau_.A(i, j), V_[j], Q_[i]);
  }
  lift_stages();
}

// Where the rates of Q are not V.
void RadauStep::lift_stages() {
  if (!chart_.flat()) chart_.solve(tableau_.A, h_, V_, Q_, L_);
}

StepStatus RadauStep::residuals() {
  for (int i = 0; i < s_; ++i) {
    const Vec& q = chart_.flat() ? Q_[i] : stage_q_;
    if (!chart_.flat()) chart_.place(Q_[i], stage_q_);
    const StepStatus status = evaluate(time(t_ + tableau_.c[i] * h_), q, V_[i], R_[i]);
    if (status != StepStatus::ok) return status;
    combine(1, R_[i], -1, K_[i], R_[i]);
  }
  return StepStatus::ok;
}

// Adds the corrections R of K, and what follows for V and Q. Returns their size in the scales of errors;
// `way` is the largest change of a position.
double RadauStep::correct(const ErrorScales& scales, double& way) {
  double sum = 0;
  way = 0;
  for (int k = 0; k < n_; ++k) {
    double v[most_stages];
    for (int i = 0; i < s_; ++i) {
      v[i] = 0;
      for (int j = 0; j < s_; ++j) v[i] += tableau_.A(i, j) * R_[j][k];
      v[i] *= h_;
      K_[i][k] += R_[i][k], V_[i][k] += v[i];
    }
    for (int i = 0; i < s_; ++i) {
      double x = 0;
      for (int j = 0; j < s_; ++j) x += tableau_.A(i, j) * v[j];
      Q_[i][k] += x *= h_;
      way = std::max(way, std::abs(x));
      sum += square(v[i] / scales.u[k]) + square(x / scales.q[k]);
    }
  }
  lift_stages();
  return std::sqrt(sum / (2.0 * s_ * n_));
}

StepStatus RadauStep::newton(const ErrorScales& scales) {
  const double enough = sharp_ ? 1e-5 : 0.01;  // of the tolerance
  const int most = 7 + 5 * (s_ - 3) / 2;
  speed_ = std::pow(std::max(speed_, epsilon), 0.8);
  double last = 0, before = 0;
  for (iterations_ = 1; iterations_ <= most; ++iterations_) {
    ++newton_iterations_;
    if (const StepStatus status = residuals(); status != StepStatus::ok) return status;
    solver_.solve(R_);
    double way = 0;
    const double change = correct(scales, way);
    if (!std::isfinite(change)) return StepStatus::not_finite;
    if (iterations_ > 1) {
      const double ratio = change / last, rate = iterations_ == 2 ? ratio : std::sqrt(ratio * before);
      before = ratio;
      // stiff forces are differences of positions: no more digits than those have
      if (rate > 0.3 && way <= 16 * epsilon * largest(start_)) return StepStatus::ok;
      if (!(rate < 0.99)) return StepStatus::newton_diverged;
      speed_ = rate / (1 - rate);
      if (speed_ * change * std::pow(rate, most - 1 - iterations_) > enough)
        return StepStatus::newton_diverged;
    }
    last = std::max(change, epsilon);
    if (speed_ * change <= enough) return StepStatus::ok;
  }
  return StepStatus::newton_diverged;
}

// The size of the error in its scales, from the velocity and acceleration at the start.
double RadauStep::filtered(const Vec& u, const Vec& a, const ErrorScales& scales) {
  assign(u, error_q_), assign(a, error_u_);
  for (int i = 0; i < s_; ++i) {
    combine(1, error_q_, -first_[i], slope(i), error_q_);
    combine(1, error_u_, -first_[i], K_[i], error_u_);
  }
  error_q_ *= h_ * gamma_, error_u_ *= h_ * gamma_;
  solver_.filter(error_q_, error_u_);
  double sum = 0;
  for (int k = 0; k < n_; ++k) sum += square(error_q_[k] / scales.q[k]) + square(error_u_[k] / scales.u[k]);
  return std::isfinite(sum) ? std::sqrt(sum / (2 * n_)) : infinity;
}

// Where the first estimate is large after an event or a step in vain it is filtered once more.
double RadauStep::error(const ErrorScales& scales) {
  error_ = filtered(u_, a_, scales);
  if (error_ > 1 && hard_) {
    combine(1, q_, 1, error_q_, shifted_);
    combine(1, u_, 1, error_u_, error_u_);
    if (!chart_.flat()) chart_.place(shifted_, stage_q_);
    if (evaluate(t_, chart_.flat() ? shifted_ : stage_q_, error_u_, force_) == StepStatus::ok) {
      assign(error_u_, shifted_);
      error_ = filtered(shifted_, force_, scales);
    }
  }
  if (!(error_ <= 1)) hard_ = true;
  return error_;
}

// Gustafsson's predictive control: what the step before did counts too.
double RadauStep::growth(double error) const {
  if (!(error < infinity)) return 0.3;
  const double power = 1.0 / (s_ + 1);
  const int most = 7 + 5 * (s_ - 3) / 2;
  const double safety = 0.9 * (1 + 2 * most) / (iterations_ + 2 * most);
  const double plain = safety * std::pow(error, -power);
  if (!(last_h_ > 0 && last_error_ > 0)) return plain;
  return std::min(plain, safety * h_ / last_h_ * std::pow(last_error_ / (error * error), power));
}

void RadauStep::accept() {
  end_ = t_ + h_, last_h_ = h_, last_error_ = std::max(error_, 1e-2), hard_ = false;
  std::swap(K_, last_K_);
  assign(V_.back(), last_u_);
}

StepStatus RadauStep::inside(double s, Vec& q, Vec& u) {
  if (s == h_) {
    chart_.place(Q_.back(), q), assign(V_.back(), u);
    return StepStatus::ok;
  }
  double weight[most_stages + 1];
  lagrange(nodes_, s_ + 1, s / h_, weight);
  Vec& v = chart_.flat() ? q : shifted_;
  assign(q_, v), assign(u_, u);
  v *= weight[0], u *= weight[0];
  for (int i = 0; i < s_; ++i) {
    combine(1, v, weight[i + 1], Q_[i], v);
    combine(1, u, weight[i + 1], V_[i], u);
  }
  if (!chart_.flat()) chart_.place(v, q);
  return StepStatus::ok;
}

bool RadauStep::dense(DensePiece& out) {
  out.resize(n_, n_, s_ + 1);
  out.start = t_, out.length = h_;
  for (int i = 0; i <= s_; ++i)
    for (int k = 0; k < n_; ++k) {
      double q = terms_(i, 0) * q_[k], u = terms_(i, 0) * u_[k];
      for (int j = 0; j < s_; ++j) q += terms_(i, j + 1) * Q_[j][k], u += terms_(i, j + 1) * V_[j][k];
      out.q[i * n_ + k] = q, out.u[i * n_ + k] = u;
    }
  chart_.spread(out);
  return true;
}

}  // namespace saltus
