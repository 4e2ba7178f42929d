// What a loop over time steps has to know of the equations it steps: where the three families differ, and
// nothing else.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "saltus/run/checkpoint.hpp"
#include "saltus/run/method.hpp"

namespace saltus {

class FamilyRules {
 public:
  virtual ~FamilyRules() = default;
  /// Throws Error for a start, or options, that this family cannot take.
  virtual void check_start(const Problem& problem, const Method& method) const = 0;
  virtual double energy(const State& x) const = 0;
  /// Of a step that failed, written for a person: where, what, how far off, what to try.
  virtual std::string failure(const Method& method, const State& x0, double h,
                              const StepReport& report) const = 0;
  /// Whether a step that failed so is tried again in smaller parts.
  virtual bool is_cut(StepStatus status) const = 0;
  /// Whether a step that was solved is wrong all the same: bodies went through each other (driver.hpp), or an
  /// impact lacks what this family cannot compute.
  bool is_wrong(const State& x0, const State& x1, double share, std::string& why) const {
    return looks_at_steps_ && looks_wrong(x0, x1, share, why);
  }
  /// How many entries at the head of State::aux are multipliers.
  virtual int multipliers() const { return 0; }
  // What the ledger asks (run/ledger.hpp).
  virtual Powers powers() const { return Powers::unknown; }
  /// At a state. `between`: it is none of the run's, its multipliers are those of the next one.
  virtual Power power(const State& /*x*/, bool /*between*/) const { return {}; }
  /// The same on the cubic through positions and velocities at both ends of a step, at a part of it, where
  /// there is a way that needs no state there.
  virtual std::optional<Power> power_within(const Segment& /*s*/, double /*part*/) const { return {}; }
  /// The kinetic energy, where it is cheaper than a difference of energies.
  virtual std::optional<double> kinetic(const State& /*x*/) const { return {}; }
  /// What contacts store in a state beside the energy of the system.
  virtual double stored(const State& /*x*/) const { return 0; }
  /// The lengths behind penetration and drift of a ledger; thickness 0: the bodies have none.
  struct Lengths {
    double depth = 0, thickness = 0, gap = 0, stray = 0;
    double t = 0;  // of the depth
  };
  /// Penetration and drift at a state, given |q| at the start of the run and the largest.
  virtual Lengths measure(const State& /*x*/, const Vec& /*start*/, const Vec& /*reach*/,
                          Ledger& /*out*/) const {
    return {};
  }
  /// After the last step: residuals at the end, and whether the run can be trusted. `h`: the longest step,
  /// `fastest`: the largest velocity of a closed contact, where equal steps were taken without exceptions;
  /// else 0.
  virtual void judge_end(double /*h*/, double /*fastest*/, RunResult& /*result*/) const {}
  /// Once the ledger is closed: what it shows of a scheme whose own error is meant.
  virtual void judge_ledger(RunResult& /*result*/) const {}

 protected:
  /// Only rules that look at steps are asked whether one is wrong.
  explicit FamilyRules(bool looks_at_steps = false) : looks_at_steps_(looks_at_steps) {}

 private:
  virtual bool looks_wrong(const State& /*x0*/, const State& /*x1*/, double /*share*/,
                           std::string& /*why*/) const {
    return false;
  }
  bool looks_at_steps_;
};

/// Of the family that the scheme is written for, on the problem's system, which must outlive them.
std::unique_ptr<FamilyRules> rules_for(const Problem& problem, const Method& method);
std::unique_ptr<FamilyRules> mechanical_rules(const Problem& problem);
std::unique_ptr<FamilyRules> first_order_rules(const Problem& problem, const Method& method);
std::unique_ptr<FamilyRules> odae_rules(const Problem& problem);

/// What every driver is given.
struct RunContext {
  const Problem& problem;
  const Method& method;
  const FamilyRules& rules;
  const Sink& sink;
  const RunControl& control;
  const Checkpoints& points;
  RunResult& result;

  /// Ends the run; false, for a driver to return.
  bool fail_with(std::string message) const {
    result.status = RunStatus::failed, result.message = std::move(message);
    return false;
  }
};

}  // namespace saltus
