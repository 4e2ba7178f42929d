#include "saltus/run/event_capturing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/remedy.hpp"
#include "saltus/scheme/kit/gap_report.hpp"
#include "saltus/scheme/moreau/moreau_jean_stepper.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
EventCapture::EventCapture(const System& system, const MakeFlow& flow, const EventCapturing& options,
                           const SolverSpec& solver, const Sink& sink, const RunControl& control,
                           RunResult& result)
    : system_(system),
      options_(options),
      solver_(to_rounding(solver)),
      sink_(sink),
      control_(control),
      result_(result),
      shape_(system.shape()),
      flow_(flow(faults_)),
      moreau_(std::make_unique<MoreauJeanStepper>(system, MoreauJean{options.theta, 0}, solver_, &faults_)),
      projection_(system, solver_, faults_),
      accelerations_(system, solver_, faults_),
      checked_(system, faults_),
      mass_(shape_.nu, shape_.mass),
      between_(&system) {
  a_ = Vec::Zero(shape_.nu);
  size_.setZero(shape_.nu);
  moreau_->sharpen(), projection_.sharpen();
  for (const Law& law : system.laws())
    if (needs_closed_gap(law) && !std::holds_alternative<Unilateral>(law) && !is_frictional(law))
      saltus::fail(
          "event capturing does not treat contacts of the law {}: how their tangential forces follow from "
          "the normal one while they slide is known for coulomb and rolling-friction only; use a Moreau "
          "scheme, or stepping switching",
          std::visit([](const auto& l) { return l.name; }, law));
  for (const Law& law : system.laws()) has_joints_ = has_joints_ || std::holds_alternative<Equality>(law);
}
EventCapture::~EventCapture() = default;

// C h (h/T)^p. T is the period of the harmonic motion with the mean square velocities and accelerations so
// far, in the metric of M: it has the units of time whatever those of the coordinates, and it does not depend
// on the step. What is faster than sixteen steps they do not follow anyway. Times have no more digits than 16
// ε.
double EventCapture::critical_step() const {
  const double h = options_.h, period = 2 * std::acos(-1.0) * radian_;
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * std::max(h, std::abs(x_.t));
  const double T = period > 16 * h ? period : 16 * h;
  return std::max(options_.C * h * std::pow(h / T, flow_->order()), rounding);
}

// Whether velocities are what the rounding of forces in balance makes of them in h; at first accelerations,
// too: motion that begins has no time scale before it has a velocity. mass_ is of x_.
bool EventCapture::is_at_rest(double h) {
  constexpr double rounding = 1e-12;
  if (is_free()) return false;
  flow_->dynamics().force_terms(before_.u);
  const auto below = [&](const Vec& v, double share) {
    after_.u.setZero(shape_.nu);
    mass_.multiply_add(1, v, after_.u);
    return (after_.u.cwiseAbs() - share * before_.u).maxCoeff() <= 0;
  };
  return below(x_.u, rounding * h) && (rested_ || below(a_, rounding));
}

void EventCapture::follow_time_scale(double h) {
  if (!mass_known_) checked_.mass(x_.t, x_.q, mass_);
  mass_known_ = shape_.constant_mass;
  rested_ = is_at_rest(h);
  if (rested_) {
    longest_rest_ = std::max(longest_rest_, h);
    return;
  }
  const auto square = [&](const Vec& v) {
    after_.u.setZero(v.size());
    mass_.multiply_add(1, v, after_.u);
    return std::abs(v.dot(after_.u));
  };
  moved_ += h * square(x_.u);
  pushed_ += h * square(a_);
  radian_ = std::sqrt(moved_ / pushed_);
}

double EventCapture::negligible() const {
  return 0.5 * std::min(critical_step(), step_length());
}

// a_ of the closed contacts at a state.
StepStatus EventCapture::accelerate(double t, const Vec& q, const Vec& u) {
  return step_status(flow_->dynamics().acceleration(t, q, u, a_));
}

// ": contacts a, b" where those cannot all stay closed.
std::string EventCapture::contradiction(StepStatus status) const {
  if (status != StepStatus::redundant_contacts) return {};
  std::string out;
  for (const std::uint64_t id : flow_->dynamics().contradiction())
    out += (out.empty() ? ": contacts " : ", ") + system_.contact_name(id);
  return out;
}

bool EventCapture::fail(const std::string& what, StepStatus status) {
  failure_ = status;
  return end_with(fmt::format("{}; {}", what, remedy(method(), status)));
}

