#include "saltus/run/odae_bodies.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/odae_located_bodies.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/run/step_grid.hpp"

namespace saltus {
namespace {

constexpr int most_changes = 1000;         // in one step of the grid
constexpr int most_at_once = 100;          // at one instant
constexpr double rounding_of_slip = 1e-9;  // of velocities that an impact or a turn left
constexpr double rounding_of_time = 1e-14;

}  // namespace

LocatedBodies::LocatedBodies(const EventLocation& options, const RunContext& context)
    : options_(options),
      context_(context),
      result_(context.result),
      bodies_(static_cast<const System&>(*context.problem.system)),
      stepper_(bodies_, std::get<SymplecticEuler>(context.method.scheme), context.method.solver),
      events_(bodies_, context.method.solver, stepper_.faults()),
      multipliers_(context.rules.multipliers()),
      now_(stepper_.start(context.problem.t0, context.problem.q0, context.problem.u0)),
      next_(now_),
      trial_(now_) {}

// Contacts that touch at the start: those that approach have an impact, the others may stay closed.
bool LocatedBodies::begin() {
  next_ = now_;
  if (!look(now_)) return false;
  const auto& set = events_.contacts();
  bool hits = false;
  for (const Contact& c : set.contacts)
    if (touches(c)) hits = hits || events_.gamma(c.row) < -rounding_of_slip * fastest();
  return hits ? impact({}) : settle(nobody, {}, false) && (finish_change({}), true);
}

// Steps with fixed modes, divided at events; false: the run failed.
bool LocatedBodies::locate_to(double end, double h) {
  int changes = 0, at_once = 0;
  const double instant = rounding_of_time * std::max(std::abs(end), h);
  while (end - now_.t > instant) {
    double tau = end - now_.t;
    stepper_.release_directions();
    if (!watch(now_, before_)) return no_multipliers(now_);
    if (slides_in_plane()) {  // straight on first: does it stop within the step?
      stepper_.freeze_directions(now_, options_.h);
      if (!step(tau)) {
        if (pass_corner(tau)) continue;
        return no_step(tau);
      }
      if (!watch(next_, after_)) return no_multipliers(next_);
      const auto stops = [](const Watch& w) { return w.kind == Kind::slide && w.plane && w.far; };
      if (std::none_of(after_.begin(), after_.end(), stops)) stepper_.release_directions();
    }
    if (!step(tau)) {
      if (pass_corner(tau)) continue;
      return no_step(tau);
    }
    if (!watch(next_, after_)) return no_multipliers(next_);
    Change change = first_change(tau);
    // A step as short as that would divide the rounding of gaps by its length: impulses without a digit, that
    // cancel in the velocities and not in their work. The event is here.
    if (change.tau <= instant) change.tau = 0;
    if (change.id == nobody) {
      if (tau == end - now_.t) next_.t = end;
      if (!accept(next_.t == end)) return false;
      continue;
    }
    if (change.tau < tau && change.tau > 0) {
      tau = change.tau;
      if (!step(tau)) return no_step(tau);
    }
    at_once = change.tau > 0 ? 0 : at_once + 1;
    if (++changes > most_changes || at_once > most_at_once)
      return context_.fail_with(
          fmt::format("{} events between t = {:.9g} and {:.9g}, the last of {}; try a larger rest "
                      "(--stepping event-location:rest=…), which closes contacts whose impacts accumulate, "
                      "or --stepping fixed",
                      changes, end - h, now_.t + change.tau, bodies_.contact_name(change.id)));
    if (change.tau > 0 && !accept(false)) return false;
    next_ = now_;
    if (!look(now_)) return false;
    if (change.kind == Kind::gap) {
      if (!impact({change.id})) return false;
    } else {
      const bool turned = change.kind != Kind::force;  // one that opens has its slip
      if (!settle(nobody, turned ? std::vector{change.id} : std::vector<std::uint64_t>{}, false) ||
          (!changed() && !force(change)))
        return false;
      finish_change({});
    }
  }
  return true;
}

bool LocatedBodies::touches(const Contact& c) const {
  return needs_closed_gap(bodies_.laws()[c.law]) && events_.touches(c);
}

double LocatedBodies::fastest() const {
  double most = 0;
  for (int r = 0; r < events_.contacts().rows(); ++r) most = std::max(most, std::abs(events_.gamma(r)));
  return most;
}

bool LocatedBodies::look(const State& x) {
  if (events_.look(x.t, x.q, x.u, options_.h)) return true;
  return context_.fail_with(
      fmt::format("at t = {:.9g}: the mass matrix is singular or a force is not finite", x.t));
}

bool LocatedBodies::no_multipliers(const State& x) {
  return context_.fail_with(fmt::format(
      "at t = {:.9g}: the forces of joints and closed contacts were not found; see that masses are above "
      "zero and forces finite there, or try --stepping fixed",
      x.t));
}

bool LocatedBodies::accept(bool grid_point) {
  if (jams(now_.u, next_.t - now_.t)) return jammed();
  if (stepper_.find_multipliers(next_, options_.h) != StepStatus::ok) return no_multipliers(next_);
  stepper_.keep_multipliers(next_);
  if (context_.rules.is_wrong(now_, next_, equal_steps_see, passage)) return context_.fail_with(passage);
  share_impulses();
  accumulate(result_, report_);
  ++result_.stats.steps;
  if (context_.sink) context_.sink({now_, next_, report_, {}, grid_point, multipliers_});
  std::swap(now_, next_);
  return true;
}

// Of redundant contacts the multipliers of least norm may break laws that others satisfy: those are shown.
void LocatedBodies::share_impulses() {
  auto& memory = next_.contacts;
  const auto breaks = [&](const ContactMemory::Record& r) {
    const double* P = memory.impulse.data() + r.offset;
    return r.has_gap && (P[0] < 0 || (r.mode == Mode::stick && room_of(law_of(r.id), P) < 0));
  };
  if (std::none_of(memory.closed.begin(), memory.closed.end(), breaks) || !modes_fit(next_)) return;
  std::vector<double> forces(max_block_rows);
  for (const auto& r : memory.closed)
    if (r.has_gap && events_.forces(r.id, forces))
      for (int k = 0; k < r.rows; ++k) memory.impulse[r.offset + k] = memory.step * forces[k];
}

bool LocatedBodies::changed() const {
  const auto &a = now_.contacts.closed, &b = next_.contacts.closed;
  const auto acts = [](const auto& r) { return r.has_gap ? r.resting : !(r.mode == Mode::closed); };
  return std::count_if(a.begin(), a.end(), acts) != static_cast<std::ptrdiff_t>(b.size()) ||
         std::any_of(b.begin(), b.end(), [&](const auto& r) { return now_.contacts.mode(r.id) != r.mode; });
}
// The accelerations left open what the sign of a multiplier says.
bool LocatedBodies::force(const Change& change) {
  if (change.kind == Kind::force) return settle(change.id, {}, false);
  if (change.kind != Kind::hold) return true;
  stepper_.find_multipliers(now_, options_.h);
  for (const Contact& c : stepper_.contacts().contacts)
    for (auto& r : next_.contacts.closed)
      if (c.id == change.id && r.id == change.id) {
        const int tangent = c.row + (r.has_gap ? 1 : 0);
        r.mode = r.rows == (r.has_gap ? 2 : 1) && stepper_.multipliers()[tangent] > 0 ? Mode::slip_back
                                                                                      : Mode::slip;
      }
  note_modes();
  return true;
}

// Which contacts stay closed in next_, at the place of look(). `hit`: an impact just was.
bool LocatedBodies::settle(std::uint64_t opening, const std::vector<std::uint64_t>& turning, bool hit) {
  const auto laws = bodies_.laws();
  const auto& set = events_.contacts();
  const double fast = fastest();
  candidates_.clear();
  for (int i = 0; i < static_cast<int>(set.contacts.size()); ++i) {
    const Contact& c = set.contacts[i];
    const Law& law = laws[c.law];
    if (std::holds_alternative<Equality>(law) || c.id == opening) continue;
    const bool gap = needs_closed_gap(law);
    const auto* held = now_.contacts.find(c.id);
    if (gap) {
      // what the next flight shorter than rest·h comes from is no rebound
      const double none = std::max(1e-12 * fast, 0.5 * options_.rest * options_.h * events_.scale(c.row));
      const bool at_rest = std::abs(events_.gamma(c.row)) <= none || contains(resting_, c.id) ||
                           (held && held->resting && !hit);
      if (!at_rest || !(touches(c) || held)) continue;
    }
    double size = 0;  // of accelerations: the normal one makes those of friction
    for (int r = 0; r < rows(law); ++r) size = std::max(size, events_.scale(c.row + r));
    bool slides = false;
    for (int r = gap ? 1 : 0; r < rows(law); ++r) {
      const double none = rounding_of_slip * (hit ? fast : options_.h * size);
      slides = slides || std::abs(events_.gamma(c.row + r)) > none ||
               (on_position_level(law) && std::abs(events_.course(law, c.row + r)) > options_.h * none);
    }
    // a force that held is at rest, one that turned too, but for what passes its gap
    if ((contains(turning, c.id) && !on_position_level(law)) || (!hit && held && held->mode == Mode::stick))
      slides = false;
    candidates_.push_back({i, slides});
  }
  const SolveReport solved = events_.settle(candidates_, held_);
  if (!solved.solved)
    return context_.fail_with(fmt::format(
        "event at t = {:.9g}: which contacts stay closed could not be decided, {} first of all: residual "
        "{:.1e}; try "
        "another --solver, a smaller step (--h) or --stepping fixed",
        next_.t, solved.worst_block >= 0 ? bodies_.contact_name(events_.id_of_block(solved.worst_block)) : "",
        solved.residual));
  next_.contacts.clear();
  for (const HeldContact& k : held_) {
    const Law& law = law_of(k.id);
    next_.contacts.closed.push_back({k.id, static_cast<int>(next_.contacts.impulse.size()),
                                     static_cast<std::uint8_t>(rows(law)), needs_closed_gap(law), true,
                                     k.mode});
    next_.contacts.impulse.insert(next_.contacts.impulse.end(), rows(law), 0.0);
  }
  const Vec before = next_.u;
  if (!stepper_.project_velocity(next_, options_.h))
    return context_.fail_with(
        fmt::format("event at t = {:.9g}: the velocities could not be closed", next_.t));
  if (jams(before, 0)) return jammed();
  note_modes();
  return true;
}

const Law& LocatedBodies::law_of(std::uint64_t id) const {
  for (const ContactSet* set : {&stepper_.contacts(), &events_.contacts()})
    for (const Contact& c : set->contacts)
      if (c.id == id) return bodies_.laws()[c.law];
  saltus::fail("contact {} has no law", id);
}

// Events of modes that changed from now_ to next_
void LocatedBodies::note_modes() {
  for (const auto& r : now_.contacts.closed)
    if (r.has_gap && r.resting && !next_.contacts.find(r.id)) note(EventKind::open, r.id, r.mode, Mode::open);
  for (const auto& r : next_.contacts.closed) {
    const auto* was = now_.contacts.find(r.id);
    if (r.has_gap && (!was || !was->resting))
      note(EventKind::close, r.id, Mode::open, r.mode);
    else if (was && was->mode != r.mode)
      note(kind_of_switch(was->mode, r.mode, false), r.id, was->mode, r.mode);
  }
}

void LocatedBodies::note(EventKind kind, std::uint64_t id, Mode from, Mode to) {
  Event e;
  e.t = e.t_before = next_.t, e.contact = id, e.kind = kind, e.from = from, e.to = to;
  list_.push_back(std::move(e));
}

// The same time, another state: what an event does, with the impulses of an impact.
void LocatedBodies::finish_change(const ContactMemory& impulses) {
  stepper_.find_multipliers(next_, options_.h);
  stepper_.keep_multipliers(next_);
  trial_ = next_;
  if (!impulses.closed.empty()) trial_.contacts = impulses;
  if (context_.sink && !(list_.empty() && impulses.closed.empty()))
    context_.sink({now_, trial_, report_, list_, false, multipliers_});
  list_.clear();
  std::swap(now_, next_);
}

// Which contacts have no flight any more: impacts accumulate there. A flight that is short because another
// body ended it is none of these: the landing must be as slow as forces make it in such a time, or a
// millionth of what the series began with.
void LocatedBodies::find_rests(const ContactMemory& hit) {
  constexpr double nothing = 1e-6;
  resting_.clear();
  for (const Contact& c : events_.contacts().contacts) {
    const auto* record = hit.find(c.id);
    if (!record || !record->has_gap || !(events_.gamma(c.row) < 0)) continue;
    auto f = std::find_if(flights_.begin(), flights_.end(), [&](const Flight& x) { return x.id == c.id; });
    if (f == flights_.end()) f = flights_.insert(f, {c.id});
    const bool short_flight = now_.t - f->last < options_.rest * options_.h;
    const double speed = std::abs(events_.gamma(c.row));
    f->fastest = short_flight ? std::max(f->fastest, speed) : speed;
    f->last = now_.t;
    if (short_flight &&
        speed <= std::max(options_.rest * options_.h * events_.scale(c.row), nothing * f->fastest))
      resting_.push_back(c.id);
  }
}

bool LocatedBodies::impact(const std::vector<std::uint64_t>& hitting) {
  report_ = {};
  const SolveReport solved = events_.impact(hitting, next_, report_);
  if (!solved.solved)
    return context_.fail_with(
        fmt::format("impact at t = {:.9g}: {}", now_.t, unsolved_message(bodies_, context_.method, report_)));
  result_.residuals.contact = std::max(result_.residuals.contact, report_.contact_residual);
  find_rests(next_.contacts);
  const ContactMemory impulses = next_.contacts;
  for (const auto& r : impulses.closed) {
    if (!r.has_gap || !(report_.u_minus[r.offset] < 0) || !(impulses.impulse[r.offset] > 0)) continue;
    const auto* was = now_.contacts.find(r.id);
    if (was && was->resting) continue;  // stays closed
    Event e;
    e.t = e.t_before = next_.t, e.contact = r.id, e.kind = EventKind::impact,
    e.to = r.resting ? r.mode : Mode::open;
    e.impulse = Eigen::Map<const Vec>(impulses.impulse.data() + r.offset, r.rows);
    e.u_minus = Eigen::Map<const Vec>(report_.u_minus.data() + r.offset, r.rows);
    e.u_plus = Eigen::Map<const Vec>(report_.u_plus.data() + r.offset, r.rows);
    e.energy_loss = -0.5 * e.impulse.dot(e.u_minus + e.u_plus);
    list_.push_back(std::move(e));
  }
  share_loss(list_, report_.contact_loss);
  result_.stats.contact_loss += report_.contact_loss;
  result_.stats.wall_work += report_.wall_work;
  if (!look(next_) || !settle(nobody, {}, true)) return false;
  resting_.clear();
  finish_change(impulses);
  return true;
}

void run_located_bodies(const EventLocation& stepping, const RunContext& c) {
  LocatedBodies run(stepping, c);
  Restart restart(c.points, c.result, run.now(), [&](Memory& m) { m(run); });
  if (!restart.resumed()) run.begin();
  if (c.result.status == RunStatus::finished)
    march(
        c.problem, stepping.h, c.control, c.result, restart, [&]() -> const State& { return run.now(); },
        [&](const StepGrid& grid, std::int64_t k) {
          const std::int64_t count = run.faults().begin();
          const bool done = run.advance(grid.time(k), grid.h);
          if (!run.passage.empty() || !run.faults().since(count)) return done;
          return c.fail_with(fmt::format("step to t = {:.9g}: {}", grid.time(k),
                                         fault_message(*c.problem.system, run.faults().first())));
        });
  if (c.result.status == RunStatus::finished && run.stepped() > 0)
    c.result.message = fmt::format(
        "reached t = {:.9g}; {} steps were finished by time stepping, of order 1; the first {}", run.now().t,
        run.stepped(), run.reason().empty() ? "before the checkpoint" : run.reason());
  c.result.final = std::move(run.now());
  c.rules.judge_end(0, 0, c.result);
}

}  // namespace saltus
