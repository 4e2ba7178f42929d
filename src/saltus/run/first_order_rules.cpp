#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/remedy.hpp"

namespace saltus {
namespace {

std::string what_failed(const FirstOrderSystem& system, const State& x0, double h, const StepReport& report) {
  std::string text =
      fmt::format("step from t = {:.9g} with h = {:.3g}: {}", x0.t, h, to_string(report.status));
  if (report.fault) return text + ": " + fault_message(system, report.fault);
  if (report.newton_iterations > 0)
    text += fmt::format(" after {} iterations, last change {:.2g}", report.newton_iterations,
                        report.stage_residual);
  if (report.bad_component >= 0) text += fmt::format(", at {}", system.component_name(report.bad_component));
  return text;
}

std::string advice(const FirstOrderSystem& system, const Method& method, double h, StepStatus status) {
  const Chain* chain = system.chain();
  if (chain && std::holds_alternative<KkIrk>(method.scheme))
    return fmt::format(
        ". kk-irk with C11 = gamma/(2h) = {:.3g} has unique stages only below 0.082 when contacts are stiff: "
        "use "
        "gauss-2, or a larger step",
        chain->damping() / (2 * h));
  if (chain) return "; try a smaller step, or formulation y";
  return "; " + remedy(method, status);
}

class FirstOrderRules final : public FamilyRules {
 public:
  explicit FirstOrderRules(const Problem& problem)
      : system_(static_cast<const FirstOrderSystem&>(*problem.system)), work_(system_.make_workspace()) {}
  void check_start(const Problem& p, const Method&) const override {
    saltus::check_start(system_, p.t0, p.t_end, p.q0, p.u0);
  }
  double energy(const State& x) const override { return system_.energy(x.t, x.q, x.u, *work_); }
  Powers powers() const override { return system_.powers(); }
  Power power(const State& x, bool) const override { return system_.power(x.t, x.q, x.u, *work_); }
  std::string failure(const Method& method, const State& x0, double h,
                      const StepReport& report) const override {
    return what_failed(system_, x0, h, report) + advice(system_, method, h, report.status);
  }
  bool is_cut(StepStatus) const override { return true; }

 private:
  const FirstOrderSystem& system_;
  std::unique_ptr<Workspace> work_;
};

}  // namespace

std::unique_ptr<FamilyRules> first_order_rules(const Problem& problem) {
  return std::make_unique<FirstOrderRules>(problem);
}

}  // namespace saltus
