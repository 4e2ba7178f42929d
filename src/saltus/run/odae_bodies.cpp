#include "saltus/run/odae_bodies.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/scheme/symplectic/body_euler_stepper.hpp"
#include "saltus/scheme/symplectic/body_events.hpp"

namespace saltus {
namespace {

constexpr int most_changes = 10000;        // in one step of the grid
constexpr double rounding_of_slip = 1e-9;  // of velocities that an impact or a turn left

class LocatedBodies {
 public:
  LocatedBodies(const EventLocation& options, const RunContext& context)
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
  bool begin() {
    next_ = now_;
    if (!look(now_)) return false;
    const auto& set = events_.contacts();
    bool hits = false;
    for (const Contact& c : set.contacts)
      if (touches(c)) hits = hits || events_.gamma(c.row) < -rounding_of_slip * fastest();
    return hits ? impact({}) : settle(nobody, {}, false) && (finish_change({}), true);
  }

  // To the end of a step of the grid; false when the run is over.
  bool advance(double end, double h) {
    int changes = 0;
    while (end - now_.t > 1e-14 * std::max(std::abs(end), h)) {
      double tau = end - now_.t;
      stepper_.release_directions();
      if (!watch(now_, before_)) return false;
      if (slides_in_plane()) {  // straight on first: does it stop within the step?
        stepper_.freeze_directions(now_, options_.h);
        if (!step(tau) || !watch(next_, after_)) return false;
        const auto stops = [](const Watch& w) { return w.kind == Kind::slide && w.plane && w.far; };
        if (std::none_of(after_.begin(), after_.end(), stops)) stepper_.release_directions();
      }
      if (!step(tau)) return false;
      const Change change = first_change(tau);
      if (change.id == nobody) {
        if (tau == end - now_.t) next_.t = end;
        if (!accept(next_.t == end)) return false;
        continue;
      }
      if (change.tau < tau && change.tau > 0) {
        tau = change.tau;
        if (!step(tau)) return false;
      }
      if (++changes > most_changes)
        return context_.fail_with(
            fmt::format("{} events between t = {:.9g} and {:.9g}, the last of {}; try a larger rest "
                        "(--stepping event-location:rest=…), which closes contacts whose impacts accumulate, "
                        "or --stepping fixed",
                        changes, end - h, end, bodies_.contact_name(change.id)));
      if (change.tau > 0 && !accept(false)) return false;
      next_ = now_;
      if (!look(now_)) return false;
      if (change.kind == Kind::gap) {
        if (!impact({change.id})) return false;
      } else {
        if (!settle(nobody, {change.id}, false) || (!changed() && !force(change))) return false;
        finish_change({});
      }
    }
    return true;
  }

  State& now() { return now_; }
  Faults& faults() { return stepper_.faults(); }
  std::string passage;  // of bodies that went through each other
  void memory(Memory& m) { m(flights_); }

 private:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};
  enum class Kind : std::uint8_t { gap, force, hold, slide };
  // Negative (a gap: and closing) when the step went too far.
  struct Watch {
    std::uint64_t id = 0;
    Kind kind = Kind::gap;
    double value = 0;
    bool far = false, plane = false;  // of two tangents
    double slip[2] = {0, 0};
  };
  struct Change {
    std::uint64_t id = nobody;
    Kind kind = Kind::gap;
    double tau = infinity;
  };
  // Ever shorter flights: an accumulation of impacts
  struct Flight {
    std::uint64_t id = 0;
    double last = -infinity,
           fastest = 0;  // impact; the fastest landing of the series of short flights so far
    void memory(Memory& m) {
      m(id, last, fastest);
      m.require(last == last && fastest == fastest);
    }
  };

  bool touches(const Contact& c) const {
    return needs_closed_gap(bodies_.laws()[c.law]) &&
           events_.contacts().gap[c.row] <= 1e3 * PositionProjection::tolerance(now_.q);
  }
  double fastest() const {
    double most = 0;
    for (int r = 0; r < events_.contacts().rows(); ++r) most = std::max(most, std::abs(events_.gamma(r)));
    return most;
  }
  bool look(const State& x) {
    if (events_.look(x.t, x.q, x.u, options_.h)) return true;
    return context_.fail_with(
        fmt::format("at t = {:.9g}: the mass matrix is singular or a force is not finite", x.t));
  }

