#include "saltus/scheme/moreau/moreau_jean_stepper.hpp"

#include <cmath>
#include <limits>

#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

constexpr double position_rounding = 8 * std::numeric_limits<double>::epsilon();

}  // namespace

MoreauJeanStepper::MoreauJeanStepper(const System& system, const MoreauJean& options,
                                     const SolverSpec& solver, Faults* shared)
    : Stepper(shared),
      step_(system, solver, faults()),
      options_(options),
      shape_(step_.shape()),
      linear_(shape_.constant_mass && shape_.linear_force && shape_.constant_directions && shape_.flat) {
  check(options);
  if (options.theta == 0)
    for (const Law& law : system.laws())
      if (on_position_level(law))
        fail(
            "moreau-jean.theta = 0 leaves the positions of a step to its start: a prestressed-spring needs "
            "theta > 0");
  const int n = shape_.nu;
  const Pattern a = options.theta > 0 ? merge(shape_.mass, shape_.jacobian, n) : shape_.mass;
  M_ = Matrix(n, shape_.mass);
  A_ = Matrix(n, a);
  dq_ = du_ = Matrix(n, shape_.jacobian);
  for (Vec* x : {&v_, &v_new_, &v_theta_, &force_, &displacement_, &difference_}) x->setZero(n);
  q_theta_.setZero(shape_.nq);
}

// q_{k+1} = q_k ⊕ h v_{k+θ} from u_{k+1}; whether both are finite, seen in the same loop
[[gnu::always_inline]] inline bool MoreauJeanStepper::advance(const State& x0, double h, State& x1) {
  if (x1.q.size() != shape_.nq) x1.q.resize(shape_.nq);
  const double a = h * (1 - options_.theta), b = h * options_.theta;
  if (!shape_.flat) {
    combine(a, x0.u, b, x1.u, displacement_);
    step_.system().retract(x0.q, displacement_, x1.q);
    return finite(x1.u) && finite(x1.q);
  }
  const double *q0 = x0.q.data(), *u = x0.u.data(), *v = x1.u.data();
  double *q = x1.q.data(), sum = 0;
  for (int i = 0, n = shape_.nq; i < n; ++i) {
    q[i] = q0[i] + (a * u[i] + b * v[i]);
    sum += 0 * q[i] + 0 * v[i];
  }
  return sum == 0;
}

// A = M − h θ ∂F/∂u − h² θ² ∂F/∂q at the current (t, q, v)_{k+θ}; M_, dq_, du_ hold their values.
bool MoreauJeanStepper::prepare_matrix(double h, bool jacobians, StepReport& report) {
  A_.set_zero();
  A_.add_scaled(1, M_);
  if (jacobians) {
    A_.add_scaled(-h * options_.theta, du_);
    A_.add_scaled(-h * h * options_.theta * options_.theta, dq_);
  }
  return step_.factorize(A_, report);
}

// Constant M, ∂F and W: v_{k+1} = v_k + h A⁻¹ F(t_{k+θ}, q_k + θ h v_k, v_k) + A⁻¹ W P, with one stored
// factor.
[[gnu::always_inline]] inline StepStatus MoreauJeanStepper::solve_linear(const State& x0, double h, Vec& v,
                                                                         StepReport& report) {
  const double t = x0.t + options_.theta * h;
  combine(1, x0.q, options_.theta * h, x0.u, q_theta_);
  if (prepared_h_ != h) {
    step_.system().mass(t, q_theta_, M_);
    if (options_.theta > 0) step_.system().force_jacobians(t, q_theta_, x0.u, dq_, du_);
    if (!prepare_matrix(h, options_.theta > 0, report)) {
      assign(x0.u, v);
      return StepStatus::singular;
    }
    prepared_h_ = h;
  }
  step_.force(t, q_theta_, x0.u, force_);
  const Factor& A = step_.factor();
  if (A.pattern().kind == Pattern::diagonal) {  // in one loop
    const double *u = x0.u.data(), *F = force_.data(), *inverse = A.reciprocals().data();
    for (int i = 0, n = shape_.nu; i < n; ++i) v.data()[i] = u[i] + h * (F[i] * inverse[i]);
  } else {
    A.solve(force_.data());
    combine(1, x0.u, h, force_, v);
  }
  report.force_evaluations = report.newton_iterations = 1;
  return step_.solve(x0.contacts, h, v, report);
}

