#include "saltus/run/odae_rules.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/odae/hidden_constraint.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/odae_landing.hpp"
#include "saltus/run/stability.hpp"
#include "saltus/scheme/symplectic/body_euler_stepper.hpp"
#include "saltus/system/check.hpp"

namespace saltus {

std::string failure_message(const OdaeSystem& system, const State& x0, double h, const StepReport& report) {
  std::string text = fmt::format("step from t = {:.9g} with h = {:.3g}: ", x0.t, h);
  if (report.status == StepStatus::contact_unsolved)
    return text + fmt::format("constraint {}: no set of closed contacts fits; try a smaller step (--h)",
                              system.contact_name(report.bad_contact));
  text += what_failed(report);
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

void refuse_composition(const Method& method, bool unilateral) {
  const auto& scheme = std::get<SymplecticEuler>(method.scheme);
  const bool plain =
      scheme.composition == SymplecticEuler::Composition::none && scheme.variant == EulerVariant::consistent;
  if (std::holds_alternative<FixedSteps>(method.stepping) && unilateral && !plain)
    fail(
        "{}: time stepping with unilateral constraints works with variant true without composition (order "
        "1); for others locate the events with stepping event-location",
        to_text(scheme));
}

class OdaeRules final : public FamilyRules {
 public:
  explicit OdaeRules(const Problem& problem)
      : FamilyRules(true),
        system_(as_odae(*problem.system)),
        checked_(*system_),
        hidden_(*system_, faults_),
        v_(system_->ny()),
        f_(system_->nz()) {
    check_sizes(system_->ny(), system_->nz(), problem.q0, problem.u0);  // before anything is evaluated there
    has_energy_ = std::isfinite(checked_.energy(problem.t0, problem.q0, problem.u0));
  }
  void check_start(const Problem& p, const Method& method) const override {
    check_sizes(*system_, p.t0, p.t_end, p.q0, p.u0);
    refuse_composition(method, system_->has_unilateral());
  }
  double energy(const State& x) const override { return checked_.energy(x.t, x.q, x.u); }
  Powers powers() const override { return has_energy_ ? Powers::known : Powers::unknown; }
  // What forces and reactions take from the energy; without friction reactions take nothing.
  Power power(const State& x, bool between) const override {
    Power out;
    checked_.velocity(x.t, x.q, x.u, v_);
    checked_.force(x.t, x.q, x.u, f_);
    out.damping = -rate(x);
    psi_ = x.aux.head(system_->m());
    if (between) find_multipliers(x);
    checked_.reaction(x.t, x.q, x.u, psi_, f_);
    v_.setZero();
    out.friction = -rate(x);
    return out;
  }
  std::string failure(const Method&, const State& x0, double h, const StepReport& report) const override {
    return failure_message(*system_, x0, h, report);
  }
  bool is_cut(StepStatus status) const override { return status == StepStatus::newton_diverged; }
  bool looks_wrong(const State& x0, const State& x1, double /*share*/, std::string& why) const override {
    why = landing_without_friction(checked_, x0, x1);
    return !why.empty();
  }
  int multipliers() const override { return system_->m(); }

 private:
  std::shared_ptr<const OdaeSystem> system_;
  CheckedOdae checked_;  // the same

  // ψ between two steps, from the hidden constraint of the contacts that are closed after them
  void find_multipliers(const State& x) const {
    active_.clear();
    for (int i = 0; i < system_->m(); ++i) {
      const auto* record = x.contacts.find(system_->contact_id(i));
      if (!system_->constraints()[i].unilateral || (record && record->resting)) active_.push_back(i);
    }
    const Vec guess = psi_;
    if (!hidden_.multipliers(x.t, x.q, x.u, active_, psi_)) psi_ = guess;
  }
  // dE/dt along (v_, f_), by a difference that is exact where the energy is quadratic
  double rate(const State& x) const {
    const double size = std::max(v_.lpNorm<Eigen::Infinity>(), f_.lpNorm<Eigen::Infinity>());
    if (!(size > 0)) return 0;
    const double far = x.q.lpNorm<Eigen::Infinity>() + x.u.lpNorm<Eigen::Infinity>();
    const double d = 1e-4 * (far > 0 ? far : 1) / size;
    return (checked_.energy(x.t, x.q + d * v_, x.u + d * f_) -
            checked_.energy(x.t, x.q - d * v_, x.u - d * f_)) /
           (2 * d);
  }

  mutable Faults faults_;
  mutable HiddenConstraint hidden_;
  mutable Vec v_, f_, psi_;
  mutable std::vector<int> active_;
  bool has_energy_ = false;
};

// While a contact slides, its tangential forces must follow from the normal one.
void refuse_located_laws(const System& system) {
  for (const Law& law : system.laws())
    if (needs_closed_gap(law) && rows(law) > 1 && !std::holds_alternative<Coulomb>(law))
      fail(
          "event-location does not treat contacts of the law {}: how their tangential forces follow from the "
          "normal one while they slide is known for coulomb only; use --stepping fixed",
          std::visit([](const auto& l) { return l.name; }, law));
}

// Mechanical systems: their own rules, with the options and the multipliers of symplectic-euler.
class BodyRules final : public FamilyRules {
 public:
  explicit BodyRules(const Problem& problem)
      : FamilyRules(true),
        system_(static_cast<const System&>(*problem.system)),
        rules_(mechanical_rules(problem)) {}
  void check_start(const Problem& p, const Method& method) const override {
    const auto laws = system_.laws();
    const bool contacts = std::any_of(laws.begin(), laws.end(),
                                      [](const Law& l) { return !std::holds_alternative<Equality>(l); });
    refuse_composition(method, contacts);
    if (std::holds_alternative<EventLocation>(method.stepping)) refuse_located_laws(system_);
    const bool project = std::get<SymplecticEuler>(method.scheme).project;
    for (const StartTrouble& t : start_troubles(system_, p.t0, p.t_end, p.q0, p.u0, p.penetration))
      if (!project || (t.about != StartTrouble::About::joint && t.about != StartTrouble::About::penetration))
        throw Error(t.message);
    refuse_unstable_step(p, method);
  }
  double energy(const State& x) const override { return rules_->energy(x); }
  Powers powers() const override { return rules_->powers(); }
  Power power(const State& x, bool between) const override { return rules_->power(x, between); }
  double stored(const State& x) const override { return rules_->stored(x); }
  Lengths measure(const State& x, const Vec& start, const Vec& reach, Ledger& out) const override {
    return rules_->measure(x, start, reach, out);
  }
  std::string failure(const Method& method, const State& x0, double h,
                      const StepReport& report) const override {
    return rules_->failure(method, x0, h, report);
  }
  bool is_cut(StepStatus status) const override { return rules_->is_cut(status); }
  bool looks_wrong(const State& x0, const State& x1, double share, std::string& why) const override {
    return rules_->is_wrong(x0, x1, share, why);
  }
  int multipliers() const override { return multipliers_of(system_); }
  void judge_end(double h, double fastest, RunResult& result) const override {
    rules_->judge_end(h, fastest, result);
  }

 private:
  const System& system_;
  std::unique_ptr<FamilyRules> rules_;
};

}  // namespace

std::unique_ptr<FamilyRules> odae_rules(const Problem& problem) {
  if (as_mechanical(problem.system.get())) return std::make_unique<BodyRules>(problem);
  return std::make_unique<OdaeRules>(problem);
}

}  // namespace saltus