  // A step of that length into next_; shorter ones where Newton's iteration fails.
  bool step(double& tau) {
    for (int halves = 0;; ++halves) {
      report_ = stepper_.locked_step(now_, tau, next_);
      count_work(result_, report_);
      if (report_.status == StepStatus::ok) return true;
      if (halves == 6 || !context_.rules.is_cut(report_.status))
        return context_.fail_with(context_.rules.failure(context_.method, now_, tau, report_));
      tau /= 2;
    }
  }

  bool accept(bool grid_point) {
    if (stepper_.find_multipliers(next_, options_.h) != StepStatus::ok)
      return context_.fail_with(fmt::format("at t = {:.9g}: the multipliers were not found", next_.t));
    stepper_.keep_multipliers(next_);
    if (context_.rules.is_wrong(now_, next_, equal_steps_see, passage)) return context_.fail_with(passage);
    accumulate(result_, report_);
    ++result_.stats.steps;
    if (context_.sink) context_.sink({now_, next_, report_, {}, grid_point, multipliers_});
    std::swap(now_, next_);
    return true;
  }

  // The values whose signs tell of changes, at a state with the contacts of now_.
  bool watch(const State& x, std::vector<Watch>& out) {
    out.clear();
    if (stepper_.find_multipliers(x, options_.h) != StepStatus::ok)
      return context_.fail_with(fmt::format("at t = {:.9g}: the multipliers were not found", x.t));
    const ContactSet& set = stepper_.contacts();
    const auto& lambda = stepper_.multipliers();
    const auto laws = bodies_.laws();
    const bool first = &out == &before_;
    for (const Contact& c : set.contacts) {
      const Law& law = laws[c.law];
      if (std::holds_alternative<Equality>(law)) continue;
      const int n = rows(law);
      const auto rate = [&](int r) { return set.Wt.dot(c.row + r, x.u.data()) + set.drift[c.row + r]; };
      const auto* held = now_.contacts.find(c.id);
      const bool gap = needs_closed_gap(law);
      if (!held || (gap && !held->resting)) {
        if (gap) out.push_back({c.id, Kind::gap, set.gap[c.row], set.gap[c.row] < 0 && rate(0) < 0});
        continue;
      }
      if (gap) out.push_back({c.id, Kind::force, lambda[c.row], lambda[c.row] < 0});
      const int from = gap ? 1 : 0;
      if (n == from) continue;
      if (held->mode == Mode::stick) {
        const double room = room_of(law, lambda.data() + c.row);
        out.push_back({c.id, Kind::hold, room, room < 0});
      } else if (held->mode == Mode::slip || held->mode == Mode::slip_back) {
        Watch w{c.id, Kind::slide};
        w.plane = n - from == 2;
        for (int r = from; r < std::min(n, from + 2); ++r)
          w.slip[r - from] = on_position_level(law) ? set.gap[c.row] : rate(r);
        if (n - from == 1) {
          w.value = held->mode == Mode::slip ? w.slip[0] : -w.slip[0];
        } else if (first) {
          w.value = std::hypot(w.slip[0], w.slip[1]);
        } else {
          const Watch* start = find(before_, c.id, Kind::slide);
          const double size = start ? std::hypot(start->slip[0], start->slip[1]) : 0;
          w.value = size > 0 ? (w.slip[0] * start->slip[0] + w.slip[1] * start->slip[1]) / size
                             : std::hypot(w.slip[0], w.slip[1]);
        }
        w.far = w.value < 0;
        out.push_back(w);
      }
    }
    return true;
  }
  // How far a force is inside of its limits
  static double room_of(const Law& law, const double* lambda) {
    if (const auto* c = std::get_if<Coulomb>(&law))
      return c->mu * lambda[0] - (c->tangents == 1 ? std::abs(lambda[1]) : std::hypot(lambda[1], lambda[2]));
    if (const auto l = limits_of(law)) return std::min(lambda[0] - l->lower, l->upper - lambda[0]);
    if (const auto* f = std::get_if<Tresca>(&law)) return f->limit - std::hypot(lambda[0], lambda[1]);
    double P[max_block_rows], off = 0;
    std::copy_n(lambda, rows(law), P);
    prox(law, 1, P);
    for (int r = 0; r < rows(law); ++r) off = std::max(off, std::abs(P[r] - lambda[r]));
    return off > 0 ? -off : 1;
  }
  static const Watch* find(const std::vector<Watch>& list, std::uint64_t id, Kind kind) {
    for (const Watch& w : list)
      if (w.id == id && w.kind == kind) return &w;
    return nullptr;
  }

