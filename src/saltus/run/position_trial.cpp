// Acary 2012, (58)–(61): see adaptive.hpp.
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/adaptive.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

double scaled_difference(const AdaptiveSteps& s, const Vec& atol, const Vec& q0, const Vec& coarse,
                         const Vec& fine) {
  double error = 0;
  for (int k = 0; k < q0.size(); ++k) {
    const double scale = atol[k] + s.rtol * std::max(std::abs(q0[k]), std::abs(fine[k]));
    error = std::max(error, std::abs(fine[k] - coarse[k]) / scale);
  }
  return error;
}

// Where coordinates are no vector their displacement counts, next to the largest of them.
double scaled_displacement(const AdaptiveSteps& s, const System& system, const Vec& coarse, const Vec& fine,
                           Vec& v) {
  system.difference(coarse, fine, v);
  return v.lpNorm<Eigen::Infinity>() / (s.atol + s.rtol * fine.lpNorm<Eigen::Infinity>());
}

// Whether the closed contacts and their modes are the same before and after.
bool same_contacts(const ContactMemory& a, const ContactMemory& b) {
  return a.closed.size() == b.closed.size() &&
         std::equal(a.closed.begin(), a.closed.end(), b.closed.begin(),
                    [](const auto& x, const auto& y) { return x.id == y.id && x.mode == y.mode; });
}

class PositionTrial final : public StepTrial {
 public:
  PositionTrial(const AdaptiveSteps& options, const RunContext& context)
      : options_(options),
        context_(context),
        system_(static_cast<const System&>(*context.problem.system)),
        shape_(system_.shape()),
        displacement_(shape_.nu),
        coarse_(make(context)),
        fine_(make(context)),
        now_(fine_->start(context.problem.t0, context.problem.q0, context.problem.u0)),
        big_(now_),
        middle_(now_),
        end_(now_) {
    if (!shape_.flat) return;
    Matrix mass(shape_.nu, shape_.mass);
    CheckedSystem(system_).mass(now_.t, now_.q, mass);
    weight_ = Vec::Ones(shape_.nu);
    for (int k = 0; k < shape_.nu; ++k)
      if (const double m = mass(k, k); m > 0) weight_[k] = std::sqrt(m);
    follow(now_.q);
  }
  State& now() override { return now_; }
  Stepper& stepper() override { return *fine_; }
  double length(double h, double left) const override { return h > left * (1 - 1e-9) ? left : h; }

  double attempt(double step, double end) override {
    one_ = coarse_->step(now_, step, big_);
    first_ = fine_->step(now_, step / 2, middle_);
    const bool half = first_.status == StepStatus::ok;
    const auto events = half ? detector_.detect(now_, middle_, first_) : std::span<const Event>{};
    first_events_.assign(events.begin(), events.end());
    first_.u_minus = first_.u_plus = {};  // they are overwritten by the next step
    second_ = half ? fine_->step(middle_, step / 2, end_) : first_;
    count_work(context_.result, one_);
    count_work(context_.result, first_);
    if (half) count_work(context_.result, second_);
    why_.clear();
    if (one_.status != StepStatus::ok || second_.status != StepStatus::ok) return infinity;
    const double error = shape_.flat ? scaled_difference(options_, atol_, now_.q, big_.q, end_.q)
                                     : scaled_displacement(options_, system_, big_.q, end_.q, displacement_);
    middle_.t = now_.t + step / 2, end_.t = end;
    // both solutions may fly through a wall alike
    return error <= 1 && (context_.rules.is_wrong(now_, middle_, any_steps_see, why_) ||
                          context_.rules.is_wrong(middle_, end_, any_steps_see, why_))
               ? infinity
               : error;
  }
  double factor(double error) const override {
    const bool smooth = options_.events && same_contacts(now_.contacts, middle_.contacts) &&
                        same_contacts(middle_.contacts, end_.contacts);
    return error > 0 ? options_.alpha * std::pow(error, smooth ? -0.5 : -1.0) : infinity;
  }
  void accept() override {
    RunResult& result = context_.result;
    accumulate(result, first_);
    accumulate(result, second_);
    result.stats.steps += 2;
    if (context_.sink) context_.sink({now_, middle_, first_, first_events_});
    const auto late = detector_.detect(middle_, end_, second_);
    if (context_.sink) context_.sink({middle_, end_, second_, late});
    std::swap(now_, end_);
    if (shape_.flat) follow(now_.q);
  }
  void reject() override {
    if (first_.status == StepStatus::ok) detector_.forget();
  }
  std::string failure(double step) const override {
    if (!why_.empty()) return why_;
    if (one_.status != StepStatus::ok) return context_.rules.failure(context_.method, now_, step, one_);
    if (second_.status != StepStatus::ok) return context_.rules.failure(context_.method, now_, step, second_);
    return {};
  }
  bool unsolved() const override {
    return one_.status == StepStatus::contact_unsolved || second_.status == StepStatus::contact_unsolved;
  }
  Fault fault() const override {
    return second_.fault ? second_.fault : first_.fault ? first_.fault : one_.fault;
  }
  void memory(Memory& m) override {
    m(detector_, largest_), m.stepper(*coarse_), m.stepper(*fine_);
    m.require(largest_ >= 0);
    if (m.reading() && shape_.flat) follow(now_.q);
  }
  std::string remark() const override {
    if (!limited_) return {};
    return fmt::format(
        "atol = {:.3g} is more than {:.0e} of the motion: {:.0e} of it was used instead; set atol or rtol",
        options_.atol, coarsest, used);
  }

 private:
  static constexpr double coarsest = 1e-2, used = 1e-3;
  // The largest √M_kk |q_k| so far is the size of the motion; what hardly moves counts with what it would
  // make of it.
  void follow(const Vec& q) {
    for (int k = 0; k < shape_.nu; ++k) largest_ = std::max(largest_, weight_[k] * std::abs(q[k]));
    atol_.resize(shape_.nu);
    limited_ = false;
    for (int k = 0; k < shape_.nu; ++k) {
      const double size = std::max(largest_ / weight_[k], std::abs(q[k]));
      const bool limited = size > 0 && options_.atol > coarsest * size;
      atol_[k] = limited ? used * size : options_.atol;
      limited_ = limited_ || limited;
    }
  }
  static std::unique_ptr<Stepper> make(const RunContext& c) {
    return make_stepper(c.method.scheme, *c.problem.system, c.method.solver);
  }

  const AdaptiveSteps& options_;
  const RunContext& context_;
  const System& system_;
  Shape shape_;
  Vec displacement_;
  std::unique_ptr<Stepper> coarse_, fine_;  // each keeps its factor: of h, of h/2
  State now_, big_, middle_, end_;
  StepReport one_, first_, second_;
  EventDetector detector_;
  std::vector<Event> first_events_;
  std::string why_;
  Vec weight_, atol_;
  double largest_ = 0;
  bool limited_ = false;  // atol by the motion
};

}  // namespace

std::unique_ptr<StepTrial> position_trial(const AdaptiveSteps& stepping, const RunContext& context) {
  return std::make_unique<PositionTrial>(stepping, context);
}

}  // namespace saltus
