#include "saltus/run/odae_rules.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/odae/hidden_constraint.hpp"
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
      : system_(as_odae(*problem.system)),
        checked_(*system_),
        bodies_(as_mechanical(problem.system.get())),
        bodies_work_(bodies_ ? bodies_->make_workspace() : nullptr),
        hidden_(*system_, faults_),
        v_(system_->ny()),
        f_(system_->nz()),
        g_(system_->m()),
        has_energy_(std::isfinite(checked_.energy(problem.t0, problem.q0, problem.u0))) {}
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
  Powers powers() const override { return has_energy_ ? Powers::known : Powers::unknown; }
  // Forces of a mechanical system tell their power; those of others take what they take from the energy. So
  // do reactions: without friction nothing, but for drives, whose rates at rest are those of the walls.
  Power power(const State& x, bool between) const override {
    Power out;
    if (bodies_) {
      out = bodies_->power(x.t, x.q, x.u, *bodies_work_);
    } else {
      checked_.velocity(x.t, x.q, x.u, v_);
      checked_.force(x.t, x.q, x.u, f_);
      out.damping = -rate(x);
    }
    psi_ = x.aux.head(system_->m());
    if (between) find_multipliers(x);
    checked_.reaction(x.t, x.q, x.u, psi_, f_);
    v_.setZero();
    const double brought = rate(x);
    double walls = 0;
    if (bodies_) {
      checked_.rate(x.t, x.q, Vec::Zero(x.u.size()), g_);
      walls = -psi_.dot(g_);
    }
    out.work += walls;
    out.friction = walls - brought;
    return out;
  }
  std::string failure(const Method&, const State& x0, double h, const StepReport& report) const override {
    return failure_message(*system_, x0, h, report);
  }
  bool is_cut(StepStatus status) const override { return status == StepStatus::newton_diverged; }
  bool is_wrong(const State& x0, const State& x1, double share, std::string& why) const override {
    if (bodies_ && went_through(*bodies_, x0, x1, why, share)) return true;
    why = landing_without_friction(checked_, x0, x1);
    return !why.empty();
  }
  int multipliers() const override { return system_->m(); }

 private:
  std::shared_ptr<const OdaeSystem> system_;
  CheckedOdae checked_;  // the same
  const System* bodies_;
  std::unique_ptr<Workspace> bodies_work_;

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
  mutable Vec v_, f_, g_, psi_;
  mutable std::vector<int> active_;
  bool has_energy_;
};

}  // namespace

std::unique_ptr<FamilyRules> odae_rules(const Problem& problem) {
  return std::make_unique<OdaeRules>(problem);
}

}  // namespace saltus