  bool slides_in_plane() const {
    return std::any_of(before_.begin(), before_.end(), [](const Watch& w) { return w.plane && w.value > 0; });
  }

  Change first_change(double h) {
    Change first;
    if (!watch(next_, after_)) return first;
    const std::vector<Watch> ends = after_;
    int asked = -1;  // whether the forces at the end of the step allow the modes: 0 or 1, −1 not known yet
    for (const Watch& w : ends) {
      if (!w.far) continue;
      if (of_forces(w.kind) && asked < 0) asked = modes_fit(next_);
      if (of_forces(w.kind) && asked == 1) continue;
      const double tau = locate(w, h);
      if (tau < first.tau) first = {w.id, w.kind, tau};
    }
    return first;
  }
  static bool of_forces(Kind kind) { return kind == Kind::force || kind == Kind::hold; }

  // Where contacts are redundant, multipliers are one choice of many: a contact that pulls, or holds with
  // more than its friction, may have another choice. The contact problem of the accelerations knows whether
  // there is one.
  bool modes_fit(const State& x) {
    if (!events_.look(x.t, x.q, x.u, options_.h)) return false;
    candidates_.clear();
    const auto& contacts = events_.contacts().contacts;
    for (int i = 0; i < static_cast<int>(contacts.size()); ++i)
      if (const auto* r = now_.contacts.find(contacts[i].id); r && (!r->has_gap || r->resting))
        if (!std::holds_alternative<Equality>(bodies_.laws()[contacts[i].law]))
          candidates_.push_back({i, r->mode == Mode::slip || r->mode == Mode::slip_back});
    if (!events_.settle(candidates_, held_).solved || held_.size() != candidates_.size()) return false;
    return std::all_of(held_.begin(), held_.end(),
                       [&](const HeldContact& k) { return now_.contacts.mode(k.id) == k.mode; });
  }

  // The last length that is not too far, by Illinois' rule where the value changes its sign in the bracket,
  // by halving where it does not (a contact that just opened and comes back). Where forces reach a limit, the
  // event is taken a millionth of the step later: that changes the motion by the square of it, and which mode
  // follows is no matter of rounding.
  double locate(const Watch& end, double h) {
    const Watch* start = find(before_, end.id, end.kind);
    double a = 0, at_a = start ? start->value : 0, b = h, at_b = end.value;
    const bool forces = of_forces(end.kind);
    if (at_a < 0 && end.kind == Kind::slide) return 0;
    const double tolerance = forces ? 1e-7 * options_.h : 1e-15 * std::max(std::abs(now_.t), h);
    const double later = forces ? 1e-6 * options_.h : 0;
    int side = 0;
    for (int k = 0; k < 200 && b - a > tolerance; ++k) {
      double c = at_a > 0 ? b - at_b * (b - a) / (at_b - at_a) : 0.5 * (a + b);
      if (!(c > a && c < b)) c = 0.5 * (a + b);
      ++result_.stats.rejected;
      const StepReport r = stepper_.locked_step(now_, c, trial_);
      count_work(result_, r);
      const bool solved = r.status == StepStatus::ok && watch(trial_, after_);
      const Watch* w = solved ? find(after_, end.id, end.kind) : nullptr;
      bool far = !solved || (w && w->far);
      const double at = w ? w->value : solved ? at_a : at_b;
      if (far && solved && forces) far = !modes_fit(trial_);
      if (solved && at == 0) return c;
      if (far) {
        b = c, at_b = at;
        if (side == -1) at_a /= 2;
        side = -1;
      } else {
        a = c, at_a = at;
        if (side == 1) at_b /= 2;
        side = 1;
      }
    }
    return std::min(b + later, h);
  }

