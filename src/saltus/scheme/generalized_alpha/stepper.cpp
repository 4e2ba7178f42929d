#include "saltus/scheme/generalized_alpha/stepper.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/generalized_alpha/contact_levels.hpp"
#include "saltus/scheme/generalized_alpha/evaluator.hpp"
#include "saltus/scheme/generalized_alpha/newton_matrix.hpp"
#include "saltus/scheme/generalized_alpha/residuals.hpp"
#include "saltus/scheme/generalized_alpha/row_memory.hpp"
#include "saltus/scheme/generalized_alpha/sets.hpp"
#include "saltus/scheme/generalized_alpha/sparse_levels.hpp"
#include "saltus/scheme/kit/contact_stage.hpp"

namespace saltus {
namespace generalized_alpha {
namespace {

/// The system, if these options are for it.
const System& accepted(const System& system, const GeneralizedAlpha& options) {
  using Levels = GeneralizedAlpha::Levels;
  const bool contacts = options.levels == Levels::pva || options.levels == Levels::pvv;
  check(options);
  for (const Law& law : system.laws()) {
    if (on_position_level(law) && (!contacts || options.newton == GeneralizedAlpha::Newton::decoupled ||
                                   options.inactive == GeneralizedAlpha::Inactive::printed))
      fail(
          "generalized-alpha: a prestressed-spring needs levels pva or pvv, newton = coupled and inactive = "
          "star");
    if (!contacts && !std::holds_alternative<Equality>(law))
      fail("generalized-alpha.levels = {} is for joints only, this system has other laws: use pva or pvv",
           GeneralizedAlpha::level_names[static_cast<int>(options.levels)]);
    if (options.newton == GeneralizedAlpha::Newton::decoupled && !contacts)
      fail("generalized-alpha.newton = decoupled is for levels pva and pvv: use newton = coupled");
  }
  return system;
}

}  // namespace

/// The data of a step, and the order in which the parts work on them: predict; then until the residuals are
/// small evaluate the system, find the sets, linearise, solve and correct.
class Step {
 public:
  Step(const System& system, const GeneralizedAlpha& options, const SolverSpec& solver, Faults& faults)
      : scheme(options),
        evaluator(accepted(system, options), faults),
        matrix(evaluator.shape()),
        sparse(evaluator.shape().nu),
        levels(evaluator.shape().nu, solver),
        kept(evaluator.shape().changing_contacts),
        solver_(solver),
        n_(evaluator.shape().nu) {
    for (Vec* y : {&x.vdot, &x.U, &x.V, &x.q_known, &x.v_known, &x.a_known, &x.displacement, &x.v, &x.a})
      y->setZero(n_);
    x.q.setZero(evaluator.shape().nq);
    in_.emplace(Arguments{x.q, x.v, x.vdot});
  }

  State start(double t, In q, In u) {
    list(t, q, 0);
    look(t, q, u, true);
    initial_acceleration(scheme, sets.rows, evaluator, solver_, t, q, u, x.a, x.lambda);
    if (scheme.options.start == GeneralizedAlpha::Start::zero) x.a.setZero();
    x.vdot = x.a;
    State x0;
    x0.t = t, x0.q = q, x0.u = u;
    kept.store_start(x, at.gamma, x0.aux);
    return x0;
  }

  StepReport take(const State& x0, double h, State& x1) {
    StepReport report;
    begin(x0, h);
    const bool many = use_solvers();
    if (!many) report.status = iterate_sets(x0, report);
    if (many || (report.status != StepStatus::ok && can_use_solvers())) {
      if (!many) begin(x0, h);
      report.status = iterate_levels(x0, report);
    }
    end(x0, x1, report);
    return report;
  }
  int rows() const { return m_; }

  Scheme scheme;
  Evaluator evaluator;
  NewtonMatrix matrix;
  SparseLevels sparse;
  ContactLevels levels;
  RowMemory kept;
  const SystemValues& at = evaluator.values();
  StepData x;
  Sets sets;
  Residuals left;

 private:
  // Newton's iteration on all equations, the sets being found from every iterate.
  StepStatus iterate_sets(const State& x0, StepReport& report) {
    const int most = scheme.options.max_iterations;
    const bool many = use_sparse();
    for (int k = 0;; ++k) {
      evaluate();
      turn(x0);
      const bool changed = find_sets(scheme, x, at, sets);
      if (changed || k == 0) left.excess = infinity;
      const bool solved = k > 0 && at.linear && !changed && !sets.prox && scheme.coupled && !many;
      if (!solved) {
        evaluate_residuals();
        ++report.force_evaluations;
      }
      if (!std::isfinite(left.scale[acc])) return StepStatus::not_finite;
      if (solved || converged(scheme, x, at, sets, k == 0, left, report.bad_component)) return StepStatus::ok;
      if (k == most) return StepStatus::newton_diverged;
      ++report.newton_iterations;
      if (many ? !correct_sparse()
               : !linearise() || !(scheme.coupled ? correct(scheme.unknowns) : correct_in_turn()))
        return StepStatus::singular;
    }
  }

