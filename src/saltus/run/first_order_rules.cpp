#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/remedy.hpp"
#include "saltus/scheme/first_order/tailored.hpp"
#include "saltus/system/viscoelastic.hpp"

namespace saltus {
namespace {

std::string what_failed(const FirstOrderSystem& system, const State& x0, double h, const StepReport& report) {
  std::string text =
      fmt::format("step from t = {:.9g} with h = {:.3g}: {}", x0.t, h, saltus::what_failed(report));
  if (report.fault) return text + ": " + fault_message(system, report.fault);
  if (report.newton_iterations > 0)
    text += fmt::format(" after {} iterations, last change {:.2g}", report.newton_iterations,
                        report.stage_residual);
  if (report.bad_component >= 0) text += fmt::format(", at {}", system.component_name(report.bad_component));
  return text;
}

std::string advice(const FirstOrderSystem& system, const Method& method, double h, StepStatus status) {
  if (const auto* irk = std::get_if<KkIrk>(&method.scheme))
    return fmt::format(
        ". kk-irk with C11 = gamma/(2h) = {:.3g} has unique stages only below 0.082 when contacts are stiff: "
        "use "
        "gauss-2, or a larger step",
        tailored_gamma(*irk, system) / (2 * h));
  const Chain* chain = system.chain();
  if (chain && chain->data().formulation == Formulation::x && !std::holds_alternative<KkTheta>(method.scheme))
    return "; try a smaller step, or formulation y";
  return "; " + remedy(method, status);
}

bool is_tailored(const Method& method) {
  return std::holds_alternative<KkTheta>(method.scheme) || std::holds_alternative<KkIrk>(method.scheme);
}

class FirstOrderRules final : public FamilyRules {
 public:
  FirstOrderRules(const Problem& problem, const Method& method)
      : FamilyRules(is_tailored(method) && may_turn(problem)),
        system_(static_cast<const FirstOrderSystem&>(*problem.system)),
        method_(method),
        work_(system_.make_workspace()) {
    const auto look = [&](auto options) {
      gamma_ = tailored_gamma(options, system_);
      options.gamma = 0;
      added_ = gamma_ != 0 && tailored_gamma(options, system_) == 0;
    };
    if (const auto* theta = std::get_if<KkTheta>(&method.scheme)) look(*theta);
    if (const auto* irk = std::get_if<KkIrk>(&method.scheme)) look(*irk);
    if (system_.newtonian()) bodies_ = system_.newtonian()->mechanical().make_workspace();
  }
  void check_start(const Problem& p, const Method& method) const override {
    saltus::check_start(system_, p.t0, p.t_end, p.q0, p.u0);
    const auto* theta = std::get_if<KkTheta>(&method.scheme);
    if (!theta) return;
    constexpr double bound = 4;
    if (const double x = local_growth(*theta, system_, p.t0, p.q0, step_of(method.stepping)); x > bound)
      fail(
          "kk-theta is unstable on local springs with K gamma (gamma - 2 lambda h)/m > {}, whatever the "
          "step; the "
          "largest is {:.4g}: use gauss-2, or kk-theta:lambda=… above {:.3g}",
          bound, x,
          (gamma_ - bound * gamma_ / x * (gamma_ - 2 * theta->lambda * step_of(method.stepping)) / gamma_) /
              (2 * step_of(method.stepping)));
  }
  double energy(const State& x) const override { return system_.energy(x.t, x.q, x.u, *work_); }
  Powers powers() const override { return system_.powers(); }
  Power power(const State& x, bool) const override { return system_.power(x.t, x.q, x.u, *work_); }
  // Of chains in one pass over the beads that ever moved.
  std::optional<Power> power_within(const Segment& s, double r) const override {
    const Chain* chain = system_.chain();
    if (!chain) return {};
    const bool known = s.end.moved.start != 0;
    const int first = known ? s.end.moved.begin : 0, last = known ? s.end.moved.end : chain->beads();
    const double h = s.end.t - s.begin.t, way = r * r * (3 - 2 * r), a = h * r * (1 - r) * (1 - r),
                 b = h * r * r * (1 - r), slope = 6 * r * (1 - r) / h, c = (1 - r) * (1 - 3 * r),
                 d = r * (3 * r - 2);
    const double *q0 = s.begin.q.data(), *q1 = s.end.q.data(), *u0 = s.begin.u.data(), *u1 = s.end.u.data();
    return chain->power(
        chain->ends(s.begin.t + r * h), first, last,
        [=](int n) { return q0[n] + way * (q1[n] - q0[n]) + a * u0[n] - b * u1[n]; },
        [=](int n) { return slope * (q1[n] - q0[n]) + c * u0[n] + d * u1[n]; });
  }
  std::optional<double> kinetic(const State& x) const override {
    const Chain* chain = system_.chain();
    if (!chain) return {};
    const bool known = x.moved.start != 0;
    const int first = known ? x.moved.begin : 0, last = known ? x.moved.end : chain->beads();
    const double *m = chain->data().m.data(), *u = x.u.data();
    return over_pieces<double>(
        first, last, chain_piece,
        [=](int from, int to) {
          double sum = 0;
          for (int n = from; n < to; ++n) sum += 0.5 * m[n] * u[n] * u[n];
          return sum;
        },
        [](double& sum, double part) { sum += part; });
  }
  void judge_end(double, double, RunResult& result) const override {
    const Chain* chain = system_.chain();
    if (is_tailored(method_) && chain && chain->data().formulation == Formulation::x)
      result.warnings.push_back(
          fmt::format("formulation=x has no effect: {} solves the chain without its damping, which has one "
                      "formulation; leave it out",
                      name_of(method_.scheme)));
  }
  // More than a thousandth of the damping is said: positions may differ by ten times as much.
  void judge_ledger(RunResult& result) const override {
    const Ledger& l = result.ledger;
    if (gamma_ == 0 || result.status != RunStatus::finished || !(std::abs(l.remainder) > 1e-3 * l.damping) ||
        !(std::abs(l.remainder) > 1e-9 * l.scale))
      return;
    if (added_) {
      result.warnings.push_back(fmt::format(
          "gamma = {:.4g} of {} took {:.4g} from a system without damping of its own: the remainder of the "
          "ledger",
          gamma_, name_of(method_.scheme), -l.remainder));
      return;
    }
    const bool irk = std::holds_alternative<KkIrk>(method_.scheme);
    result.warnings.push_back(fmt::format(
        "the tailored damping of {} took {:.4g}, gamma = {:.4g} takes {:.4g} along this motion ({:+.2g} %): "
        "an error "
        "of order {} that smaller steps do not remove{}; gauss-2 has the law itself",
        name_of(method_.scheme), l.damping - l.remainder, gamma_, l.damping, -100 * l.remainder / l.damping,
        irk ? "gamma^3" : "gamma^2", irk ? ", and springs that are no contacts are damped too" : ""));
  }
  std::string failure(const Method& method, const State& x0, double h,
                      const StepReport& report) const override {
    return what_failed(system_, x0, h, report) + advice(system_, method, h, report.status);
  }
  bool is_cut(StepStatus) const override { return true; }

