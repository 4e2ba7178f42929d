#include "saltus/run/first_order.hpp"

#include <cmath>

#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"

namespace saltus {
namespace {

std::string failure(const FirstOrderSystem& system, const Method& method, const State& x0, double h,
                    const StepReport& report) {
  std::string text =
      fmt::format("step from t = {:.9g} with h = {:.3g}: {}", x0.t, h, to_string(report.status));
  if (report.newton_iterations > 0)
    text += fmt::format(" after {} iterations, last change {:.2g}", report.newton_iterations,
                        report.stage_residual);
  if (report.bad_component >= 0) text += fmt::format(", at {}", system.component_name(report.bad_component));
  text += "; parts down to h/64 failed too";
  const auto* chain = dynamic_cast<const Chain*>(&system);
  if (chain && std::holds_alternative<KkIrk>(method.scheme))
    text += fmt::format(
        ". kk-irk with C11 = gamma/(2h) = {:.3g} has unique stages only below 0.082 when contacts are stiff: "
        "use "
        "gauss-2, or a larger step",
        chain->damping() / (2 * h));
  else
    text += "; try a smaller step, or formulation y";
  return text;
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

 private:
  Stepper& stepper_;
  State a_, b_;
  long cut_ = 0;
};

}  // namespace

RunResult run_first_order(const Problem& problem, const Method& method, const Sink& sink,
                          const RunControl& control) {
  const auto& system = static_cast<const FirstOrderSystem&>(*problem.system);
  const auto* stepping = std::get_if<FixedSteps>(&method.stepping);
  if (!stepping)
    fail("stepping {} is for mechanical systems; first-order systems take fixed steps",
         std::visit([](const auto& s) { return s.name; }, method.stepping));
  check_start(system, problem.t0, problem.t_end, problem.q0, problem.u0);

  RunResult result;
  result.energy_initial = system.energy(problem.t0, problem.q0, problem.u0);
  const auto stepper = make_stepper(method.scheme, system, method.solver);
  State now = stepper->start(problem.t0, problem.q0, problem.u0), next = now;
  StepCutter cutter(*stepper, now);
  Ticker ticker(control);
  for (double end : stretches(problem)) {
    const Grid grid(now.t, end, stepping->h);
    for (long k = 1; k <= grid.n && result.status == RunStatus::finished; ++k) {
      if (stop_requested(control, now.t, result)) break;
      const StepReport report = cutter.step(now, grid.h, next, result.stats);
      count_work(result, report);
      if (report.status != StepStatus::ok) {
        result.status = RunStatus::failed;
        result.message = failure(system, method, now, grid.h, report);
        break;
      }
      next.t = grid.time(k);
      ++result.stats.steps;
      if (sink) sink({now, next, report, {}});
      std::swap(now, next);
      ticker.tick(now.t, result.stats.steps);
    }
  }
  result.energy_final = system.energy(now.t, now.q, now.u);
  if (result.status == RunStatus::finished) {
    result.message = fmt::format("reached t = {:.9g}", now.t);
    if (cutter.cut() > 0)
      result.message +=
          fmt::format("; {} of {} steps had to be cut into smaller ones", cutter.cut(), result.stats.steps);
  }
  result.final = std::move(now);
  return result;
}

}  // namespace saltus
