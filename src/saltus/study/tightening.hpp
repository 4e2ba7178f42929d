// A motion may multiply errors, so that the result misses a tolerance that every step has met. Where the
// estimate shows that, the run is repeated with a smaller tolerance, and where that does not help, because
// what is left is rounding, once more as it was.
#pragma once
#include <memory>
#include <optional>

#include "saltus/study/error_estimate.hpp"

namespace saltus {

class Tightening {
 public:
  /// The stated effort: so many runs, of at most so many steps (and one more where the last did not help).
  static constexpr int most_runs = 3;
  static constexpr std::int64_t most_steps = 10'000;

  /// After a run, which left its companion: the method of the next one, which is to have the same companion
  /// if that is left; empty if this was the last. Notes in the estimate how many there were.
  std::optional<Method> next(const Method& used, const RunResult& result, ErrorEstimate& estimate,
                             std::shared_ptr<CompanionRun>& companion);

 private:
  double asked_ = 0;  // the tolerance
  int runs_ = 0;
  bool settled_ = false;
  double least_ = infinity;  // error so far,
  Method best_;              // and by what
};

/// run_with_estimate without a sink, repeated like that.
std::vector<double> run_within_tolerance(const Measures& measures, MeasuredCase c, const RunControl& control,
                                         RunResult& result, std::optional<ErrorEstimate>& estimate);

}  // namespace saltus
