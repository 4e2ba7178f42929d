#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/extension.hpp"
#include "saltus/cli/finished_run.hpp"
#include "saltus/cli/ledger_report.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/run_files.hpp"
#include "saltus/cli/run_outputs.hpp"
#include "saltus/cli/study_output.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/threads/thread_tandem.hpp"
#include "saltus/core/threads/worker_team.hpp"
#include "saltus/result/tries.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/study/digits.hpp"

namespace saltus::cli {
namespace {

// Whether somebody asks for states on the way. Systems of first order have nothing else in a trajectory but
// events.
bool wants_states(const RunOptions& o, const CatalogProblem& p) {
  return p.problem.system->family() != Family::first_order || !o.csv.empty() || !o.figure.empty() ||
         !(o.space_time + o.profiles + o.animate + o.page).empty() ||
         (o.times.any() && ((o.forces.empty() && o.force_figure.empty()) || o.json)) ||
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
                  const Checkpoints& points, RunReport& report, std::shared_ptr<CompanionRun>& companion) {
  const Measures measures = measures_of(o, report);
  MeasuredCase c{p, report.method, report.parameters};
  DigitsFound found;
  if (o.digits > 0) {
    found = find_digits(measures, c, o.digits, control, names_of(o));
    c.method = report.method = found.method;
  }
  const auto values = o.no_estimate ? measures.run(c, control, report.result, sink, points)
                                    : run_with_estimate(measures, c, control, report.result, report.estimate,
                                                        sink, points, &companion);
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
std::optional<RunOptions> tighter_run(const RunOptions& o, RunReport& report,
                                      std::shared_ptr<CompanionRun> companion) {
  if (!report.estimate || o.digits > 0 || o.from) return {};
  RunOptions again = o;
  again.tightened = again.tightening.next(report.method, report.result, *report.estimate, companion);
  if (!again.tightened) return {};
  again.companion = std::move(companion);
  return again;
}

/// One run with all of its files; `next` is filled where it is to be repeated, and then nothing is reported.
int execute_once(const RunOptions& o, std::optional<RunOptions>& next, Console& io) {
  const CatalogEntry& entry = o.target.entry();
  const Settings settings = o.target.settings();
  FinishedRun run{o.target.problem(), std::make_unique<Trajectory>(), {}, {}, {}};
  const CatalogProblem& p = run.problem;
  RunReport& report = run.report;
  report.problem = entry.name;
  report.parameters = entry.resolve(settings);
  // both are about steps of a scheme that are the same for all contacts
  const bool by_steps = !o.dump_at.empty() || !o.tries.empty();
  report.method = by_steps ? o.target.method(p, o.h) : o.target.run_method(p, o.h);
  if (o.tightened) report.method = *o.tightened;
  if (const LoadedScene* scene = o.target.scene())
    report.coordinates = scene->coordinates, report.velocities = scene->velocities;
  report.extended = o.extended;
  check_run_outputs(o, p, report.method);
  ContactDump dump(o, p, report.method);
  CheckpointFile checkpoints(o, p, report);
  ResultStream stream(o, p, report, io.interrupted);
  const bool states = io.take_run || wants_states(o, p);
  if (!stream.only() && states) check_memory(p.problem, report.method, o.every);

  Trajectory& trajectory = *run.trajectory;
  trajectory.dense_limit = static_cast<std::size_t>(dense_bytes(o));
  // they show modes and forces
  trajectory.keep_impulses = io.take_run || !(o.figure + o.space_time + o.animate + o.page).empty();
  std::optional<LevelHistory> levels;
  const System* system = as_mechanical(p.problem.system.get());
  if (system && !o.csv.empty() && std::holds_alternative<GeneralizedAlpha>(report.method.scheme))
    levels.emplace(*system, trajectory);
  Sink keep = io.take_run ? run.notes.sink(trajectory, o.every)
              : states    ? thinned(trajectory, o.every)
                          : [](const Segment&) {};
  if (levels) keep = levels->around(std::move(keep));
  std::optional<ContactRecord> forces = record_of(o, p.problem);
  if (forces)
    keep = [&forces, next = std::move(keep)](const Segment& s) {
      (*forces)(s);
      next(s);
    };
  std::optional<ForceTimes> reactions;
  if (system && o.json && !o.times.listed().empty()) {
    reactions.emplace(*system, o.times.listed(), std::holds_alternative<RungeKutta>(report.method.scheme));
    keep = [&reactions, next = std::move(keep)](const Segment& s) {
      (*reactions)(s);
      next(s);
    };
  }
  ProgressBar bar(0, io.progress);
  RunControl control;
  control.interrupt = &io.interrupted;
  control.trust = parse_trust(o.trust);
  const double t0 = p.problem.t0, span = std::max(p.problem.t_end - t0, 1e-300);
  control.progress = [&](double t, std::int64_t) { bar.show((t - t0) / span); };
  std::vector<Attempt> tries;
  if (!o.tries.empty()) control.attempt = [&](const Attempt& a) { tries.push_back(a); };
  ThreadTandem tandem;
  if (team()) control.tandem = &tandem;
  const auto began = std::chrono::steady_clock::now();
  std::shared_ptr<CompanionRun> companion = o.companion;
  run_measured(o, p, dump.around(stream.around(std::move(keep))), control,
               stream.around(checkpoints.points()), report, companion);
  if (o.threads >= 0) {
    report.threads = team() ? team()->size() : 1;
    report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  next = tighter_run(o, report, companion);
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
  for (int i = 0; reactions && report.samples && i < report.samples->size(); ++i)
    report.forces.push_back(reactions->at(report.samples->t(i), report.samples->q(i), report.samples->u(i)));
  report.streamed = stream.only();

  if (o.no_error) report.error_note = "not compared (--no-error)";
  if (o.from) report.error_note = "a part of a run is not compared with the reference";
  // who interrupts does not want to wait: a reference may take longer than the run
  const bool interrupted = report.result.status == RunStatus::interrupted;
  if (interrupted) report.error_note = "not compared: the run was interrupted";
  if (p.reference && !o.no_error && !o.from && !interrupted && trajectory.size() > 1) {
    if (trajectory.t(trajectory.size() - 1) <= p.reference->valid_until()) {
      report.error = compare(trajectory, *p.reference);
      report.reference_kind = p.reference_kind;
    } else {
      report.error_note =
          fmt::format("the reference is good up to t = {:.6g} only", p.reference->valid_until());
    }
  }
  if (forces) forces->finish(final);
  write_run_outputs(o, p, trajectory, levels ? &*levels : nullptr, forces ? &*forces : nullptr, report, io);
  if (!o.tries.empty()) {
    write_tries(o.tries, tries);
    report.files.push_back(o.tries);
  }
  const bool finished = report.result.status == RunStatus::finished && report.result.stats.unsolved == 0;
  run.success = finished && report.trouble.empty();
  if (io.take_run) {
    run.info = result_info(o, p, report);
    const bool good = run.success;
    io.take_run(std::move(run));
    return good ? success : unfinished;
  }
  if (o.json)
    io.out << json_text(to_json(report)) << "\n";
  else
    io.out << to_text(report);
  if (finished) return run.success ? success : unfinished;
  io.err << "saltus: " << to_string(report.result.status) << ": " << report.result.message << "\n";
  return unfinished;
}

void add_threads(CLI::App& app, RunOptions& options) {
  app.add_option("--threads", options.threads,
                 "threads that share the work of one run (default 1; 0: one per core); results are the same")
      ->check(CLI::Range(0, 1024));
}

int execute(const RunOptions& given, Console& io) {
  io.json = given.json;
  const TeamOfThread workers(given.threads < 0 ? 1 : given.threads);
  RunOptions chosen = with_record(given);
  ask_for_digits(chosen);
  std::optional<RunOptions> next = std::move(chosen);
  int code = success;
  while (next) {
    const RunOptions now = *std::exchange(next, std::nullopt);
    code = execute_once(now, next, io);
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
  c->add_option("--force-figure", options->force_figure, "draw these forces over time (.svg or .png)");
  c->add_option("--contacts", options->contacts,
                "which contacts --forces and --force-figure show: 1,5,12, from:to:by, -1 for the last; all "
                "when left out");
  c->add_option("--snapshot", options->snapshot, "draw the bodies at the end (.svg)");
  c->add_option(
      "--animate", options->animate,
      "the motion as a page that is complete in itself (.html), or as a film (.gif, .mp4; by ffmpeg)");
  c->add_option("--report", options->page,
                "the same with method, accuracy, ledger, events and figures (.html)");
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
  add_threads(*c, *options);
  c->add_flag("--no-estimate", options->no_estimate,
              "a run by tolerance without an estimate of its error, in half the time");
  c->add_flag("--no-error", options->no_error, "do not compare with the reference");
  c->add_flag("--json", options->json, "print one JSON object");
  // The options are as new afterwards: callers in this process parse more than once.
  c->callback([options, &action] {
    action = [options](Console& io) { return execute(std::exchange(*options, RunOptions{}), io); };
  });
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
  add_threads(*c, *options);
  c->add_flag("--no-error", options->no_error, "keep nothing in memory but what the file needs");
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, file, t_end, &action] {
    action = [options, file, t_end](Console& io) {
      io.json = options->json;
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
          io.err << "saltus: " << r.csv
                 << " is not written by resume; record HDF5, or give -o for the rest\n";
      }
      o.no_error = o.no_error || r.no_error;
      for (const auto& [key, value] : r.settings) o.target.parameters.push_back(key + "=" + value);
      o.target.scheme = r.scheme, o.target.stepping = r.stepping, o.target.solver = r.solver;
      o.target.accept_penetration = r.accept_penetration;
      o.target.breakpoints = r.ends;
      if (!t_end->empty()) extend(o, *t_end);
      o.target.t_end = fmt::format("{}", r.t_end);
      return execute(o, io);
    };
  });
}

}  // namespace saltus::cli
