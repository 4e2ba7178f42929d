#include "saltus/scheme/symplectic/body_euler_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

bool forward(EulerVariant v) {
  return v == EulerVariant::natural || v == EulerVariant::consistent;
}

}  // namespace

BodyEulerStepper::BodyEulerStepper(const System& system, const SymplecticEuler& options,
                                   const SolverSpec& solver)
    : options_(options),
      parts_(parts_of(options)),
      shape_(system.shape()),
      has_contacts_(std::any_of(system.laws().begin(), system.laws().end(),
                                [](const Law& l) { return !std::holds_alternative<Equality>(l); })),
      multipliers_(multipliers_of(system)),
      map_(system, faults()),
      step_(system, solver, faults()),
      projection_(system, AutomaticSolver{}, faults()) {  // to rounding, whatever velocities are solved to
  // a contact that stays closed has no impacts
  step_.stage().set_closed_rule({.restitution = false});
  q_.setZero(shape_.nq), u_.setZero(shape_.nu), v_.setZero(shape_.nu);
}

int BodyEulerStepper::order() const {
  return options_.smooth().order;
}

State BodyEulerStepper::start(double t, In q, In u) {
  State x = ContactStep::start(t, q, u);
  if (options_.project && !(projection_.project(t, x.q) && map_.project_velocity(t, x.q, 0, x.u)))
    fail("the start could not be projected on the constraints at t = {}: start closer to them", t);
  x.aux = Vec::Zero(multipliers_);
  if (remember_multipliers(x, 0) != StepStatus::ok)
    fail(
        "the multipliers of the joints at the start, t = {}, were not found: see that every coordinate has a "
        "mass",
        t);
  return x;
}

void BodyEulerStepper::hold_resting(const ContactMemory& memory, bool friction) {
  held_.clear(), closed_.clear();
  for (const auto& r : memory.closed) {
    if (r.has_gap ? !r.resting : is_constraint(r.mode) && r.mode != Mode::stick) continue;
    held_.push_back({r.id, r.mode});
    if (r.has_gap) closed_.push_back(r.id);
  }
  map_.hold(held_, friction);
}

StepStatus BodyEulerStepper::find_multipliers(const State& x, double h) {
  hold_resting(x.contacts, true);
  return map_.multipliers(x.t, x.q, x.u, h, lambda_);
}

StepStatus BodyEulerStepper::remember_multipliers(State& x, double h) {
  if (x.aux.size() != multipliers_) x.aux = Vec::Zero(multipliers_);
  if (multipliers_ == 0) return StepStatus::ok;
  const StepStatus status = find_multipliers(x, h);
  if (status == StepStatus::ok) keep_multipliers(x);
  return status;
}

void BodyEulerStepper::keep_multipliers(State& x) const {
  if (multipliers_ == 0) return;
  int n = 0;
  const auto laws = map_.system().laws();
  for (const Contact& c : map_.contacts().contacts) {
    const Law& law = laws[c.law];
    const int used = needs_closed_gap(law) ? 1 : std::holds_alternative<Equality>(law) ? rows(law) : 0;
    for (int r = 0; r < used; ++r) x.aux[n++] = lambda_[c.row + r];
  }
}

// Energy that the rows took in a part of a step, −½ P·(γ⁻ + γ⁺), and the impulses so far. Constraints have
// two impulses, where directions turn along two directions: their works cancel but for the error of the part.
void BodyEulerStepper::book_part(const BodyMap::Start& x0, const Vec& u1, StepReport& report) {
  const ContactSet& set = map_.contacts();
  const auto laws = map_.system().laws();
  map_.impulses(x0.h, part_);
  by_row_.resize(part_.size(), 0.0);
  held_rows_.assign(part_.size(), -1);
  for (int k = 0; k < static_cast<int>(map_.rows().size()); ++k) held_rows_[map_.rows()[k].row] = k;
  for (const Contact& c : set.contacts) {
    const Law& law = laws[c.law];
    for (int r = c.row; r < c.row + rows(law); ++r) {
      if (part_[r] == 0) continue;
      by_row_[r] += part_[r];
      const double wall = set.drift[r];
      const auto [loss, work] =
          held_rows_[r] >= 0
              ? map_.work(held_rows_[r], x0.u)
              : BodyMap::Work{
                    -0.5 * part_[r] * (set.Wt.dot(r, x0.u.data()) + set.Wt.dot(r, u1.data()) + 2 * wall),
                    -part_[r] * wall};
      report.contact_loss += loss;
      report.wall_work += work;
      if (r > c.row || !needs_closed_gap(law))
        (is_lossless(law) ? report.ideal_loss : report.friction_loss) += loss;
    }
  }
}

