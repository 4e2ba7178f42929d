#include "saltus/run/odae_events.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/odae_bodies.hpp"
#include "saltus/run/odae_landing.hpp"
#include "saltus/run/odae_rules.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/scheme/symplectic/symplectic_euler_stepper.hpp"

namespace saltus {
namespace {

constexpr int most_events = 10000;  // in one step of the grid

class LocatedRun {
 public:
  LocatedRun(const EventLocation& options, const Problem& problem, OdaeStepper& stepper, const Sink& sink,
             RunResult& result)
      : options_(options),
        stepper_(stepper),
        system_(stepper.system(), stepper.faults()),
        sink_(sink),
        result_(result),
        now_(stepper.start(problem.t0, problem.q0, problem.u0)),
        next_(now_),
        trial_(now_),
        value_(system_.m()),
        rate_(system_.m()),
        plastic_(system_.m(), 0),
        last_impact_(system_.m(), -infinity),
        fastest_(system_.m(), 0.0) {}

  // Contacts that touch and approach at the start
  void begin(double h) {
    const auto touching = touching_constraints(system_, now_.t, now_.q, now_.u, true);
    if (touching.size() > stepper_.active(now_).size()) {
      next_ = now_;
      impact(-1, h);
    }
  }

  // To the end of a step of the grid; false when the run is over.
  bool advance(double end, double h) {
    int events = 0;
    while (end - now_.t > 1e-14 * std::max(std::abs(end), h)) {
      const double left = end - now_.t;
      if (!step(left, next_)) return false;
      const Change change = first_change(left);
      if (change.constraint < 0) {
        next_.t = end;
        accept({}, true);
        break;
      }
      if (change.tau < left && !step(change.tau, next_)) return false;
      if (++events > most_events) {
        result_.status = RunStatus::failed;
        result_.message = fmt::format(
            "{} events between t = {:.9g} and {:.9g}, the last of {}; try a larger rest "
            "(--stepping event-location:rest=…), which closes contacts whose impacts accumulate",
            events, end - h, end, system_.constraints()[change.constraint].name);
        return false;
      }
      accept({}, false);
      next_ = now_;
      if (change.closes ? !impact(change.constraint, h) : !open(change.constraint)) return false;
    }
    return true;
  }
  State& now() { return now_; }
  void memory(Memory& m) {
    const auto n = plastic_.size();
    m(plastic_, last_impact_, fastest_);
    m.require(plastic_.size() == n && last_impact_.size() == n && fastest_.size() == n);
  }

 private:
  struct Change {
    int constraint = -1;
    bool closes = false;
    double tau = infinity;
  };

  bool step(double tau, State& out) {
    report_ = stepper_.locked_step(now_, tau, out);
    count_work(result_, report_);
    if (report_.status == StepStatus::ok) return true;
    result_.status = RunStatus::failed;
    result_.message = failure_message(system_, now_, tau, report_);
    return false;
  }

  void accept(std::span<const Event> events, bool grid_point) {
    accumulate(result_, report_);
    ++result_.stats.steps;
    if (sink_) sink_({now_, next_, report_, events, grid_point, system_.m()});
    std::swap(now_, next_);
  }
  // The same time, another state: what an event does, with the impulses of the contacts that touch. Those
  // that are closed from here on rest in it: references go on from what is handed out.
  void jump(const Event& event, std::span<const int> touching = {}, const Vec& P = Vec()) {
    report_ = {};
    report_.contact_loss = event.energy_loss;
    trial_ = next_;
    trial_.contacts.clear();
    auto touched = touching.begin();
    for (int i = 0; i < system_.m(); ++i) {
      while (touched != touching.end() && *touched < i) ++touched;
      const double impulse = touched != touching.end() && *touched == i ? P[i] : 0;
      const bool closed = next_.contacts.find(system_.contact_id(i)) != nullptr;
      if (system_.constraints()[i].unilateral && (closed || impulse != 0))
        stepper_.note_contact(trial_, i, impulse, closed);
    }
    if (sink_) sink_({now_, trial_, report_, {&event, 1}, false, system_.m()});
    std::swap(now_, next_);
  }

  bool is_closed(int i) { return now_.contacts.find(system_.contact_id(i)) != nullptr; }

