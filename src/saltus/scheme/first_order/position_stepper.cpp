#include "saltus/scheme/first_order/position_stepper.hpp"

#include <cmath>

#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/runge_kutta/stage_matrix.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

using Velocity = ChainMethod::Velocity;

class PositionStepper final : public Stepper {
 public:
  PositionStepper(const ViscoelasticSystem& system, Velocity velocity, double gamma,
                  std::function<ChainMethod(double)> method, double tolerance)
      : system_(system.mechanical(), faults()),
        soft_(system),
        velocity_(velocity),
        gamma_(gamma),
        method_(std::move(method)),
        tolerance_(tolerance),
        n_(system_.shape().nu) {
    const ChainMethod t = method_(1);
    order_ = t.order;
    stages_ = static_cast<int>(t.b.size()), first_ = starts_explicitly(t) ? 1 : 0;
    const Viscosity viscosity = soft_.viscosity();
    touching_ = viscosity.gamma.has_value();
    split_ = touching_ && (velocity_ == Velocity::theta || t.A != t.Ak);
    damped_ = velocity_ == Velocity::damped && viscosity.damped;
    const Shape shape = system_.shape();
    const int unknown = stages_ - first_;
    M_ = Matrix(n_, shape.mass);
    du_ = Matrix(n_, shape.jacobian);
    all_.assign(unknown, du_);
    if (split_) contacts_.assign(unknown, du_);
    if (damped_) dampers_.assign(unknown, du_);
    matrix_ = StageMatrix(merge(shape.mass, shape.jacobian, n_), n_, unknown);
    X_.assign(stages_, Vec::Zero(n_)), G_ = X_;
    if (split_) C_ = X_;
    if (damped_) S_ = X_;
    target_.assign(unknown, Vec::Zero(n_));
    R_.setZero(unknown * n_);
    rest_ = g_ = Dg_ = Vec::Zero(n_);
  }

  int order() const override { return order_; }

  State start(double t, In q, In u) override {
    State x;
    x.t = t, x.q = q, x.u = u, x.aux = u;
    system_.mass(t, q, M_);
    regular_ = mass_.factorize(M_);
    if (!regular_) return x;  // the first step says so
    difference(t, q, u);
    x.aux -= g_;
    return x;
  }

  StepReport take_step(const State& x0, double h, State& x1) override {
    StepReport report;
    if (!regular_) {
      report.status = StepStatus::singular, report.bad_component = std::max(0, mass_.bad_row());
      return report;
    }
    if (h != h_) set_step(h);
    prepare(x0);
    report.status = solve(x0, report);
    if (report.status != StepStatus::ok) return report;
    finish(x0, x1);
    difference(x1.t, x1.q, x1.aux);
    combine(1, x1.aux, 1, g_, x1.u);
    if (!finite(x1.u) || !finite(x1.q)) {
      report.status = StepStatus::not_finite;
      for (int k = n_ - 1; k >= 0; --k)
        if (!std::isfinite(x1.u[k] + x1.q[k])) report.bad_component = k;
      return report;
    }
    report.bad_component = -1;
    return report;
  }

 private:
  bool tailored() const { return velocity_ == Velocity::theta || velocity_ == Velocity::irk; }

  void set_step(double h) {
    ChainMethod t = method_(h);
    if (velocity_ == Velocity::theta && !touching_) t.Ak = t.A, t.bk = t.b;
    h_ = h;
    force_ = h * h * t.A * t.A, local_ = h * h * t.A * t.Ak, damp_ = h * t.A;
    c_ = damp_.rowwise().sum();
    end_force_ = h * h * t.A.transpose() * t.b, end_local_ = h * h * t.Ak.transpose() * t.b;
    kick_ = h * t.b, local_kick_ = h * t.bk;
    const int last = stages_ - 1;
    ends_in_last_ =
        (t.A.row(last).transpose() - t.b).isZero(0) && (t.Ak.row(last).transpose() - t.bk).isZero(0);
    const int m = stages_ - first_;
    inner_force_ = (force_ - local_).bottomRightCorner(m, m), inner_local_ = local_.bottomRightCorner(m, m);
    inner_damp_ = damp_.bottomRightCorner(m, m);
  }

  // u − w of the velocity's kind at (t, q), into g_; v is the velocity in Dg v
  void difference(double t, In q, In v) {
    g_.setZero();
    if (velocity_ == Velocity::damped) {
      if (!damped_) return;
      soft_.momentum(t, q, g_, system_.workspace());
      return mass_.solve(g_);
    }
    if (velocity_ == Velocity::plain || gamma_ == 0) return;
    system_.force(t, q, rest_, g_);
    g_ *= gamma_ / 2;
    if (velocity_ == Velocity::irk) {
      system_.force_jacobians(t, q, rest_, all_[0], du_);
      all_[0].multiply_add(gamma_ * gamma_ / 8, v, g_);
    }
    mass_.solve(g_);
  }

  // forces of stage i
  void evaluate(const State& x0, int i) {
    system_.force(x0.t + c_[i], X_[i], rest_, G_[i]);
    if (split_) soft_.contact_force(x0.t + c_[i], X_[i], C_[i], system_.workspace());
    if (damped_) soft_.momentum(x0.t + c_[i], X_[i], S_[i], system_.workspace());
  }
  // out += weights of stage j
  void add(int j, double force, double local, double damp, Vec& out) const {
    combine(1, out, local, G_[j], out);
    if (split_) combine(1, out, force - local, C_[j], out);
    if (damped_) combine(1, out, damp, S_[j], out);
  }