bool EventCapture::end_with(const std::string& message) {
  result_.status = RunStatus::failed;
  result_.message = fmt::format("at t = {:.12g}: {}", x_.t, message);
  return false;
}

const FrozenContact* EventCapture::frozen(std::uint64_t id) const {
  for (const auto& f : closed_)
    if (f.id == id) return &f;
  return nullptr;
}

const std::vector<std::uint64_t>& EventCapture::closed_ids() {
  ids_.clear();
  for (const auto& f : closed_) ids_.push_back(f.id);
  return ids_;
}

bool EventCapture::start(double t, const Vec& q, const Vec& u) {
  x_.t = t, x_.q = q, x_.u = u;
  if (!accelerations_.evaluate(t, q, u))
    return fail("the mass matrix is singular or the force is not finite", StepStatus::not_finite);
  std::vector<std::uint64_t> touched;
  const auto& set = accelerations_.contacts();
  const double scale = 1e-12 * (largest(q) > 0 ? largest(q) : 1);
  for (const Contact& c : set.contacts)
    if (needs_closed_gap(system_.laws()[c.law]) && set.gap[c.row] <= scale) insert(touched, c.id);
  return settle(touched, {}, t);
}

void EventCapture::accept_part(const Trial& trial, bool reaches_target, bool grid_point) {
  before_ = x_;
  x_.t = reaches_target ? target_ : x_.t + trial.s;
  assign(trial.q, x_.q);
  assign(trial.u, x_.u);
  if (x_.t > before_.t) book_rows();
  const bool held = !is_free();
  if ((held || !inside_) &&
      flow_->dynamics().acceleration(x_.t, x_.q, x_.u, a_) == ClosedDynamics::Status::ok && held) {
    flow_->dynamics().project_velocity(x_.u);
    projection_.project(x_.t, x_.q, closed_ids());
  }
  remember_forces(trial.s);
  released_.clear();
  emit(grid_point);
}

// Whether the multipliers of the last evaluation are within the sets of their laws.
bool EventCapture::obeys_laws() const {
  const ClosedDynamics& d = flow_->dynamics();
  for (const Contact& c : d.contacts().contacts) {
    if (!frozen(c.id)) continue;
    const Law& law = system_.laws()[c.law];
    double force[max_block_rows], inside[max_block_rows], size = 0, off = 0;
    for (int r = 0; r < rows(law); ++r) force[r] = inside[r] = d.lambda(c.row + r);
    prox(law, 1, inside);
    for (int r = 0; r < rows(law); ++r)
      size = std::hypot(size, force[r]), off = std::hypot(off, inside[r] - force[r]);
    if (off > 1e-9 * size) return false;
  }
  return true;
}

// What the closed contacts did in a step of length s, from their forces at its end.
void EventCapture::remember_forces(double s) {
  x_.contacts.clear();
  const ClosedDynamics& d = flow_->dynamics();
  // multipliers that are not unique and break a law: those of the acceleration problem, which obey them
  const bool ask = d.redundant() && !obeys_laws() && admissible(x_.t, x_.q, x_.u);
  const ContactSet& set = ask ? accelerations_.contacts() : d.contacts();
  for (const Contact& c : set.contacts) {
    const FrozenContact* f = frozen(c.id);
    if (!f) continue;
    const Law& law = system_.laws()[c.law];
    const int n = rows(law);
    x_.contacts.closed.push_back({c.id, static_cast<int>(x_.contacts.impulse.size()),
                                  static_cast<std::uint8_t>(n), needs_closed_gap(law), true, f->mode});
    const auto force = [&](int row) { return ask ? accelerations_.force(row) : d.lambda(row); };
    // a force that jumps below zero at the end (a corner begins) did not act in the step
    const bool ends = needs_closed_gap(law) && force(c.row) < 0;
    for (int r = 0; r < n; ++r) x_.contacts.impulse.push_back(ends ? 0 : force(c.row + r) * s);
  }
}

void EventCapture::emit(bool grid_point) {
  ++result_.stats.steps;
  if (sink_)
    sink_({before_, x_, report_, events_, grid_point, 0, is_dense_ ? &dense_ : nullptr,
           tells_reactions_ ? &reactions_ : nullptr, inside_ && is_dense_});
  tells_reactions_ = false;
  events_.clear();
  report_ = {};
}

void EventCapture::note(EventKind kind, std::uint64_t contact, Mode from, Mode to, double t_before) {
  Event e;
  e.t = x_.t, e.t_before = t_before, e.contact = contact, e.kind = kind, e.from = from, e.to = to;
  events_.push_back(std::move(e));
}