  // The same with contact solvers that find the sets, level by level.
  StepStatus iterate_levels(const State& x0, StepReport& report) {
    const int most = scheme.options.max_iterations;
    StepStatus solved = StepStatus::ok;
    levels.begin_step(x0.contacts, scheme, at, sets, x);
    for (int k = 0;; ++k) {
      evaluate();
      turn(x0);
      evaluate_residuals();
      ++report.force_evaluations;
      if (!std::isfinite(left.scale[acc])) return StepStatus::not_finite;
      if (levels.converged(scheme, x, at, sets, k == 0, left, report.bad_component)) return solved;
      if (k == most) return StepStatus::newton_diverged;
      ++report.newton_iterations;
      if (!linearise() || !evaluator.factor_mass()) return StepStatus::singular;
      solved = levels.correct(scheme, at, left, matrix.factor(), x, sets, report);
      if (solved == StepStatus::not_finite) return solved;
    }
  }

  bool can_use_solvers() const {
    return m_ > 0 && scheme.unknowns.total() && scheme.coupled && !scheme.relative;
  }
  bool use_solvers() const {
    constexpr int several = 3;
    return can_use_solvers() &&
           (evaluator.shape().changing_contacts || sets.rough >= several || sets.springs);
  }

  bool use_sparse() const {
    constexpr int few = 16;  // rows that a dense matrix is better for
    return m_ > few && can_use_solvers() && !sets.prox;
  }

  // Where the list changes: the contacts of this step.
  void list(double t, In q, double look_ahead) {
    if (evaluator.shape().changing_contacts) evaluator.list(t, q, look_ahead);
  }

  void look(double t, In q, In v, bool accelerations) {
    evaluator.mass(t, q);
    evaluator.rows(t, q, v, x.vdot, accelerations);
    if (listed_ && at.set.rows() == m_ && (!evaluator.shape().changing_contacts || same_contacts())) return;
    listed_ = true, m_ = at.set.rows();
    contacts_ = at.set.contacts;
    list_rows(scheme, at.set, evaluator.system().laws(), sets);
    size_residuals(n_, m_, sets.prox, left);
    for (Vec* y : {&x.lambda, &x.nu, &x.Lambda, &x.nu_known, &x.Lambda_known, &x.eta_known, &x.gamma0,
                   &x.rebound, &x.nu_star, &x.Lambda_star, &x.eta})
      y->setZero(m_);
  }

  bool same_contacts() const {
    return std::equal(
        contacts_.begin(), contacts_.end(), at.set.contacts.begin(), at.set.contacts.end(),
        [](const Contact& a, const Contact& b) { return a.id == b.id && a.law == b.law && a.row == b.row; });
  }

  void begin(const State& x0, double h) {
    const bool changing = evaluator.shape().changing_contacts;
    list(x0.t, x0.q, h * evaluator.system().closing_speed(x0.u));
    if (changing || !listed_) look(x0.t, x0.q, x0.u, true);  // not listed: a state of another stepper
    scheme.begin_step(x0.t, h);
    const bool start = kept.is_start(x0.aux, n_, m_);
    const bool shifted = start && scheme.options.start == GeneralizedAlpha::Start::shifted;
    if (changing) gamma_before_ = at.gamma;
    past_ = kept.recall(x0, at.set, x, gamma_before_);
    if (start && (changing || shifted)) {
      const double d = shifted ? (scheme.alpha.am - scheme.alpha.af) * h : 0;
      const Vec vdot = x0.aux.head(n_), move = d * x0.u + 0.5 * d * d * vdot, u = x0.u + d * vdot;
      Vec q(x0.q.size());
      evaluator.system().retract(x0.q, move, q);
      look(x0.t + d, q, u, true);
      initial_acceleration(scheme, sets.rows, evaluator, solver_, x0.t + d, q, u, x.a, x.eta);
      past_.a = x.a.data(), past_.eta = x.eta.data();
      if (changing) past_.lambda = past_.eta;
    }
    predict(scheme, x0, past_, x);
    rebound(sets.rows, at.set, x);
    if (scheme.plain_U) evaluator.keep_directions(x0.t, x0.q);
    begin_step(sets);
  }

