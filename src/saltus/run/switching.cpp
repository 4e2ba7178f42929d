#include "saltus/run/switching.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/run/cubic.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/scheme/kit/gap_report.hpp"
#include "saltus/scheme/moreau/extrapolation_stepper.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

struct GapSample {
  std::uint64_t id = 0;
  double gap = 0, rate = 0;
};

struct Step {
  State end;
  StepReport report;
  double begin = 0, h = 0;
  bool above_tolerance = false;
  std::vector<Event> events;
  std::vector<GapSample> gaps;  // at the end, of contacts that can open
  // Of an accepted or previous step: it has no events any more, or not yet, and its gaps are evaluated again.
  void memory(Memory& m) {
    StepReport& r = report;
    m(end, begin, h, above_tolerance);
    m(r.status, r.contact_residual, r.contact_violation, r.joint_velocity, r.joint_acceleration);
    m(r.contact_position, r.contact_velocity, r.contact_acceleration, r.error, r.order);
    m(r.contact_loss, r.wall_work, r.friction_loss, r.ideal_loss);
  }
};

class SwitchingDriver {
 public:
  SwitchingDriver(const SwitchingSteps& options, const RunContext& context)
      : options_(options),
        method_(context.method),
        system_(static_cast<const System&>(*context.problem.system), faults_),
        sink_(context.sink),
        control_(context.control),
        result_(context.result),
        ticker_(context.control),
        stepper_(noted(make_stepper(context.method.scheme, *context.problem.system, context.method.solver)),
                 system_, extrapolation(options)) {
    const Problem& problem = context.problem;
    stepper_.set_closed_rule(
        {options.restitution == SwitchingSteps::Restitution::always, options.gap_tol, options.atol});
    base_.end = stepper_.start(problem.t0, problem.q0, problem.u0);
    base_.begin = problem.t0;
    look(base_);
    remember_touching();
    pre_ = act_ = base_;
    restart_.emplace(
        context.points, context.result, base_.end, [this](Memory& m) { memory(m); }, base_stepper_);
  }
  void memory(Memory& m) {
    const auto aux = pre_.end.aux.size();
    const double t = base_.end.t, most = options_.h * (1 + 1e-9);
    m(base_, pending_, started_, h_, no_increase_);
    if (pending_) m(pre_);
    if (!m.reading()) return;
    m.require(base_.end.t == t && base_.begin <= t && base_stepper_->takes_aux(base_.end.aux.size(), aux));
    if (pending_)
      m.require(pre_.begin >= t && pre_.end.t >= t && pre_.end.t <= t + most &&
                base_stepper_->takes_aux(pre_.end.aux.size(), aux));
    m.require(h_ >= 0.5 * options_.h_min && h_ <= most && no_increase_ <= t + 3 * most);
    look(base_);
    if (pending_) look(pre_);
    resumed_ = true;
  }

  bool advance(double target);
  const State& state() const { return base_.end; }
  void count_base_steps() {
    result_.stats.base_steps += stepper_.base_steps() - std::exchange(counted_, stepper_.base_steps());
  }

 private:
  static Extrapolation extrapolation(const SwitchingSteps& s) {
    return {s.substeps, s.power, static_cast<int>(s.order), s.n_max, s.atol, s.rtol, s.h_min};
  }
  std::unique_ptr<Stepper> noted(std::unique_ptr<Stepper> base) {
    base_stepper_ = base.get();
    return base;
  }
  double grown(double h) const {
    const double next = std::min(options_.h, std::max(2 * h, shortest()));
    return stepper_.is_minimal(next) ? options_.h_min : next;
  }
  double shrunk(double h) const { return h / 2 < shortest() * (1 - 1e-9) ? options_.h_min : h / 2; }
  double shortest() const { return stepper_.shortest_extrapolated(); }
  const Step& last() const { return pending_ ? pre_ : base_; }

