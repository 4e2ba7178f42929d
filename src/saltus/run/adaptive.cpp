#include "saltus/run/adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/restart.hpp"

namespace saltus {
namespace {

std::unique_ptr<StepTrial> trial_for(const AdaptiveSteps& stepping, const RunContext& context) {
  return family_of(context.method.scheme) == Family::first_order ? first_order_trial(stepping, context)
                                                                 : position_trial(stepping, context);
}

std::string give_up(const RunContext& context, const StepTrial& trial, double t, double step, double error,
                    const Fault& met) {
  std::string text = trial.failure(step);
  if (text.empty())
    text = fmt::format(
        "at t = {:.9g}: the tolerance cannot be met: the step fell to {:.1e} with an error {:.2g} times the "
        "tolerance; try a larger atol or rtol",
        t, step, error);
  if (met && !trial.fault()) text += "; longer steps met " + fault_message(*context.problem.system, met);
  return text;
}

void advance(const AdaptiveSteps& options, const RunContext& context, StepTrial& trial) {
  const double smallest = 1e-14 * std::max(std::abs(context.problem.t0), std::abs(context.problem.t_end));
  const double largest =
      options.h > 0 ? options.h : std::max(context.problem.t_end - context.problem.t0, smallest);
  double h = std::min(options.h0, largest);
  // Contact problems without a solution while the run advances by no more than that part of it: it gives up.
  constexpr int most_unsolved = 20;
  constexpr double hardly = 1e-4;
  int unsolved = 0;
  double since = -infinity;
  Fault met;  // by a step that was rejected since the last one taken
  Ticker ticker(context.control);
  const double whole = context.problem.t_end - context.problem.t0;  // no step is longer, and h follows steps
  const auto remember = [&](Memory& m) {
    m(h), trial.memory(m);
    m.require(h > 0 && h <= std::min(largest, std::max(options.h0, options.alpha_max * whole)));
  };
  Restart restart(context.points, context.result, trial.now(), remember, &trial.stepper());
  for (const double end : stretches(context.problem))
    while (end - trial.now().t > smallest) {
      const double t = trial.now().t;
      if (stop_requested(context.control, t, context.result)) return restart.leave(trial.now());
      const double left = end - t, step = trial.length(h, left);
      const double error = trial.attempt(step, step == left ? end : t + step);
      h = std::min(largest, step * std::clamp(trial.factor(error), options.alpha_min, options.alpha_max));
      if (!(error <= 1)) {
        ++context.result.stats.rejected;
        if (trial.fault()) met = trial.fault();
        if (trial.unsolved() && (t - since > hardly * whole)) since = t, unsolved = 0;
        if (h < smallest || (trial.unsolved() && ++unsolved == most_unsolved)) {
          context.fail_with(give_up(context, trial, t, step, error, met));
          return;
        }
        trial.reject();
        continue;
      }
      met = {};
      trial.accept();
      restart.after_step(trial.now());
      ticker.tick(trial.now().t, context.result.stats.steps);
    }
  restart.finish(trial.now());
}

}  // namespace

void run_adaptive(const AdaptiveSteps& options, const RunContext& context) {
  if (!(options.atol > 0 || options.rtol > 0)) fail("stepping adaptive: atol and rtol cannot both be zero");
  const auto trial = trial_for(options, context);
  advance(options, context, *trial);
  context.result.final = trial->now();
  if (std::string text = trial->remark(); !text.empty()) context.result.warnings.push_back(std::move(text));
  context.rules.judge_end(0, 0, context.result);
}

}  // namespace saltus