 private:
  static bool may_turn(const Problem& problem) {
    const auto* soft = static_cast<const FirstOrderSystem&>(*problem.system).newtonian();
    return soft && soft->viscosity().turns;
  }
  // The force of contacts that turn is not in the direction of its rate.
  bool looks_wrong(const State&, const State& x1, double, std::string& why) const override {
    constexpr double most = 1e-3;
    const double angle = system_.newtonian()->turning(x1.t, x1.q, x1.u, *bodies_);
    if (!(angle > most)) return false;
    why = fmt::format(
        "t = {:.9g}: a contact turns by {:.2g} within gamma, above {}: {} makes damping in fixed directions "
        "only, "
        "as of bodies on a line; use gauss-2",
        x1.t, angle, most, name_of(method_.scheme));
    return true;
  }
  const FirstOrderSystem& system_;
  const Method& method_;
  std::unique_ptr<Workspace> work_, bodies_;  // bodies_: of newtonian()
  double gamma_ = 0;                          // of a tailored scheme
  bool added_ = false;                        // by the scheme: the system has no damping
};

}  // namespace

std::unique_ptr<FamilyRules> first_order_rules(const Problem& problem, const Method& method) {
  return std::make_unique<FirstOrderRules>(problem, method);
}

}  // namespace saltus
