#include "saltus/run/tolerance.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/restart.hpp"

namespace saltus {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();
// Local errors of that part of the tolerance: they add up over a run.
constexpr double local_share = 0.1;
// Of rtol and the time scale of the motion: the length of the step over an impact.
constexpr double critical_share = 1e-2;
// A coordinate that hardly moves counts with that part of what the energy of the others would make of it.
constexpr double quiet = 1e-3;
// States that are shown: so many in the period of the motion, at most so many in a step.
constexpr double samples_a_period = 64;
constexpr int most_samples = 64;
// Pieces of a step in which events are looked for.
constexpr int pieces = 4;

EventCapturing as_capturing(const ToleranceSteps& options) {
  EventCapturing out;
  out.h = options.h > 0 ? options.h : 1;  // not used: steps vary
  return out;
}

const DensePair& pair_of(const Method& method) {
  const Tableau& tableau = std::get<RungeKutta>(method.scheme).table();
  if (const DensePair* pair = dense_pair(tableau.name)) return *pair;
  fail("stepping tolerance needs a tableau with an error estimate and dense output, herk-5 or dop-8, not {}",
       tableau.name);
}

}  // namespace

ToleranceCapture::ToleranceCapture(const System& system, const DensePair& pair, const ToleranceSteps& options,
                                   const SolverSpec& solver, double duration, const Sink& sink,
                                   const RunControl& control, RunResult& result)
    : EventCapture(
          system, [&](Faults& faults) { return std::make_unique<PairFlow>(system, pair, faults); },
          as_capturing(options), solver, sink, control, result),
      options_(options),
      pair_(static_cast<PairFlow*>(flow_.get())),
      duration_(duration) {
  equal_steps_ = false;
  const int n = shape_.nu;
  q_size_ = u_size_ = Vec::Zero(n);
  q_scale_ = u_scale_ = Vec::Ones(n);
}

void ToleranceCapture::memory(Memory& m) {
  EventCapture::memory(m);
  const auto n = q_size_.size();
  m(h_, kinetic_, q_size_, u_size_, gap_scales_);
  m.require(h_ >= 0 && kinetic_ >= 0 && q_size_.size() == n && u_size_.size() == n);
}

// The period of the harmonic motion with the mean square velocities and accelerations so far.
double ToleranceCapture::time_scale() const {
  const double period = 2 * std::acos(-1.0) * std::sqrt(moved_ / pushed_);
  return period > 0 && std::isfinite(period) ? std::min(period, duration_) : h_;
}

// An impact is located so well that what the step over it does is small beside the tolerance.
double ToleranceCapture::critical_step() const {
  const double rounding = 16 * unit_roundoff * std::max(h_, std::abs(x_.t));
  return std::max(critical_share * options_.rtol * time_scale(), rounding);
}

void ToleranceCapture::measure(const Vec& q, const Vec& u) {
  q_size_ = q_size_.cwiseMax(q.cwiseAbs());
  u_size_ = u_size_.cwiseMax(u.cwiseAbs());
  kinetic_ = std::max(kinetic_, 0.5 * std::abs(mass_.bilinear(u, u)));
}

// What an error of one means for a step of length h to (q, u). A step that fails may end anywhere: sizes are
// of accepted steps.
void ToleranceCapture::set_scales(double h, const Vec& end_q, const Vec& end_u) {
  const double time = pushed_ > 0 ? std::sqrt(moved_ / pushed_) : 0;
  const double rounding = 64 * unit_roundoff * acceleration_scale_ * h;  // of accelerations that cancel
  for (int i = 0; i < shape_.nu; ++i) {
    const double m = mass_(i, i), swift = m > 0 ? quiet * std::sqrt(2 * kinetic_ / m) : 0;
    const double q = std::max({q_size_[i], std::abs(end_q[i]), swift * time});
    const double u = std::max({u_size_[i], std::abs(end_u[i]), swift});
    q_scale_[i] =
        local_share * (options_.rtol * q + options_.atol) + 4 * unit_roundoff * q_size_[i] + rounding * h;
    u_scale_[i] =
        local_share * (options_.rtol * u + options_.atol) + 4 * unit_roundoff * u_size_[i] + rounding;
    if (!(q_scale_[i] > 0)) q_scale_[i] = std::numeric_limits<double>::min();
    if (!(u_scale_[i] > 0)) u_scale_[i] = std::numeric_limits<double>::min();
  }
}

// A tenth of the shortest time in which a coordinate or a velocity changes by its own size.
double ToleranceCapture::first_step() const {
  double shortest = duration_;
  for (int i = 0; i < shape_.nu; ++i) {
    const double a = std::abs(a_[i]);
    if (a == 0) continue;
    const double time = std::max(std::abs(x_.u[i]) / a, std::sqrt(std::abs(x_.q[i]) / a));
    if (time > 0) shortest = std::min(shortest, time);
  }
  return std::max(0.1 * shortest, 1e-9 * duration_);
}

bool ToleranceCapture::advance(double target) {
  target_ = target;
  if (h_ == 0) h_ = first_step();
  measure(x_.q, x_.u);
  return substep(true);
}

// The longest step in which the gaps of open contacts do not turn unseen. Gaps may move while coordinates do
// not accelerate, as those of a wheel that turns: what counts is their own time scale, the radian of an
// oscillation with their largest velocity and acceleration. One that is far has more time.
double ToleranceCapture::follow_gaps() {
  constexpr double radians = 2, least = 1e-3;
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
  // what begins to part has no speed yet
  return radians * std::max(shortest, least * time_scale());
}

