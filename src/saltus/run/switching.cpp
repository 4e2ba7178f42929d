#include "saltus/run/switching.hpp"

#include <cmath>
#include <limits>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/switching_driver.hpp"

namespace saltus {

namespace {

double either(double own, double both) {
  return own > 0 ? own : both;
}

// the smallest of a list, where zeros stand for the tolerance of all
double either(const NumberList& own, double both) {
  double out = infinity;
  for (const double x : own.values) out = std::min(out, either(x, both));
  return out;
}

Extrapolation extrapolation(const SwitchingSteps& s) {
  Extrapolation e{s.substeps, s.power, static_cast<int>(s.order), s.n_max, s.atol, s.rtol, s.h_min};
  e.atol_q = s.atol_q, e.rtol_q = s.rtol_q, e.atol_u = s.atol_u, e.rtol_u = s.rtol_u, e.norm = s.norm;
  return e;
}

// The size of velocities, as far as the start tells it: its own, and those of a fall over its lengths.
double usual_speed(const Problem& problem) {
  const CheckedSystem system(static_cast<const System&>(*problem.system));
  const Shape shape = system.shape();
  Matrix M(shape.nu, shape.mass);
  Factor factor;
  Vec a = Vec::Zero(shape.nu);
  system.mass(problem.t0, problem.q0, M);
  system.force(problem.t0, problem.q0, problem.u0, a);
  if (!factor.factorize(M)) return largest(problem.u0);
  factor.solve(a.data());
  return std::max(largest(problem.u0), std::sqrt(largest(a) * largest(problem.q0)));
}

// Rows of a tableau repeat no better than contacts are solved: velocities to the solver's tolerance, relative
// to the largest one. A hundredth of what the tolerance of the run leaves keeps that out of the estimates.
SolverSpec fitting_solver(const SwitchingSteps& options, const RunContext& context) {
  SolverSpec solver = context.method.solver;
  if (options.order != SwitchingSteps::Order::automatic) return solver;
  const double fastest = usual_speed(context.problem);
  const double atol = either(options.atol_u, options.atol), rtol = either(options.rtol_u, options.rtol);
  if (!(fastest > 0)) return solver;
  const double needed = std::max(1e-14, 0.01 * (atol / fastest + rtol));
  std::visit(
      [&](auto& s) {
        if (s.tolerance <= needed) return;
        context.result.warnings.push_back(fmt::format(
            "solver {}: its tolerance {} was lowered to {:.1e}, which the tolerance of the steps needs",
            s.name, s.tolerance, needed));
        s.tolerance = needed;
      },
      solver);
  return solver;
}

double equal_length_of(const SwitchingSteps& s) {
  return s.h_dense > 0 ? s.h_dense : std::sqrt(s.h_min * s.h);
}

}  // namespace

SwitchingDriver::SwitchingDriver(const SwitchingSteps& options, const RunContext& context)
    : options_(options),
      method_(context.method),
      system_(static_cast<const System&>(*context.problem.system), faults_),
      sink_(context.sink),
      control_(context.control),
      result_(context.result),
      ticker_(context.control),
      stepper_(noted(make_stepper(context.method.scheme, *context.problem.system,
                                  fitting_solver(options, context))),
               system_, extrapolation(options)),
      plain_(make_stepper(context.method.scheme, *context.problem.system, context.method.solver)),
      stiff_(smooth_motion(context.method.scheme).stable_at_any_step ? options.dense : 0,
             equal_length_of(options)),
      dense_(options.dense, 10 * equal_length_of(options)) {
  const Problem& problem = context.problem;
  obey_closed_rule();
  base_.end = stepper_.start(problem.t0, problem.q0, problem.u0);
  base_.begin = problem.t0;
  look(base_);
  remember_touching();
  pre_ = act_ = base_;
  restart_.emplace(
      context.points, context.result, base_.end, [this](Memory& m) { memory(m); }, base_stepper_);
}

void SwitchingDriver::obey_closed_rule() {
  using R = SwitchingSteps::Restitution;
  const double full = options_.restitution != R::fading ? 0 : equal_ ? equal_length() : options_.h_min;
  const ClosedRule rule{.restitution = options_.restitution != R::impacts,
                        .gap_tolerance = options_.gap_tol,
                        .speed = speed_tolerance(),
                        .full_step = full};
  if (!stepper_.set_closed_rule(rule) || !plain_->set_closed_rule(rule))
    saltus::fail(
        "stepping {} needs a scheme with a rule for contacts that stay closed (Stepper::set_closed_rule)",
        SwitchingSteps::name);
}

double SwitchingDriver::speed_tolerance() const {
  return either(options_.atol_u, options_.atol);
}

double SwitchingDriver::equal_length() const {
  return equal_length_of(options_);
}

void SwitchingDriver::emit(SwitchingStep& step) {
  accumulate(result_, step.report);
  ++result_.stats.steps;
  result_.stats.above_tolerance += step.above_tolerance;
  step.report.u_minus = step.report.u_plus = {};
  if (sink_) sink_({base_.end, step.end, step.report, step.events});
  std::swap(base_, step);
  ticker_.tick(base_.end.t, result_.stats.steps);
}

void SwitchingDriver::accept_pending() {
  if (pending_) emit(pre_);
  pending_ = false;
}

void SwitchingDriver::drop_pending() {
  if (pending_) ++result_.stats.rejected;
  pending_ = false;
}

bool SwitchingDriver::fail(const SwitchingStep& from, double h, std::string why) {
  result_.status = RunStatus::failed;
  result_.message =
      why.empty() ? failure_message(system_, method_, from.end, h, act_.report) : std::move(why);
  result_.residuals.contact = std::max(result_.residuals.contact, act_.report.contact_residual);
  accept_pending();
  return false;
}

void SwitchingDriver::tell(Outcome outcome, bool taken, bool drops) const {
  if (control_.attempt) control_.attempt({act_.begin, act_.h, outcome, act_.report.order, taken, drops});
}

// One step of the base scheme from the accepted one, whatever the modes do; false: it failed, and why_ may
// say more than its report.
bool SwitchingDriver::take_single(double h, double target) {
  act_.begin = base_.end.t, act_.h = h;
  act_.events.clear();
  act_.above_tolerance = false;
  if (equal_)
    act_.report = plain_->step(base_.end, h, act_.end), act_.report.order = 1, ++plain_steps_;
  else
    act_.report = stepper_.single(base_.end, h, act_.end);
  ++result_.stats.calculated;
  count_work(result_, act_.report);
  why_.clear();
  if (act_.report.status != StepStatus::ok) return false;
  if (h == target - base_.end.t) act_.end.t = target;
  if (went_through(system_, base_.end, act_.end, why_)) return false;
  look(act_);
  return act_.report.status == StepStatus::ok;
}

// A step of minimal length that accepts the modes as they come: at the start and after breakpoints.
bool SwitchingDriver::first_step(double target) {
  const double left = target - base_.end.t, h = left < 2 * options_.h_min ? left : options_.h_min;
  if (!take_single(h, target)) return fail(base_, h, why_);
  no_increase_ = -infinity;
  const bool switched = started_ && !same_modes(base_.end.contacts, act_.end.contacts);
  tell(switched ? Outcome::resolved : Outcome::success, true);
  if (switched) {
    note_switches(base_);
    no_increase_ = act_.end.t;
  }
  started_ = true;
  emit(act_);
  h_ = grown(h);
  return true;
}

// Where switching points are dense: the base scheme with one length for all steps; one that cannot be solved
// is cut.
bool SwitchingDriver::equal_step(double target) {
  const double left = target - base_.end.t;
  double h = left - equal_length() < options_.h_min ? left : equal_length();
  while (!take_single(h, target)) {
    tell(Outcome::inaccurate, false);
    if (h <= options_.h_min) return fail(base_, h, why_);
    ++result_.stats.rejected;
    h = std::max(h / 2, options_.h_min);
  }
  const bool switched = !same_modes(base_.end.contacts, act_.end.contacts);
  tell(switched ? Outcome::resolved : Outcome::success, true);
  if (switched) note_switches(base_);
  emit(act_);
  ++equal_steps_;
  if (!(stiff_.equal() ? stiff_.go_on() : dense_.go_on(switched, base_.end.t))) leave_equal_steps();
  return true;
}

// After an accepted step of the search. What equal steps would leave unresolved must be small.
void SwitchingDriver::look_for_stiffness() {
  if (!stiff_.stiff(base_.end.t) || !stepper_.base_suffices(base_.end, equal_length())) return;
  drop_pending();
  stiff_.begin_equal();
  equal_ = true;
  obey_closed_rule();
}

void SwitchingDriver::leave_equal_steps() {
  equal_ = false;
  obey_closed_rule();
  no_increase_ = base_.end.t;
  h_ = grown(options_.h_min);
}

Outcome SwitchingDriver::attempt(const SwitchingStep& from, double h) {
  act_.begin = from.end.t, act_.h = h;
  act_.events.clear();
  act_.above_tolerance = false;
  act_.report = {};
  const Outcome outcome = stepper_.extrapolate(from.end, h, act_.end, act_.report);
  ++result_.stats.calculated;
  count_work(result_, act_.report);
  if (outcome == Outcome::detected || act_.report.status != StepStatus::ok) return outcome;
  look(act_);
  if (act_.report.status != StepStatus::ok) return Outcome::inaccurate;
  if (stepper_.is_minimal(h)) return outcome;
  std::string why;
  return passed_over(from) || went_through(system_, from.end, act_.end, why) ? Outcome::detected : outcome;
}

// Table IV: the actual step succeeded. After one whose rows did not approach each other steps do not grow.
void SwitchingDriver::accept() {
  const double h = act_.h;
  const bool missed = act_.above_tolerance && !stepper_.converging();
  double begin = 0;  // of what is now the accepted step
  if (stepper_.is_minimal(h)) {
    begin = act_.begin;
    accept_pending();
    emit(act_);
  } else {
    begin = last().begin;
    accept_pending();
    std::swap(pre_, act_);
    pending_ = true;
  }
  h_ = begin > no_increase_ && !missed && growth_.grow() ? grown(h) : h;
}

// What follows from a try; false: the run cannot go on.
bool SwitchingDriver::judge(const SwitchingStep& from, double h, Outcome outcome) {
  const bool minimal = stepper_.is_minimal(h);
  const bool failed = outcome != Outcome::detected && act_.report.status != StepStatus::ok;
  if (failed && minimal) return fail(from, h);
  if (std::string why; minimal && went_through(system_, from.end, act_.end, why))
    return fail(from, h, std::move(why));
  // what only h_min keeps from the tolerance is taken; but not where rows do not approach each other, unless
  // there is nothing shorter
  const bool enough = minimal || (stepper_.starved() && (stepper_.converging() || h < 2 * shortest()));
  if (outcome == Outcome::success || (!failed && outcome == Outcome::inaccurate && enough)) {
    act_.above_tolerance = outcome == Outcome::inaccurate && !minimal;
    tell(outcome, true);
    accept();
    look_for_stiffness();
  } else if (outcome == Outcome::inaccurate) {
    tell(outcome, false);
    ++result_.stats.rejected;
    growth_.missed();
    h_ = shrunk(h);
  } else if (outcome == Outcome::detected) {
    tell(outcome, false, pending_);
    ++result_.stats.detections;
    ++result_.stats.rejected;
    no_increase_ = from.end.t + h;
    growth_.forget();
    drop_pending();
    h_ = shrunk(h);
  } else if (pending_) {  // resolved behind a longer step
    tell(outcome, false, true);
    ++result_.stats.rejected;
    no_increase_ = from.end.t + h;
    h_ = shrunk(pre_.h);
    drop_pending();
  } else {
    tell(outcome, true);
    note_switches(base_);
    emit(act_);
    no_increase_ = base_.end.t;
    h_ = grown(h);
    stiff_.switched();
    dense_.note(base_.end.t);
    equal_ = dense_.dense(base_.end.t);
    if (equal_) obey_closed_rule();
  }
  return true;
}

bool SwitchingDriver::advance(double target) {
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(options_.h, std::abs(target));
  if (target - base_.end.t <= rounding) return true;
  if (!std::exchange(resumed_, false) && !first_step(target)) return false;
  for (;;) {
    const SwitchingStep& from = last();
    const double left = target - from.end.t;
    if (left <= rounding) break;
    count_base_steps();
    restart_->after_step(base_.end);
    if (stop_requested(control_, from.end.t, result_)) {
      restart_->leave(base_.end);
      accept_pending();
      return false;
    }
    if (equal_) {
      if (!equal_step(target)) return false;
      continue;
    }
    const double h = left - h_ < options_.h_min * (1 - 1e-9) ? left : h_;
    const Outcome outcome = attempt(from, h);
    if (h == left) act_.end.t = target;
    if (!judge(from, h, outcome)) return false;
  }
  accept_pending();
  return true;
}

void run_switching(const SwitchingSteps& options, const RunContext& context) {
  const Problem& problem = context.problem;
  if (options.h_min > options.h)
    fail(
        "stepping switching: h_min = {} exceeds h_max = {}; h_min is the step at switching points, h_max the "
        "largest one",
        options.h_min, options.h);
  const double latest = std::max(std::abs(problem.t0), std::abs(problem.t_end));
  if (const double rounding = 4 * std::numeric_limits<double>::epsilon() * latest; options.h_min < rounding)
    fail("stepping switching: h_min = {} is lost in the rounding of times up to {}; choose at least {:.1e}",
         options.h_min, latest, rounding);
  const auto none = [&](const NumberList& atol, double rtol) {
    return !(either(atol, options.atol) > 0 || either(rtol, options.rtol) > 0);
  };
  if (options.order == SwitchingSteps::Order::automatic &&
      (none(options.atol_q, options.rtol_q) || none(options.atol_u, options.rtol_u)))
    fail("stepping switching: atol and rtol cannot both be zero; give one, or a fixed order");
  if (options.h_dense > 0 && (options.h_dense < options.h_min || options.h_dense > options.h))
    fail("stepping switching: h_dense = {} is not between h_min = {} and h_max = {}", options.h_dense,
         options.h_min, options.h);
  SwitchingDriver driver(options, context);
  for (double end : stretches(problem))
    if (!driver.advance(end)) break;
  driver.count_base_steps();
  context.result.final = driver.state();
  context.rules.judge_end(0, 0, context.result);
}

}  // namespace saltus
