#include <algorithm>
#include <iostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/components.hpp"
#include "saltus/cli/coordinate_labels.hpp"
#include "saltus/cli/csv.hpp"
#include "saltus/cli/extension.hpp"
#include "saltus/cli/ledger_report.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/run_files.hpp"
#include "saltus/cli/study_output.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/figure/snapshot.hpp"
#include "saltus/figure/space_time.hpp"
#include "saltus/result/contact_file.hpp"
#include "saltus/result/tries.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/study/digits.hpp"

namespace saltus::cli {
namespace {

constexpr std::size_t usual_profiles = 5;

// Keeps each `every`-th sample and the last one, and all events.
Sink thinned(Trajectory& trajectory, int every) {
  if (every == 1) return trajectory.sink();
  return [&trajectory, every, k = std::int64_t{0}](const Segment& s) mutable {
    const int m = s.multipliers;
    if (trajectory.size() == 0) trajectory.add(s.begin.t, s.begin.q, s.begin.u, true, s.begin.aux.head(m));
    for (const Event& e : s.events) trajectory.add_event(e);
    trajectory.add_dense(s);
    if (++k % every == 0) trajectory.add(s.end.t, s.end.q, s.end.u, s.grid_point, s.end.aux.head(m));
  };
}

// Whether somebody asks for states on the way. Systems of first order have nothing else in a trajectory but
// events.
bool wants_states(const RunOptions& o, const CatalogProblem& p) {
  return p.problem.system->family() != Family::first_order || !o.csv.empty() || !o.figure.empty() ||
         !o.space_time.empty() || !o.profiles.empty() || (o.times.any() && (o.forces.empty() || o.json)) ||
         (p.reference && !o.no_error && !o.from);
}

void check_memory(const Problem& p, const Method& m, int every) {
  const auto* adaptive = std::get_if<AdaptiveSteps>(&m.stepping);
  if (!(step_of(m.stepping) > 0) || (adaptive && adaptive->h == 0))
    return;  // nobody knows how many steps a tolerance needs
  const double steps = static_cast<double>(step_count(p.t0, p.t_end, step_of(m.stepping))) / every;
  const double bytes = steps * 8 * static_cast<double>(1 + p.q0.size() + p.u0.size());
  if (bytes > 4e9)
    fail(
        "the trajectory would take {:.1f} GB of memory; keep fewer samples with --every K, or write\n  them "
        "to a file only: -o FILE.h5 --no-error",
        bytes / 1e9);
}

std::span<const std::string> names_of(const RunOptions& o) {
  const LoadedScene* scene = o.target.scene();
  return scene ? std::span<const std::string>(scene->coordinates) : std::span<const std::string>();
}

std::vector<int> components_of(const RunOptions& o, const Problem& p) {
  if (!o.components.empty() && o.figure.empty() && o.csv.empty())
    fail("--components chooses what --figure and a CSV file show; give one of them too");
  return parse_components(o.components, names_of(o), std::max(p.q0.size(), p.u0.size()));
}

void check_space_time(const RunOptions& o) {
  if (parse_wave_quantity(o.quantity) == WaveQuantity::force && !o.space_time.empty() && o.every > 1)
    fail("--space-time of forces needs the impulses of every step; leave --every out");
}

void check_tries(const RunOptions& o, const Method& method) {
  if (o.tries.empty() || std::holds_alternative<SwitchingSteps>(method.stepping)) return;
  fail("--tries writes the tries of stepping switching; this run has stepping {}", name_of(method.stepping));
}

void write_files(const RunOptions& o, const CatalogProblem& p, const Trajectory& trajectory,
                 const LevelHistory* levels, RunReport& report) {
  if (!o.csv.empty()) {
    CsvOptions options{names_of(o), components_of(o, p.problem)};
    if (o.times.any()) levels = nullptr;
    if (levels) options.levels = levels->list();
    options.contact_name = [&](std::uint64_t id) { return report.dynamics->contact_name(id); };
    write_csv(o.csv, report.samples ? *report.samples : trajectory, options);
    report.files.push_back(o.csv);
  }
  const auto title = fmt::format("{}, {}", report.problem, saltus::to_text(report.method.scheme));
  Written written;
  if (!o.figure.empty()) {
    auto panels = trajectory_panels(trajectory, o.no_error ? nullptr : p.reference.get(), title,
                                    components_of(o, p.problem), labels_of(o.target, p.problem));
    if (report.system)
      for (auto& panel : mode_panels(trajectory, *report.system)) panels.push_back(std::move(panel));
    written.figure(o.figure, panels);
  }
  if (!o.space_time.empty()) {
    const Panel panel = space_time_panel(trajectory, p.problem.system.get(), parse_wave_quantity(o.quantity),
                                         title, labels_of(o.target, p.problem));
    written.figure(o.space_time, {&panel, 1});
  }
  if (!o.profiles.empty()) {
    std::vector<double> times = o.times.listed();
    const double t0 = p.problem.t0, span = report.result.final.t - t0;
    for (int k = 1; times.size() < usual_profiles && o.times.at.empty(); ++k)
      times.push_back(t0 + span * k / usual_profiles);
    const Panel panel = profile_panel(trajectory, p.problem.system.get(), parse_wave_quantity(o.quantity),
                                      times, title, labels_of(o.target, p.problem));
    written.figure(o.profiles, {&panel, 1});
  }
  report.files.insert(report.files.end(), written.files.begin(), written.files.end());
  report.trouble = written.trouble;
}

// Forces of the contacts of a chain, while the run goes on.
std::optional<ContactRecord> record_of(const RunOptions& o, const Problem& problem) {
  if (o.forces.empty() && o.contacts.empty()) return {};
  if (o.forces.empty()) fail("--contacts chooses what --forces writes: give a file with --forces");
  const Chain* chain = as_chain(problem.system.get());
  if (!chain)
    fail("--forces {}: forces of contacts are recorded of chains of beads, and this problem is none",
         o.forces);
  return ContactRecord(problem, parse_contacts(o.contacts, *chain, "--contacts"), o.times.record(o.every));
}

// Refused before the run, not after it.
void check_snapshot(const RunOptions& o, const CatalogProblem& p, const std::string& problem) {
  Sketch sketch;
  if (o.snapshot.empty()) return;
  const System* system = as_mechanical(p.problem.system.get());
  if (!system || !system->sketch(p.problem.t0, p.problem.q0, sketch))
    fail("--snapshot: {} has no picture of its bodies; --figure draws positions and velocities over time",
         problem);
}

void write_snapshot(const RunOptions& o, RunReport& report) {
  if (o.snapshot.empty()) return;
  Sketch sketch;
  const State& x = report.result.final;
  report.system->sketch(x.t, x.q, sketch);
  write_file(o.snapshot, to_svg(sketch, fmt::format("{} at t = {:.6g} s", report.problem, x.t)));
  report.files.push_back(o.snapshot);
}

// What the scene says about files, unless the command line does.
RunOptions with_record(RunOptions o) {
  if (!o.every_text.empty()) o.every = steps_a_sample(o.every_text, o.times);
  o.times.check();
  if (!o.output.empty() && !is_result_name(o.output)) o.csv = std::exchange(o.output, "");
  if (const LoadedScene* scene = o.target.scene(); scene && !o.from) {
    const SceneRecord& r = scene->scene.record;
    if (o.output.empty() && o.csv.empty()) o.output = r.results.text, o.csv = r.csv.text;
    if (o.figure.empty()) o.figure = r.figure.text;
    if (o.forces.empty() && o.contacts.empty()) {
      o.forces = r.forces.text;
      for (const Word& w : r.contacts.list) o.contacts += (o.contacts.empty() ? "" : ",") + w.text;
    }
    if (o.every == 1) o.every = r.every.value;
    if (o.components.empty() && !(o.csv.empty() && o.figure.empty()))
      for (const Word& w : r.what.list) o.components += (o.components.empty() ? "" : ",") + w.text;
  }
  return o;
}

Measures measures_of(const RunOptions& o, const RunReport& report) {
  const LoadedScene* scene = o.target.scene();
  if (!scene) return {{}, report.parameters};
  std::vector<Measure> list;
  for (const auto& text : scene->measures) list.push_back(parse_measure(text));
  return {std::move(list), report.parameters, scene->coordinates, scene->velocities};
}

/// The run, with the measures of a scene and an estimate of their errors.
void run_measured(const RunOptions& o, const CatalogProblem& p, const Sink& sink, const RunControl& control,
                  const Checkpoints& points, RunReport& report) {
  const Measures measures = measures_of(o, report);
  MeasuredCase c{p, report.method, report.parameters};
  DigitsFound found;
  if (o.digits > 0) {
    found = find_digits(measures, c, o.digits, control, names_of(o));
    c.method = report.method = found.method;
  }
  const auto values =
      o.no_estimate ? measures.run(c, control, report.result, sink, points)
                    : run_with_estimate(measures, c, control, report.result, report.estimate, sink, points);
  for (std::size_t k = 0; k < values.size(); ++k)
    report.measures.emplace_back(measures.list()[k].name, values[k]);
  for (const std::string& w : found.missing) report.result.warnings.push_back(w);
}

// Digits need a run by tolerance; without one the first tolerance is that of the digits. What a scene says
// counts where the command line names no method.
void ask_for_digits(RunOptions& o) {
  if (const LoadedScene* scene = o.target.scene(); scene && !o.from) {
    const TargetOptions& t = o.target;
    const SceneRun& run = scene->scene.run;
    if (o.digits == 0 && (t.scheme + t.stepping + t.rtol + t.atol + o.h).empty() && !o.no_estimate) {
      o.digits = run.digits.value;
      if (o.digits > 0) return;  // its tolerance is the scene's
    }
    if (o.digits == 0 && !run.estimate) o.no_estimate = true;
  }
  if (o.digits == 0) return;
  if (o.no_estimate) fail("--digits needs the estimate of errors: leave --no-estimate out");
  if (o.target.rtol.empty()) o.target.rtol = fmt::format("1e-{}", o.digits);
}

// The same run with a smaller tolerance, where errors are above the one that was asked for.
std::optional<RunOptions> tighter_run(const RunOptions& o, RunReport& report) {
  const auto* steps = std::get_if<ToleranceSteps>(&report.method.stepping);
  if (!report.estimate || !steps || o.digits > 0 || o.from) return {};
  const double asked = o.tightened ? o.asked_rtol : steps->rtol;
  if (o.tightened) report.estimate->asked_rtol = asked, report.estimate->runs = o.runs;
  if (o.runs >= most_tightened_runs) return {};
  const auto method = tightened(report.method, asked, report.result, *report.estimate);
  if (!method) return {};
  RunOptions again = o;
  again.tightened = method, again.asked_rtol = asked, ++again.runs;
  return again;
}

/// One run with all of its files; `next` is filled where it is to be repeated, and then nothing is reported.
int execute_once(const RunOptions& o, std::optional<RunOptions>& next) {
  const CatalogEntry& entry = o.target.entry();
  const Settings settings = o.target.settings();
  const CatalogProblem p = o.target.problem();
  RunReport report;
  report.problem = entry.name;
  report.parameters = entry.resolve(settings);
  // both are about steps of a scheme that are the same for all contacts
  const bool by_steps = !o.dump_at.empty() || !o.tries.empty();
  report.method = by_steps ? o.target.method(p, o.h) : o.target.run_method(p, o.h);
  if (o.tightened) report.method = *o.tightened;
  if (const LoadedScene* scene = o.target.scene())
    report.coordinates = scene->coordinates, report.velocities = scene->velocities;
  report.extended = o.extended;
  using Kind = OutputName::Kind;
  check_outputs({{"-o", o.csv},
                 {"-o", o.output},
                 {"--figure", o.figure, Kind::figure},
                 {"--space-time", o.space_time, Kind::figure},
                 {"--profiles", o.profiles, Kind::figure},
                 {"--forces", o.forces},
                 {"--snapshot", o.snapshot, Kind::svg},
                 {"--tries", o.tries},
                 {"--dump-file", o.dump_file}});
  check_snapshot(o, p, entry.name);
  ContactDump dump(o, p, report.method);
  check_space_time(o);
  check_tries(o, report.method);
  components_of(o, p.problem);
  CheckpointFile checkpoints(o, p, report);
  ResultStream stream(o, p, report);
  const bool states = wants_states(o, p);
  if (!stream.only() && states) check_memory(p.problem, report.method, o.every);

  Trajectory trajectory;
  trajectory.dense_limit = static_cast<std::size_t>(dense_bytes(o));
  trajectory.keep_impulses = !o.figure.empty() || !o.space_time.empty();  // they show modes and forces
  std::optional<LevelHistory> levels;
  const System* system = as_mechanical(p.problem.system.get());
  if (system && !o.csv.empty() && std::holds_alternative<GeneralizedAlpha>(report.method.scheme))
    levels.emplace(*system, trajectory);
  Sink keep = states ? thinned(trajectory, o.every) : [](const Segment&) {};
  if (levels) keep = levels->around(std::move(keep));
  std::optional<ContactRecord> forces = record_of(o, p.problem);
  if (forces)
    keep = [&forces, next = std::move(keep)](const Segment& s) {
      (*forces)(s);
      next(s);
    };
  ProgressBar bar;
  RunControl control;
  control.interrupt = &interrupted;
  control.trust = parse_trust(o.trust);
  const double t0 = p.problem.t0, span = std::max(p.problem.t_end - t0, 1e-300);
  control.progress = [&](double t, std::int64_t) { bar.show((t - t0) / span); };
  std::vector<Attempt> tries;
  if (!o.tries.empty()) control.attempt = [&](const Attempt& a) { tries.push_back(a); };
  run_measured(o, p, dump.around(stream.around(std::move(keep))), control,
               stream.around(checkpoints.points()), report);
  next = tighter_run(o, report);
  if (next) return success;
  if (const std::string note = samples_note(trajectory);
      states && !note.empty() && (o.times.any() || trajectory.dense_until() < infinity) &&
      o.dense_megabytes > 0)
    report.result.warnings.push_back(note);
  stream.finish(o, report);
  checkpoints.finish(report);
  dump.finish(report);
  report.system = system;
  report.dynamics = p.problem.system.get();
  const State& final = report.result.final;
  if (trajectory.size() == 0 || trajectory.t(trajectory.size() - 1) < final.t) {
    trajectory.add(final.t, final.q, final.u, true, final.aux.head(trajectory.multipliers()));
    if (levels) levels->keep(final);
  }
  report.trajectory = &trajectory;
  if (o.times.any() && states) report.samples = o.times.of(trajectory);
  report.streamed = stream.only();

  if (o.no_error) report.error_note = "not compared (--no-error)";
  if (o.from) report.error_note = "a part of a run is not compared with the reference";
  if (p.reference && !o.no_error && !o.from && trajectory.size() > 1) {
    if (trajectory.t(trajectory.size() - 1) <= p.reference->valid_until()) {
      report.error = compare(trajectory, *p.reference);
      report.reference_kind = p.reference_kind;
    } else {
      report.error_note =
          fmt::format("the reference is good up to t = {:.6g} only", p.reference->valid_until());
    }
  }
  write_files(o, p, trajectory, levels ? &*levels : nullptr, report);
  if (forces) {
    forces->finish(final);
    write_contacts(o.forces, *forces);
    report.files.push_back(o.forces);
  }
  write_snapshot(o, report);
  if (!o.tries.empty()) {
    write_tries(o.tries, tries);
    report.files.push_back(o.tries);
  }
  if (o.json)
    std::cout << json_text(to_json(report)) << "\n";
  else
    std::cout << to_text(report);
  if (report.result.status == RunStatus::finished && report.result.stats.unsolved == 0)
    return report.trouble.empty() ? success : unfinished;
  std::cerr << "saltus: " << to_string(report.result.status) << ": " << report.result.message << "\n";
  return unfinished;
}

int execute(const RunOptions& given) {
  json_wanted = given.json;
  RunOptions chosen = with_record(given);
  ask_for_digits(chosen);
  std::optional<RunOptions> next = std::move(chosen);
  int code = success;
  while (next) {
    const RunOptions now = *std::exchange(next, std::nullopt);
    code = execute_once(now, next);
  }
  return code;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* c = app.add_subcommand("run", "simulate a problem and report events, energy, error and cost");
  options->target.add_to(*c, true);
  c->add_option("--h", options->h, "step size; T/h is rounded up to an integer")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  c->add_option("-o,--output", options->output,
                "write the trajectory: FILE.h5 (HDF5, while the run goes on), else CSV");
  c->add_option("--figure", options->figure, "draw positions and velocities (.svg or .png)");
  c->add_option("--components", options->components,
                "which coordinates --figure and CSV show: 0,5,10, or names of a scene");
  c->add_option("--space-time", options->space_time, "draw index over time in colours (.svg or .png)");
  c->add_option("--quantity", options->quantity,
                "of --space-time and --profiles: q (displacement), u (default), force (of contacts)");
  c->add_option("--profiles", options->profiles,
                "draw --quantity along a chain at the times of --at, at five when left out (.svg or .png)");
  c->add_option(
      "--forces", options->forces,
      "write overlap, force and energy of contacts of a chain: FILE.h5 (HDF5), else CSV; times as of --at "
      "and --every");
  c->add_option("--contacts", options->contacts,
                "which contacts --forces writes: 1,5,12, from:to:by, -1 for the last; all when left out");
  c->add_option("--snapshot", options->snapshot, "draw the bodies at the end (.svg)");
  c->add_option("--every", options->every_text,
                "keep every K-th sample only; with a unit, as 0.1s: states at such times (CSV, --json)");
  c->add_option("--at", options->times.at,
                "states at these times, as 0.5,1.2,events: from dense output where there is some");
  c->add_option("--dense", options->dense_megabytes,
                "runs by tolerance: MB of polynomials between samples that are kept (default 256; 0: none)")
      ->check(CLI::Range(0.0, 1e6));
  c->add_option("--tries", options->tries, "write every try of stepping switching: FILE.h5 (HDF5), else CSV");
  c->add_option("--dump-contact-problem-at", options->dump_at,
                "write the contact problem of the step at this time");
  c->add_option("--dump-file", options->dump_file,
                "where to: .fcp (contact-problem.fcp by default), .hdf5 or .h5");
  c->add_option("--checkpoint", options->checkpoint,
                "every=STEPS[,file=NAME]: save where the run stands, for saltus resume");
  c->add_option("--trust", options->trust,
                "energy=E,penetration=P,drift=D,motion=M: what the ledger may show without a warning");
  c->add_option("--digits", options->digits,
                "tighten the tolerance until every measure (or final coordinate) has so many digits")
      ->check(CLI::Range(1, 13));
  c->add_flag("--no-estimate", options->no_estimate,
              "a run by tolerance without an estimate of its error, in half the time");
  c->add_flag("--no-error", options->no_error, "do not compare with the reference");
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, &action] { action = [options] { return execute(*options); }; });
}