bool EventCapture::advance(double target) {
  constexpr int most_substeps = 200000;  // a light ball between heavy ones is hit thousands of times
  constexpr int patience = 200;  // substeps after which an interrupt does not wait for the macro step's end
  target_ = target;
  const std::int64_t evaluations = force_evaluations();
  int k = 0;
  for (; target - x_.t > negligible(); ++k) {
    if (k > most_substeps)
      return fail(fmt::format("{} events in one step of {:.3g}: impacts pile up", most_substeps, options_.h),
                  StepStatus::newton_diverged);
    if (k > patience && stop_requested(control_, x_.t, result_)) return false;
    if (!substep(k == 0)) return false;
    if (crowded_ = costs_too_much(force_evaluations() - evaluations, k); crowded_) return end_with(too_dense);
  }
  debt_ = std::max(0.0, owed(force_evaluations() - evaluations, k));
  return true;
}

// From x_ to the next event, or to the target. `first`: of a macro step.
bool EventCapture::substep(bool first) {
  const double left = target_ - x_.t;
  begin_substep(left);
  if (const StepStatus status = accelerate(x_.t, x_.q, x_.u); status != StepStatus::ok)
    return fail(std::string(to_string(status)) + contradiction(status), status);
  if (first) follow_time_scale(step_length());
  begin_books();
  StepReport here;
  report_gaps(system_, flow_->dynamics().contacts(), here);
  accumulate(result_, here);
  if (!std::exchange(looked_, false)) look(x_.q, x_.u, 0, now_);
  std::vector<std::uint64_t>& closing = instant_.closing;
  closing.clear();
  for (const Watch& w : now_)
    if (w.tells == Tells::gap && w.value <= w.rounding && w.rate < -rate_rounding(w.contact) &&
        !contains(released_, w.contact))
      insert(closing, w.contact);
  if (!closing.empty()) {
    const double s = std::min(location_width(), left);
    // a step of smooth motion that ended on the contact: there is no bracket to be passed over
    const bool landed =
        !equal_steps_ && shape_.constant_directions && is_free() && x_.contacts.closed.empty();
    const double rounding = std::numeric_limits<double>::epsilon() * std::max(std::abs(x_.t), step_length());
    return impact(landed ? std::min(s, rounding) : s, closing, s);
  }
  bool whole = true;
  const Attempt attempt = first_trial(left, whole);
  if (attempt == Attempt::diverged)  // a force jumps here: Moreau's step passes over it
    return impact(std::min(critical_step(), left));
  if (attempt == Attempt::failed || !look_inside()) return false;
  if (!trial_.flagged) {
    accept(trial_, whole, whole || !equal_steps_);
    looked_ = !whole && is_free() && !shape_.changing_contacts;
    if (looked_) now_.swap(trial_.watches);
    return true;
  }
  lo_.s = 0, lo_.q = x_.q, lo_.u = x_.u, lo_.watches = now_, lo_.flagged = false;
  std::swap(hi_, trial_);
  if (!locate(lo_, hi_)) return false;
  if (hi_.flagged) return handle();
  if (!(lo_.s > 0)) return impact(std::min(critical_step(), left));
  accept(lo_, false);
  return true;
}

// Lists the contacts that can close within s, has redundant rows looked for where the constraints hold, and
// the directions in which laws with several rows slip.
void EventCapture::begin_substep(double s) {
  ClosedDynamics& d = flow_->dynamics();
  d.begin_step();
  if (shape_.changing_contacts) {
    s = std::min(s, step_length());
    combine(1, x_.u, s, a_, after_.u = x_.u);
    const double speed = std::max(system_.closing_speed(x_.u), system_.closing_speed(after_.u));
    d.list(x_.t, x_.q, 1.5 * s * speed);
    if (!closed_.empty()) d.place(x_.t, x_.q);  // slip is looked at below
  }
  bool turned = steer_onsets();
  d.ignore_slip_below(beginning_.empty() ? slip_rounding() : onset_speed());
  for (FrozenContact& f : closed_) turned = follow_slip(f) || turned;
  if (turned) flow_->freeze(closed_);
}

