// The global error of a run by tolerance, estimated by a companion: a second run of the same problem at a
// tenth of the tolerance. The error of the companion is about a tenth of the run's, so their difference is
// close to the error itself (companion.hpp). A bar is twice the largest difference over the last part of the
// run, because the difference at one instant may be small by chance.
// docs/explanation/tolerance.md has what is proved and what is measured.
//
// Where the two runs have nothing in common there is no digit to give: NaN, with a sentence in `warnings`.
#pragma once
#include <memory>
#include <optional>

#include "saltus/study/companion.hpp"
#include "saltus/study/error_bars.hpp"
#include "saltus/study/measure.hpp"

namespace saltus {

/// Measures a run and, if it is one by tolerance that reaches its end, estimates the errors. Bounds of
/// accumulation times and the run's warnings then contain what the estimate says.
/// `companion`: one that has run already, at a larger tolerance than this run's, which then has no other;
/// left is the one that was made here, where another run may use it, or none.
std::vector<double> run_with_estimate(const Measures& measures, const MeasuredCase& c,
                                      const RunControl& control, RunResult& result,
                                      std::optional<ErrorEstimate>& estimate, const Sink& sink = {},
                                      const Checkpoints& points = {},
                                      std::shared_ptr<CompanionRun>* companion = nullptr);

}  // namespace saltus
