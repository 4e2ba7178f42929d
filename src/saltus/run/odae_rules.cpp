#include "saltus/run/odae_rules.hpp"

#include "saltus/core/error.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/odae_landing.hpp"

namespace saltus {

std::string failure_message(const OdaeSystem& system, const State& x0, double h, const StepReport& report) {
  std::string text = fmt::format("step from t = {:.9g} with h = {:.3g}: ", x0.t, h);
  if (report.status == StepStatus::contact_unsolved)
    return text + fmt::format("constraint {}: no set of closed contacts fits; try a smaller step (--h)",
                              system.contact_name(report.bad_contact));
  text += to_string(report.status);
  if (report.fault) return text + ": " + fault_message(system, report.fault);
  if (report.status == StepStatus::singular)
    return text +
           ": g_y v_z r_psi is singular or nearly so, the multipliers are not determined here; remove a "
           "constraint "
           "that follows from the others, or try another start, off the place where the constraints "
           "degenerate";
  if (report.status == StepStatus::not_finite || report.status == StepStatus::gap_not_finite)
    return text + "; check that the formulas are finite there, or try a smaller step (--h)";
  return text + fmt::format(
                    " after {} iterations, residual {:.2g} (last change of the states); try a smaller "
                    "step (--h; where friction stops a body, the equations have no solution)",
                    report.newton_iterations, report.stage_residual);
}

namespace {

class OdaeRules final : public FamilyRules {
 public:
  explicit OdaeRules(const Problem& problem)
      : FamilyRules(true),
        system_(as_odae(*problem.system)),
        checked_(*system_),
        bodies_(as_mechanical(problem.system.get())) {}
  void check_start(const Problem& p, const Method& method) const override {
    check_sizes(*system_, p.t0, p.t_end, p.q0, p.u0);
    const auto& scheme = std::get<SymplecticEuler>(method.scheme);
    const bool plain = scheme.composition == SymplecticEuler::Composition::none &&
                       scheme.variant == EulerVariant::consistent;
    if (std::holds_alternative<FixedSteps>(method.stepping) && system_->has_unilateral() && !plain)
      fail(
          "{}: time stepping with unilateral constraints works with variant true without composition (order "
          "1); for others locate the events with stepping event-location",
          to_text(scheme));
  }
  double energy(const State& x) const override { return checked_.energy(x.t, x.q, x.u); }
  std::string failure(const Method&, const State& x0, double h, const StepReport& report) const override {
    return failure_message(*system_, x0, h, report);
  }
  bool is_cut(StepStatus status) const override { return status == StepStatus::newton_diverged; }
  bool looks_wrong(const State& x0, const State& x1, double share, std::string& why) const override {
    if (bodies_ && went_through(*bodies_, x0, x1, why, share)) return true;
    why = landing_without_friction(checked_, x0, x1);
    return !why.empty();
  }
  int multipliers() const override { return system_->m(); }

 private:
  std::shared_ptr<const OdaeSystem> system_;
  CheckedOdae checked_;  // the same
  const System* bodies_;
};

}  // namespace

std::unique_ptr<FamilyRules> odae_rules(const Problem& problem) {
  return std::make_unique<OdaeRules>(problem);
}

}  // namespace saltus