  // what does not depend on the unknown stages, and where these begin
  void prepare(const State& x0) {
    if (first_) assign(x0.q, X_[0]), evaluate(x0, 0);
    for (int i = first_; i < stages_; ++i) {
      combine(1, x0.q, c_[i], x0.aux, X_[i]);
      Vec& target = target_[i - first_];
      target.setZero();
      M_.multiply_add(1, X_[i], target);
      if (first_) add(0, force_(i, 0), local_(i, 0), damp_(i, 0), target);
      if (!tailored()) combine(1, x0.q, c_[i], x0.u, X_[i]);
    }
  }

  bool factorize(const State& x0) {
    const int m = stages_ - first_;
    for (int j = 0; j < m; ++j) {
      const Vec& X = X_[first_ + j];
      const double t = x0.t + c_[first_ + j];
      system_.force_jacobians(t, X, rest_, all_[j], damped_ ? dampers_[j] : du_);
      if (split_) soft_.contact_jacobian(t, X, contacts_[j], system_.workspace());
    }
    matrix_.set_mass(M_);
    matrix_.subtract(1, inner_local_, all_);
    if (split_) matrix_.subtract(1, inner_force_, contacts_);
    if (damped_) matrix_.subtract(1, inner_damp_, dampers_);
    return matrix_.factorize();
  }

  // R = target − M X + Σ forces, stages innermost
  void residual(const State& x0) {
    const int m = stages_ - first_;
    for (int j = first_; j < stages_; ++j) evaluate(x0, j);
    for (int i = 0; i < m; ++i) {
      assign(target_[i], Dg_);
      M_.multiply_add(-1, X_[first_ + i], Dg_);
      for (int j = first_; j < stages_; ++j)
        add(j, force_(first_ + i, j), local_(first_ + i, j), damp_(first_ + i, j), Dg_);
      for (int k = 0; k < n_; ++k) R_[k * m + i] = Dg_[k];
    }
  }

  // Newton with the factors of its first iteration as long as that contracts fast.
  StepStatus solve(const State& x0, StepReport& report) {
    const int m = stages_ - first_;
    const double rounding = 4e-16 * largest(x0.q);
    double last = infinity;
    bool fresh = true;
    for (int it = 0; it < 60; ++it) {
      ++report.newton_iterations;
      residual(x0);
      report.force_evaluations += m;
      if (fresh && !factorize(x0)) {
        report.bad_component = matrix_.bad_component();
        return StepStatus::singular;
      }
      matrix_.solve(R_.data());
      double change = 0, move = 0;
      for (int k = 0; k < n_; ++k)
        for (int i = 0; i < m; ++i) {
          const double delta = R_[k * m + i];
          X_[first_ + i][k] += delta;
          if (!(std::abs(delta) <= change)) change = std::abs(delta), report.bad_component = k;
          move = std::max(move, std::abs(X_[first_ + i][k] - x0.q[k]));
        }
      report.stage_residual = change;
      if (!std::isfinite(change)) return StepStatus::not_finite;
      const double goal = tolerance_ * move + rounding, rate = it > 0 ? change / last : 1.0;
      if (change <= goal || change * rate <= 0.1 * goal || (it > 5 && change <= 100 * rounding))
        return StepStatus::ok;
      fresh = it > 0 ? rate > 0.03 : change > 1e-3 * move;
      last = change;
    }
    return StepStatus::newton_diverged;
  }

  void finish(const State& x0, State& x1) {
    x1.t = x0.t + h_;
    for (int j = first_; j < stages_; ++j) evaluate(x0, j);
    if (ends_in_last_) {
      assign(X_[stages_ - 1], x1.q);
    } else {
      g_.setZero();
      for (int j = 0; j < stages_; ++j) add(j, end_force_[j], end_local_[j], kick_[j], g_);
      mass_.solve(g_);
      combine(1, x0.q, kick_.sum(), x0.aux, x1.q);
      combine(1, x1.q, 1, g_, x1.q);
    }
    g_.setZero();
    for (int j = 0; j < stages_; ++j) {
      combine(1, g_, local_kick_[j], G_[j], g_);
      if (split_) combine(1, g_, kick_[j] - local_kick_[j], C_[j], g_);
    }
    mass_.solve(g_);
    combine(1, x0.aux, 1, g_, x1.aux);
  }

  CheckedSystem system_;
  const ViscoelasticSystem& soft_;
  Velocity velocity_;
  double gamma_;
  std::function<ChainMethod(double)> method_;
  double tolerance_, h_ = 0;
  int n_, order_ = 0, stages_ = 0, first_ = 0;  // first_: of the unknown stages
  bool touching_ = false, split_ = false, damped_ = false, regular_ = false, ends_in_last_ = false;
  Eigen::MatrixXd force_, local_, damp_, inner_force_, inner_local_, inner_damp_;
  Vec c_, end_force_, end_local_, kick_, local_kick_;
  Matrix M_, du_;
  Factor mass_;
  std::vector<Matrix> all_, contacts_, dampers_;  // ∂G/∂q, ∂C/∂q, ∂S/∂q of the unknown stages
  StageMatrix matrix_;
  std::vector<Vec> X_, G_, C_, S_, target_;
  Vec R_, rest_, g_, Dg_;
};

}  // namespace

std::unique_ptr<Stepper> make_position_stepper(const ViscoelasticSystem& system, Velocity velocity,
                                               double gamma, std::function<ChainMethod(double)> method,
                                               double tolerance) {
  return std::make_unique<PositionStepper>(system, velocity, gamma, std::move(method), tolerance);
}

}  // namespace saltus
