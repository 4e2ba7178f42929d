// The driver of switching.hpp: its steps, and what it keeps from try to try.
#pragma once
#include <optional>
#include <utility>

#include "saltus/run/dense_switches.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/run/step_growth.hpp"
#include "saltus/run/stiff_steps.hpp"
#include "saltus/scheme/moreau/extrapolation_stepper.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

/// The gap of a contact at the end of a step.
struct GapSample {
  std::uint64_t id = 0;
  double gap = 0, rate = 0;
};

struct SwitchingStep {
  State end;
  StepReport report;
  double begin = 0, h = 0;
  bool above_tolerance = false;
  std::vector<Event> events;
  std::vector<GapSample> gaps;  // at the end, of contacts that can open
  // Of an accepted or previous step: it has no events any more, or not yet, and its gaps are evaluated again.
  void memory(Memory& m) {
    StepReport& r = report;
    m(end, begin, h, above_tolerance);
    m(r.status, r.contact_residual, r.contact_violation, r.joint_velocity, r.joint_acceleration);
    m(r.contact_position, r.contact_velocity, r.contact_acceleration, r.error, r.order);
    m(r.contact_loss, r.wall_work, r.friction_loss, r.ideal_loss);
  }
};

class SwitchingDriver {
 public:
  SwitchingDriver(const SwitchingSteps& options, const RunContext& context);
  void memory(Memory& m) {
    const auto aux = pre_.end.aux.size();
    const double t = base_.end.t, most = options_.h * (1 + 1e-9);
    m(base_, pending_, started_, h_, no_increase_, equal_, dense_, equal_steps_, growth_, stiff_);
    if (pending_) m(pre_);
    m.stepper(stepper_), m.stepper(*plain_);
    if (!m.reading()) return;
    m.require(base_.end.t == t && base_.begin <= t && base_stepper_->takes_aux(base_.end.aux.size(), aux));
    if (pending_)
      m.require(pre_.begin >= t && pre_.end.t >= t && pre_.end.t <= t + most &&
                base_stepper_->takes_aux(pre_.end.aux.size(), aux));
    m.require(!(equal_ && pending_) && equal_steps_ >= 0 && (equal_ || !stiff_.equal()));
    m.require(h_ >= 0.5 * options_.h_min && h_ <= most && no_increase_ <= t + 3 * most);
    look(base_);
    if (pending_) look(pre_);
    obey_closed_rule();
    resumed_ = true;
  }

  bool advance(double target);
  const State& state() const { return base_.end; }
  void count_base_steps() {
    result_.stats.equal_steps = equal_steps_;
    const std::int64_t all = stepper_.base_steps() + plain_steps_;
    result_.stats.base_steps += all - std::exchange(counted_, all);
  }

 private:
  std::unique_ptr<Stepper> noted(std::unique_ptr<Stepper> base) {
    base_stepper_ = base.get();
    return base;
  }
  double grown(double h) const {
    const double next = std::min(options_.h, std::max(2 * h, shortest()));
    return stepper_.is_minimal(next) ? options_.h_min : next;
  }
  double touching(const State& x) const;
  double speed_tolerance() const;
  double shrunk(double h) const { return h / 2 < shortest() * (1 - 1e-9) ? options_.h_min : h / 2; }
  double shortest() const { return stepper_.shortest_extrapolated(); }
  const SwitchingStep& last() const { return pending_ ? pre_ : base_; }

  void obey_closed_rule();
  bool take_single(double h, double target);
  bool first_step(double target);
  bool equal_step(double target);
  double equal_length() const;
  void leave_equal_steps();
  void look_for_stiffness();
  bool judge(const SwitchingStep& from, double h, Outcome outcome);
  void tell(Outcome outcome, bool taken, bool drops = false) const;
  Outcome attempt(const SwitchingStep& from, double h);
  void accept();
  void accept_pending();
  void emit(SwitchingStep& step);
  void drop_pending();
  bool fail(const SwitchingStep& from, double h, std::string why = {});
  void note_switches(const SwitchingStep& from);
  void look(SwitchingStep& step);
  void remember_touching();
  bool passed_over(const SwitchingStep& from) const;

  const SwitchingSteps& options_;
  const Method& method_;
  Faults faults_;
  CheckedSystem system_;
  const Sink& sink_;
  const RunControl& control_;
  RunResult& result_;
  Ticker ticker_;
  const Stepper* base_stepper_ = nullptr;
  ExtrapolationStepper stepper_;
  std::unique_ptr<Stepper> plain_;  // for equal steps: the same scheme with the solver as it was given
  ContactSet set_;
  bool directions_known_ = false, started_ = false;
  SwitchingStep base_, pre_, act_;  // accepted, previous, actual
  bool pending_ = false;            // there is a previous step apart from the accepted one
  double h_ = 0, no_increase_ = -infinity;
  StepGrowth growth_;
  StiffSteps stiff_;
  std::optional<Restart> restart_;
  std::string why_;  // a step of the base scheme failed, where its report does not say it
  DenseSwitches dense_;
  bool equal_ = false;    // switching points are dense: steps are equal
  bool resumed_ = false;  // in the middle of a stretch
  std::int64_t equal_steps_ = 0, plain_steps_ = 0;
  std::int64_t counted_ = 0;  // steps of the base scheme
};

}  // namespace saltus