  bool first_step(double target);
  Outcome attempt(const Step& from, double h);
  void accept();
  void accept_pending();
  void emit(Step& step);
  void drop_pending();
  bool fail(const Step& from, double h, std::string why = {});
  void note_switches(const Step& from);
  void look(Step& step);
  void remember_touching();
  bool passed_over(const Step& from) const;

  const SwitchingSteps& options_;
  const Method& method_;
  Faults faults_;
  CheckedSystem system_;
  const Sink& sink_;
  const RunControl& control_;
  RunResult& result_;
  Ticker ticker_;
  const Stepper* base_stepper_ = nullptr;
  ExtrapolationStepper stepper_;
  ContactSet set_;
  bool directions_known_ = false, started_ = false;
  Step base_, pre_, act_;  // accepted, previous, actual
  bool pending_ = false;   // there is a previous step apart from the accepted one
  double h_ = 0, no_increase_ = -infinity;
  std::optional<Restart> restart_;
  bool resumed_ = false;      // in the middle of a stretch
  std::int64_t counted_ = 0;  // steps of the base scheme
};

// Gaps and their rates at the end of a step.
void SwitchingDriver::look(Step& step) {
  const State& x = step.end;
  const auto laws = system_.laws();
  const std::int64_t count = faults_.begin();
  step.gaps.clear();
  step.report.min_gap = infinity;  // what the midpoint of a long substep shows says little
  step.report.joint_position = 0;
  system_.list(x.t, x.q, set_);
  if (!directions_known_) system_.directions(x.t, x.q, set_);
  directions_known_ = system_.shape().constant_directions;
  for (const Contact& c : set_.contacts)
    if (needs_closed_gap(laws[c.law]))
      step.gaps.push_back({c.id, set_.gap[c.row], set_.Wt.dot(c.row, x.u.data()) + set_.drift[c.row]});
  report_gaps(system_, set_, step.report);
  if (faults_.since(count)) step.report.status = StepStatus::not_finite, step.report.fault = faults_.first();
}

// Contacts that touch at the start and neither part nor approach are closed, whatever the rounding of the gap
// at the first midpoint.
void SwitchingDriver::remember_touching() {
  State& x = base_.end;
  const double touch = 1e-12 * (1 + x.q.lpNorm<Eigen::Infinity>());
  const double slow = 1e-12 * (1 + x.u.lpNorm<Eigen::Infinity>());
  const auto laws = system_.laws();
  for (const Contact& c : set_.contacts) {
    const Law& law = laws[c.law];
    if (!needs_closed_gap(law) || std::abs(set_.gap[c.row]) > touch) continue;
    if (std::abs(set_.Wt.dot(c.row, x.u.data()) + set_.drift[c.row]) > slow) continue;
    const int n = rows(law), at = static_cast<int>(x.contacts.impulse.size());
    x.contacts.closed.push_back(
        {c.id, at, static_cast<std::uint8_t>(n), true, true, n == 1 ? Mode::closed : Mode::slip});
    x.contacts.impulse.resize(at + n, 0.0);
  }
}

// Whether an open contact was closed at the end of the actual step, or in between.
bool SwitchingDriver::passed_over(const Step& from) const {
  const double touch = 1e-12 * (1 + act_.end.q.lpNorm<Eigen::Infinity>());
  auto before = from.gaps.begin();
  for (const GapSample& now : act_.gaps) {
    while (before != from.gaps.end() && before->id < now.id) ++before;
    const bool known = before != from.gaps.end() && before->id == now.id;
    if (act_.end.contacts.find(now.id)) continue;
    if (now.gap < -touch && (!known || before->gap > touch || now.rate < 0)) return true;
    if (known && before->rate < 0 && now.rate > 0 &&
        cubic_minimum(before->gap, before->rate, now.gap, now.rate, act_.h).first < -touch)
      return true;
  }
  return false;
}