void add_resume(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  auto file = std::make_shared<std::string>(), t_end = std::make_shared<std::string>();
  CLI::App* c =
      app.add_subcommand("resume", "go on with a run from its checkpoint: the same steps, bit by bit");
  c->add_option("FILE", *file, "a checkpoint (saltus run … --checkpoint every=STEPS)")->required();
  c->add_option("--t-end", *t_end, "go on beyond the end of the run, to this time");
  c->add_option("-o,--output", options->output,
                "write the rest into a file of its own: FILE.h5 or CSV; by default the run's file grows on");
  c->add_option("--checkpoint", options->checkpoint,
                "every=STEPS[,file=NAME]; as the run did, into FILE, when neither this nor -o is given");
  c->add_option("--trust", options->trust,
                "energy=E,penetration=P,drift=D,motion=M: what the ledger may show without a warning");
  c->add_flag("--no-error", options->no_error, "keep nothing in memory but what the file needs");
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, file, t_end, &action] {
    action = [options, file, t_end] {
      json_wanted = options->json;
      RunOptions& o = *options;
      o.from = load_checkpoint(*file);
      SavedRun& r = *o.from;
      o.target.target = r.problem;
      if (r.scene.empty())
        find_problem(r.problem);  // its text is in the checkpoint, or it is of the catalog: no file is read
      else
        o.target.scene_text = r.scene, o.target.sets = r.changes;
      if (o.output.empty() && !r.output.empty()) check_named_by_checkpoint(r.output, *file);
      r.output = named_by_checkpoint(r.output, *file);
      if (o.output.empty() || same_file(o.output, r.output)) {
        o.output = r.output, o.every = static_cast<int>(r.output_every);
        if (o.checkpoint.empty()) o.from_file = *file;  // with a file of its own the rest leaves it as it is
        if (!r.csv.empty())
          std::cerr << "saltus: " << r.csv
                    << " is not written by resume; record HDF5, or give -o for the rest\n";
      }
      o.no_error = o.no_error || r.no_error;
      for (const auto& [key, value] : r.settings) o.target.parameters.push_back(key + "=" + value);
      o.target.scheme = r.scheme, o.target.stepping = r.stepping, o.target.solver = r.solver;
      o.target.accept_penetration = r.accept_penetration;
      o.target.breakpoints = r.ends;
      if (!t_end->empty()) extend(o, *t_end);
      o.target.t_end = fmt::format("{}", r.t_end);
      return execute(o);
    };
  });
}

}  // namespace saltus::cli
