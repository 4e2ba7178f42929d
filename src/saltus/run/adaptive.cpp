#include "saltus/run/adaptive.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/restart.hpp"

namespace saltus {
namespace {

double scaled_difference(const AdaptiveSteps& s, const Vec& q0, const Vec& coarse, const Vec& fine) {
  double error = 0;
  for (int k = 0; k < q0.size(); ++k) {
    const double scale = s.atol + s.rtol * std::max(std::abs(q0[k]), std::abs(fine[k]));
    error = std::max(error, std::abs(fine[k] - coarse[k]) / scale);
  }
  return error;
}

// Whether the closed contacts and their modes are the same before and after.
bool same_contacts(const ContactMemory& a, const ContactMemory& b) {
  return a.closed.size() == b.closed.size() &&
         std::equal(a.closed.begin(), a.closed.end(), b.closed.begin(),
                    [](const auto& x, const auto& y) { return x.id == y.id && x.mode == y.mode; });
}

}  // namespace

void run_adaptive(const AdaptiveSteps& options, const Problem& problem, const Method& method,
                  const System& system, const Sink& sink, const RunControl& control,
                  const Checkpoints& points, RunResult& result) {
  if (!(options.atol > 0 || options.rtol > 0)) fail("stepping adaptive: atol and rtol cannot both be zero");
  const auto coarse = make_stepper(method.scheme, *problem.system, method.solver);
  const auto fine =
      make_stepper(method.scheme, *problem.system, method.solver);  // keeps its own factor for h/2
  State now = fine->start(problem.t0, problem.q0, problem.u0), big = now, middle = now, end = now;
  EventDetector detector;
  Ticker ticker(control);
  const double span = problem.t_end - problem.t0, smallest = 1e-14 * std::max(1.0, std::abs(problem.t_end));
  double h = std::min({options.h0, options.h, span});
  const std::vector<double> ends = stretches(problem);
  auto target = ends.begin();
  Fault met;  // by a step that was rejected since the last one taken
  const auto remember = [&](Memory& m) {
    m(h, detector);
    m.require(h > 0 && h <= options.h);
  };
  Restart restart(points, result, now, remember, fine.get());
  while (problem.t_end - now.t > smallest) {
    if (stop_requested(control, now.t, result)) {
      restart.leave(now);
      break;
    }
    while (*target - now.t <= smallest) ++target;
    const double left = *target - now.t, step = h > left * (1 - 1e-9) ? left : h;
    const StepReport one = coarse->step(now, step, big);
    const StepReport first = fine->step(now, step / 2, middle);
    StepReport keep_first = first;
    keep_first.u_minus = keep_first.u_plus = {};  // they die with the next step
    const auto events =
        first.status == StepStatus::ok ? detector.detect(now, middle, first) : std::span<const Event>{};
    const std::vector<Event> first_events(events.begin(), events.end());
    const StepReport second = first.status == StepStatus::ok ? fine->step(middle, step / 2, end) : first;
    count_work(result, one);
    count_work(result, first);
    if (first.status == StepStatus::ok) count_work(result, second);
    const bool ok =
        one.status == StepStatus::ok && first.status == StepStatus::ok && second.status == StepStatus::ok;
    double error = ok ? scaled_difference(options, now.q, big.q, end.q) : infinity;
    std::string why;  // both solutions may fly through a wall alike
    middle.t = now.t + step / 2, end.t = step == left ? *target : now.t + step;
    if (error <= 1 && (went_through(system, now, middle, why, any_steps_see) ||
                       went_through(system, middle, end, why, any_steps_see)))
      error = infinity;
    const bool smooth = options.events && same_contacts(now.contacts, middle.contacts) &&
                        same_contacts(middle.contacts, end.contacts);
    const double factor = error > 0 ? options.alpha * std::pow(error, smooth ? -0.5 : -1.0) : infinity;
    h = std::min(options.h, step * std::min(options.alpha_max, std::max(options.alpha_min, factor)));
    if (!(error <= 1)) {
      ++result.stats.rejected;
      for (const StepReport* r : {&one, &first, &second})
        if (r->fault) met = r->fault;
      if (h >= smallest) {
        if (first.status == StepStatus::ok) detector.forget();
        continue;
      }
      result.status = RunStatus::failed;
      result.message =
          !why.empty() ? why
          : ok         ? fmt::format(
                             "at t = {:.9g}: the tolerance cannot be met: the step fell to {:.1e} with an error "
                                     "{:.2g} "
                                     "times the tolerance; try a larger atol or rtol",
                             now.t, step, error)
               : failure_message(system, method, now, step, one.status != StepStatus::ok ? one : second);
      if (met && !one.fault) result.message += "; longer steps met " + fault_message(system, met);
      break;
    }
    met = {};
    accumulate(result, keep_first);
    accumulate(result, second);
    result.stats.steps += 2;
    if (sink) sink({now, middle, keep_first, first_events});
    const auto late = detector.detect(middle, end, second);
    if (sink) sink({middle, end, second, late});
    std::swap(now, end);
    restart.after_step(now);
    ticker.tick(now.t, 0);
  }
  result.final = std::move(now);
}

}  // namespace saltus