  bool changed() const {
    const auto &a = now_.contacts.closed, &b = next_.contacts.closed;
    const auto acts = [](const auto& r) { return r.has_gap ? r.resting : !(r.mode == Mode::closed); };
    return std::count_if(a.begin(), a.end(), acts) != static_cast<std::ptrdiff_t>(b.size()) ||
           std::any_of(b.begin(), b.end(), [&](const auto& r) { return now_.contacts.mode(r.id) != r.mode; });
  }
  // The accelerations left open what the sign of a multiplier says.
  bool force(const Change& change) {
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
  bool settle(std::uint64_t opening, const std::vector<std::uint64_t>& turning, bool hit) {
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
        const double rate = std::abs(events_.gamma(c.row));
        const bool at_rest =
            rate <= 1e-12 * fast || contains(resting_, c.id) || (held && held->resting && !hit);
        if (!at_rest || !(touches(c) || held)) continue;
      }
      bool slides = false;
      for (int r = gap ? 1 : 0; r < rows(law); ++r) {
        const double none = rounding_of_slip * (hit ? fast : options_.h * events_.scale(c.row + r));
        const double value = on_position_level(law) ? set.gap[c.row + r] : events_.gamma(c.row + r);
        slides = slides || std::abs(value) > none;
      }
      if (contains(turning, c.id) || (!hit && held && held->mode == Mode::stick)) slides = false;
      candidates_.push_back({i, slides});
    }
    const SolveReport solved = events_.settle(candidates_, held_);
    if (!solved.solved)
      return context_.fail_with(fmt::format(
          "event at t = {:.9g}: which contacts stay closed could not be decided, {} first of all: residual "
          "{:.1e}; try "
          "another --solver, a smaller step (--h) or --stepping fixed",
          next_.t,
          solved.worst_block >= 0 ? bodies_.contact_name(events_.id_of_block(solved.worst_block)) : "",
          solved.residual));
    next_.contacts.clear();
    for (const HeldContact& k : held_) {
      const Law& law = law_of(k.id);
      next_.contacts.closed.push_back({k.id, static_cast<int>(next_.contacts.impulse.size()),
                                       static_cast<std::uint8_t>(rows(law)), needs_closed_gap(law), true,
                                       k.mode});
      next_.contacts.impulse.insert(next_.contacts.impulse.end(), rows(law), 0.0);
    }
    if (!stepper_.project_velocity(next_, options_.h))
      return context_.fail_with(
          fmt::format("event at t = {:.9g}: the velocities could not be closed", next_.t));
    note_modes();
    return true;
  }
  const Law& law_of(std::uint64_t id) const {
    for (const Contact& c : events_.contacts().contacts)
      if (c.id == id) return bodies_.laws()[c.law];
    fail("contact {} has no law", id);
  }

  // Events of modes that changed from now_ to next_
  void note_modes() {
    for (const auto& r : now_.contacts.closed)
      if (r.has_gap && r.resting && !next_.contacts.find(r.id))
        note(EventKind::open, r.id, r.mode, Mode::open);
    for (const auto& r : next_.contacts.closed) {
      const auto* was = now_.contacts.find(r.id);
      if (r.has_gap && (!was || !was->resting))
        note(EventKind::close, r.id, Mode::open, r.mode);
      else if (was && was->mode != r.mode)
        note(kind_of_switch(was->mode, r.mode, false), r.id, was->mode, r.mode);
    }
  }
  void note(EventKind kind, std::uint64_t id, Mode from, Mode to) {
    Event e;
    e.t = e.t_before = next_.t, e.contact = id, e.kind = kind, e.from = from, e.to = to;
    list_.push_back(std::move(e));
  }

  // The same time, another state: what an event does, with the impulses of an impact.
  void finish_change(const ContactMemory& impulses) {
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
  void find_rests(const ContactMemory& hit) {
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

  bool impact(const std::vector<std::uint64_t>& hitting) {
    report_ = {};
    const SolveReport solved =
        events_.impact(hitting, 1e3 * PositionProjection::tolerance(now_.q), next_, report_);
    if (!solved.solved)
      return context_.fail_with(fmt::format("impact at t = {:.9g}: {}", now_.t,
                                            unsolved_message(bodies_, context_.method, report_)));
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

  const EventLocation& options_;
  const RunContext& context_;
  RunResult& result_;
  const System& bodies_;
  BodyEulerStepper stepper_;
  BodyEvents events_;
  int multipliers_;
  State now_, next_, trial_;
  StepReport report_;
  std::vector<Watch> before_, after_;
  std::vector<BodyEvents::Candidate> candidates_;
  std::vector<HeldContact> held_;
  std::vector<std::uint64_t> resting_;  // of the impact: contacts that do not fly any more
  std::vector<Flight> flights_;
  std::vector<Event> list_;
};

}  // namespace

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
  c.result.final = std::move(run.now());
  c.rules.judge_end(0, 0, c.result);
}

}  // namespace saltus