StepStatus BodyEulerStepper::compose(const State& x0, double h, StepReport& report) {
  by_row_.clear();
  assign(x0.q, q_), assign(x0.u, u_);
  double t = x0.t;
  for (const EulerPart& part : parts_) {
    const BodyMap::Start start{t, part.c * h, q_, u_};
    const StepStatus status = forward(part.variant) ? map_.forward(start) : map_.backward(start);
    if (status != StepStatus::ok) return status;
    book_part(start, map_.u(), report);
    assign(map_.q(), q_), assign(map_.u(), u_);
    t += part.c * h;
  }
  return StepStatus::ok;
}

StepReport BodyEulerStepper::locked_step(const State& x0, double h, State& x1) {
  const std::int64_t count = faults().begin();
  StepReport report;
  map_.iterations = map_.evaluations = 0;
  hold_resting(x0.contacts, true);
  report.status = compose(x0, h, report);
  x1.t = x0.t + h;
  assign(q_, x1.q), assign(u_, x1.u);
  note_joints(x0, h, x1, report);
  if (faults().since(count)) note_fault(report);
  return report;
}

// Residuals of joints and held contacts from the map's last stage; their impulses are in by_row_.
void BodyEulerStepper::note_joints(const State& x0, double h, State& x1, StepReport& report) {
  const ContactSet& set = map_.contacts();
  report.newton_iterations = map_.iterations, report.force_evaluations = map_.evaluations;
  report.stage_residual = map_.change();
  if (report.status == StepStatus::redundant_contacts && map_.bad_row() >= 0) {
    report.status = StepStatus::newton_diverged, report.bad_is_contact = true;
    for (const Contact& c : set.contacts)
      if (c.row <= map_.bad_row()) report.bad_contact = c.id;
  }
  x1.contacts.clear();
  x1.contacts.step = h;
  u_minus_.clear(), u_plus_.clear();
  if (report.status != StepStatus::ok) return;
  const auto laws = map_.system().laws();
  for (const auto& r : map_.rows()) {
    const bool joint = std::holds_alternative<Equality>(laws[set.contacts[r.contact].law]);
    double& position = joint ? report.joint_position : report.contact_position;
    double& velocity = joint ? report.joint_velocity : report.contact_velocity;
    if (r.on_position) position = std::max(position, std::abs(set.gap[r.row]));
    velocity = std::max(velocity, std::abs(set.Wt.dot(r.row, x1.u.data()) + set.drift[r.row]));
  }
  auto held = held_.begin();
  for (const Contact& c : set.contacts) {
    const Law& law = laws[c.law];
    const bool joint = std::holds_alternative<Equality>(law);
    while (held != held_.end() && held->id < c.id) ++held;
    if (!joint && (held == held_.end() || held->id != c.id)) continue;
    const int n = rows(law);
    x1.contacts.closed.push_back({c.id, static_cast<int>(x1.contacts.impulse.size()),
                                  static_cast<std::uint8_t>(n), needs_closed_gap(law), true,
                                  joint ? Mode::closed : held->mode});
    for (int r = c.row; r < c.row + n; ++r) {
      x1.contacts.impulse.push_back(by_row_[r]);
      u_minus_.push_back(set.Wt.dot(r, x0.u.data()) + set.drift[r]);
      u_plus_.push_back(set.Wt.dot(r, x1.u.data()) + set.drift[r]);
    }
  }
  for (const Contact& c : set.contacts)
    if (needs_closed_gap(laws[c.law])) report.min_gap = std::min(report.min_gap, set.gap[c.row]);
  report.u_minus = u_minus_, report.u_plus = u_plus_;
  if (!finite(x1.u) || !finite(x1.q)) report.status = StepStatus::not_finite;
}

