#include "saltus/run/event_capturing.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/remedy.hpp"
#include "saltus/scheme/kit/gap_report.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

// Whether a closed contact with that law can be in that mode.
bool can_freeze(const Law& law, Mode mode) {
  if (std::holds_alternative<Coulomb>(law)) return mode != Mode::open;
  if (std::holds_alternative<Relay>(law))
    return mode == Mode::stick || mode == Mode::slip || mode == Mode::slip_back;
  return mode == Mode::closed || mode == Mode::stick;
}

}  // namespace

EventCapture::EventCapture(const System& system, const Tableau& tableau, const EventCapturing& options,
                           const SolverSpec& solver, const Sink& sink, const RunControl& control,
                           RunResult& result)
    : system_(system),
      options_(options),
      solver_(solver),
      sink_(sink),
      control_(control),
      result_(result),
      shape_(system.shape()),
      flow_(system, tableau, faults_),
      moreau_(system, {options.theta, 0}, solver, &faults_),
      projection_(system, solver, faults_),
      accelerations_(system, solver, faults_) {
  if (!shape_.flat) saltus::fail("event capturing needs plain coordinates (no rotations on a manifold)");
  if (shape_.changing_contacts)
    saltus::fail("event capturing needs a fixed list of contacts; use a Moreau scheme with fixed steps here");
  a_ = Vec::Zero(shape_.nu);
  for (const Law& law : system.laws())
    if (std::holds_alternative<UserLaw>(law) || std::holds_alternative<Tresca>(law) || on_position_level(law))
      saltus::fail("event capturing does not treat {} laws; use a Moreau scheme, or stepping switching",
                   std::visit([](const auto& l) { return l.name; }, law));
  for (const Law& law : system.laws()) has_joints_ = has_joints_ || std::holds_alternative<Equality>(law);
}

double EventCapture::critical_step() const {
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(x_.t));
  return std::max(options_.C * std::pow(options_.h, flow_.order() + 1), rounding);
}

double EventCapture::negligible() const {
  return 0.5 * std::min(critical_step(), options_.h);
}

bool EventCapture::fail(const std::string& what, StepStatus status) {
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

bool EventCapture::start(double t, const Vec& q, const Vec& u) {
  x_.t = t, x_.q = q, x_.u = u;
  if (!accelerations_.evaluate(t, q, u))
    return fail("the mass matrix is singular or the force is not finite", StepStatus::not_finite);
  std::vector<std::uint64_t> touched;
  const auto& set = accelerations_.contacts();
  const double scale = 1e-12 * (1 + largest(q));
  for (const Contact& c : set.contacts)
    if (needs_closed_gap(system_.laws()[c.law]) && set.gap[c.row] <= scale) insert(touched, c.id);
  return settle(touched, {}, t);
}

void EventCapture::memory(Memory& m) {
  std::vector<std::uint64_t> ids;
  std::vector<Mode> modes;
  for (const FrozenContact& f : closed_) ids.push_back(f.id), modes.push_back(f.mode);
  m(ids, modes, released_, bounces_);
  if (!m.reading()) return;
  m.require(ids.size() == modes.size());
  ContactSet set;
  CheckedSystem(system_).list(x_.t, x_.q, set);
  closed_.clear();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    m.require(i == 0 || ids[i - 1] < ids[i]);
    const auto contact = std::find_if(set.contacts.begin(), set.contacts.end(),
                                      [&](const Contact& c) { return c.id == ids[i]; });
    m.require(contact != set.contacts.end() && can_freeze(system_.laws()[contact->law], modes[i]));
    closed_.push_back({ids[i], modes[i]});
  }
  flow_.freeze(closed_);
}

// ---- accepting
// ----------------------------------------------------------------------------------------------

