#include "saltus/scheme/moreau/schatzman_paoli.hpp"

#include "saltus/core/error.hpp"
#include "saltus/scheme/kit/contact_step.hpp"

namespace saltus {
namespace {

class SchatzmanPaoliStepper final : public Stepper {
 public:
  SchatzmanPaoliStepper(const System& system, const SolverSpec& solver) : step_(system, solver, faults()) {
    // Two impulses with a cone of friction each are not one: the limit would not be that of Newton's and
    // Coulomb's laws.
    for (const Law& law : system.laws())
      if (std::holds_alternative<RollingFriction>(law))
        fail("scheme schatzman-paoli does not treat rolling-friction; use moreau-jean");
      else if (const auto* c = std::get_if<Coulomb>(&law); c && c->mu > 0 && (c->e_n > 0 || c->e_t > 0))
        fail(
            "scheme schatzman-paoli has no restitution with friction: its impacts take two steps (mu = {}, "
            "e_n = {}, "
            "e_t = {}); use moreau-jean, or e_n = e_t = 0",
            c->mu, c->e_n, c->e_t);
    for (Vec* x : {&force_, &v_, &way_}) x->setZero(step_.shape().nu);
  }
  int order() const override { return 1; }
  State start(double t, In q, In u) override { return ContactStep::start(t, q, u); }
  const ContactProblem* contact_problem() const override { return step_.stage().problem(); }
  std::span<const double> contact_impulses() const override { return step_.stage().impulses(); }

 private:
  StepReport take_step(const State& x0, double h, State& x1) override {
    StepReport report;
    const bool first = !(x0.contacts.step > 0);  // u is the velocity at t_0, not half a step before
    const ContactRule rule{
        .lead = 2 * h, .end = {0, h}, .activation = Activation::listed, .rebound = Rebound::position};
    step_.look(x0.t, x0.q, x0.u, rule, h, x0.contacts, report);
    v_ = x0.u;
    if (step_.factor_mass(x0.t, x0.q, report) && report.status == StepStatus::ok) {
      step_.system().force(x0.t, x0.q, x0.u, force_);
      report.force_evaluations = 1;
      force_ *= first ? h / 2 : h;
      step_.factor().solve(force_);
      v_ += force_;
      report.status = step_.solve(x0.contacts, h, v_, report);
    }
    x1.t = x0.t + h;
    way_ = h * v_;
    if (x1.q.size() != step_.shape().nq) x1.q.resize(step_.shape().nq);
    step_.system().retract(x0.q, way_, x1.q);
    x1.u = v_;
    step_.finish(x0, h, x1, report);
    return report;
  }

  ContactStep step_;
  Vec force_, v_, way_;
};

}  // namespace

std::unique_ptr<Stepper> build_stepper(const SchatzmanPaoli&, const DynamicSystem& system,
                                       const SolverSpec& solver) {
  return std::make_unique<SchatzmanPaoliStepper>(mechanical(system), solver);
}

}  // namespace saltus