void SwitchingDriver::note_switches(const Step& from) {
  const ContactMemory &a = from.end.contacts, &b = act_.end.contacts;
  const double since = from.h > 0 && stepper_.is_minimal(from.h) ? from.begin : act_.begin;
  const auto note = [&](const ContactMemory::Record& r, Mode was, Mode is) {
    Event e;
    e.t = act_.end.t, e.t_before = since, e.contact = r.id, e.from = was, e.to = is;
    bool moving_in = false;
    if (is != Mode::open) {
      e.impulse = Eigen::Map<const Vec>(b.impulse.data() + r.offset, r.rows);
      e.u_minus = Eigen::Map<const Vec>(act_.report.u_minus.data() + r.offset, r.rows);
      e.u_plus = Eigen::Map<const Vec>(act_.report.u_plus.data() + r.offset, r.rows);
      e.energy_loss = -0.5 * e.impulse.dot(e.u_minus + e.u_plus);
      moving_in = r.has_gap && e.u_minus[0] < 0;
    }
    e.kind = kind_of_switch(was, is, moving_in);
    act_.events.push_back(std::move(e));
    ++result_.stats.switches;
  };
  auto x = a.closed.begin();
  auto y = b.closed.begin();
  const std::size_t first = act_.events.size();
  while (x != a.closed.end() || y != b.closed.end()) {
    if (y == b.closed.end() || (x != a.closed.end() && x->id < y->id)) {
      note(*x, x->mode, Mode::open);
      ++x;
    } else if (x == a.closed.end() || y->id < x->id) {
      note(*y, Mode::open, y->mode);
      ++y;
    } else {
      if (x->mode != y->mode || turned(a, *x, b, *y)) note(*y, x->mode, y->mode);
      ++x, ++y;
    }
  }
  share_loss(std::span(act_.events).subspan(first), act_.report.contact_loss);
}

void SwitchingDriver::emit(Step& step) {
  accumulate(result_, step.report);
  ++result_.stats.steps;
  result_.stats.above_tolerance += step.above_tolerance;
  step.report.u_minus = step.report.u_plus = {};
  if (sink_) sink_({base_.end, step.end, step.report, step.events});
  std::swap(base_, step);
  ticker_.tick(base_.end.t, result_.stats.steps);
}

void SwitchingDriver::accept_pending() {
  if (pending_) emit(pre_);
  pending_ = false;
}

void SwitchingDriver::drop_pending() {
  if (pending_) ++result_.stats.rejected;
  pending_ = false;
}

bool SwitchingDriver::fail(const Step& from, double h, std::string why) {
  result_.status = RunStatus::failed;
  result_.message =
      why.empty() ? failure_message(system_, method_, from.end, h, act_.report) : std::move(why);
  result_.residuals.contact = std::max(result_.residuals.contact, act_.report.contact_residual);
  accept_pending();
  return false;
}

// A step of minimal length that accepts the modes as they come: at the start and after breakpoints.
bool SwitchingDriver::first_step(double target) {
  const double left = target - base_.end.t, h = left < 2 * options_.h_min ? left : options_.h_min;
  act_.begin = base_.end.t, act_.h = h;
  act_.events.clear();
  act_.above_tolerance = false;
  act_.report = stepper_.single(base_.end, h, act_.end);
  ++result_.stats.calculated;
  count_work(result_, act_.report);
  if (act_.report.status != StepStatus::ok) return fail(base_, h);
  if (h == left) act_.end.t = target;
  if (std::string why; went_through(system_, base_.end, act_.end, why)) return fail(base_, h, std::move(why));
  look(act_);
  if (act_.report.status != StepStatus::ok) return fail(base_, h);
  no_increase_ = -infinity;
  if (started_ && !same_modes(base_.end.contacts, act_.end.contacts)) {
    note_switches(base_);
    no_increase_ = act_.end.t;
  }
  started_ = true;
  emit(act_);
  h_ = grown(h);
  return true;
}