StepReport BodyEulerStepper::take_step(const State& x0, double h, State& x1) {
  StepReport report;
  if (has_contacts_) {
    report = contact_step(x0, h, x1);
  } else {
    report = locked_step(x0, h, x1);
  }
  if (report.status == StepStatus::ok) report.status = remember_multipliers(x1, h);
  return report;
}

// 1. q_ after the step; closed_ has the contacts that rest or landed. The set of contacts that rest may
// contradict itself (bodies that jam, or a contact that must open in this step); then all of them may open,
// and the projection decides.
StepStatus BodyEulerStepper::place(const State& x0, double h, StepReport& report) {
  const double t1 = x0.t + h;
  hold_resting(x0.contacts, false);
  const BodyMap::Start start{x0.t, h, x0.q, x0.u};
  StepStatus status = map_.first_stage(start);
  if (status != StepStatus::ok && status != StepStatus::not_finite && !held_.empty()) {
    held_.clear(), closed_.clear();
    map_.hold(held_, false);
    status = map_.first_stage(start);
  }
  if (status != StepStatus::ok) return status;
  assign(map_.q(), q_);
  const auto laws = map_.system().laws();
  const ContactSet& set = map_.contacts();
  for (int i = 0; i < static_cast<int>(set.contacts.size()); ++i)
    if (const Contact& c = set.contacts[i]; needs_closed_gap(laws[c.law])) {
      if (!std::isfinite(set.gap[c.row])) {
        report.bad_contact = c.id;
        return StepStatus::gap_not_finite;
      }
      if (set.gap[c.row] < -map_.gap_rounding(i, c.row) &&
          !std::binary_search(closed_.begin(), closed_.end(), c.id)) {
        bool fits = projection_.project(t1, q_, closed_);
        if (!fits) assign(map_.q(), q_), fits = projection_.project(t1, q_);
        projection_.add_pushed(closed_);
        std::sort(closed_.begin(), closed_.end());
        closed_.erase(std::unique(closed_.begin(), closed_.end()), closed_.end());
        if (fits) return StepStatus::ok;
        report.bad_contact = c.id, report.bad_is_contact = true;
        return StepStatus::newton_diverged;
      }
    }
  return StepStatus::ok;
}

// Whether a law other than that of a joint has a part in the velocities.
bool BodyEulerStepper::anything_touches(StepReport& report) const {
  const auto laws = map_.system().laws();
  const ContactSet& set = map_.contacts();
  for (int i = 0; i < static_cast<int>(set.contacts.size()); ++i) {
    const Contact& c = set.contacts[i];
    if (std::holds_alternative<Equality>(laws[c.law])) continue;
    if (!needs_closed_gap(laws[c.law])) return true;
    if (set.gap[c.row] <= touching_roundings * map_.gap_rounding(i, c.row)) return true;
    report.min_gap = std::min(report.min_gap, set.gap[c.row]);
  }
  return false;
}

StepReport BodyEulerStepper::contact_step(const State& x0, double h, State& x1) {
  StepReport report;
  const double t1 = x0.t + h;
  map_.iterations = map_.evaluations = 0;
  report.status = place(x0, h, report);
  report.newton_iterations = map_.iterations, report.force_evaluations = map_.evaluations;
  x1.t = t1;
  assign(q_, x1.q), assign(x0.u, x1.u);
  if (report.status != StepStatus::ok) {
    x1.contacts.clear();
    return report;
  }
  if (!anything_touches(report)) {
    const BodyMap::Start start{x0.t, h, x0.q, x0.u};
    report.status = map_.second_stage(start);
    assign(map_.u(), x1.u);
    by_row_.clear();
    if (report.status == StepStatus::ok) book_part(start, x1.u, report);
    note_joints(x0, h, x1, report);
    return report;
  }
  map_.free_momentum(t1, v_);
  step_.stage().set_touch(&map_.rounding());
  step_.stage().force(closed_);
  step_.look(t1, q_, x0.u, {.lead = 0, .end = {0, h}}, h, x0.contacts, report);
  if (report.status == StepStatus::ok && step_.factor_mass(t1, q_, report)) {
    step_.factor().solve(v_.data());
    report.status = step_.solve(x0.contacts, h, v_, report);
  }
  assign(v_, x1.u);
  step_.finish(x0, h, x1, report);
  return report;
}

}  // namespace saltus
