// Steps controlled by an estimate of the error, for every family that has one. One loop; what is compared and
// how the next step follows from it is a StepTrial:
//
// Mechanical systems, the heuristic of Acary 2012, (58)–(61): one step of length h against two of h/2,
// compared in the positions alone (velocities may differ by O(1) around an impact),
//
//     error = max_k |q_½,k − q_1,k| / (atol + rtol max(|q_0,k|, |q_½,k|)),   factor = α error^{−1/(p+1)},
//
// p = 0; with `events` p = 1 in steps where no contact changes. The two half steps are kept. An atol that is
// more than a hundredth of the motion would accept anything: a thousandth of the motion takes its place.
//
// First-order systems: the embedded method where the scheme has one, else one step against two of half the
// length, in q and u; factor = 0.9 α error^{−1/p}.
//
// Both: h_new = h min(α_max, max(α_min, factor)), accept iff error ≤ 1. A step that fails counts as error =
// ∞.
#pragma once
#include "saltus/run/family_rules.hpp"

namespace saltus {

void run_adaptive(const AdaptiveSteps& stepping, const RunContext& context);

/// One try of a step, kept or not.
class StepTrial {
 public:
  virtual ~StepTrial() = default;
  /// Where the run stands.
  virtual State& now() = 0;
  virtual Stepper& stepper() = 0;
  /// The length to try with `left` to go to the end of a stretch.
  virtual double length(double h, double left) const = 0;
  /// From now() over `step` to the time `end`: the error over the tolerance, infinite when a step failed.
  virtual double attempt(double step, double end) = 0;
  /// What the step is multiplied by, within the limits of the options.
  virtual double factor(double error) const = 0;
  virtual void accept() = 0;
  virtual void reject() = 0;
  /// After an infinite error: why; empty when all steps were solved.
  virtual std::string failure(double step) const = 0;
  /// Whether contacts of the last try were not solved: they may contradict each other, however short the
  /// step.
  virtual bool unsolved() const { return false; }
  /// A value that was not finite in the last try, if there was one.
  virtual Fault fault() const = 0;
  virtual void memory(Memory& m) = 0;
  /// What is to be said of the run at its end.
  virtual std::string remark() const { return {}; }
};
std::unique_ptr<StepTrial> position_trial(const AdaptiveSteps& stepping, const RunContext& context);
std::unique_ptr<StepTrial> first_order_trial(const AdaptiveSteps& stepping, const RunContext& context);

}  // namespace saltus