  // ψ of a closed contact, g of an open one, and whether the step of that length goes too far.
  bool too_far(const State& x, int i, bool closed) {
    if (closed) {
      at_ = x.aux[i];
      return at_ < 0;
    }
    system_.gap(x.t, x.q, value_);
    system_.rate(x.t, x.q, x.u, rate_);
    at_ = value_[i];
    return at_ < 0 && rate_[i] < 0;
  }

  Change first_change(double h) {
    Change first;
    for (int i = 0; i < system_.m(); ++i) {
      if (!system_.constraints()[i].unilateral) continue;
      const bool closed = is_closed(i);
      if (!too_far(next_, i, closed)) continue;
      const double tau = locate(i, closed, h);
      if (tau < first.tau) first = {i, !closed, tau};
    }
    return first;
  }

  // The last length that is not too far, by Illinois' rule where the value changes its sign in the bracket,
  // by halving where it does not (a contact that just opened and comes back).
  double locate(int i, bool closed, double h) {
    too_far(now_, i, closed);
    double a = 0, at_a = at_;
    too_far(next_, i, closed);
    double b = h, at_b = at_;
    if (at_a <= 0 && closed) return 0;
    const double tolerance = 1e-15 * std::max(std::abs(now_.t), h);
    int side = 0;
    for (int k = 0; k < 200 && b - a > tolerance; ++k) {
      double c = at_a > 0 ? b - at_b * (b - a) / (at_b - at_a) : 0.5 * (a + b);
      if (!(c > a && c < b)) c = 0.5 * (a + b);
      ++result_.stats.rejected;
      const StepReport r = stepper_.locked_step(now_, c, trial_);
      count_work(result_, r);
      const bool far = r.status != StepStatus::ok || too_far(trial_, i, closed);
      if (r.status != StepStatus::ok) at_ = at_b;
      if (at_ == 0) return c;
      if (far) {
        b = c, at_b = at_;
        if (side == -1) at_a /= 2;
        side = -1;
      } else {
        a = c, at_a = at_;
        if (side == 1) at_b /= 2;
        side = 1;
      }
    }
    return b;
  }

  // ψ with complementarity on the contacts that may stay closed in next_, and guesses anew.
  bool settle(const std::vector<int>& candidates) {
    Vec psi = next_.aux.head(system_.m());
    for (int i : candidates)
      if (!(psi[i] > 0)) psi[i] = system_.first_multiplier(i);
    if (!stepper_.hidden().complementary_multipliers(next_.t, next_.q, next_.u, candidates, psi)) {
      result_.status = RunStatus::failed;
      result_.message = fmt::format(
          "event at t = {:.9g}: the multipliers of the closed contacts were not found, last "
          "change {:.2g}; try a smaller step (--h)",
          next_.t, stepper_.hidden().change());
      return false;
    }
    next_.aux.head(system_.m()) = psi;
    std::vector<int> closed;
    for (int i : candidates)
      if (!system_.constraints()[i].unilateral || psi[i] > 0) closed.push_back(i);
    stepper_.restart(next_, closed);
    return true;
  }

  bool open(int opening) {
    std::vector<int> candidates;
    for (int i : stepper_.active(now_))
      if (i != opening) candidates.push_back(i);
    if (!settle(candidates)) return false;
    Event e;
    e.t = e.t_before = next_.t, e.contact = system_.contact_id(opening), e.kind = EventKind::open;
    e.from = Mode::closed, e.to = Mode::open;
    jump(e);
    return true;
  }

  // Which contacts have no restitution any more: impacts accumulate there. A flight that is short because
  // another body ended it is none of these: the landing must be as slow as forces make it in such a time, or
  // a millionth of what the series began with.
  void find_rests(const std::vector<int>& touching, const Vec& before, double h) {
    constexpr double nothing = 1e-6;
    psi_ = now_.aux.head(system_.m());
    const Vec& pull = stepper_.hidden().accelerations(now_.t, now_.q, now_.u, psi_);
    for (int i : touching) {
      const bool short_flight = now_.t - last_impact_[i] < options_.rest * h;
      const double speed = std::abs(before[i]);
      fastest_[i] = short_flight ? std::max(fastest_[i], speed) : speed;
      plastic_[i] = short_flight && speed <= std::max(-options_.rest * h * pull[i], nothing * fastest_[i]);
      if (before[i] < 0) last_impact_[i] = now_.t;
    }
  }

