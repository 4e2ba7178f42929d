#include "lab_run.hpp"

#include "saltus/cli/motion_json.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/picture/ledger_curves.hpp"
#include "saltus/reference/own_reference.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/study/digits.hpp"
#include "saltus/study/tightening.hpp"

namespace saltus::web {
namespace {

constexpr double most_bytes = 400e6;  // of samples; a tab has 2 GB for everything

// So many steps make one sample that memory suffices.
int steps_a_sample(const Problem& p, const Method& m) {
  const double h = step_of(m.stepping);
  if (!(h > 0) || std::holds_alternative<AdaptiveSteps>(m.stepping)) return 1;
  const double bytes = static_cast<double>(step_count(p.t0, p.t_end, h)) * 8 *
                       static_cast<double>(1 + p.q0.size() + p.u0.size());
  return bytes > most_bytes ? static_cast<int>(std::min(1e9, std::ceil(bytes / most_bytes))) : 1;
}

Sink thinned(Trajectory& trajectory, int every) {
  if (every == 1) return trajectory.sink();
  return [&trajectory, every, k = std::int64_t{0}](const Segment& s) mutable {
    if (trajectory.size() == 0) trajectory.add(s.begin.t, s.begin.q, s.begin.u);
    for (const Event& e : s.events) trajectory.add_event(e);
    trajectory.add_dense(s);
    if (++k % every == 0) trajectory.add(s.end.t, s.end.q, s.end.u, s.grid_point);
  };
}

Measures measures_of(const LabCase& c) {
  std::vector<Measure> list;
  if (c.scene())
    for (const auto& text : c.scene()->measures) list.push_back(parse_measure(text));
  return {std::move(list), c.parameters(), c.coordinates(), c.velocities()};
}

PictureOptions motion_options(const Json& request) {
  PictureOptions out;
  if (const auto it = request.find("frames"); it != request.end())
    out.frames = std::clamp(it->get<int>(), 2, 100'000);
  return out;
}

// So many times that curves, and points of their sections, are smooth; fewer where each has many numbers.
Curves curves_for_page(const Problem& p, const Trajectory& trajectory) {
  const auto numbers = 3 + p.q0.size() + p.u0.size();
  return curves_of(p, trajectory,
                   static_cast<int>(std::clamp<Eigen::Index>(400'000 / numbers, 1500, 10'000)));
}

// Of a force: newtons where coordinates have units and the gaps of contacts are lengths.
std::string force_unit(const LabCase& c) {
  const Problem& p = c.problem().problem;
  const auto units = c.units().q;
  const auto is = [&](std::string_view unit) { return [unit](const std::string& x) { return x == unit; }; };
  if (units.empty()) return {};
  Sketch sketch;
  const System* system = as_mechanical(p.system.get());
  const bool bodies = system && system->sketch(p.t0, p.q0, sketch);
  return bodies || std::all_of(units.begin(), units.end(), is("m")) ? "N" : "";
}

// What is plotted beside the state: the ledger over time, contacts. `smooth_until`: up to there forces are
// those of Runge-Kutta methods.
void add_curves(const LabCase& c, const Trajectory& tr, const ContactEnergy& contacts, double smooth_until,
                LabRun& out) {
  const Problem& p = c.problem().problem;
  const auto& [samples, energy, taken, left_out] = out.curves;
  const std::string joule = c.units().q.empty() ? "" : "J";
  out.more = ledger_curves(p, samples, energy, contacts, joule);
  if (out.more.empty() && !taken.empty() && taken.back() != 0 && std::isfinite(energy.front())) {
    NamedCurve sum{"energy + taken by impacts", joule, {}};
    for (std::size_t i = 0; i < taken.size(); ++i) sum.values.push_back(energy[i] + taken[i]);
    out.more = {{"taken by impacts", joule, taken}, std::move(sum)};
  }
  ForceCurves forces = force_curves(p, tr, samples, smooth_until, force_unit(c));
  out.forces_left_out = forces.left_out;
  for (NamedCurve& x : forces.curves) out.more.push_back(std::move(x));
}

// What the page needs to know beside the report.
Json about(const LabCase& c, const LabRun& r) {
  const auto& tr = r.curves.samples;
  Json out = {
      {"title", c.scene() ? c.scene()->scene.title.text : c.entry().summary},
      {"coordinates", c.problem().problem.coordinates},
      {"velocities", c.problem().problem.velocities},
      {"samples", {{"count", tr.size()}, {"nq", tr.nq()}, {"nu", tr.nu()}, {"left_out", r.curves.left_out}}},
      {"motion", cli::to_json(r.motion)}};
  Json more = Json::array();
  for (const NamedCurve& x : r.more) more.push_back({{"name", x.name}, {"unit", x.unit}});
  out["curves"] = std::move(more);
  if (r.forces_left_out > 0) out["forces_left_out"] = r.forces_left_out;
  const auto units = c.units();
  out["units"] = units.q, out["rate_units"] = units.u;
  return out;
}

RunControl control_for(const Problem& p, const Progress& progress) {
  RunControl out;
  const double t0 = p.t0, span = std::max(p.t_end - t0, 1e-300);
  out.progress = [=](double t, std::int64_t) { progress((t - t0) / span); };
  return out;
}

}  // namespace

LabRun run_case(const Json& request, const Progress& progress) {
  const LabCase c(request);
  const CatalogProblem& p = c.problem();
  const Measures measures = measures_of(c);
  const RunControl control = control_for(p.problem, progress);
  const bool estimate = request.value("estimate", true) && !(c.scene() && !c.scene()->scene.run.estimate);
  cli::RunReport report;
  report.problem = c.entry().name, report.parameters = c.parameters();
  report.coordinates = c.coordinates(), report.velocities = c.velocities();
  MeasuredCase measured{p, c.run_method(), report.parameters};
  std::vector<std::string> missing;
  const int digits = c.scene() && estimate && (c.chosen().rtol + c.chosen().scheme + c.chosen().h).empty()
                         ? c.scene()->scene.run.digits.value
                         : 0;
  if (digits > 0) {
    DigitsFound found = find_digits(measures, measured, digits, control, report.coordinates);
    measured.method = found.method, missing = std::move(found.missing);
  }
  Trajectory trajectory;
  ContactEnergy contacts;
  std::vector<double> values;
  std::shared_ptr<CompanionRun> companion;
  for (Tightening tightening;;) {
    trajectory = Trajectory(), contacts = ContactEnergy();
    trajectory.dense_limit = std::size_t{128} << 20;
    report.result = {}, report.estimate.reset();
    const int every = steps_a_sample(p.problem, measured.method);
    const Sink sink = [&contacts, every, next = thinned(trajectory, every)](const Segment& s) {
      if (every == 1)
        contacts(s);  // else its sums would be as long as the samples that there is no memory for
      next(s);
    };
    values = estimate ? run_with_estimate(measures, measured, control, report.result, report.estimate, sink,
                                          {}, digits > 0 ? nullptr : &companion)
                      : measures.run(measured, control, report.result, sink);
    if (!report.estimate || digits > 0) break;
    const auto tighter = tightening.next(measured.method, report.result, *report.estimate, companion);
    if (!tighter) break;
    measured.method = *tighter;
  }
  report.method = measured.method;
  for (std::size_t k = 0; k < values.size(); ++k)
    report.measures.emplace_back(measures.list()[k].name, values[k]);
  for (std::string& w : missing) report.result.warnings.push_back(std::move(w));
  const State& final = report.result.final;
  if (trajectory.size() == 0 || trajectory.t(trajectory.size() - 1) < final.t)
    trajectory.add(final.t, final.q, final.u, true, final.aux.head(trajectory.multipliers()));
  report.system = as_mechanical(p.problem.system.get());
  report.dynamics = p.problem.system.get();
  report.trajectory = &trajectory;
  if (p.reference && trajectory.size() > 1 && request.value("error", false) &&
      trajectory.t(trajectory.size() - 1) <= p.reference->valid_until()) {
    report.error = compare(trajectory, *p.reference);
    report.reference_kind = p.reference_kind;
  }
  LabRun out;
  out.report = cli::to_json(report);
  out.curves = curves_for_page(p.problem, trajectory);
  out.motion = motion_of(p.problem, trajectory, c.drawing(), motion_options(request));
  const bool smooth = std::holds_alternative<RungeKutta>(measured.method.scheme);
  add_curves(c, trajectory, contacts, smooth ? report.result.stepped_from : -infinity, out);
  out.report["lab"] = about(c, out);
  return out;
}

LabRun show_samples(const Json& request, const Samples& given) {
  const LabCase c(request);
  const Problem& p = c.problem().problem;
  const Trajectory trajectory = trajectory_of(p, given);
  LabRun out;
  out.curves = curves_for_page(p, trajectory);
  out.motion = motion_of(p, trajectory, c.drawing(), motion_options(request));
  const double smooth_until =
      request.value("smooth", false) ? request.value("stepped_from", infinity) : -infinity;
  add_curves(c, trajectory, {}, smooth_until, out);
  out.report = {{"problem", c.entry().name}, {"parameters", cli::parameters_json(c.parameters())}};
  out.report["lab"] = about(c, out);
  return out;
}

Json converge_case(const Json& request, const Progress& progress) {
  const LabCase c(request);
  CatalogProblem p = c.problem();
  const auto values = request.at("values").get<std::vector<double>>();
  const bool by_rtol = request.value("knob", "rtol") == "rtol";
  Method method = by_rtol ? choose_method(p.method, {{}, {}, {}, {}, number_text(values.at(0))})
                          : c.method(request.value("study_scheme", ""), number_text(values.at(0)));
  double own_error = 0;
  if (!p.reference || p.problem.t_end > p.reference->valid_until()) {  // the problem itself, far more precise
    OwnReference own = own_reference(p.problem);
    p.reference = std::move(own.reference), p.reference_kind = std::move(own.kind), own_error = own.error;
  }
  ConvergenceTable table{method, {}, {}, by_rtol ? Knob::rtol : Knob::step};
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double one[] = {values[k]};
    const auto part = [&](double x) {
      progress((static_cast<double>(k) + x) / static_cast<double>(values.size()));
    };
    table.rows.push_back(
        convergence(p, method, one, control_for(p.problem, part), {}, table.knob).rows.front());
  }
  fit_orders(table);
  Json out = cli::to_json(c.entry().name, c.parameters(), table);
  out["reference"] = p.reference_kind;
  if (own_error > 0) out["reference_error"] = cli::number(own_error);
  return out;
}

}  // namespace saltus::web
