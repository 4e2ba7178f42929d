#include "saltus/run/fixed.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/restart.hpp"

namespace saltus {
namespace {

class FixedRun {
 public:
  FixedRun(const FixedSteps& stepping, const RunContext& context)
      : stepping_(stepping),
        context_(context),
        result_(context.result),
        stepper_(make_stepper(context.method.scheme, *context.problem.system, context.method.solver)),
        multipliers_(context.rules.multipliers()),
        states_{stepper_->start(context.problem.t0, context.problem.q0, context.problem.u0), {}} {
    states_[1] = states_[0];
  }

  void to_the_end() {
    Restart restart(
        context_.points, result_, *now_, [this](Memory& m) { m(detector_, cut_), m.stepper(*stepper_); },
        stepper_.get());
    march(
        context_.problem, stepping_.h, context_.control, result_, restart,
        [this]() -> const State& { return *now_; },
        [this](const StepGrid& grid, std::int64_t k) { return step(grid.h, grid.time(k)); });
    if (result_.status == RunStatus::finished) describe();
    result_.final = std::move(*now_);
    const bool whole = !context_.points.resume && !stepping_.accept_unsolved;
    context_.rules.judge_end(whole ? stepping_.h : 0, fastest_, result_);
  }

 private:
  bool step(double h, double end) {
    const StepReport report = stepper_->step(*now_, h, *next_);
    count_work(result_, report);
    const bool unsolved = report.status == StepStatus::contact_unsolved && stepping_.accept_unsolved;
    if (unsolved) count_unsolved(h, report);
    if (report.status == StepStatus::ok || unsolved) {
      next_->t = end;
      if (!accept(report, true)) return false;
    } else if (!context_.rules.is_cut(report.status)) {
      return give_up(h, report, "");
    } else if (const int parts = solvable_parts(h); parts == 0) {
      return give_up(h, report, "; parts down to h/64 failed too");
    } else if (!take_parts(h, end, parts)) {
      return false;
    }
    ++result_.stats.steps;
    return true;
  }

  // Rare things are kept apart: with them in it, the loop over the steps would run out of registers.
  [[gnu::cold]] bool give_up(double h, const StepReport& report, const char* more) {
    result_.residuals.contact = std::max(result_.residuals.contact, report.contact_residual);
    return context_.fail_with(context_.rules.failure(context_.method, *now_, h, report) + more);
  }

  // The fewest parts, 2 to 64, all of which can be solved; 0 when none.
  [[gnu::cold]] int solvable_parts(double h) {
    for (int parts = 2; parts <= 64; parts *= 2) {
      ++result_.stats.rejected;
      part_ = *now_;
      StepStatus status = StepStatus::ok;
      for (int i = 0; i < parts && status == StepStatus::ok; ++i) {
        const StepReport report = stepper_->step(part_, h / parts, *next_);
        count_work(result_, report);
        status = report.status;
        std::swap(part_, *next_);
      }
      if (status == StepStatus::ok) return parts;
    }
    return 0;
  }

  // The same steps once more, each with its events.
  [[gnu::cold]] bool take_parts(double h, double end, int parts) {
    ++cut_;
    const double begin = now_->t;
    for (int i = 1; i <= parts; ++i) {
      const StepReport report = stepper_->step(*now_, h / parts, *next_);
      next_->t = i == parts ? end : begin + i * (h / parts);
      if (report.status != StepStatus::ok) return give_up(h / parts, report, "");
      if (!accept(report, i == parts)) return false;
    }
    return true;
  }

  [[gnu::cold]] void count_unsolved(double h, const StepReport& report) {
    if (++result_.stats.unsolved == 1)
      first_unsolved_ = context_.rules.failure(context_.method, *now_, h, report);
  }

  bool accept(const StepReport& report, bool grid_point) {
    if (context_.rules.is_wrong(*now_, *next_, equal_steps_see, why_))
      return context_.fail_with(std::move(why_));
    accumulate(result_, report);
    for (const double u : report.u_minus) fastest_ = std::max(fastest_, std::abs(u));
    const auto events = detector_.detect(*now_, *next_, report);
    if (context_.sink) context_.sink({*now_, *next_, report, events, grid_point, multipliers_});
    std::swap(now_, next_);
    return true;
  }

  void describe() {
    const std::int64_t steps = result_.stats.steps;
    if (result_.stats.unsolved > 0)
      result_.message = fmt::format(
          "reached t = {:.9g}, but {} of {} steps missed the tolerance of their contacts; the first: {}",
          now_->t, result_.stats.unsolved, steps,
          first_unsolved_.empty() ? "before the checkpoint" : first_unsolved_);
    else if (cut_ > 0)
      result_.message = fmt::format("reached t = {:.9g}; {} of {} steps had to be cut into smaller ones",
                                    now_->t, cut_, steps);
  }

  const FixedSteps& stepping_;
  const RunContext& context_;
  RunResult& result_;
  std::unique_ptr<Stepper> stepper_;
  int multipliers_;
  State states_[2], part_;
  State *now_ = &states_[0], *next_ = &states_[1];  // swapped after a step: pointers, not states
  EventDetector detector_;
  std::string first_unsolved_, why_;
  double fastest_ = 0;  // of a closed contact, in any row
  std::int64_t cut_ = 0;
};

}  // namespace

void run_fixed(const FixedSteps& stepping, const RunContext& context) {
  FixedRun(stepping, context).to_the_end();
}

}  // namespace saltus
