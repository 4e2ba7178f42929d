#include "saltus/run/first_order.hpp"

#include <cmath>

#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/remedy.hpp"
#include "saltus/run/restart.hpp"

namespace saltus {
namespace {

std::string failure(const FirstOrderSystem& system, const State& x0, double h, const StepReport& report) {
  std::string text =
      fmt::format("step from t = {:.9g} with h = {:.3g}: {}", x0.t, h, to_string(report.status));
  if (report.fault) return text + ": " + fault_message(system, report.fault);
  if (report.newton_iterations > 0)
    text += fmt::format(" after {} iterations, last change {:.2g}", report.newton_iterations,
                        report.stage_residual);
  if (report.bad_component >= 0) text += fmt::format(", at {}", system.component_name(report.bad_component));
  return text;
}

std::string advice(const FirstOrderSystem& system, const Method& method, double h, StepStatus status) {
  const auto* chain = dynamic_cast<const Chain*>(&system);
  if (chain && std::holds_alternative<KkIrk>(method.scheme))
    return fmt::format(
        ". kk-irk with C11 = gamma/(2h) = {:.3g} has unique stages only below 0.082 when contacts are stiff: "
        "use "
        "gauss-2, or a larger step",
        chain->damping() / (2 * h));
  if (chain) return "; try a smaller step, or formulation y";
  return "; " + remedy(method, status);
}

// One step in 2ᵏ parts, the fewest that can be solved.
class StepCutter {
 public:
  StepCutter(Stepper& stepper, const State& like) : stepper_(stepper), a_(like), b_(like) {}

  StepReport step(const State& now, double h, State& next, RunStats& stats) {
    const StepReport first = stepper_.step(now, h, next);
    if (first.status == StepStatus::ok) return first;
    for (int parts = 2; parts <= 64; parts *= 2) {
      ++stats.rejected;
      a_ = now;
      StepReport sum;
      for (int i = 0; i < parts && sum.status == StepStatus::ok; ++i) {
        const StepReport r = stepper_.step(a_, h / parts, b_);
        sum.status = r.status;
        sum.force_evaluations += r.force_evaluations, sum.newton_iterations += r.newton_iterations;
        std::swap(a_, b_);
      }
      if (sum.status != StepStatus::ok) continue;
      next = a_;
      ++cut_;
      return sum;
    }
    return first;
  }
  long cut() const { return cut_; }
  void memory(Memory& m) { m(cut_); }

 private:
  Stepper& stepper_;
  State a_, b_;
  long cut_ = 0;
};

// The two kinds of stepping; both leave the last state in `now`.
void fixed(const FixedSteps& stepping, const Problem& problem, const Method& method, const Sink& sink,
           const RunControl& control, const Checkpoints& points, RunResult& result, State& now,
           Stepper& stepper) {
  const auto& system = static_cast<const FirstOrderSystem&>(*problem.system);
  State next = now;
  StepCutter cutter(stepper, now);
  Restart restart(points, result, now, [&](Memory& m) { m(cutter); });
  const auto step = [&](const Grid& grid, long k) {
    const StepReport report = cutter.step(now, grid.h, next, result.stats);
    count_work(result, report);
    if (report.status != StepStatus::ok) {
      result.status = RunStatus::failed;
      result.message = failure(system, now, grid.h, report) + "; parts down to h/64 failed too" +
                       advice(system, method, grid.h, report.status);
      return false;
    }
    next.t = grid.time(k);
    ++result.stats.steps;
    if (sink) sink({now, next, report, {}});
    std::swap(now, next);
    return true;
  };
  march(
      problem, stepping.h, control, result, restart, [&]() -> const State& { return now; }, step);
  if (result.status == RunStatus::finished && cutter.cut() > 0)
    result.message = fmt::format("reached t = {:.9g}; {} of {} steps had to be cut into smaller ones", now.t,
                                 cutter.cut(), result.stats.steps);
}

// The error of a step over the tolerance: by the embedded method, or against two steps of half the length,
// which are then kept.
class ErrorControl {
 public:
  ErrorControl(const AdaptiveSteps& options, const Method& method, const Problem& problem, Stepper& stepper,
               const State& like)
      : options_(options), stepper_(stepper), power_(stepper.estimate_error(options.atol, options.rtol)) {
    if (power_ > 0) return;
    coarse_ = make_stepper(method.scheme, *problem.system, method.solver);  // keeps its coefficients for h
    coarse_->start(problem.t0, problem.q0, problem.u0);
    big_ = half_ = like;
    power_ = stepper.order() + 1;
  }
  int power() const { return power_; }

