#include "saltus/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "saltus/core/error.hpp"
#include "saltus/run/adaptive.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/event_capturing.hpp"
#include "saltus/run/first_order.hpp"
#include "saltus/run/odae.hpp"
#include "saltus/run/restart.hpp"
#include "saltus/run/switching.hpp"
#include "saltus/scheme/gap_report.hpp"

namespace saltus {
namespace {

double cpu_now() {  // of this thread: runs of a sweep go side by side
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A step goes into a contact by h times its speed at most, however it is solved. Runs that end a hundred
// times as deep went through it step by step; the last line of defence, should a wrong solution pass for one.
void refuse_depth(const System& system, double h, double fastest, RunResult& result) {
  constexpr double room = 100;
  if (result.status != RunStatus::finished) return;
  ContactSet set;
  system.gaps(result.final.t, result.final.q, set);
  const auto laws = system.laws();
  const Contact* deepest = nullptr;
  for (const Contact& c : set.contacts)
    if (needs_closed_gap(laws[c.law]) && (!deepest || set.gap[c.row] < set.gap[deepest->row])) deepest = &c;
  if (!deepest) return;
  const double depth = -set.gap[deepest->row], size = 1 + result.final.q.lpNorm<Eigen::Infinity>();
  if (!(depth > room * h * fastest) || depth <= 1e-9 * size) return;
  result.status = RunStatus::failed;
  result.message = fmt::format(
      "ended {:.3g} deep in contact {}, more than {:.0f} steps at the largest speed of a contact, {:.3g}: "
      "the "
      "contacts were not satisfied on the way; try another --solver or a smaller step",
      depth, system.contact_name(deepest->id), room, fastest);
}

void drive(const FixedSteps& stepping, const Problem& problem, const Method& method, const System& system,
           const Sink& sink, const RunControl& control, const Checkpoints& points, RunResult& result) {
  const auto stepper = make_stepper(method.scheme, *problem.system, method.solver);
  State now = stepper->start(problem.t0, problem.q0, problem.u0), next = now;
  EventDetector detector;
  std::string first_unsolved;
  double fastest = 0;  // of a closed contact, in any row
  Restart restart(
      points, result, now, [&](Memory& m) { m(detector); }, stepper.get());
  const auto step = [&](const Grid& grid, long k) {
    const StepReport report = stepper->step(now, grid.h, next);
    const bool unsolved = report.status == StepStatus::contact_unsolved && stepping.accept_unsolved;
    if (unsolved && ++result.stats.unsolved == 1)
      first_unsolved = failure_message(system, method, now, grid.h, report);
    if (report.status != StepStatus::ok && !unsolved) {
      result.status = RunStatus::failed;
      result.message = failure_message(system, method, now, grid.h, report);
      result.residuals.contact = std::max(result.residuals.contact, report.contact_residual);
      return false;
    }
    next.t = grid.time(k);
    if (went_through(system, now, next, result.message)) {
      result.status = RunStatus::failed;
      return false;
    }
    count_work(result, report);
    accumulate(result, report);
    for (const double u : report.u_minus) fastest = std::max(fastest, std::abs(u));
    ++result.stats.steps;
    const auto events = detector.detect(now, next, report);
    if (sink) sink({now, next, report, events});
    std::swap(now, next);
    return true;
  };
  march(
      problem, stepping.h, control, result, restart, [&]() -> const State& { return now; }, step);
  if (result.stats.unsolved > 0 && result.status == RunStatus::finished)
    result.message = fmt::format(
        "reached t = {:.9g}, but {} of {} steps missed the tolerance of their contacts; "
        "the first: {}",
        now.t, result.stats.unsolved, result.stats.steps,
        first_unsolved.empty() ? "before the checkpoint" : first_unsolved);
  result.final = std::move(now);
  if (!points.resume && !stepping.accept_unsolved && problem.penetration == Penetration::refuse)
    refuse_depth(system, stepping.h, fastest, result);
}

void drive(const AdaptiveSteps& s, const Problem& p, const Method& m, const System& system, const Sink& sink,
           const RunControl& control, const Checkpoints& points, RunResult& result) {
  run_adaptive(s, p, m, system, sink, control, points, result);
}
void drive(const EventCapturing& s, const Problem& p, const Method& m, const System& system, const Sink& sink,
           const RunControl& control, const Checkpoints& points, RunResult& result) {
  run_event_capturing(s, p, m, system, sink, control, points, result);
}
void drive(const SwitchingSteps& s, const Problem& p, const Method& m, const System& system, const Sink& sink,
           const RunControl& control, const Checkpoints& points, RunResult& result) {
  run_switching(s, p, m, system, sink, control, points, result);
}

void drive(const EventLocation& s, const Problem&, const Method& m, const System&, const Sink&,
           const RunControl&, const Checkpoints&, RunResult&) {
  fail("stepping {} is for scheme symplectic-euler, not for {}; use event-capturing", s.name,
       std::visit([](const auto& scheme) { return scheme.name; }, m.scheme));
}

}  // namespace

std::string_view to_string(RunStatus status) {
  switch (status) {
    case RunStatus::finished:
      return "finished";
    case RunStatus::stopped:
      return "stopped";
    case RunStatus::failed:
      return "failed";
    case RunStatus::interrupted:
      return "interrupted";
  }
  return "?";
}

std::vector<double> stretches(const Problem& problem) {
  std::vector<double> ends;
  for (double t : problem.breakpoints) {
    if (!std::isfinite(t)) fail("breakpoint {} is not a finite time", t);
    if (t > problem.t0 && t < problem.t_end) ends.push_back(t);
  }
  std::sort(ends.begin(), ends.end());
  ends.push_back(problem.t_end);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

long step_count(double t0, double t_end, double h) {
  if (!(h > 0) || !std::isfinite(h)) fail("step h = {} is not allowed: h must be a finite number > 0", h);
  const double count = std::ceil((t_end - t0) / h * (1 - 1e-12));
  if (!(count < 1e15))
    fail("step h = {} needs {:.3g} steps to reach t_end = {}: choose a larger one", h, count, t_end);
  return static_cast<long>(count);
}

RunResult run(const Problem& problem, const Method& method, const Sink& sink, const RunControl& control) {
  return run(problem, method, sink, control, {});
}

RunResult run(const Problem& problem, const Method& method, const Sink& sink, const RunControl& control,
              const Checkpoints& points) {
  if (!problem.system) fail("the problem has no system");
  check(method.scheme);
  check(method.solver);
  check(method.stepping);
  if (points.resume) check(*points.resume, problem);
  if (!fits(method.scheme, *problem.system))
    make_stepper(method.scheme, *problem.system, method.solver);  // throws, naming the schemes that fit
  if (const Family family = family_of(method.scheme); family != Family::mechanical) {
    const double begin = cpu_now();
    RunResult out = family == Family::odae ? run_odae(problem, method, sink, control, points)
                                           : run_first_order(problem, method, sink, control, points);
    out.stats.cpu_seconds = cpu_now() - begin + (points.resume ? points.resume->stats.cpu_seconds : 0);
    return out;
  }
  const auto& system = static_cast<const System&>(*problem.system);
  check_start(system, problem.t0, problem.t_end, problem.q0, problem.u0, problem.penetration);

  RunResult result;
  result.energy_initial = system.energy(problem.t0, problem.q0, problem.u0);
  const double start = cpu_now();
  std::visit(
      [&](const auto& stepping) { drive(stepping, problem, method, system, sink, control, points, result); },
      method.stepping);
  result.stats.cpu_seconds = cpu_now() - start + (points.resume ? points.resume->stats.cpu_seconds : 0);
  const State& x = result.final;
  result.energy_final = system.energy(x.t, x.q, x.u);
  ContactSet set;
  system.gaps(x.t, x.q, set);
  StepReport last;
  report_gaps(system, set, last);
  accumulate(result, last);
  if (result.status == RunStatus::finished && result.message.empty()) {
    result.message = fmt::format("reached t = {:.9g}", x.t);
    // more than rounding: many contacts with friction, see contact/automatic.cpp
    if (const auto* s = std::get_if<AutomaticSolver>(&method.solver);
        s && result.residuals.contact > 1e3 * s->tolerance)
      result.message += fmt::format("; contacts were solved to {:.1e}, not to the tolerance {:.0e}",
                                    result.residuals.contact, s->tolerance);
    if (const long n = result.stats.above_tolerance; n > 0)
      result.message += fmt::format("; {} of {} steps missed the tolerance, h_min allowing no more rows", n,
                                    result.stats.steps);
  }
  return result;
}

}  // namespace saltus