  // q₁, v₁, ν*, Λ* of the iterate, and mass and rows there.
  void evaluate() {
    update(scheme, x);
    if (evaluator.shape().flat)
      for (int i = 0; i < n_; ++i) x.q[i] = x.q0[i] + x.displacement[i];
    else
      evaluator.system().retract(x.q0, x.displacement, x.q);
    look(scheme.t, in_->q, in_->v, scheme.on_accelerations);
  }
  void turn(const State& x0) {
    if (!evaluator.shape().constant_directions) turn_rebounds(x0, past_.gamma, sets.rows, at.set, x);
  }

  void evaluate_residuals() {
    evaluator.force(scheme.t, in_->q, in_->v);
    find_residuals(scheme, x, at, sets, left);
  }

  bool linearise() {
    if (at.linear && matrix.is_for(scheme.h)) return true;
    evaluator.derivatives(scheme.t, in_->q, in_->v, in_->vdot, x.lambda);
    return (!scheme.corrects() || evaluator.factor_mass()) && matrix.factorize(scheme, at);
  }

  bool correct_sparse() {
    evaluator.derivatives(scheme.t, in_->q, in_->v, in_->vdot, x.lambda);
    const bool fine = sparse.correct({scheme, at, sets, left, scheme.unknowns}, x);
    x.corrected = true;
    return fine;
  }

  bool correct(Mask mask) {
    if (mask.V && sets.prox) linearise_prox(scheme, x, at, sets, left);
    const bool fine = matrix.correct({scheme, at, sets, left, mask}, x);
    x.corrected = true;
    return fine;
  }

  // Algorithm 1: smooth motion, positions, velocities in turn, the sets being those of the iteration's start.
  bool correct_in_turn() {
    const auto refresh = [&] {
      evaluate();
      if (!evaluator.factor_mass()) return false;
      if (!at.linear) matrix.forget_columns(m_);
      evaluate_residuals();
      return true;
    };
    return correct({false, false, true}) && refresh() && correct({true, false, false}) && refresh() &&
           correct({false, true, false});
  }

  void end(const State& x0, State& x1, StepReport& report) {
    if (!scheme.on_accelerations) evaluator.row_accelerations(scheme.t, in_->q, in_->v, x.vdot);
    x1.t = scheme.t;
    assign(x.q, x1.q), assign(x.v, x1.u);
    const double nothing = 1e-18 * left.scale[acc];  // η of an old impact: below the rounding of the forces
    finish(scheme, nothing, at.row_unit, x);
    remember_contacts(x0, x1.contacts, report);
    if (scheme.options.after_impact == GeneralizedAlpha::AfterImpact::restart &&
        closes(x0.contacts, x1.contacts))
      restart();
    if (evaluator.shape().changing_contacts) evaluator.factor_mass();
    kept.store(at, x, x1);
    if (report.status != StepStatus::ok && report.bad_component >= 0) {
      report.bad_contact = at.set.contacts[sets.rows[report.bad_component].contact].id;
      report.bad_is_contact = true;
    }
    report.bad_component = -1;
    if (report.status == StepStatus::ok && (!finite(x1.q) || !finite(x1.u)))
      report.status = StepStatus::not_finite;
  }

  static bool closes(const ContactMemory& before, const ContactMemory& after) {
    return std::any_of(after.closed.begin(), after.closed.end(),
                       [&](const auto& record) { return record.has_gap && !before.find(record.id); });
  }
  // (38) at the end of the step: v̇, λ, a and η know nothing of what was before.
  void restart() {
    initial_acceleration(scheme, sets.rows, evaluator, solver_, scheme.t, in_->q, in_->v, x.a, x.eta);
    x.vdot = x.a, x.lambda = x.eta;
  }