StepReport MoreauJeanStepper::step(const State& x0, double h, const Vec* shift, State& x1) {
  StepReport report;
  const double theta = options_.theta;
  const ContactRule rule{
      .lead = options_.gamma * h, .end = {(1 - theta) * h, theta * h}, .to_end = (1 - theta) * h};
  step_.look(x0.t, x0.q, x0.u, rule, h, x0.contacts, report);

  if (x1.u.size() != shape_.nu) x1.u.resize(shape_.nu);
  if (report.status != StepStatus::ok) {
    assign(x0.u, x1.u);
  } else if (linear_ && !shift) {
    report.status = solve_linear(x0, h, x1.u, report);
  } else {
    report.status = iterate(x0, h, shift, report);
    assign(v_, x1.u);
  }
  x1.t = x0.t + h;
  const bool all_finite = advance(x0, h, x1);
  step_.finish(x0, h, x1, all_finite, report);
  return report;
}

// At the current (t, q, v)_{k+θ}.
bool MoreauJeanStepper::renew_matrix(double t, double h, StepReport& report) {
  step_.system().mass(t, q_theta_, M_);
  if (options_.theta > 0) step_.system().force_jacobians(t, q_theta_, v_theta_, dq_, du_);
  if (!prepare_matrix(h, options_.theta > 0, report)) return false;
  prepared_h_ = h;
  return kept_ = true;
}

StepStatus MoreauJeanStepper::iterate(const State& x0, double h, const Vec* shift, StepReport& report) {
  constexpr int max_newton = 50, patience = 5;
  constexpr double fast = 0.1;  // the rate at which a matrix of another iteration is good enough
  const double theta = options_.theta, t = x0.t + theta * h;
  double last = infinity;
  int unsolved = 0;
  const bool one_matrix = shape_.constant_mass && shape_.linear_force;
  bool directions_move = !shape_.constant_directions;
  assign(x0.u, v_);
  for (int k = 1; k <= max_newton; ++k) {
    combine(1 - theta, x0.u, theta, v_, v_theta_);
    combine(theta * h, v_theta_, 0, v_theta_, displacement_);
    if (shift) displacement_ += *shift;
    step_.system().retract(x0.q, displacement_, q_theta_);
    if (directions_move) {
      step_.move_directions(t, q_theta_);
      step_.bend(t, q_theta_, v_theta_);
    }
    const bool old_matrix = shared_matrix_ && kept_;
    if (!old_matrix && (!one_matrix || prepared_h_ != h)) {
      if (!renew_matrix(t, h, report)) return StepStatus::singular;
    } else if (!shape_.constant_mass) {
      step_.system().mass(t, q_theta_, M_);
    }
    step_.force(t, q_theta_, v_theta_, force_);
    ++report.force_evaluations;
    ++report.newton_iterations;

    // v_free = v − A⁻¹ (M (v − v_k) − h F), then the impulses on top
    force_ *= h;
    if (k > 1) {
      combine(1, v_, -1, x0.u, difference_);
      M_.multiply_add(-1, difference_, force_);
    }
    step_.factor().solve(force_.data());
    combine(1, v_, 1, force_, v_new_);
    const StepStatus status = step_.solve(x0.contacts, h, v_new_, report);
    v_.swap(v_new_);
    if (!finite(v_)) return StepStatus::not_finite;
    // velocities repeat no better than the contacts were solved: of a large frictional
    // problem, too badly to follow W with them
    if (report.contact_residual > 1e-10 && step_.active() > large_frictional_problem) directions_move = false;
    if (theta == 0 || (one_matrix && !directions_move)) return status;  // a linear problem, and it is solved
    if (status == StepStatus::contact_unsolved && ++unsolved > 1) return status;

    combine(1, v_, -1, v_new_, difference_);
    const double change = largest(difference_), scale = std::max(largest(v_), largest(force_));
    if (change <= 1e-14 * scale) return status;
    if (old_matrix && change > fast * last) {
      kept_ = false;
    } else if (change >= 0.5 * last) {  // it does not settle
      // velocities repeat no better than the contacts were solved, nor than positions carry them
      const double noise = std::max(1e-10, 1e3 * report.contact_residual) * scale;
      if (change <= std::max(noise, position_rounding * largest(x0.q) / h)) return status;
      if (k >= patience) directions_move = false;
    }
    last = change;
  }
  return StepStatus::newton_diverged;
}

std::unique_ptr<Stepper> build_stepper(const MoreauJean& options, const DynamicSystem& system,
                                       const SolverSpec& solver) {
  return std::make_unique<MoreauJeanStepper>(mechanical(system), options, solver);
}

}  // namespace saltus
