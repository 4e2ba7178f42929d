#include <iostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/cli/target.hpp"
#include "saltus/core/error.hpp"
#include "saltus/study/figure.hpp"
#include "saltus/study/snapshot.hpp"

namespace saltus::cli {
namespace {

struct RunOptions {
  TargetOptions target;
  std::string h, output, figure, snapshot;
  bool json = false, no_error = false;
  int every = 1;
};

// Keeps each `every`-th sample and the last one, and all events.
Sink thinned(Trajectory& trajectory, int every) {
  if (every == 1) return trajectory.sink();
  return [&trajectory, every, k = 0L](const Segment& s) mutable {
    if (trajectory.size() == 0) trajectory.add(s.begin.t, s.begin.q, s.begin.u);
    for (const Event& e : s.events) trajectory.add_event(e);
    if (++k % every == 0) trajectory.add(s.end.t, s.end.q, s.end.u, s.grid_point);
  };
}

void check_memory(const Problem& p, const Method& m, int every) {
  const double steps = static_cast<double>(step_count(p.t0, p.t_end, step_of(m.stepping))) / every;
  const double bytes = steps * 8 * static_cast<double>(1 + p.q0.size() + p.u0.size());
  if (bytes > 4e9)
    fail("the trajectory would take {:.1f} GB of memory; keep fewer samples with --every K", bytes / 1e9);
}

void write_files(const RunOptions& o, const CatalogProblem& p, const Trajectory& trajectory,
                 RunReport& report) {
  if (!o.output.empty()) {
    write_csv(o.output, trajectory);
    report.files.push_back(o.output);
  }
  if (!o.figure.empty()) {
    const auto title = fmt::format("{}, {}", report.problem, saltus::to_text(report.method.scheme));
    auto panels = trajectory_panels(trajectory, p.reference.get(), title);
    if (report.system)
      for (auto& panel : mode_panels(trajectory, *report.system)) panels.push_back(std::move(panel));
    const auto trouble = draw(o.figure, panels);
    if (trouble.empty())
      report.files.push_back(o.figure);
    else
      std::cerr << "saltus: " << trouble << "\n";
  }
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
  write_text(o.snapshot, to_svg(sketch, fmt::format("{} at t = {:.6g} s", report.problem, x.t)));
  report.files.push_back(o.snapshot);
}

int execute(const RunOptions& o) {
  json_wanted = o.json;
  const CatalogEntry& entry = o.target.entry();
  const Settings settings = o.target.settings();
  const CatalogProblem p = o.target.problem();
  RunReport report;
  report.problem = entry.name;
  report.parameters = entry.resolve(settings);
  report.method = o.target.method(p, o.h);
  check_memory(p.problem, report.method, o.every);
  check_snapshot(o, p, entry.name);

  Trajectory trajectory;
  trajectory.keep_impulses = !o.figure.empty();  // the figure shows the modes
  ProgressBar bar;
  RunControl control;
  control.interrupt = &interrupted;
  const double t0 = p.problem.t0, span = std::max(p.problem.t_end - t0, 1e-300);
  control.progress = [&](double t, long) { bar.show((t - t0) / span); };
  report.result = run(p.problem, report.method, thinned(trajectory, o.every), control);
  report.system = as_mechanical(p.problem.system.get());
  const State& final = report.result.final;
  if (trajectory.size() == 0 || trajectory.t(trajectory.size() - 1) < final.t)
    trajectory.add(final.t, final.q, final.u);
  report.trajectory = &trajectory;

  if (p.reference && !o.no_error && trajectory.size() > 1) {
    if (trajectory.t(trajectory.size() - 1) <= p.reference->valid_until()) {
      report.error = compare(trajectory, *p.reference);
      report.reference_kind = p.reference_kind;
    } else {
      report.error_note =
          fmt::format("the reference is good up to t = {:.6g} only", p.reference->valid_until());
    }
  }
  write_files(o, p, trajectory, report);
  write_snapshot(o, report);
  if (o.json)
    std::cout << to_json(report).dump(2) << "\n";
  else
    std::cout << to_text(report);
  if (report.result.status == RunStatus::finished && report.result.stats.unsolved == 0) return success;
  std::cerr << "saltus: " << to_string(report.result.status) << ": " << report.result.message << "\n";
  return unfinished;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* c = app.add_subcommand("run", "simulate a problem and report events, energy, error and cost");
  options->target.add_to(*c, true);
  c->add_option("--h", options->h, "step size; T/h is rounded up to an integer")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  c->add_option("-o,--output", options->output, "write the trajectory as CSV");
  c->add_option("--figure", options->figure, "draw positions and velocities (.svg or .png)");
  c->add_option("--snapshot", options->snapshot, "draw the bodies at the end (.svg)");
  c->add_option("--every", options->every, "keep every K-th sample only")->check(CLI::PositiveNumber);
  c->add_flag("--no-error", options->no_error, "do not compare with the reference");
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, &action] { action = [options] { return execute(*options); }; });
}

}  // namespace saltus::cli
