#include "saltus/run/tolerance.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/linalg/pattern.hpp"
#include "saltus/run/driver.hpp"

namespace saltus {
namespace {

// Local errors of that part of the tolerance: they add up over a run.
constexpr double local_share = 0.1;
// Of rtol and the time scale of the motion: the length of the step over an impact.
constexpr double critical_share = 1e-2;
// Of that length: the bracket in which an impact is located. Roots of dense output are found quickly.
constexpr double location_share = 1.0 / 32;
// A coordinate that hardly moves counts with a part of what the energy of those that act on it would make of
// it: through masses, contacts and joints, or through forces alone. Less is motion far smaller than what it
// comes with; and of forces whose terms cancel, rounding.
constexpr double quiet = 1e-3, faint = 1e-8;
// States that are shown: so many in the period of the motion, at most so many in a step.
constexpr double samples_a_period = 64;
constexpr int most_samples = 64;
// Of the run: no step is shorter because of its error. At rest what counts as large is what the step itself
// makes, and so is the error of a force that jumps: no length meets the tolerance there.
constexpr double least_step = unit_roundoff;

EventCapturing as_capturing(const ToleranceSteps& options) {
  EventCapturing out;
  out.h = options.h > 0 ? options.h : 1;  // not used: steps vary
  return out;
}

}  // namespace

ToleranceCapture::ToleranceCapture(const System& system, const DensePair& pair, const ToleranceSteps& options,
                                   const SolverSpec& solver, double duration, const Sink& sink,
                                   const RunControl& control, RunResult& result)
    : EventCapture(
          system,
          [&](Faults& faults) {
            return std::make_unique<ControlledFlow>(system, pair, options.rtol, faults);
          },
          as_capturing(options), solver, sink, control, result),
      options_(options),
      steps_(static_cast<ControlledFlow*>(flow_.get())),
      chart_(system),
      duration_(duration) {
  equal_steps_ = false, newton_ = shape_.constant_directions;
  const int n = shape_.nu;
  q_size_ = u_size_ = Vec::Zero(n);
  scales_.q = scales_.u = Vec::Ones(n);
}

void ToleranceCapture::memory(Memory& m) {
  EventCapture::memory(m);
  const auto n = q_size_.size();
  m(h_, tied_to_, moved_by_, work_, q_size_, u_size_, gap_scales_, *steps_);
  ClosestApproach& c = result_.closest;
  m(c.contact, c.t, c.gap, c.share, c.weights);
  m.require(c.gap >= 0 && (c.gap == infinity || c.weights.size() == n));
  m.require(h_ >= 0 && work_ >= 0 && q_size_.size() == n && u_size_.size() == n && tied_to_.fits(n) &&
            moved_by_.fits(n));
}

double ToleranceCapture::time_scale() const {
  const double period = 2 * std::acos(-1.0) * radian_;
  return period > 0 && std::isfinite(period) ? std::min(period, duration_) : h_;
}

// An impact is located so well that what the step over it does is small beside the tolerance.
double ToleranceCapture::critical_step() const {
  const double rounding = 16 * unit_roundoff * std::max(h_, std::abs(x_.t));
  return std::max(critical_share * options_.critical * options_.rtol * time_scale(), rounding);
}

// The direction of a slip that begins errs by its power of 1.5 in the velocity. Where nothing has moved yet,
// steps at rest say how fast loads change.
double ToleranceCapture::onset_time() const {
  constexpr double share = 0.1;
  return share * std::pow(options_.rtol, 2.0 / 3) * std::max(time_scale(), longest_rest_);
}

// What is left of a step s in which a slip that begins became much faster than the speed at which its
// direction is its own; 1 where it did not.
double ToleranceCapture::onset_part(double s, double enough) const {
  constexpr double much = 4, least = 0.05;
  if (beginning_.empty() || s <= 2 * critical_step()) return 1;
  const double speed = fastest_onset(trial_.u);
  return speed > much * enough ? std::max(std::sqrt(enough / speed), least) : 1;
}

// What the place within the bracket of an impact does is far smaller still. Impacts that are closer than
// critical steps count as simultaneous nevertheless. Where surfaces may have corners, what meets within a
// critical step is decided together.
double ToleranceCapture::location_width() const {
  if (!shape_.constant_directions) return critical_step();
  return std::max(location_share * critical_step(), 16 * unit_roundoff * std::max(h_, std::abs(x_.t)));
}

double ToleranceCapture::row_speed(const ContactSet& set, int row) const {
  double size = 0;
  for (const auto& e : set.Wt.row(row)) size += std::abs(e.value) * u_size_[e.column];
  return size;
}

double ToleranceCapture::quiet_velocity(const ContactSet& set, int row) const {
  return local_share * options_.rtol * row_speed(set, row);
}

double ToleranceCapture::resting_velocity(const ContactSet& set, int row) const {
  return 64 * std::numeric_limits<double>::epsilon() * row_speed(set, row);
}

// A light mass between heavy ones goes on where its momentum is less than the last digit of theirs.
double ToleranceCapture::still_velocity(const ContactSet& set, int row) const {
  constexpr double rounding = 1e-12;
  return std::max(local_share * options_.rtol, rounding) * row_speed(set, row);
}

// Coordinates act on each other through masses, contacts and joints, or through forces. Where contacts come
// and go any may, and all are one group.
void ToleranceCapture::find_groups() {
  const int n = shape_.nu;
  tied_to_.make_one(n), moved_by_.make_one(n);
  if (shape_.changing_contacts || shape_.mass.is_open()) return;
  tied_to_.separate(n);
  if (!shape_.jacobian.is_open()) moved_by_.separate(n);
  const auto join = [&](int i, int j) { tied_to_.join(i, j), moved_by_.join(i, j); };
  for (const auto& [i, j] : entries_of(shape_.mass, n)) join(i, j);
  const SparseRows& Wt = flow_->dynamics().contacts().Wt;
  for (int r = 0; r < Wt.rows(); ++r)
    for (const auto& e : Wt.row(r)) join(Wt.row(r).front().column, e.column);
  if (!shape_.jacobian.is_open())
    for (const auto& [i, j] : entries_of(shape_.jacobian, n)) moved_by_.join(i, j);
}

// The mass is that of the state: a run that begins at a checkpoint measures the same.
void ToleranceCapture::measure(const Vec& q, const Vec& u) {
  if (!mass_known_) checked_.mass(x_.t, q, mass_);
  mass_known_ = true;  // until the time scale has been followed
  q_size_ = q_size_.cwiseMax(sizes(q).cwiseAbs());
  u_size_ = u_size_.cwiseMax(u.cwiseAbs());
  momentum_.setZero(shape_.nu);
  mass_.multiply_add(0.5, u, momentum_);
  tied_to_.measure(u, momentum_), moved_by_.measure(u, momentum_);
}

// What an error of one means for a step of length h to (q, u). A step that fails may end anywhere: sizes are
// of accepted steps.
void ToleranceCapture::set_scales(double h, const Vec& end_q, const Vec& end_u) {
  const double time = pushed_ > 0 ? radian_ : 0;
  const double rounding = 64 * unit_roundoff * acceleration_scale_ * h;  // of accelerations that cancel
  scales_.period = time_scale();
  const double least = std::max(faint, unit_roundoff / options_.rtol);
  const Vec& end_size = sizes(end_q);
  for (int i = 0; i < shape_.nu; ++i) {
    const double m = mass_(i, i);
    const double swift = m > 0 ? std::max(quiet * std::sqrt(2 * tied_to_.energy(i) / m),
                                          least * std::sqrt(2 * moved_by_.energy(i) / m))
                               : 0;
    const double q = std::max({q_size_[i], std::abs(end_size[i]), swift * time});
    const double u = std::max({u_size_[i], std::abs(end_u[i]), swift});
    scales_.q[i] =
        local_share * (options_.rtol * q + options_.atol) + 4 * unit_roundoff * q_size_[i] + rounding * h;
    scales_.u[i] =
        local_share * (options_.rtol * u + options_.atol) + 4 * unit_roundoff * u_size_[i] + rounding;
    scales_.u[i] = std::max(scales_.u[i], steps_->rounding(i, m, h));
    if (!(scales_.q[i] > 0)) scales_.q[i] = std::numeric_limits<double>::min();
    if (!(scales_.u[i] > 0)) scales_.u[i] = std::numeric_limits<double>::min();
  }
}

// A tenth of the shortest time in which a coordinate or a velocity changes by its own size.
double ToleranceCapture::first_step() const {
  double shortest = duration_;
  const Vec& size = sizes(x_.q);
  for (int i = 0; i < shape_.nu; ++i) {
    const double a = std::abs(a_[i]);
    if (a == 0) continue;
    const double time = std::max(std::abs(x_.u[i]) / a, std::sqrt(std::abs(size[i]) / a));
    if (time > 0) shortest = std::min(shortest, time);
  }
  return std::max(0.1 * shortest, 1e-9 * duration_);
}

bool ToleranceCapture::advance(double target) {
  target_ = target;
  steps_->stay_before(target);
  if (tied_to_.empty()) find_groups();
  if (h_ == 0) h_ = options_.pace * first_step();
  measure(x_.q, x_.u);
  const std::int64_t before = force_evaluations();
  const bool done = substep(true);
  constexpr double row = 3;  // of a contact, beside a coordinate
  work_ += static_cast<double>(force_evaluations() - before) *
           (shape_.nu + row * flow_->dynamics().contacts().rows());
  return done;
}

// The longest step in which the gaps of open contacts do not turn unseen. Gaps may move while coordinates do
// not accelerate, as those of a wheel that turns: what counts is their own time scale, the radian of an
// oscillation with their largest velocity and acceleration. One that is far has more time.
double ToleranceCapture::follow_gaps() {
  constexpr double least = 1e-3;
  ClosedDynamics& d = flow_->dynamics();
  d.row_accelerations(x_.t, x_.q, x_.u, a_, row_rate_, row_scale_);
  double shortest = infinity;
  for (const Watch& w : now_) {
    if (w.tells != Tells::gap) continue;
    const auto& contacts = d.contacts().contacts;
    const auto c = std::lower_bound(contacts.begin(), contacts.end(), w.contact,
                                    [](const Contact& a, std::uint64_t id) { return a.id < id; });
    auto known = std::lower_bound(gap_scales_.begin(), gap_scales_.end(), w.contact,
                                  [](const GapScale& g, std::uint64_t id) { return g.contact < id; });
    if (known == gap_scales_.end() || known->contact != w.contact)
      known = gap_scales_.insert(known, {w.contact, 0, 0});
    known->speed = std::max(known->speed, std::abs(w.rate));
    known->acceleration = std::max(known->acceleration, std::abs(row_rate_[c->row]));
    if (!(known->acceleration > 0)) continue;
    shortest = std::min(shortest, std::max(known->speed / known->acceleration,
                                           std::sqrt(std::abs(w.value) / known->acceleration)));
  }
  gap_radian_ = std::max(shortest, least * time_scale());  // what begins to part has no speed yet
  return options_.pace * most_gap_radians * gap_radian_;
}

// Rotations are interpolated by polynomials of their coordinates. Their rates are less accurate than they
// are.
double ToleranceCapture::follow_turns(const Vec& q, const Vec& u, double s) {
  constexpr double share = 1e-3;
  return std::max(chart_.longest(q, u, s, share * options_.rtol), std::min(s, critical_step()));
}

// A step from x_ that meets the tolerance, s long or shorter; h_ is what the next one may be.
ToleranceCapture::Attempt ToleranceCapture::controlled_step(double s) {
  constexpr double safety = 0.9, least = 0.2;
  const double most_growth = 6 * options_.pace;
  bool rejected = false;
  for (;; ++result_.stats.rejected, rejected = true) {
    const std::int64_t faults = faults_.begin();
    if (steps_->needs_scales()) set_scales(s, x_.q, x_.u);
    const StepStatus status = steps_->attempt(x_.t, x_.q, x_.u, s, scales_);
    double error = infinity;
    if (faults_.since(faults)) {
      if (s < 4 * critical_step())
        return Attempt::failed;  // not because it is long: the run ends with what it met
      faults_.forget(faults);
    } else if (status == StepStatus::ok) {
      steps_->step(x_.t, x_.q, x_.u, s, trial_.q, trial_.u);
      if (const double most = follow_turns(trial_.q, trial_.u, s); most < 0.8 * s) {
        h_ = s = most;
        continue;
      }
      set_scales(s, trial_.q, trial_.u);
      error = steps_->error(scales_);
    } else if (status != StepStatus::not_finite && status != StepStatus::newton_diverged) {
      fail(fmt::format("{} (step {:.3g}){}", to_string(status), s, contradiction(status)), status);
      return Attempt::failed;
    }
    const double factor = std::clamp(steps_->growth(error), least, most_growth);
    if (error <= 1) {
      trial_.s = s;
      if (s >= 0.5 * h_ || factor < 1)
        h_ = std::min(duration_, s * (rejected ? std::min(factor, 1.0) : factor));
      h_ = std::min(h_, steps_->accept(scales_));
      return Attempt::done;
    }
    h_ = s *= std::min(factor, safety);
    if (s < std::max(2 * critical_step(), least_step * duration_)) return Attempt::diverged;
  }
}

EventCapture::Attempt ToleranceCapture::first_trial(double left, bool& whole) {
  double longest = options_.h > 0 ? std::min(options_.h, h_) : h_;
  if (control_.longest_step) longest = std::min(longest, control_.longest_step(x_.t));
  longest = std::min({longest, std::max(0.3 * until_stop(), critical_step()), follow_gaps()});
  longest = follow_turns(x_.q, x_.u, longest);
  double s = longest >= 0.999 * left ? left : longest > 0.5 * left ? 0.5 * left : longest;
  if (!is_free() && begins_to_slip()) steps_->expect_stiffness(s);
  // as it is before the step gets shorter: where nothing has moved yet, the step is the only time scale
  const double enough = onset_speed();
  for (;;) {
    if (const Attempt attempt = controlled_step(s); attempt != Attempt::done) return attempt;
    s = trial_.s;
    whole = s == left;
    if (const Attempt attempt = try_step(s, trial_); attempt != Attempt::done) return attempt;
    if (const double part = onset_part(s, enough); part < 1) {
      h_ = s *= part;
      continue;
    }
    const bool last = s <= 2 * critical_step();
    std::string why;
    if (!went_through(system_, x_.t, x_.q, x_.t + s, trial_.q, why)) return Attempt::done;
    if (last) {
      result_.status = RunStatus::failed, result_.message = std::move(why);
      return Attempt::failed;
    }
    h_ = s /= 2;
  }
}

// Where the stages between are not there (a force that is not finite), the cubic through both ends.
void ToleranceCapture::take_dense(const Trial& trial) {
  is_dense_ = static_cast<bool>(sink_);
  if (!is_dense_ || flow_->dense(dense_)) return;
  is_dense_ = shape_.flat;
  if (is_dense_) dense_.join(x_.t, trial.s, x_.q, x_.u, trial.q, trial.u);
}

// Long steps would leave pictures with corners and the ledger with too few powers: the dense output gives
// states in between, without integrating again.
void ToleranceCapture::show_inside(Trial& trial) {
  if (!sink_ || !control_.books) return;
  const double most = std::max(time_scale() / samples_a_period, 64 * unit_roundoff * std::abs(x_.t));
  const int n = trial.s > most ? std::min(most_samples, static_cast<int>(std::ceil(trial.s / most))) : 1;
  const double length = trial.s / n, end = x_.t + trial.s;
  inside_ = true;
  for (int k = 1; k < n; ++k) {
    node_.s = length;
    if (steps_->step(x_.t, x_.q, x_.u, k * length, node_.q, node_.u) != StepStatus::ok) break;
    accept_part(node_, false, true);
    trial.s = end - x_.t;
    --result_.stats.steps;  // not one of the method's
    begin_books();
  }
  inside_ = false;
}

}  // namespace saltus
