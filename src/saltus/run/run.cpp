#include "saltus/run/run.hpp"

#include <optional>

#include "saltus/core/error.hpp"
#include "saltus/core/port.hpp"
#include "saltus/run/adaptive.hpp"
#include "saltus/run/compatibility.hpp"
#include "saltus/run/event_capturing.hpp"
#include "saltus/run/fixed.hpp"
#include "saltus/run/ledger.hpp"
#include "saltus/run/odae_events.hpp"
#include "saltus/run/switching.hpp"
#include "saltus/run/tolerance.hpp"

namespace saltus {
namespace {

void drive(const FixedSteps& s, const RunContext& context) {
  run_fixed(s, context);
}
void drive(const AdaptiveSteps& s, const RunContext& context) {
  run_adaptive(s, context);
}
void drive(const EventCapturing& s, const RunContext& context) {
  run_event_capturing(s, context);
}
void drive(const SwitchingSteps& s, const RunContext& context) {
  run_switching(s, context);
}
void drive(const EventLocation& s, const RunContext& context) {
  run_event_location(s, context);
}

void drive(const ToleranceSteps& s, const RunContext& context) {
  run_by_tolerance(s, context);
}

// What a user should know of the accuracy of a run that reached its end.
void warn_of_tolerances(const Method& method, RunResult& result) {
  // more than rounding: many contacts with friction, see contact/automatic.cpp
  if (const auto* s = std::get_if<AutomaticSolver>(&method.solver);
      s && result.residuals.contact > std::max(1e3 * s->tolerance, s->large_tolerance))
    result.warnings.push_back(fmt::format("contacts were solved to {:.1e}, not to the tolerance {:.0e}",
                                          result.residuals.contact, s->large_tolerance));
  if (const std::int64_t n = result.stats.above_tolerance; n > 0)
    result.warnings.push_back(fmt::format("{} of {} steps missed the tolerance, h_min allowing no more rows",
                                          n, result.stats.steps));
  if (const std::int64_t n = result.stats.equal_steps; n > 0)
    result.warnings.push_back(fmt::format(
        "switching points were dense, or vibrations too fast for longer steps: {} of {} steps are "
        "of equal length and of the order of the base scheme; lower h_dense, or set dense = 0 to "
        "search every point and resolve every vibration",
        n, result.stats.steps));
}

}  // namespace

std::unique_ptr<FamilyRules> rules_for(const Problem& problem, const Method& method) {
  switch (family_of(method.scheme)) {
    case Family::first_order:
      return first_order_rules(problem, method);
    case Family::odae:
      return odae_rules(problem);
    case Family::mechanical:
      break;
  }
  return mechanical_rules(problem);
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
  check_family(method.scheme, *problem.system);
  check_pair(method.scheme, method.stepping);
  const auto rules = rules_for(problem, method);
  rules->check_start(problem, method);

  RunResult result;
  if (const System* mechanical = as_mechanical(problem.system.get())) result.warnings = mechanical->remarks();
  result.energy_initial = rules->energy({problem.t0, problem.q0, problem.u0, {}, {}, {}});
  const double start = port::cpu_seconds();  // of this thread: runs of a sweep go side by side
  std::optional<Bookkeeper> books;
  if (control.books) books.emplace(problem, method, *rules);
  const Sink booked = !books ? sink : [&](const Segment& s) {
    books->book(s);
    if (sink) sink(s);
  };
  const Checkpoints kept = books ? points.with("ledger", *books) : points;
  RunControl own = control;
  own.reactions = books && books->wants_reactions();
  const RunContext context{problem, method, *rules, booked, own, kept, result};
  std::visit([&](const auto& stepping) { drive(stepping, context); }, method.stepping);
  result.stats.cpu_seconds =
      port::cpu_seconds() - start + (points.resume ? points.resume->stats.cpu_seconds : 0);
  result.energy_final = rules->energy(result.final);
  if (books) {
    books->close(control.trust, result);
    rules->judge_ledger(result);
  }
  if (result.status == RunStatus::finished) {
    warn_of_tolerances(method, result);
    if (result.message.empty()) {
      result.message = fmt::format("reached t = {:.9g}", result.final.t);
      for (const std::string& w : result.warnings) result.message += "; " + w;
    }
  }
  return result;
}

}  // namespace saltus
