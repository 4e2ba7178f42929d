#include "saltus/run/event_capturing.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/remedy.hpp"
#include "saltus/scheme/gap_report.hpp"

namespace saltus {
namespace {

bool contains(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
  return std::binary_search(ids.begin(), ids.end(), id);
}
void insert(std::vector<std::uint64_t>& ids, std::uint64_t id) {
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  if (at == ids.end() || *at != id) ids.insert(at, id);
}

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
      flow_(system, tableau),
      moreau_(system, {options.theta, 0}, solver),
      projection_(system, solver),
      accelerations_(system, solver) {
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
  system_.gaps(x_.t, x_.q, set);
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

void EventCapture::accept(const Trial& trial, bool grid_point) {
  before_ = x_;
  x_.t = grid_point ? target_ : x_.t + trial.s;
  assign(trial.q, x_.q);
  assign(trial.u, x_.u);
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

// ---- events
// ---------------------------------------------------------------------------------------------------

bool EventCapture::impact(double s, std::vector<std::uint64_t> closing) {
  const double t_before = x_.t;
  before_ = x_;
  for (const auto& f : closed_) insert(closing, f.id);
  if (!accelerations_.evaluate(x_.t, x_.q, x_.u))
    return fail("the mass matrix is singular or the force is not finite", StepStatus::not_finite);
  const auto& set = accelerations_.contacts();
  double fastest = 0;
  for (int r = 0; r < set.rows(); ++r) fastest = std::max(fastest, std::abs(accelerations_.gamma(r)));
  for (const Contact& c : set.contacts)
    if (needs_closed_gap(system_.laws()[c.law]) && set.gap[c.row] <= s * fastest) insert(closing, c.id);

  moreau_.force(closing);
  report_ = moreau_.step(x_, s, after_);
  if (report_.status == StepStatus::contact_unsolved)
    return end_with("impact: " + unsolved_message(system_, method(), report_));
  if (report_.status != StepStatus::ok)
    return fail(fmt::format("impact of contact {}: {}", system_.contact_name(closing.front()),
                            to_string(report_.status)),
                report_.status);
  result_.residuals.contact = std::max(result_.residuals.contact, report_.contact_residual);
  std::swap(x_, after_);
  std::vector<std::uint64_t> hit;
  for (const auto& r : x_.contacts.closed) {
    if (!r.has_gap) continue;
    hit.push_back(r.id);
    if (frozen(r.id) || !(report_.u_minus[r.offset] < 0)) continue;
    Event e;
    e.t = x_.t, e.t_before = t_before, e.contact = r.id, e.kind = EventKind::impact;
    e.impulse = Eigen::Map<const Vec>(x_.contacts.impulse.data() + r.offset, r.rows);
    e.u_minus = Eigen::Map<const Vec>(report_.u_minus.data() + r.offset, r.rows);
    e.u_plus = Eigen::Map<const Vec>(report_.u_plus.data() + r.offset, r.rows);
    e.energy_loss = -0.5 * e.impulse.dot(e.u_minus + e.u_plus);
    count_bounce(r.id, x_.t);
    events_.push_back(std::move(e));
  }
  share_loss(events_, report_.contact_loss);
  result_.stats.contact_loss += report_.contact_loss;
  result_.stats.wall_work += report_.wall_work;
  if (!projection_.project(x_.t, x_.q, hit))
    return fail("the impacting gaps could not be brought to zero", StepStatus::newton_diverged);
  released_.clear();
  if (!settle(closing, {}, t_before, true)) return false;
  if (target_ - x_.t <= negligible()) x_.t = target_;
  emit(x_.t == target_);
  return true;
}

void EventCapture::count_bounce(std::uint64_t contact, double t) {
  for (Bounces& b : bounces_)
    if (b.contact == contact) {
      const double interval = t - b.last;
      b.count = interval < b.interval ? b.count + 1 : 2;  // flights must get shorter
      b.interval = interval, b.last = t;
      return;
    }
  bounces_.push_back({contact, 1, t, infinity});
}

// The rebound below which a contact counts as closed: its next flight is shorter than the critical step, or
// lower than the rounding of the gap, where impacts would only bounce on noise.
double EventCapture::rebound_floor(int row) const {
  const double a = accelerations_.scale(row);
  double size = std::abs(accelerations_.contacts().gap[row]);
  for (const auto& e : accelerations_.contacts().Wt.row(row)) size += std::abs(e.value * x_.q[e.column]);
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * size;
  return std::max(options_.kappa * critical_step() * a / 2, std::sqrt(2 * a * rounding));
}

// The new set of closed contacts: those touched whose next flight is shorter than the critical step and that
// the accelerations press. `turning`: contacts whose slip just reached zero.
bool EventCapture::settle(const std::vector<std::uint64_t>& touched,
                          const std::vector<std::uint64_t>& turning, double t_before, bool after_impact) {
  if (!accelerations_.evaluate(x_.t, x_.q, x_.u))
    return fail("the mass matrix is singular or the force is not finite", StepStatus::not_finite);
  const auto& set = accelerations_.contacts();
  const double reach = options_.kappa * critical_step();
  std::vector<AccelerationProblem::Candidate> candidates;
  for (int i = 0; i < static_cast<int>(set.contacts.size()); ++i) {
    const Contact& c = set.contacts[i];
    const Law& law = system_.laws()[c.law];
    const auto rests = [&](int row) {
      return std::abs(accelerations_.gamma(row)) <= reach * accelerations_.scale(row) / 2 ||
             contains(turning, c.id);
    };
    if (std::holds_alternative<Relay>(law)) candidates.push_back({i, !rests(c.row)});
    if (!needs_closed_gap(law) || !contains(touched, c.id)) continue;
    // An impact elsewhere may part a closed contact. Held closed it would lose that velocity to a projection
    // along the friction of its sliding, which can make energy.
    if (std::abs(accelerations_.gamma(c.row)) > rebound_floor(c.row) && (after_impact || !frozen(c.id)))
      continue;
    bool slides = false;
    for (int r = 1; r < rows(law); ++r) slides = slides || !rests(c.row + r);
    candidates.push_back({i, slides});
  }
  const std::vector<FrozenContact> old = closed_;
  if (!accelerations_.solve(candidates, closed_))
    return fail("which contacts stay closed could not be decided: the acceleration problem was not solved",
                StepStatus::newton_diverged);
  for (const auto& f : old)
    if (!frozen(f.id)) note(EventKind::open, f.id, t_before), insert(released_, f.id);
  for (const auto& f : closed_) {
    const auto was = std::find_if(old.begin(), old.end(), [&](const auto& o) { return o.id == f.id; });
    const bool has_gap = needs_closed_gap(law_of(f.id));
    if (was == old.end()) {
      if (has_gap) close(f.id, t_before);
    } else if (was->mode != f.mode) {
      note(f.mode == Mode::stick      ? EventKind::stick
           : was->mode == Mode::stick ? EventKind::slip
                                      : EventKind::reverse,
           f.id, t_before);
    }
  }
  flow_.freeze(closed_);
  if (flow_.dynamics().acceleration(x_.t, x_.q, x_.u, a_) != ClosedDynamics::Status::ok)
    return fail(fmt::format("the closed contacts are redundant (rank-deficient) at contact {}",
                            system_.contact_name(flow_.dynamics().rank_deficient_contact())),
                StepStatus::redundant_contacts);
  flow_.dynamics().project_velocity(x_.u);
  return true;
}

const Law& EventCapture::law_of(std::uint64_t id) const {
  for (const Contact& c : accelerations_.contacts().contacts)
    if (c.id == id) return system_.laws()[c.law];
  saltus::fail("contact {} has no law", id);
}

// A contact stays closed. After four or more impacts with ever shorter flights that is an accumulation of
// impacts: what is left of the geometric series of flights bounds how late it still could have closed.
void EventCapture::close(std::uint64_t id, double t_before) {
  for (Bounces& b : bounces_)
    if (b.contact == id && b.count >= 4) {
      for (const Contact& c : accelerations_.contacts().contacts)
        if (c.id == id) {
          const double pressing = -accelerations_.free_acceleration(c.row),
                       up = std::max(0.0, accelerations_.gamma(c.row));
          const auto* u = std::get_if<Unilateral>(&law_of(id));
          const double e = u ? u->e : std::get<Coulomb>(law_of(id)).e_n;
          const double left = pressing > 0 && e < 1 ? 2 * up / (pressing * (1 - e)) : 0;
          // each critical step shifts an impact by up to h̄ and its rebound by a h̄, hence all that follows by
          // 2 h̄/(1 − e)
          const double bound = left + b.count * critical_step() * (1 + 2 / std::max(1 - e, 1e-16));
          result_.accumulations.push_back({id, x_.t + left, bound, b.count});
        }
      b.count = 0;
      note(EventKind::accumulation, id, t_before);
      return;
    }
  note(EventKind::close, id, t_before);
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
  const long faults = Faults::begin();
  const double t = x_.t;
  const bool done = advance(target);
  if (!Faults::since(faults)) return done;
  result_.status = RunStatus::failed;
  result_.message = fmt::format("step from t = {:.9g} to {:.9g}: {}", t, target, fault_message(system_));
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