  // The memory of the contacts, and how well the constraints hold on the three levels.
  void remember_contacts(const State& x0, ContactMemory& memory, StepReport& report) {
    const ContactMemory& before = x0.contacts;
    const auto raise = [](double& most, double y) { most = std::max(most, std::abs(y)); };
    memory.clear();
    memory.step = scheme.h;
    u_minus_.clear(), u_plus_.clear();
    double speed = 0;  // the largest change of a contact's velocity
    for (int r = 0; r < m_; ++r) raise(speed, at.gamma[r] - x.gamma0[r]);
    for (const Contact& c : at.set.contacts) {
      const Row& first = sets.rows[c.row];
      const bool normal = first.kind == Row::normal;
      if (normal) {
        report.min_gap = std::min(report.min_gap, at.set.gap[c.row]);
        if (!std::isfinite(at.set.gap[c.row]) && report.status == StepStatus::ok)
          report.status = StepStatus::gap_not_finite, report.bad_contact = c.id;
      }
      if (scheme.unknowns.V && !sets.in[vel][c.row]) continue;
      const int offset = static_cast<int>(memory.impulse.size());
      double y[max_block_rows];
      double& tangential = is_lossless(*first.law) ? report.ideal_loss : report.friction_loss;
      for (int r = c.row; r < c.row + first.size; ++r) {
        y[r - c.row] = first.kind == Row::spring ? at.set.gap[r] / scheme.h : at.gamma[r] + x.rebound[r];
        const double P = scheme.unknowns.V ? x.Lambda_star[r] : scheme.h * x.lambda[r];
        memory.impulse.push_back(P);
        u_minus_.push_back(x.gamma0[r]), u_plus_.push_back(at.gamma[r]);
        const double loss = -0.5 * P * (x.gamma0[r] + at.gamma[r]);
        report.contact_loss += loss;
        if (r > c.row || !normal) tangential += loss;
        report.wall_work -= P * at.set.drift[r];
        if (first.kind != Row::joint) continue;
        // the impulse of an impact acts on the velocity before the step, which met the joint where it was
        // then
        const double turned = at.set.Wt.dot(r, x0.u.data()) + at.set.drift[r] - x.gamma0[r];
        report.contact_loss -= 0.5 * x.Lambda[r] * turned;
        report.ideal_loss -= 0.5 * x.Lambda[r] * turned;
        raise(report.joint_position, at.set.gap[r]);
        raise(report.joint_velocity, at.gamma[r]);
        raise(report.joint_acceleration, at.acceleration[r]);
      }
      Mode mode_now = Mode::closed;
      if (first.prox)
        mode_now = mode(*first.law, scheme.h, weight(scheme, at, c.row), memory.impulse.data() + offset, y, 0,
                        before.mode(c.id));
      if (normal) {
        raise(report.contact_position, at.set.gap[c.row]);
        raise(report.contact_velocity, y[0]);
        if (sets.in[acc][c.row]) raise(report.contact_acceleration, at.acceleration[c.row]);
      }
      const bool resting = std::abs(at.gamma[c.row]) <= rest_level(speed);
      memory.closed.push_back(
          {c.id, offset, static_cast<std::uint8_t>(first.size), normal, resting, mode_now});
    }
    report.u_minus = u_minus_, report.u_plus = u_plus_;
  }

  SolverSpec solver_;
  int n_, m_ = 0;
  bool listed_ = false;
  std::vector<Contact> contacts_;
  Past past_{};
  Vec gamma_before_;  // γ at the start of the step, where the list changes
  std::vector<double> u_minus_, u_plus_;
  /// The arguments of the system: a Ref made of a Vec for each call would cost more than a short vector's
  /// loop.
  struct Arguments {
    Eigen::Ref<const Vec> q, v, vdot;
  };
  std::optional<Arguments> in_;
};

}  // namespace generalized_alpha

GeneralizedAlphaStepper::GeneralizedAlphaStepper(const System& system, const GeneralizedAlpha& options,
                                                 const SolverSpec& solver)
    : step_(std::make_unique<generalized_alpha::Step>(system, options, solver, faults())),
      last_{step_->x.vdot,          step_->x.a,           step_->x.lambda,
            step_->x.Lambda,        step_->x.Lambda_star, step_->at.gamma,
            step_->at.acceleration, step_->at.set.gap,    step_->sets.in[generalized_alpha::acc]} {}
GeneralizedAlphaStepper::~GeneralizedAlphaStepper() = default;

State GeneralizedAlphaStepper::start(double t, In q, In u) {
  return step_->start(t, q, u);
}

StepReport GeneralizedAlphaStepper::take_step(const State& x0, double h, State& x1) {
  return step_->take(x0, h, x1);
}

bool GeneralizedAlphaStepper::takes_aux(Eigen::Index size, Eigen::Index at_start) const {
  return step_->kept.accepts(size, at_start, last_.a.size(), last_.lambda.size());
}

std::unique_ptr<Stepper> build_stepper(const GeneralizedAlpha& options, const DynamicSystem& system,
                                       const SolverSpec& solver) {
  return std::make_unique<GeneralizedAlphaStepper>(mechanical(system), options, solver);
}

}  // namespace saltus
