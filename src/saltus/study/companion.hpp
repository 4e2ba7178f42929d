// The companion of a run by tolerance: a second run of the same problem, whose difference to the first shows
// the error (error_estimate.hpp).
//
// Steps that no tolerance limits (the first, the longest) are shorter in the companion: otherwise errors made
// there would be the same in both. States of both are compared at the same times. Both need only what the
// first run has done until the companion's time, so the two may run side by side.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "saltus/study/impact_order.hpp"
#include "saltus/study/measure.hpp"
#include "saltus/study/run_difference.hpp"
#include "saltus/study/run_trace.hpp"

namespace saltus {

inline constexpr double tightest_rtol = 1e-13;  ///< no run by tolerance accepts less

/// The method of the companion; empty when the method has no tolerance.
std::optional<Method> companion_of(const Method& method);

/// A companion that has run.
struct CompanionRun {
  CompanionRun(const Problem& problem, const RunTrace& run) : trace(problem, run) {}
  double rtol = 0;
  RunTrace trace;
  RunResult result;
  std::vector<double> observed;  ///< of the measures
  bool too_long = false;         ///< ended because it took far more steps than its run

  bool finished() const { return result.status == RunStatus::finished; }
  TracedRun traced() const { return {trace, result}; }
};

/// What a companion decides otherwise than the run, where that is open.
struct Otherwise {
  const UncertainOrder* order = nullptr;  ///< impacts that are taken together
  double shares = 0;                      ///< of the load among redundant contacts
};

/// What is repeated, and how.
struct Repeated {
  const Measures& measures;
  const MeasuredCase& c;
  const Method& method;  ///< of the companion
  const RunControl& control;
};

/// After the run, which left its trace.
std::shared_ptr<CompanionRun> run_companion(const Repeated& k, const TracedRun& run,
                                            const Otherwise& how = {});

/// Whether the run may have its companion beside it: where control has a tandem and the run none of its work
/// to divide.
bool may_run_beside(const Repeated& k);
/// Beside the run, which run(sink) starts and which leaves `trace` and `result`. Null where that cannot be
/// the companion (the run has not finished, or has met what its companion has to know from the start): then
/// there is one after the run only. Otherwise it is the same as after the run.
std::shared_ptr<CompanionRun> run_beside(const Repeated& k, const std::function<void(const Sink&)>& run,
                                         RunTrace& trace, const RunResult& result);

}  // namespace saltus