// A step from x_ that meets the tolerance, s long or shorter; h_ is what the next one may be.
ToleranceCapture::Attempt ToleranceCapture::controlled_step(double s) {
  constexpr double safety = 0.9, most_growth = 6, least = 0.2;
  bool rejected = false;
  for (;; ++result_.stats.rejected, rejected = true) {
    const std::int64_t faults = faults_.begin();
    const StepStatus status = pair_->attempt(x_.t, x_.q, x_.u, s);
    double error = infinity;
    if (faults_.since(faults)) {
      if (s < 4 * critical_step())
        return Attempt::failed;  // not because it is long: the run ends with what it met
      faults_.forget(faults);
    } else if (status == StepStatus::ok) {
      pair_->step(x_.t, x_.q, x_.u, s, trial_.q, trial_.u);
      set_scales(s, trial_.q, trial_.u);
      error = pair_->error(q_scale_, u_scale_);
    } else if (status != StepStatus::not_finite) {
      fail(fmt::format("{} (step {:.3g}){}", to_string(status), s, contradiction(status)), status);
      return Attempt::failed;
    }
    const double factor =
        std::clamp(safety * std::pow(error, -1.0 / pair_->pair().error_order), least, most_growth);
    if (error <= 1) {
      trial_.s = s;
      if (s >= 0.5 * h_ || factor < 1)
        h_ = std::min(duration_, s * (rejected ? std::min(factor, 1.0) : factor));
      return Attempt::done;
    }
    h_ = s *= std::min(factor, safety);
    if (s < 2 * critical_step()) return Attempt::diverged;
  }
}

EventCapture::Attempt ToleranceCapture::first_trial(double left, bool& whole) {
  double longest = options_.h > 0 ? std::min(options_.h, h_) : h_;
  longest = std::min({longest, std::max(0.3 * until_stop(), critical_step()), follow_gaps()});
  double s = longest >= 0.999 * left ? left : longest > 0.5 * left ? 0.5 * left : longest;
  for (;;) {
    if (const Attempt attempt = controlled_step(s); attempt != Attempt::done) return attempt;
    s = trial_.s;
    whole = s == left;
    if (const Attempt attempt = try_step(s, trial_); attempt != Attempt::done) return attempt;
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

// Long steps hide events that come and go: all functions are looked at within the step, too.
bool ToleranceCapture::look_inside() {
  if (trial_.watches.empty()) return true;
  const double s = trial_.s;
  last_node_.s = 0, last_node_.watches = now_;
  for (int k = 1; k <= pieces; ++k) {
    if (k < pieces) {
      if (const Attempt attempt = try_step(k * s / pieces, node_); attempt != Attempt::done)
        return attempt == Attempt::diverged;
    } else {
      std::swap(node_, trial_);
    }
    if (!node_.flagged) {
      const double where = dip(last_node_.watches, node_.watches, node_.s - last_node_.s);
      if (where > 0) {
        if (const Attempt attempt = try_step(last_node_.s + where, probe_); attempt == Attempt::failed)
          return false;
        bool below = probe_.flagged;
        for (Watch& w : probe_.watches)
          if (w.tells == Tells::gap && w.value < -w.rounding) below = w.flagged = true;
        if (below) {
          probe_.flagged = true;
          std::swap(trial_, probe_);
          return true;
        }
      }
    }
    if (node_.flagged || k == pieces) {
      std::swap(trial_, node_);
      return true;
    }
    std::swap(last_node_, node_);
  }
  return true;
}

// Long steps would leave pictures with corners and the ledger with too few powers: the dense output gives
// states in between, without integrating again.
void ToleranceCapture::show_inside(Trial& trial) {
  if (!sink_) return;
  const double most = time_scale() / samples_a_period;
  const int n = trial.s > most ? std::min(most_samples, static_cast<int>(std::ceil(trial.s / most))) : 1;
  const double length = trial.s / n;
  inside_ = true;
  for (int k = 1; k < n; ++k) {
    node_.s = length;
    if (pair_->step(x_.t, x_.q, x_.u, k * length, node_.q, node_.u) != StepStatus::ok) break;
    accept_part(node_, false, true);
    trial.s -= length;
    --result_.stats.steps;  // not one of the method's
    if (!closed_.empty() || has_joints_) power_ = row_power(x_.u);
  }
  inside_ = false;
}

void run_by_tolerance(const ToleranceSteps& stepping, const RunContext& context) {
  const Problem& problem = context.problem;
  const auto& system = static_cast<const System&>(*problem.system);
  RunResult& result = context.result;
  ToleranceCapture capture(system, pair_of(context.method), stepping, context.method.solver,
                           problem.t_end - problem.t0, context.sink, context.control, result);
  if (context.points.resume) capture.state() = {problem.t0, problem.q0, problem.u0, {}, {}, {}};
  if (context.points.resume || capture.start(problem.t0, problem.q0, problem.u0)) {
    Restart restart(context.points, result, capture.state(), [&](Memory& m) { m(capture); });
    Ticker ticker(context.control);
    for (const double end : stretches(problem))
      while (!capture.reached(end) && result.status == RunStatus::finished) {
        if (stop_requested(context.control, capture.state().t, result)) {
          restart.leave(capture.state());
          break;
        }
        if (!capture.guarded_advance(end)) break;
        restart.after_step(capture.state());
        ticker.tick(capture.state().t, result.stats.steps);
      }
  }
  result.stats.force_evaluations += capture.force_evaluations();
  if (Sketch sketch; stepping.rtol < 1e-9 && result.status == RunStatus::finished &&
                     system.sketch(problem.t0, problem.q0, sketch) && !sketch.polygons.empty())
    result.warnings.emplace_back(
        "where corners of polygons pass each other, rounding decides at tolerances below 1e-9: trust the "
        "digits that a run with rtol 1e-9 confirms");
  result.final = capture.state();
  context.rules.judge_end(0, 0, result);
}

}  // namespace saltus
