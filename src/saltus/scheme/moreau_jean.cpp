#include "saltus/scheme/moreau_jean.hpp"

#include <cmath>

#include "saltus/linalg/loops.hpp"
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

// q ⊕ d; the common case of plain coordinates without a virtual call.
void MoreauJeanStepper::move(const Vec& q, const Vec& d, Vec& out) {
  if (out.size() != shape_.nq) out.resize(shape_.nq);
  if (shape_.flat) combine(1, q, 1, d, out);
  else system_.retract(q, d, out);
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
  stage_.activate(set_, options_.gamma * h, gamma_minus_.data(), x0.contacts, h);

  assign(x0.u, v_);
  report.status = iterate(x0, h, shift, report);

  const double theta = options_.theta;
  combine(h * (1 - theta), x0.u, h * theta, v_, displacement_);
  x1.t = x0.t + h;
  move(x0.q, displacement_, x1.q);
  assign(v_, x1.u);
  stage_.finish(set_, gamma_minus_, v_, h, x1.contacts, report);
  if (!finite(x1.u) || !finite(x1.q)) report.status = StepStatus::not_finite;
  return report;
}

StepStatus MoreauJeanStepper::iterate(const State& x0, double h, const Vec* shift, StepReport& report) {
  constexpr int max_newton = 50;
  const double theta = options_.theta, t = x0.t + theta * h;
  const bool one_shot = linear() || theta == 0;
  double last = infinity;
  for (int k = 1; k <= max_newton; ++k) {
    combine(1 - theta, x0.u, theta, v_, v_theta_);
    combine(theta * h, v_theta_, 0, v_theta_, displacement_);
    if (shift) displacement_ += *shift;
    move(x0.q, displacement_, q_theta_);
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
    combine(h, force_, 0, force_, force_);
    if (k > 1) {
      combine(1, v_, -1, x0.u, difference_);
      M_.multiply_add(-1, difference_, force_);
    }
    factor_.solve(force_.data());
    combine(1, v_, 1, force_, v_new_);
    SolveReport solved{true, 0, 0, -1};
    if (stage_.any_active()) {
      solved = stage_.solve(set_, factor_, fresh_, h, gamma_minus_, x0.contacts, v_new_);
      fresh_ = false;
      report.contact_iterations += solved.iterations;
      report.contact_residual = solved.residual;
    }
    ++report.newton_iterations;
    v_.swap(v_new_);
    if (!one_shot) {
      combine(1, v_, -1, v_new_, difference_);
      const double change = largest(difference_), scale = std::max(largest(v_), largest(force_));
      if (!std::isfinite(change) || !finite(v_)) return StepStatus::not_finite;
      const bool stalled_at_rounding = change <= 1e-10 * scale && change >= 0.5 * last;
      last = change;
      if (change > 1e-14 * scale && !stalled_at_rounding) continue;
    }
    if (solved.solved) return StepStatus::ok;
    report.bad_contact = solved.worst_block >= 0 ? stage_.contact_id(set_, solved.worst_block) : 0;
    return finite(v_) ? StepStatus::contact_unsolved : StepStatus::not_finite;
  }
  return StepStatus::newton_diverged;
}

}  // namespace saltus
