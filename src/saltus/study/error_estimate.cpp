#include "saltus/study/error_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/study/estimate_measures.hpp"
#include "saltus/study/impact_order.hpp"
#include "saltus/study/run_difference.hpp"

namespace saltus {
namespace {

constexpr auto trace_name = "trace";  // in checkpoints

std::string moment(const DynamicSystem& system, const EventMark& e) {
  return fmt::format("{} of {} at t = {:.6g}", to_string(e.kind), system.contact_name(e.contact), e.t);
}

// Nothing is known.
void forget(const Problem& problem, const Measures& measures, ErrorEstimate& out) {
  const double none = std::nan("");
  out.q_final = Vec::Constant(problem.q0.size(), none), out.u_final = Vec::Constant(problem.u0.size(), none);
  out.q_size = out.q_final, out.u_size = out.u_final;
  out.q_sup = out.u_hausdorff = out.event_times = out.digits_lost = none;
  out.measures.assign(measures.list().size(), none);
  out.measure_sizes = out.measures;
  out.known_until = problem.t0;
}

// `shares`: how contacts share their load is open, and no tolerance changes that.
void tell(const RunDifference& d, const Problem& problem, double rtol, bool shares, ErrorEstimate& out) {
  const auto& difference = d.events().difference;
  const bool lost = d.known_until() < problem.t_end;
  if (difference && out.determined && (lost || d.largest_after(difference->t) > 100 * rtol)) {
    out.warnings.push_back(fmt::format(
        "events depend on the tolerance: the run at rtol {:.1g} {} {}, the run at rtol {:.1g} {}; the "
        "motion may depend discontinuously on its data there (grazing, a tie of impacts, a jam), or the "
        "tolerance is too loose",
        rtol, difference->in_first ? "has an event" : "lacks an event",
        moment(*problem.system, difference->event), out.rtol, difference->in_first ? "does not" : "has it"));
  }
  if (!lost) return;
  const std::string rate = std::isfinite(out.digits_lost) && !shares
                               ? fmt::format("digits are lost at {:.2g} per second; ", out.digits_lost)
                               : "";
  out.warnings.push_back(
      fmt::format("{}nothing is known after t = {:.4g} of {}: {}", rate, d.known_until(), d.unknown(problem),
                  shares ? "another share of the load leads elsewhere" : "a smaller rtol moves that time"));
}

void tell_grazing(const RunDifference& d, const Problem& problem, ErrorEstimate& out) {
  if (const ClosestApproach& c = d.run().result.closest; c.gap < d.approach_bar())
    out.warnings.push_back(fmt::format(
        "contact {} may be grazed: at t = {:.6g} its gap turns at {:.2g}, which is less than its error "
        "there ({:.1g}); a smaller rtol decides whether there is an impact",
        problem.system->contact_name(c.contact), c.t, c.gap, d.approach_bar()));
}

void tell_order(const UncertainOrder& o, const Problem& problem, ErrorEstimate& out) {
  out.determined = false;
  out.warnings.push_back(
      fmt::format("the order of impacts is not known: {} and {} at t = {:.6g} are {:.1g} s apart, which is "
                  "known to {:.1g} "
                  "s, and a run that takes them together comes to another motion; bars are as wide as that",
                  problem.system->contact_name(o.first.contact),
                  problem.system->contact_name(o.second.contact), o.first.t, o.apart(), o.error));
}

// The run's own warning says why.
void tell_shares(const RunResult& result, ErrorEstimate& out) {
  out.determined = false;
  out.warnings.push_back(
      fmt::format("bars are as wide as the difference to a run in which redundant contacts share their load "
                  "otherwise from "
                  "t = {:.6g} on",
                  result.undetermined_from));
  if (std::isnan(out.event_times))
    out.warnings.emplace_back("no error of event times is given: that run has other events");
}

// Entries without a digit that nothing else explains: each has a sentence.
void explain(const RunDifference& d, const Problem& problem, double rtol, ErrorEstimate& out) {
  if (!out.warnings.empty()) return;
  if (std::isnan(out.event_times)) {
    const auto& difference = d.events().difference;
    const std::string why =
        difference
            ? fmt::format(
                  "the run at rtol {:.1g} {} {}, the run at rtol {:.1g} {}, though the motion "
                  "hardly depends on it",
                  rtol, difference->in_first ? "has" : "lacks", moment(*problem.system, difference->event),
                  out.rtol, difference->in_first ? "does not" : "has it")
            : fmt::format("an accumulation of impacts has no counterpart at rtol {:.1g}", out.rtol);
    out.warnings.push_back(fmt::format("no error of event times is given: {}", why));
  }
  std::vector<std::string> names;
  for (int i = 0; i < out.q_final.size(); ++i)
    if (std::isnan(out.q_final[i])) names.push_back(fmt::format("q[{}]", i));
  for (int i = 0; i < out.u_final.size(); ++i)
    if (std::isnan(out.u_final[i])) names.push_back(fmt::format("u[{}]", i));
  if (std::isnan(out.q_sup)) names.emplace_back("q over the whole run");
  if (std::isnan(out.u_hausdorff)) names.emplace_back("u over the whole run");
  if (!names.empty())
    out.warnings.push_back(
        fmt::format("no digit of {} is known: the runs at rtol {:.1g} and {:.1g} differ by "
                    "a tenth of the size or more",
                    fmt::join(names, ", "), rtol, out.rtol));
}

void explain_measures(const Measures& measures, std::span<const double> values,
                      std::span<const double> others, double rtol, bool accumulates, ErrorEstimate& out) {
  if (!out.warnings.empty()) return;
  for (std::size_t m = 0; m < values.size(); ++m)
    if (std::isnan(out.measures[m]))
      out.warnings.push_back(fmt::format(
          "no digit of measure {} is known: it is {:.6g} at rtol {:.1g} and {:.6g} at rtol {:.1g}{}",
          measures.list()[m].name, values[m], rtol, others[m], out.rtol,
          accumulates ? "; impacts accumulate, and how many of them are resolved depends on the tolerance"
                      : ""));
}

}  // namespace

namespace {

// There is no companion to compare with.
void tell_unfinished(const CompanionRun& companion, const RunTrace& trace, ErrorEstimate& out) {
  const RunResult& r = companion.result;
  out.q_size = trace.q_size(), out.u_size = trace.u_size();
  out.warnings.push_back(fmt::format(
      "no error is estimated: the run at rtol {:.1g} ended at t = {:.6g}: {}", out.rtol, r.final.t,
      companion.too_long ? fmt::format("impacts are too dense, {} steps were not enough", r.stats.steps)
                         : r.message));
}

// To the wider of two bars each; no digit in one is none.
double wider(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
}
void widen(ErrorEstimate& out, const ErrorEstimate& other) {
  for (const auto& [a, b] :
       {std::pair(&out.q_final, &other.q_final), std::pair(&out.u_final, &other.u_final)})
    for (Eigen::Index i = 0; i < a->size(); ++i) (*a)[i] = wider((*a)[i], (*b)[i]);
  for (std::size_t m = 0; m < out.measures.size(); ++m)
    out.measures[m] = wider(out.measures[m], other.measures[m]);
  out.q_sup = wider(out.q_sup, other.q_sup), out.u_hausdorff = wider(out.u_hausdorff, other.u_hausdorff);
  out.event_times = wider(out.event_times, other.event_times);
  out.relative = wider(out.relative, other.relative);
  out.known_until = std::min(out.known_until, other.known_until);
}

// What is needed for one more companion.
struct Case {
  const Repeated& repeated;
  const TracedRun& run;
  double rtol;
  const Problem& problem() const { return repeated.c.problem.problem; }
};

// Whether a third run, which decides otherwise what is open from t on, comes to another motion. It is left in
// `other` then.
bool differs(const Case& k, const Otherwise& how, double t, const RunDifference& known,
             std::shared_ptr<CompanionRun>& other) {
  constexpr double more = 3;  // than the difference that is known, and beside the tolerance
  auto third = run_companion(k.repeated, k.run, how);
  if (!third->finished()) return false;
  const RunDifference d(k.problem(), k.rtol, k.run, third->traced());
  if (!(d.largest_after(t) > more * std::max(k.rtol, known.largest_after(t)))) return false;
  other = third;
  return true;
}

// Two runs may have impacts in the same order by chance. Where that order is uncertain, a third run that
// takes them together shows what depends on it.
std::optional<UncertainOrder> try_other_order(const Case& k, const RunDifference& known,
                                              std::shared_ptr<CompanionRun>& other) {
  const Problem& problem = k.problem();
  const System* system = as_mechanical(problem.system.get());
  if (!system) return std::nullopt;
  auto order = uncertain_order(known.events(), *system, problem.t0, problem.q0, k.rtol);
  if (order && !differs(k, {&*order}, order->first.t, known, other)) order.reset();
  return order;
}

// Two runs make the same choice where redundant contacts slide, and the model leaves it open.
bool try_other_shares(const Case& k, const RunDifference& known, std::shared_ptr<CompanionRun>& other) {
  const double from = k.run.result.undetermined_from;
  constexpr double far = 64;  // as far as contacts allow
  return from < infinity && differs(k, {nullptr, far}, from, known, other);
}

// The estimate from a companion that has finished.
void estimate_errors(const Case& k, std::shared_ptr<CompanionRun> other, double looser,
                     std::span<const double> observed, std::span<const double> values, RunResult& result,
                     ErrorEstimate& out) {
  const Problem& problem = k.problem();
  const Measures& measures = k.repeated.measures;
  std::optional<RunDifference> compared;
  compared.emplace(problem, k.rtol, k.run, other->traced(), looser);
  const auto usual = other;
  const auto compare_otherwise = [&] {
    compared.emplace(problem, k.rtol, k.run, other->traced(), RunDifference::either);
  };
  const auto order = try_other_order(k, *compared, other);
  if (order) compare_otherwise();
  const bool shares = try_other_shares(k, *compared, other);
  if (shares) compare_otherwise();
  const RunDifference& d = *compared;
  const auto fill = [&](const RunDifference& difference, const CompanionRun& companion_run,
                        ErrorEstimate& e) {
    difference.fill(e);
    MeasureBars bars = measure_bars(measures, problem, difference, observed, companion_run.observed);
    e.measures = std::move(bars.bars), e.measure_sizes = std::move(bars.sizes);
  };
  fill(d, *other, out);
  if (other != usual) {
    ErrorEstimate bars = out;
    fill(RunDifference(problem, k.rtol, k.run, usual->traced(), looser), *usual, bars);
    widen(out, bars);
  }
  d.bound_accumulations(result.accumulations);
  if (order) tell_order(*order, problem, out);
  if (shares) tell_shares(result, out);
  tell(d, problem, k.rtol, shares, out);
  explain(d, problem, k.rtol, out);
  explain_measures(measures, values, measures.evaluate(other->observed), k.rtol,
                   !result.accumulations.empty(), out);
  tell_grazing(d, problem, out);
}

}  // namespace

std::vector<double> run_with_estimate(const Measures& measures, const MeasuredCase& c,
                                      const RunControl& control, RunResult& result,
                                      std::optional<ErrorEstimate>& estimate, const Sink& sink,
                                      const Checkpoints& points, std::shared_ptr<CompanionRun>* companion) {
  std::shared_ptr<CompanionRun> other = companion ? std::exchange(*companion, nullptr) : nullptr;
  const auto method = companion_of(c.method);
  const bool traced_so_far = !points.resume || points.resume->observers.contains(trace_name);
  if (!method || !traced_so_far) return measures.run(c, control, result, sink, points);
  const Problem& problem = c.problem.problem;
  const Repeated repeated{measures, c, *method, control};
  RunTrace trace = other ? RunTrace(problem, other->trace) : RunTrace(problem);
  std::vector<double> observed;
  const auto run_with = [&](const Sink& tracer) {
    const Sink traced = [&](const Segment& s) {
      tracer(s);
      if (sink) sink(s);
    };
    observed = measures.observe(c, control, result, traced, points.with(trace_name, trace));
  };
  const double rtol = std::get<ToleranceSteps>(c.method.stepping).rtol,
               looser = other ? other->rtol / rtol : 1;
  const bool given = other != nullptr;
  if (!given && !points.resume && may_run_beside(repeated))
    other = run_beside(repeated, run_with, trace, result);
  else
    run_with([&](const Segment& s) { trace(s); });
  auto values = measures.evaluate(observed);
  if (result.status != RunStatus::finished) return values;

  ErrorEstimate& out = estimate.emplace();
  const TracedRun run{trace, result};
  if (!other) other = run_companion(repeated, run);
  out.rtol = other->rtol;
  if (!given) out.cpu_seconds = other->result.stats.cpu_seconds;
  if (other->finished()) {
    // states of other families are known at ends of steps only, those of this run
    if (companion && !given && problem.system->family() == Family::mechanical) *companion = other;
    estimate_errors({repeated, run, rtol}, other, looser, observed, values, result, out);
  } else {
    forget(problem, measures, out);
    tell_unfinished(*other, trace, out);
  }
  for (const std::string& w : out.warnings) {
    result.warnings.push_back(w);
    result.message += "; " + w;
  }
  return values;
}

}  // namespace saltus