bool EventCapture::follow_slip(FrozenContact& f) const {
  if (is_constraint(f.mode) || contains(beginning_, f.id)) return false;
  const ClosedDynamics& d = flow_->dynamics();
  const auto& contacts = d.contacts().contacts;
  const auto c = std::lower_bound(contacts.begin(), contacts.end(), f.id,
                                  [](const Contact& x, std::uint64_t id) { return x.id < id; });
  if (c == contacts.end() || c->id != f.id) return false;
  const Law& law = system_.laws()[c->law];
  bool turned = false;
  for_each_slip(f, law, [&](int at, int n) {
    if (n < 2) return;
    const int first = c->row + at;
    double length = 0, rounding = 0;
    for (int r = first; r < first + n; ++r) {
      length = std::hypot(length, d.gamma(r, x_.u));
      rounding += std::abs(d.contacts().drift[r]);
      for (const auto& e : d.contacts().Wt.row(r)) rounding += std::abs(e.value * x_.u[e.column]);
    }
    if (!(length > std::max(1e-9 * rounding, slip_rounding()))) return;
    double* slip = f.slip.data() + (needs_closed_gap(law) ? at - 1 : at);
    for (int k = 0; k < n; ++k) slip[k] = d.gamma(first + k, x_.u) / length;
    turned = true;
  });
  return turned;
}

bool EventCapture::guarded_advance(double target) {
  const std::int64_t count = faults_.begin();
  const double t = x_.t;
  const bool done = advance(target);
  if (!faults_.since(count)) return done;
  result_.status = RunStatus::failed;
  result_.message =
      fmt::format("step from t = {:.9g} to {:.9g}: {}", t, target, fault_message(system_, faults_.first()));
  return false;
}

// The event in the bracket [lo, hi].
bool EventCapture::handle() {
  instant_.clear();
  auto& [closing, entering, edges, turning] = instant_;
  bool smooth = false, laws = false, jumped = false;
  pulled_.clear();
  look_behind_corners();
  for (const Watch& w : hi_.watches) {
    if (!w.flagged) continue;
    const Watch* before = find(lo_.s > 0 ? lo_.watches : now_, w);
    laws = laws || w.tells != Tells::kink;
    jumped = jumped || (w.tells == Tells::slip && jumps(w, before));
    if (w.tells == Tells::gap && jumps(w, before)) {  // hit with the velocity behind the jump
      accept(hi_, target_ - x_.t - hi_.s <= negligible());
      return true;
    }
    if (w.tells == Tells::gap) {
      const bool turned = before && comes_over_edge(before->rate, w.rate);
      insert(turned ? entering : closing, w.contact);
    }
    if (w.tells == Tells::edge) {  // a jump, not the error of a long step
      const bool turned = lo_.s == 0 || !before || std::abs(before->rate) <= 0.5 * std::abs(w.rate);
      smooth = smooth || !turned;
      if (turned) insert(edges, w.contact);
    }
    if (w.tells == Tells::force) insert(pulled_, w.contact);
    if (w.tells == Tells::slip || w.tells == Tells::spring) turning.push_back({w.contact, w.disc});
  }
  if (!edges.empty() || !entering.empty()) return pass_edges(edges, entering);
  if (!closing.empty()) {
    const double width = hi_.s - lo_.s;
    // behind corners gaps bend within the bracket; what is held where directions turn is so at its ends only
    const bool flies = shape_.flat && !shape_.kinked_gaps && !shape_.changing_contacts && is_free();
    const bool may_land = !equal_steps_ && (shape_.constant_directions || flies);
    if (const double shortest = may_land ? land() : 0; shortest > 0) return impact(shortest, closing, width);
    if (lo_.s > 0) accept(lo_, false);
    return impact(width, closing);
  }
  if (jumped) {  // Moreau's step passes over it
    const double width = hi_.s - lo_.s;
    if (lo_.s > 0) accept(lo_, false);
    return impact(width);
  }
  if (smooth) {  // its velocity is brought to zero where it is accepted
    accept(lo_, false);
    return true;
  }
  if (!laws && equal_steps_ && lo_.s > 0) return cross_kinks();
  const double t_before = x_.t + lo_.s;
  accept(hi_, target_ - x_.t - hi_.s <= negligible());
  if (!laws) return true;
  before_ = x_;
  const bool decided = settle(closed_ids(), turning, t_before);
  pulled_.clear();
  if (!decided) return false;
  if (stalls()) return impact(std::min(jump_step(), target_ - x_.t));
  if (sink_ && !events_.empty()) {
    after_ = x_;  // no time has passed: what the contacts did is in the step before
    std::fill(after_.contacts.impulse.begin(), after_.contacts.impulse.end(), 0.0);
    sink_({before_, after_, report_, events_, false});
  }
  events_.clear();
  return true;
}

}  // namespace saltus