Outcome SwitchingDriver::attempt(const Step& from, double h) {
  act_.begin = from.end.t, act_.h = h;
  act_.events.clear();
  act_.above_tolerance = false;
  act_.report = {};
  const Outcome outcome = stepper_.extrapolate(from.end, h, act_.end, act_.report);
  ++result_.stats.calculated;
  count_work(result_, act_.report);
  if (outcome == Outcome::detected || act_.report.status != StepStatus::ok) return outcome;
  look(act_);
  if (act_.report.status != StepStatus::ok) return Outcome::inaccurate;
  if (stepper_.is_minimal(h)) return outcome;
  std::string why;
  return passed_over(from) || went_through(system_, from.end, act_.end, why) ? Outcome::detected : outcome;
}

// Table IV: the actual step succeeded.
void SwitchingDriver::accept() {
  const double h = act_.h;
  double begin = 0;  // of what is now the accepted step
  if (stepper_.is_minimal(h)) {
    begin = act_.begin;
    accept_pending();
    emit(act_);
  } else {
    begin = last().begin;
    accept_pending();
    std::swap(pre_, act_);
    pending_ = true;
  }
  h_ = begin > no_increase_ ? grown(h) : h;
}

bool SwitchingDriver::advance(double target) {
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(target));
  if (target - base_.end.t <= rounding) return true;
  if (!std::exchange(resumed_, false) && !first_step(target)) return false;
  for (;;) {
    const Step& from = last();
    const double left = target - from.end.t;
    if (left <= rounding) break;
    count_base_steps();
    restart_->after_step(base_.end);
    if (stop_requested(control_, from.end.t, result_)) {
      restart_->leave(base_.end);
      accept_pending();
      return false;
    }
    const double h = left - h_ < options_.h_min * (1 - 1e-9) ? left : h_;
    const bool minimal = stepper_.is_minimal(h);
    const Outcome outcome = attempt(from, h);
    if (control_.attempt) control_.attempt({act_.begin, h, outcome});
    if (h == left) act_.end.t = target;
    const bool failed = outcome != Outcome::detected && act_.report.status != StepStatus::ok;
    if (failed && minimal) return fail(from, h);
    if (std::string why; minimal && went_through(system_, from.end, act_.end, why))
      return fail(from, h, std::move(why));
    if (outcome == Outcome::success ||
        (!failed && outcome == Outcome::inaccurate && (minimal || stepper_.starved()))) {
      act_.above_tolerance = outcome == Outcome::inaccurate && !minimal;
      accept();
    } else if (outcome == Outcome::inaccurate) {
      ++result_.stats.rejected;
      h_ = shrunk(h);
    } else if (outcome == Outcome::detected) {
      ++result_.stats.detections;
      ++result_.stats.rejected;
      no_increase_ = from.end.t + h;
      drop_pending();
      h_ = shrunk(h);
    } else if (pending_) {  // resolved behind a longer step
      ++result_.stats.rejected;
      no_increase_ = from.end.t + h;
      h_ = shrunk(pre_.h);
      drop_pending();
    } else {
      note_switches(base_);
      emit(act_);
      no_increase_ = base_.end.t;
      h_ = grown(h);
    }
  }
  accept_pending();
  return true;
}

}  // namespace

void run_switching(const SwitchingSteps& options, const RunContext& context) {
  const Problem& problem = context.problem;
  if (options.h_min > options.h)
    fail(
        "stepping switching: h_min = {} exceeds h_max = {}; h_min is the step at switching points, h_max the "
        "largest one",
        options.h_min, options.h);
  const double latest = std::max(std::abs(problem.t0), std::abs(problem.t_end));
  if (const double rounding = 4 * std::numeric_limits<double>::epsilon() * latest; options.h_min < rounding)
    fail("stepping switching: h_min = {} is lost in the rounding of times up to {}; choose at least {:.1e}",
         options.h_min, latest, rounding);
  if (options.order == SwitchingSteps::Order::automatic && !(options.atol > 0 || options.rtol > 0))
    fail("stepping switching: atol and rtol cannot both be zero; give one, or a fixed order");
  SwitchingDriver driver(options, context);
  for (double end : stretches(problem))
    if (!driver.advance(end)) break;
  driver.count_base_steps();
  context.result.final = driver.state();
  context.rules.judge_end(0, 0, context.result);
}

}  // namespace saltus
