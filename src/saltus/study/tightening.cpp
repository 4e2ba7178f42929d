#include "saltus/study/tightening.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr double below = 4;  // the tolerance of a companion that is used again over the run's

// The method with a smaller tolerance, where the runs have the same events and all components have digits.
// Where the companion is to be used again, the tolerance is far below the companion's.
std::optional<Method> tightened(const Method& used, double asked, const RunResult& result,
                                const ErrorEstimate& estimate, const CompanionRun* companion) {
  // errors over the tolerance: that are let pass, that are aimed at; and how much smaller it may become
  constexpr double most = 5, wanted = 1.5, least = 1e-3;
  const auto* steps = std::get_if<ToleranceSteps>(&used.stepping);
  const bool same_events = estimate.determined && !std::isnan(estimate.event_times);
  if (!steps || !same_events || result.stepped_from < infinity || !(estimate.known_until >= result.final.t))
    return std::nullopt;
  if (!(estimate.relative > most * asked) || result.stats.steps > Tightening::most_steps) return std::nullopt;
  double factor = std::clamp(wanted * asked / estimate.relative, least, 0.3);
  if (companion) factor = std::min(factor, companion->rtol / (below * steps->rtol));
  if (steps->rtol * factor < std::max(tightest_rtol, least * asked)) return std::nullopt;
  Method out = used;
  auto& next = std::get<ToleranceSteps>(out.stepping);
  next.rtol *= factor, next.atol *= factor;
  if (family_of(used.scheme) == Family::mechanical) out.scheme = by_tolerance(next.rtol).scheme;
  return out;
}

}  // namespace

std::optional<Method> Tightening::next(const Method& used, const RunResult& result, ErrorEstimate& estimate,
                                       std::shared_ptr<CompanionRun>& companion) {
  constexpr double gain = 0.7;  // of the error, by a tolerance that is a third or less
  const auto* steps = std::get_if<ToleranceSteps>(&used.stepping);
  if (!steps) return std::nullopt;
  if (++runs_ == 1) asked_ = steps->rtol;
  if (runs_ > 1) estimate.asked_rtol = asked_, estimate.runs = runs_, estimate.settled = settled_;
  if (settled_) return std::nullopt;
  if (runs_ > 1 && !(estimate.relative < gain * least_)) {
    settled_ = true;
    companion.reset();
    return best_;
  }
  least_ = estimate.relative, best_ = used;
  return runs_ < most_runs ? tightened(used, asked_, result, estimate, companion.get()) : std::nullopt;
}

std::vector<double> run_within_tolerance(const Measures& measures, MeasuredCase c, const RunControl& control,
                                         RunResult& result, std::optional<ErrorEstimate>& estimate) {
  std::shared_ptr<CompanionRun> companion;
  for (Tightening tightening;;) {
    result = {}, estimate.reset();
    auto values = run_with_estimate(measures, c, control, result, estimate, {}, {}, &companion);
    const auto next =
        estimate ? tightening.next(c.method, result, *estimate, companion) : std::optional<Method>();
    if (!next) return values;
    c.method = *next;
  }
}

}  // namespace saltus