EventCapture::RowPower EventCapture::row_power(const Vec& u) const {
  RowPower out;
  const ClosedDynamics& now = flow_.dynamics();
  for (const Contact& c : now.contacts().contacts) {
    const Law& law = system_.laws()[c.law];
    for (int r = 0; r < rows(law); ++r) {
      const double lambda = now.lambda(c.row + r), drift = now.contacts().drift[c.row + r];
      if (lambda == 0) continue;
      const bool rubs = !is_lossless(law) && (r > 0 || !needs_closed_gap(law));
      out.acts = out.acts || rubs || drift != 0;
      out.walls -= lambda * drift;
      if (rubs) out.friction -= lambda * now.gamma(c.row + r, u);
    }
  }
  return out;
}

// The work of the closed rows from before_ to x_ by Simpson's rule, the middle as in run/ledger.hpp.
void EventCapture::book_rows() {
  const double h = x_.t - before_.t;
  const Vec q = 0.5 * (before_.q + x_.q) + h / 8 * (before_.u - x_.u),
            u = 1.5 / h * (x_.q - before_.q) - 0.25 * (before_.u + x_.u);
  if (flow_.dynamics().acceleration(before_.t + h / 2, q, u, a_) != ClosedDynamics::Status::ok) return;
  const RowPower middle = row_power(u);
  if (flow_.dynamics().acceleration(x_.t, x_.q, x_.u, a_) != ClosedDynamics::Status::ok) return;
  const RowPower end = row_power(x_.u);
  report_.friction_loss = h / 6 * (power_.friction + 4 * middle.friction + end.friction);
  report_.contact_loss += report_.friction_loss;
  report_.wall_work += h / 6 * (power_.walls + 4 * middle.walls + end.walls);
}

void EventCapture::accept(const Trial& trial, bool grid_point) {
  before_ = x_;
  x_.t = grid_point ? target_ : x_.t + trial.s;
  assign(trial.q, x_.q);
  assign(trial.u, x_.u);
  if (power_.acts && x_.t > before_.t) book_rows();
  if (flow_.dynamics().acceleration(x_.t, x_.q, x_.u, a_) == ClosedDynamics::Status::ok &&
      (!closed_.empty() || has_joints_)) {
    flow_.dynamics().project_velocity(x_.u);
    std::vector<std::uint64_t> ids;
    for (const auto& f : closed_) ids.push_back(f.id);
    projection_.project(x_.t, x_.q, ids);
  }
  x_.contacts.clear();
  for (const auto& f : closed_)
    for (const Contact& c : flow_.dynamics().contacts().contacts)
      if (c.id == f.id) {
        const int n = rows(system_.laws()[c.law]);
        x_.contacts.closed.push_back({c.id, static_cast<int>(x_.contacts.impulse.size()),
                                      static_cast<std::uint8_t>(n), needs_closed_gap(system_.laws()[c.law]),
                                      true, f.mode});
        // a force that jumps below zero at the end (a corner begins) did not act in the step
        const bool ends = needs_closed_gap(system_.laws()[c.law]) && flow_.dynamics().lambda(c.row) < 0;
        for (int r = 0; r < n; ++r)
          x_.contacts.impulse.push_back(ends ? 0 : flow_.dynamics().lambda(c.row + r) * trial.s);
      }
  released_.clear();
  emit(grid_point);
}

void EventCapture::emit(bool grid_point) {
  ++result_.stats.steps;
  if (sink_) sink_({before_, x_, report_, events_, grid_point});
  events_.clear();
  report_ = {};
}

void EventCapture::note(EventKind kind, std::uint64_t contact, double t_before) {
  Event e;
  e.t = x_.t, e.t_before = t_before, e.contact = contact, e.kind = kind;
  events_.push_back(std::move(e));
}

// ---- one macro step
// -------------------------------------------------------------------------------------------

