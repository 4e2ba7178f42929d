// First-order systems: the error of a step by the embedded method, or against two steps of half the length,
// which are then kept. See adaptive.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/core/team.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/adaptive.hpp"
#include "saltus/run/driver.hpp"

namespace saltus {
namespace {

class FirstOrderTrial final : public StepTrial {
 public:
  FirstOrderTrial(const AdaptiveSteps& options, const RunContext& context)
      : options_(options),
        context_(context),
        stepper_(make(context)),
        now_(stepper_->start(context.problem.t0, context.problem.q0, context.problem.u0)),
        next_(now_),
        power_(stepper_->estimate_error(options.atol, options.rtol)) {
    if (power_ > 0) return;
    coarse_ = make(context);  // keeps its coefficients for h
    coarse_->start(context.problem.t0, context.problem.q0, context.problem.u0);
    big_ = half_ = now_;
    power_ = stepper_->order() + 1;
  }
  State& now() override { return now_; }
  Stepper& stepper() override { return *stepper_; }
  // the last steps of a stretch share what is left: none is tiny
  double length(double h, double left) const override {
    return h >= left * (1 - 1e-9) ? left : std::min(h, left > 2 * h ? h : left / 2);
  }
  double attempt(double step, double end) override {
    report_ = step_once(step);
    count_work(context_.result, report_);
    next_.t = end;
    return report_.status == StepStatus::ok ? std::max(report_.error, 1e-10) : infinity;
  }
  double factor(double error) const override { return 0.9 * options_.alpha * std::pow(error, -1.0 / power_); }
  void accept() override {
    ++context_.result.stats.steps;
    if (context_.sink) context_.sink({now_, next_, report_, {}});
    std::swap(now_, next_);
  }
  void reject() override {}
  std::string failure(double step) const override {
    return report_.status == StepStatus::ok ? std::string()
                                            : context_.rules.failure(context_.method, now_, step, report_);
  }
  Fault fault() const override { return report_.fault; }
  void memory(Memory&) override {}

 private:
  static std::unique_ptr<Stepper> make(const RunContext& c) {
    return make_stepper(c.method.scheme, *c.problem.system, c.method.solver);
  }
  StepReport step_once(double h) {
    if (!coarse_) return stepper_->step(now_, h, next_);
    const StepReport one = coarse_->step(now_, h, big_);
    if (one.status != StepStatus::ok) return one;
    StepReport sum = stepper_->step(now_, h / 2, half_);
    count(sum, one);
    if (sum.status != StepStatus::ok) return sum;
    const StepReport second = stepper_->step(half_, h / 2, next_);
    count(sum, second);
    sum.status = second.status, sum.bad_component = second.bad_component, sum.fault = second.fault;
    if (sum.status == StepStatus::ok)
      sum.error =
          std::max(difference(big_.q, next_.q), difference(big_.u, next_.u)) / (std::exp2(power_ - 1) - 1);
    return sum;
  }
  static void count(StepReport& sum, const StepReport& r) {
    sum.force_evaluations += r.force_evaluations, sum.newton_iterations += r.newton_iterations;
  }
  // A velocity that passes zero beside others has no more digits than they have.
  double difference(const Vec& a, const Vec& b) const {
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    const double *pa = a.data(), *pb = b.data(), rtol = options_.rtol;
    const double atol = options_.atol + rounding * largest(b);
    return over_pieces<double>(
        0, static_cast<int>(a.size()), 1 << 13,
        [=](int from, int to) {
          double most = 0;
          for (int i = from; i < to; ++i)
            most = std::max(most, std::abs(pa[i] - pb[i]) / (atol + rtol * std::abs(pb[i])));
          return most;
        },
        [](double& most, double part) { most = std::max(most, part); });
  }

  const AdaptiveSteps& options_;
  const RunContext& context_;
  std::unique_ptr<Stepper> stepper_, coarse_;
  State now_, next_, big_, half_;
  int power_;
  StepReport report_;
};

}  // namespace

std::unique_ptr<StepTrial> first_order_trial(const AdaptiveSteps& stepping, const RunContext& context) {
  return std::make_unique<FirstOrderTrial>(stepping, context);
}

}  // namespace saltus
