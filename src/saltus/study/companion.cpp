#include "saltus/study/companion.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <utility>

namespace saltus {
namespace {

constexpr double tighter = 10;     // the tolerance over the companion's
constexpr double resolved = 1e-4;  // its critical step, where the run met ties
constexpr double shorter = 0.7;    // the companion's longest step over the run's
constexpr double halved = 0.5;     // the same of methods with equal steps
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// A companion that takes far more steps than a tenth of the tolerance explains is ended.
std::int64_t most_steps(const RunResult& run) {
  constexpr std::int64_t times = 6, more = 2'000;
  return times * run.stats.steps + more;
}

bool is_interrupted(const RunControl& control) {
  return control.interrupt && *control.interrupt;
}

// Only states and events count, and the end of it is decided by whoever asked for it.
RunControl quiet(const std::atomic<bool>& enough) {
  RunControl out;
  out.interrupt = &enough, out.books = false;
  return out;
}

// Methods without dense output are known at ends of steps only: of the companion, too. Their longest steps
// may be as long at any tolerance, and then have the same errors.
void follow_steps(const RunTrace& trace, const RunResult& run, MeasuredCase& again) {
  Problem& problem = again.problem.problem;
  auto& steps = std::get<ToleranceSteps>(again.method.stepping);
  const bool equal_steps = problem.system->family() == Family::odae;
  if (trace.longest_step() > 0) steps.h = (equal_steps ? halved : shorter) * trace.longest_step();
  auto& breaks = problem.breakpoints;
  const auto ends = trace.step_ends();
  breaks.insert(breaks.end(), ends.begin(), ends.end());
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  // trials of its own might decide otherwise where that is close
  if (problem.system->family() == Family::first_order && run.stats.stiff_steps > 0)
    again.method.scheme = rk("radau-iia-5");
}

}  // namespace

std::optional<Method> companion_of(const Method& method) {
  const auto* steps = std::get_if<ToleranceSteps>(&method.stepping);
  if (!steps) return std::nullopt;
  Method out = method;
  auto& other = std::get<ToleranceSteps>(out.stepping);
  // at the limit of rounding the companion is the looser one: its difference is an upper estimate
  const double factor = steps->rtol >= tighter * tightest_rtol ? 1 / tighter : tighter;
  other.rtol *= factor, other.atol *= factor;
  other.pace = 0.6;
  return out;
}

std::shared_ptr<CompanionRun> run_companion(const Repeated& k, const TracedRun& run, const Otherwise& how) {
  MeasuredCase again{k.c.problem, k.method, k.c.parameters};
  auto& steps = std::get<ToleranceSteps>(again.method.stepping);
  std::atomic<bool> enough = false;
  RunControl control = quiet(enough);
  if (again.problem.problem.system->family() == Family::mechanical)
    control.longest_step = [&](double t) { return shorter * run.trace.longest_step(t); };
  else
    follow_steps(run.trace, run.result, again);
  // impacts that were taken together may have an order, and their order consequences
  if (run.result.ties > 0) steps.critical = resolved;
  if (how.order)
    steps.together = how.order->together(), steps.together_from = how.order->from - how.order->together();
  steps.shares = how.shares;
  auto out = std::make_shared<CompanionRun>(again.problem.problem, run.trace);
  out->rtol = steps.rtol;
  std::int64_t left = most_steps(run.result);
  out->observed = k.measures.observe(again, control, out->result, [&](const Segment& s) {
    out->trace(s);
    if (--left < 0 || is_interrupted(k.control)) enough = true;
  });
  out->too_long = left < 0;
  return out;
}

bool may_run_beside(const Repeated& k) {
  constexpr int most_velocities = 1000;  // more are work to divide within steps
  const Problem& p = k.c.problem.problem;
  return k.control.tandem && p.system->family() == Family::mechanical && p.u0.size() <= most_velocities;
}

std::shared_ptr<CompanionRun> run_beside(const Repeated& k, const std::function<void(const Sink&)>& run,
                                         RunTrace& trace, const RunResult& result) {
  Tandem& tandem = *k.control.tandem;
  const MeasuredCase again{k.c.problem, k.method, k.c.parameters};
  auto out = std::make_shared<CompanionRun>(again.problem.problem, trace);
  out->rtol = std::get<ToleranceSteps>(again.method.stepping).rtol;
  // of the run, for both: how far it is, whether it is over, and whether its companion is of no use
  double reached = again.problem.problem.t0;
  bool over = false;
  std::int64_t pieces = 0, wake_at = never;  // of the run
  std::atomic<bool> enough = false;
  std::int64_t count = 0;

  const auto end = [&](bool well) {
    const std::lock_guard held(tandem);
    over = true;
    tandem.wake();
    if (!well || result.status != RunStatus::finished || result.ties > 0) enough = true;
  };
  const auto first = [&] {
    try {
      run([&](const Segment& s) {
        const std::lock_guard held(tandem);
        trace(s), reached = s.end.t;
        if (++pieces >= wake_at) wake_at = never, tandem.wake();
      });
    } catch (...) {
      end(false);
      throw;
    }
    end(true);
  };

  // Returns with the lock when ready(). Who has to wait lets the run get ahead: waking takes longer than a
  // short step.
  const auto when = [&](auto&& ready) {
    constexpr int ahead = 16;
    std::unique_lock held(tandem);
    while (!over && !enough && !ready()) {
      wake_at = pieces + ahead;
      tandem.wait();
    }
    return held;
  };
  const auto second = [&] {
    RunControl control = quiet(enough);
    control.longest_step = [&](double t) {
      const auto held = when([&] { return reached > t && trace.first_steps_known(); });
      return shorter * trace.longest_step(t);
    };
    try {
      out->observed = k.measures.observe(again, control, out->result, [&](const Segment& s) {
        {
          const auto held = when([&] { return reached >= s.end.t; });
          out->trace.catch_up(trace);
          if (over && count > most_steps(result)) enough = true;
        }
        out->trace(s);
        ++count;
        if (is_interrupted(k.control)) enough = true;
      });
    } catch (...) {  // the companion after the run will meet it, too, and say so
      enough = true;
    }
  };
  tandem.run(first, second);
  if (enough || !out->finished() || count > most_steps(result)) return nullptr;
  out->trace.catch_up(trace);
  return out;
}

}  // namespace saltus