bool EventCapture::advance(double target) {
  constexpr int most_substeps = 20000;
  constexpr int patience = 200;  // substeps after which an interrupt does not wait for the macro step's end
  target_ = target;
  for (int k = 0; target - x_.t > negligible(); ++k) {
    if (k > most_substeps)
      return fail(fmt::format("{} events in one step of {:.3g}: impacts pile up", most_substeps, options_.h),
                  StepStatus::newton_diverged);
    if (k > patience && stop_requested(control_, x_.t, result_)) return false;
    const double left = target - x_.t;
    if (flow_.dynamics().acceleration(x_.t, x_.q, x_.u, a_) != ClosedDynamics::Status::ok)
      return fail("the acceleration could not be evaluated (force not finite, or redundant contacts)",
                  StepStatus::redundant_contacts);
    power_ = row_power(x_.u);
    StepReport here;
    report_gaps(system_, flow_.dynamics().contacts(), here);
    accumulate(result_, here);
    remember_slip();
    look(x_.u, now_);
    std::vector<std::uint64_t> closing;
    for (const Watch& w : now_) {
      const std::uint64_t id = flow_.dynamics().contacts().contacts[w.contact].id;
      if (w.kind == EventKind::close && w.value <= 0 && w.rate < 0 && !contains(released_, id))
        insert(closing, id);
    }
    if (!closing.empty()) {
      if (!impact(std::min(critical_step(), left), closing)) return false;
      continue;
    }
    if (!try_step(left, trial_)) return false;
    bool whole = true;  // where bodies would go through each other unseen, the half of it
    for (std::string why; went_through(system_, x_.t, x_.q, x_.t + trial_.s, trial_.q, why); whole = false) {
      if (trial_.s < critical_step()) {
        result_.status = RunStatus::failed, result_.message = std::move(why);
        return false;
      }
      if (!try_step(trial_.s / 2, trial_)) return false;
    }
    if (!trial_.flagged) {
      const double s = dip(trial_);
      if (s > 0) {
        if (!try_step(s, probe_)) return false;
        if (probe_.flagged || std::any_of(probe_.watches.begin(), probe_.watches.end(), [](const Watch& w) {
              return w.kind == EventKind::close && w.value <= 0;
            })) {
          for (Watch& w : probe_.watches)
            w.flagged = w.flagged || (w.kind == EventKind::close && w.value <= 0);
          probe_.flagged = true;
          std::swap(trial_, probe_);
        }
      }
    }
    if (!trial_.flagged) {
      accept(trial_, whole);
      if (whole) return true;
      continue;
    }
    lo_.s = 0, lo_.q = x_.q, lo_.u = x_.u, lo_.watches = now_, lo_.flagged = false;
    std::swap(hi_, trial_);
    if (!locate(lo_, hi_)) return false;
    if (!handle()) return false;
  }
  return true;
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
  std::vector<std::uint64_t> closing, turning;
  const auto& contacts = flow_.dynamics().contacts().contacts;
  for (const Watch& w : hi_.watches) {
    if (!w.flagged) continue;
    if (w.kind == EventKind::close) insert(closing, contacts[w.contact].id);
    if (w.kind == EventKind::stick) insert(turning, contacts[w.contact].id);
  }
  if (!closing.empty()) {
    const double width = hi_.s - lo_.s;
    if (lo_.s > 0) accept(lo_, false);
    return impact(width, closing);
  }
  const double t_before = x_.t + lo_.s;
  accept(hi_, target_ - x_.t - hi_.s <= negligible());
  before_ = x_;
  std::vector<std::uint64_t> touched;
  for (const auto& f : closed_) insert(touched, f.id);
  if (!settle(touched, turning, t_before)) return false;
  if (sink_ && !events_.empty()) {
    after_ = x_;  // no time has passed: what the contacts did is in the step before
    std::fill(after_.contacts.impulse.begin(), after_.contacts.impulse.end(), 0.0);
    sink_({before_, after_, report_, events_, false});
  }
  events_.clear();
  return true;
}

void EventCapture::remember_slip() {
  slip_start_.assign(flow_.dynamics().contacts().rows(), 0.0);
  for (const Contact& c : flow_.dynamics().contacts().contacts)
    if (const auto* f = std::get_if<Coulomb>(&system_.laws()[c.law]); f && f->tangents == 2) {
      slip_start_[c.row] = flow_.dynamics().gamma(c.row + 1, x_.u);
      slip_start_[c.row + 1] = flow_.dynamics().gamma(c.row + 2, x_.u);
    }
}

}  // namespace saltus
