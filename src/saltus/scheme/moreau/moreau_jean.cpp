#include "saltus/scheme/moreau/moreau_jean_stepper.hpp"

#include <cmath>
#include <limits>

#include "saltus/core/team.hpp"
#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

constexpr int entries_a_piece = 4096;
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
[[gnu::always_inline]] inline bool MoreauJeanStepper::advance(const State& x0, State& x1) {
  if (x1.q.size() != shape_.nq) x1.q.resize(shape_.nq);
  const double a = rule_.end.before, b = rule_.end.after;
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

// At (t, q)_{k+θ}, once for all steps of this length.
[[gnu::noinline]] bool MoreauJeanStepper::prepare_linear(double t, double h, const Vec& u,
                                                         StepReport& report) {
  step_.system().mass(t, q_theta_, M_);
  if (options_.theta > 0) step_.system().force_jacobians(t, q_theta_, u, dq_, du_);
  if (!prepare_matrix(h, options_.theta > 0, report)) return false;
  prepared_h_ = h;
  return true;
}

// Constant M, ∂F and W: v_{k+1} = v_k + h A⁻¹ F(t_{k+θ}, q_k + θ h v_k, v_k) + A⁻¹ W P, with one stored
// factor; then q_{k+1}. Whether both are finite.
[[gnu::always_inline]] inline bool MoreauJeanStepper::solve_linear(const State& x0, double h, State& x1,
                                                                   StepReport& report) {
  const double ahead = rule_.end.after, t = x0.t + ahead;
  combine(1, x0.q, ahead, x0.u, q_theta_);
  if (prepared_h_ != h && !prepare_linear(t, h, x0.u, report)) {
    report.status = StepStatus::singular;
    assign(x0.u, x1.u);
    return advance(x0, x1);
  }
  step_.force_unchecked(t, q_theta_, x0.u, force_);
  report.force_evaluations = report.newton_iterations = 1;
  const Factor& A = step_.factor();
  if (A.pattern().kind != Pattern::diagonal) {
    step_.check_force(t, force_);
    A.solve(force_.data());
    combine(1, x0.u, h, force_, x1.u);
    report.status = step_.solve(x0.contacts, h, x1.u, report);
    return advance(x0, x1);
  }
  const double *u = x0.u.data(), *F = force_.data(), *inverse = A.reciprocals().data();
  double* v = x1.u.data();
  bool all_finite = true;
  if (step_.any_active()) {
    for (int i = 0, n = shape_.nu; i < n; ++i) v[i] = u[i] + h * (F[i] * inverse[i]);
    report.status = step_.solve(x0.contacts, h, x1.u, report);
    all_finite = advance(x0, x1);
  } else {  // free motion, velocity and position in one loop
    if (x1.q.size() != shape_.nq) x1.q.resize(shape_.nq);
    const double *q0 = x0.q.data(), a = rule_.end.before, b = rule_.end.after;
    double *q = x1.q.data(), sum = 0;
    for (int i = 0, n = shape_.nu; i < n; ++i) {
      const double w = u[i] + h * (F[i] * inverse[i]), p = q0[i] + (a * u[i] + b * w);
      v[i] = w, q[i] = p;
      sum += 0 * p + 0 * w;
    }
    all_finite = sum == 0;
  }
  if (!all_finite) step_.check_force(t, force_);
  return all_finite;
}

[[gnu::noinline]] void MoreauJeanStepper::prepare_rule(double h) {
  const double theta = options_.theta;
  rule_ = {.lead = options_.gamma * h, .end = {(1 - theta) * h, theta * h}, .to_end = (1 - theta) * h};
  rule_h_ = h;
}

StepReport MoreauJeanStepper::take_step(const State& x0, double h, State& x1) {
  StepReport report;
  if (rule_h_ != h) prepare_rule(h);
  step_.look(x0.t, x0.q, x0.u, rule_, h, x0.contacts, report);

  if (x1.u.size() != shape_.nu) x1.u.resize(shape_.nu);
  bool all_finite = true;
  if (linear_ && !shift_ && report.status == StepStatus::ok) {
    all_finite = solve_linear(x0, h, x1, report);
  } else {
    if (stays_at_rest(x0, h, x1, report)) return report;
    if (report.status == StepStatus::ok)
      report.status = iterate(x0, h, report), assign(v_, x1.u);
    else
      assign(x0.u, x1.u);
    all_finite = advance(x0, x1);
  }
  x1.t = x0.t + h;
  step_.finish(x0, h, x1, all_finite, report);
  if (!shape_.flat) look_for_rest(x0, h, x1, report);
  return report;
}

bool MoreauJeanStepper::stays_at_rest(const State& x0, double h, State& x1, StepReport& report) {
  if (report.status != StepStatus::ok || !rest_.may_hold(x0, h)) return false;
  const double t = x0.t + options_.theta * h;
  step_.move_directions(t, x0.q);
  step_.force(t, x0.q, x0.u, force_);
  if (!rest_.holds(step_.set(), force_)) {
    rest_.forget();
    return false;
  }
  report = rest_.report();
  x1 = x0, x1.t = x0.t + h;
  return true;
}

void MoreauJeanStepper::look_for_rest(const State& x0, double h, const State& x1, const StepReport& report) {
  if (report.status != StepStatus::ok || !x1.u.isZero(0) || !x0.u.isZero(0)) return rest_.forget();
  step_.force(x0.t + options_.theta * h, x0.q, x0.u, force_);
  rest_.keep(x0, h, x1, step_.set(), force_, report);
}

// At the current (t, q, v)_{k+θ}.
bool MoreauJeanStepper::renew_matrix(double t, double h, StepReport& report) {
  step_.system().mass(t, q_theta_, M_);
  if (options_.theta > 0) step_.system().force_jacobians(t, q_theta_, v_theta_, dq_, du_);
  if (!prepare_matrix(h, options_.theta > 0, report)) return false;
  prepared_h_ = h;
  return kept_ = true;
}

// (q, v)_{k+θ} of the present v_
void MoreauJeanStepper::go_to_theta(const State& x0, double h) {
  const double theta = options_.theta;
  if (!shape_.flat) {
    combine(1 - theta, x0.u, theta, v_, v_theta_);
    combine(theta * h, v_theta_, 0, v_theta_, displacement_);
    if (shift_) displacement_ += *shift_;
    step_.system().retract(x0.q, displacement_, q_theta_);
    return;
  }
  const double *q0 = x0.q.data(), *u0 = x0.u.data(), *v = v_.data(),
               *shift = shift_ ? shift_->data() : nullptr;
  double *vt = v_theta_.data(), *qt = q_theta_.data();
  for_pieces(0, shape_.nu, entries_a_piece, [=](int from, int to) {
    for (int i = from; i < to; ++i) {
      vt[i] = (1 - theta) * u0[i] + theta * v[i];
      const double way = theta * h * vt[i];
      qt[i] = q0[i] + (shift ? way + shift[i] : way);
    }
  });
}

// v_free = v − A⁻¹ (M (v − v_k) − h F) into v_new_; force_ is what is added
void MoreauJeanStepper::move_freely(const State& x0, double h, bool moved) {
  const Factor& A = step_.factor();
  if (shape_.spins || A.pattern().kind != Pattern::diagonal || M_.pattern().kind != Pattern::diagonal) {
    force_ *= h;
    if (shape_.spins) {
      step_.system()->spin_impulse(h, options_.theta, x0.u, v_, difference_);
      force_ += difference_;
    }
    if (moved) {
      combine(1, v_, -1, x0.u, difference_);
      M_.multiply_add(-1, difference_, force_);
    }
    A.solve(force_.data());
    return combine(1, v_, 1, force_, v_new_);
  }
  const double *u0 = x0.u.data(), *v = v_.data(), *m = M_.values().data(), *inverse = A.reciprocals().data();
  double *f = force_.data(), *next = v_new_.data();
  for_pieces(0, shape_.nu, entries_a_piece, [=](int from, int to) {
    for (int i = from; i < to; ++i) {
      f[i] *= h;
      if (moved) f[i] += -1 * m[i] * (v[i] - u0[i]);
      f[i] *= inverse[i];
      next[i] = v[i] + f[i];
    }
  });
}

// How far v_ is from the one before, and the size of it or of what forces add
std::pair<double, double> MoreauJeanStepper::compare() const {
  struct Part {
    double change = 0, scale = 0;
  };
  const double *v = v_.data(), *old = v_new_.data(), *f = force_.data();
  const Part all = over_pieces<Part>(
      0, shape_.nu, entries_a_piece,
      [=](int from, int to) {
        Part part;
        for (int i = from; i < to; ++i) {
          part.change = std::max(part.change, std::abs(v[i] - old[i]));
          part.scale = std::max(part.scale, std::max(std::abs(v[i]), std::abs(f[i])));
        }
        return part;
      },
      [](Part& sum, const Part& p) {
        sum.change = std::max(sum.change, p.change), sum.scale = std::max(sum.scale, p.scale);
      });
  return {all.change, all.scale};
}

// Kept apart from the step of linear systems, which has few registers to spare.
[[gnu::noinline]] StepStatus MoreauJeanStepper::iterate(const State& x0, double h, StepReport& report) {
  constexpr int max_newton = 50, patience = 5;
  constexpr double fast = 0.1;  // the rate at which a matrix of another iteration is good enough
  const double theta = options_.theta, t = x0.t + theta * h;
  double last = infinity;
  int unsolved = 0;
  const bool one_matrix = shape_.constant_mass && shape_.linear_force;
  bool directions_move = !shape_.constant_directions;
  assign(x0.u, v_);
  for (int k = 1; k <= max_newton; ++k) {
    go_to_theta(x0, h);
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

    move_freely(x0, h, k > 1);
    const StepStatus status = step_.solve(x0.contacts, h, v_new_, report);
    v_.swap(v_new_);
    if (!finite(v_)) return StepStatus::not_finite;
    if (!shape_.flat && status == StepStatus::ok && step_.stage().problem() &&
        rest_.settle(*step_.stage().problem(), step_.stage().impulses(), M_, x0.u, v_))
      return status;
    if (theta == 0 || (one_matrix && !directions_move)) return status;  // a linear problem, and it is solved
    if (status == StepStatus::contact_unsolved && ++unsolved > 1) return status;

    const auto [change, scale] = compare();
    if (change <= 1e-14 * scale) return status;
    // velocities repeat no better than the contacts were solved: of a large frictional problem W follows them
    // until what it would change next is less than that
    if (report.contact_residual > 1e-10 && step_.active() > large_frictional_problem && last < infinity &&
        change * change <= report.contact_residual * scale * last) {
      if (one_matrix) return status;
      directions_move = false;
    }
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