  bool impact(int hitting, double h) {
    std::vector<int> touching = touching_constraints(system_, now_.t, now_.q, now_.u, true);
    if (hitting >= 0 && !std::binary_search(touching.begin(), touching.end(), hitting))
      touching.insert(std::lower_bound(touching.begin(), touching.end(), hitting), hitting);
    Vec before(system_.m()), P;
    system_.rate(now_.t, now_.q, now_.u, before);
    find_rests(touching, before, h);
    if (!stepper_.hidden().impact(now_.t, now_.q, next_.u, touching, plastic_, P)) {
      result_.status = RunStatus::failed;
      result_.message = fmt::format(
          "impact at t = {:.9g}: the impulses of the touching contacts were not found; remove a constraint "
          "that follows from the others, or try another step (--h), which meets the contacts one by one",
          now_.t);
      return false;
    }
    const double strong = P.size() > 0 ? P.maxCoeff() : 0;
    for (int i : touching)  // of accumulating impacts the first has been judged
      if (system_.constraints()[i].unilateral && P[i] > 1e-9 * strong && !(plastic_[i] && before[i] < 0) &&
          lacks_friction(system_, i, now_.t, now_.q, now_.u, next_.u)) {
        result_.status = RunStatus::failed;
        result_.message = landing_message(system_, i, now_.t);
        return false;
      }
    system_.rate(next_.t, next_.q, next_.u, rate_);
    double loss = 0;  // of all that touch: they act on each other
    for (int i : touching) loss -= 0.5 * P[i] * (before[i] + rate_[i]);
    std::vector<int> candidates;
    int strongest = touching.empty() ? 0 : touching.front();
    const double fast = before.lpNorm<Eigen::Infinity>() + rate_.lpNorm<Eigen::Infinity>();
    for (int i : touching) {
      if (P[i] > P[strongest]) strongest = i;
      if (!system_.constraints()[i].unilateral || std::abs(rate_[i]) <= 1e-12 * fast) candidates.push_back(i);
    }
    if (!settle(candidates)) return false;
    if (hitting < 0) hitting = strongest;
    Event e;
    e.t = e.t_before = next_.t, e.contact = system_.contact_id(hitting), e.kind = EventKind::impact;
    e.to = next_.contacts.find(e.contact) ? Mode::closed : Mode::open;
    e.impulse.resize(1), e.u_minus.resize(1), e.u_plus.resize(1);
    e.impulse[0] = P[hitting], e.u_minus[0] = before[hitting], e.u_plus[0] = rate_[hitting];
    e.energy_loss = loss;
    result_.stats.contact_loss += loss;
    jump(e, touching, P);
    return true;
  }

  const EventLocation& options_;
  OdaeStepper& stepper_;
  CheckedOdae system_;
  const Sink& sink_;
  RunResult& result_;
  State now_, next_, trial_;
  StepReport report_;
  Vec value_, rate_, psi_;
  std::vector<char> plastic_;
  std::vector<double> last_impact_, fastest_;  // the fastest landing of the series of short flights so far
  double at_ = 0;
};

}  // namespace

void run_located(const EventLocation& stepping, const Problem& problem, OdaeStepper& stepper,
                 const Sink& sink, const RunControl& control, const Checkpoints& points, RunResult& result) {
  LocatedRun run(stepping, problem, stepper, sink, result);
  Restart restart(points, result, run.now(), [&](Memory& m) { m(run); });
  if (!restart.resumed()) run.begin(stepping.h);
  if (result.status == RunStatus::finished)
    march(
        problem, stepping.h, control, result, restart, [&]() -> const State& { return run.now(); },
        [&](const StepGrid& grid, std::int64_t k) {
          const std::int64_t count = stepper.faults().begin();
          const bool done = run.advance(grid.time(k), grid.h);
          if (!stepper.faults().since(count)) return done;
          result.status = RunStatus::failed;
          result.message = fmt::format("step to t = {:.9g}: {}", grid.time(k),
                                       fault_message(*problem.system, stepper.faults().first()));
          return false;
        });
  result.final = std::move(run.now());
}

void run_event_location(const EventLocation& stepping, const RunContext& c) {
  if (as_mechanical(c.problem.system.get())) return run_located_bodies(stepping, c);
  SymplecticEulerStepper stepper(as_odae(*c.problem.system), std::get<SymplecticEuler>(c.method.scheme));
  run_located(stepping, c.problem, stepper, c.sink, c.control, c.points, c.result);
}

}  // namespace saltus