  StepReport step(const State& now, double h, State& next) {
    if (!coarse_) return stepper_.step(now, h, next);
    const StepReport one = coarse_->step(now, h, big_);
    if (one.status != StepStatus::ok) return one;
    StepReport sum = stepper_.step(now, h / 2, half_);
    count(sum, one);
    if (sum.status != StepStatus::ok) return sum;
    const StepReport second = stepper_.step(half_, h / 2, next);
    count(sum, second);
    sum.status = second.status, sum.bad_component = second.bad_component;
    if (sum.status == StepStatus::ok)
      sum.error =
          std::max(difference(big_.q, next.q), difference(big_.u, next.u)) / (std::exp2(power_ - 1) - 1);
    return sum;
  }

 private:
  static void count(StepReport& sum, const StepReport& r) {
    sum.force_evaluations += r.force_evaluations, sum.newton_iterations += r.newton_iterations;
  }
  double difference(const Vec& a, const Vec& b) const {
    double most = 0;
    for (Eigen::Index i = 0; i < a.size(); ++i)
      most = std::max(most, std::abs(a[i] - b[i]) / (options_.atol + options_.rtol * std::abs(b[i])));
    return most;
  }

  const AdaptiveSteps& options_;
  Stepper& stepper_;
  int power_;
  std::unique_ptr<Stepper> coarse_;
  State big_, half_;
};

void adaptive(const AdaptiveSteps& options, const Problem& problem, const Method& method, const Sink& sink,
              const RunControl& control, const Checkpoints& points, RunResult& result, State& now,
              Stepper& stepper) {
  if (!(options.atol > 0 || options.rtol > 0)) fail("stepping adaptive: atol and rtol cannot both be zero");
  const auto& system = static_cast<const FirstOrderSystem&>(*problem.system);
  ErrorControl errors(options, method, problem, stepper, now);
  State next = now;
  Ticker ticker(control);
  const double smallest = 1e-14 * std::max(1.0, std::abs(problem.t_end));
  double h = std::min(options.h0, options.h);
  Restart restart(points, result, now, [&](Memory& m) {
    m(h);
    m.require(h > 0 && h <= options.h);
  });
  for (double end : stretches(problem))
    while (end - now.t > smallest) {
      if (stop_requested(control, now.t, result)) return restart.leave(now);
      const double left = end - now.t;
      // the last steps of a stretch share what is left: none is tiny
      const double step = h >= left * (1 - 1e-9) ? left : std::min(h, left > 2 * h ? h : left / 2);
      const StepReport report = errors.step(now, step, next);
      count_work(result, report);
      const bool ok = report.status == StepStatus::ok;
      const double error = ok ? std::max(report.error, 1e-10) : infinity;
      const double factor =
          ok ? 0.9 * options.alpha * std::pow(error, -1.0 / errors.power()) : options.alpha_min;
      h = std::min(options.h, step * std::clamp(factor, options.alpha_min, options.alpha_max));
      if (!(error <= 1)) {
        ++result.stats.rejected;
        if (h >= smallest) continue;
        result.status = RunStatus::failed;
        result.message =
            ok ? fmt::format(
                     "at t = {:.9g}: the tolerance cannot be met: the step fell to {:.1e} with "
                     "an error {:.2g} times the tolerance; try a larger atol or rtol",
                     now.t, step, error)
               : failure(system, now, step, report) + advice(system, method, step, report.status);
        return;
      }
      next.t = step == left ? end : now.t + step;
      ++result.stats.steps;
      if (sink) sink({now, next, report, {}});
      std::swap(now, next);
      restart.after_step(now);
      ticker.tick(now.t, result.stats.steps);
    }
}

}  // namespace

RunResult run_first_order(const Problem& problem, const Method& method, const Sink& sink,
                          const RunControl& control, const Checkpoints& points) {
  const auto& system = static_cast<const FirstOrderSystem&>(*problem.system);
  check_start(system, problem.t0, problem.t_end, problem.q0, problem.u0);
  RunResult result;
  result.energy_initial = system.energy(problem.t0, problem.q0, problem.u0);
  const auto stepper = make_stepper(method.scheme, system, method.solver);
  State now = stepper->start(problem.t0, problem.q0, problem.u0);
  if (const auto* equal = std::get_if<FixedSteps>(&method.stepping))
    fixed(*equal, problem, method, sink, control, points, result, now, *stepper);
  else if (const auto* controlled = std::get_if<AdaptiveSteps>(&method.stepping))
    adaptive(*controlled, problem, method, sink, control, points, result, now, *stepper);
  else
    fail("stepping {} is for mechanical systems; first-order systems take fixed or adaptive steps",
         std::visit([](const auto& s) { return s.name; }, method.stepping));
  result.energy_final = system.energy(now.t, now.q, now.u);
  if (result.status == RunStatus::finished && result.message.empty())
    result.message = fmt::format("reached t = {:.9g}", now.t);
  result.final = std::move(now);
  return result;
}

}  // namespace saltus
