#include "saltus/scheme/moreau_jean.hpp"

#include <cmath>

#include "saltus/scheme/gap_report.hpp"

namespace saltus {

MoreauJeanStepper::MoreauJeanStepper(const System& system, const MoreauJean& options, const SolverSpec& solver)
    : system_(system), options_(options), shape_(system.shape()), stage_(system, solver) {
  check(options);
  const int n = shape_.nu;
  const Pattern a = options.theta > 0 ? merge(shape_.mass, shape_.jacobian, n) : shape_.mass;
  M_ = Matrix(n, shape_.mass);
  A_ = Matrix(n, a);
  dq_ = du_ = Matrix(n, shape_.jacobian);
  for (Vec* x : {&v_, &v_new_, &v_theta_, &force_, &displacement_, &difference_}) x->setZero(n);
  q_theta_.setZero(shape_.nq);
}

State MoreauJeanStepper::start(double t, In q, In u) {
  State x;
  x.t = t, x.q = q, x.u = u;
  return x;
}

// A = M − h θ ∂F/∂u − h² θ² ∂F/∂q at the current (t, q, v)_{k+θ}; M_, dq_, du_ hold their values.
bool MoreauJeanStepper::prepare_matrix(double h, bool jacobians) {
  A_.set_zero();
  A_.add_scaled(1, M_);
  if (jacobians) {
    A_.add_scaled(-h * options_.theta, du_);
    A_.add_scaled(-h * h * options_.theta * options_.theta, dq_);
  }
  fresh_ = true;
  return factor_.factorize(A_);
}

StepReport MoreauJeanStepper::step(const State& x0, double h, const Vec* shift, State& x1) {
  StepReport report;
  system_.gaps(x0.t, x0.q, set_);
  report_gaps(system_, set_, report);
  if (!directions_known_) {
    system_.directions(x0.t, x0.q, set_);
    directions_known_ = shape_.constant_directions;
  }
  ContactStage::velocities(set_, x0.u, gamma_minus_);
  stage_.activate(set_, options_.gamma * h, gamma_minus_.data());

  v_ = x0.u;
  report.status = iterate(x0, h, shift, report);

  const double theta = options_.theta;
  displacement_ = h * ((1 - theta) * x0.u + theta * v_);
  x1.t = x0.t + h;
  if (x1.q.size() != shape_.nq) x1.q.resize(shape_.nq);
  system_.retract(x0.q, displacement_, x1.q);
  x1.u = v_;
  stage_.finish(set_, gamma_minus_, v_, h, x1.contacts, report);
  if (!x1.u.allFinite() || !x1.q.allFinite()) report.status = StepStatus::not_finite;
  return report;
}

StepStatus MoreauJeanStepper::iterate(const State& x0, double h, const Vec* shift, StepReport& report) {
  constexpr int max_newton = 50;
  const double theta = options_.theta, t = x0.t + theta * h;
  const bool one_shot = linear() || theta == 0;
  double last = infinity;
  for (int k = 1; k <= max_newton; ++k) {
    v_theta_ = (1 - theta) * x0.u + theta * v_;
    displacement_ = theta * h * v_theta_;
    if (shift) displacement_ += *shift;
    system_.retract(x0.q, displacement_, q_theta_);
    if (!shape_.constant_directions) {
      system_.directions(t, q_theta_, set_);
      fresh_ = true;
    }
    if (!linear() || prepared_h_ != h) {
      system_.mass(t, q_theta_, M_);
      if (theta > 0) system_.force_jacobians(t, q_theta_, v_theta_, dq_, du_);
      if (!prepare_matrix(h, theta > 0)) return StepStatus::singular;
      prepared_h_ = h;
    }
    system_.force(t, q_theta_, v_theta_, force_);
    ++report.force_evaluations;

    // v_free = v − A⁻¹ (M (v − v_k) − h F), then the impulses on top
    force_ *= h;
    if (k > 1) {
      difference_ = v_ - x0.u;
      M_.multiply_add(-1, difference_, force_);
    }
    factor_.solve(force_);
    v_new_ = v_ + force_;
    const SolveReport solved = stage_.solve(set_, factor_, fresh_, h, gamma_minus_, x0.contacts, v_new_);
    if (stage_.any_active()) fresh_ = false;
    report.contact_iterations += solved.iterations;
    report.contact_residual = solved.residual;
    ++report.newton_iterations;

    difference_ = v_new_ - v_;
    const double change = difference_.lpNorm<Eigen::Infinity>();
    const double scale = std::max(v_new_.lpNorm<Eigen::Infinity>(), force_.lpNorm<Eigen::Infinity>());
    v_.swap(v_new_);
    if (!std::isfinite(change)) return StepStatus::not_finite;
    if (one_shot || change <= 1e-14 * scale || (change <= 1e-10 * scale && change >= 0.5 * last)) {
      if (solved.solved) return StepStatus::ok;
      report.bad_contact = solved.worst_block >= 0 ? stage_.contact_id(set_, solved.worst_block) : 0;
      return StepStatus::contact_unsolved;
    }
    last = change;
  }
  return StepStatus::newton_diverged;
}

}  // namespace saltus
