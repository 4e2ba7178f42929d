#include "saltus/cli/run_outputs.hpp"

#include <algorithm>

#include "saltus/cli/components.hpp"
#include "saltus/cli/coordinate_labels.hpp"
#include "saltus/cli/run_pages.hpp"
#include "saltus/cli/study_output.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/figure/snapshot.hpp"
#include "saltus/figure/space_time.hpp"
#include "saltus/result/contact_file.hpp"

namespace saltus::cli {
namespace {

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

void check_snapshot(const RunOptions& o, const CatalogProblem& p) {
  Sketch sketch;
  if (o.snapshot.empty()) return;
  const System* system = as_mechanical(p.problem.system.get());
  if (!system || !system->sketch(p.problem.t0, p.problem.q0, sketch))
    fail("--snapshot: {} has no picture of its bodies; --figure draws positions and velocities over time",
         o.target.entry().name);
  if (sketch.in_space())
    fail(
        "--snapshot draws bodies of the plane; --animate makes a page with bodies in space, {} is one of "
        "those",
        o.target.entry().name);
}

void write_snapshot(const RunOptions& o, RunReport& report) {
  if (o.snapshot.empty()) return;
  Sketch sketch;
  const State& x = report.result.final;
  report.system->sketch(x.t, x.q, sketch);
  write_file(o.snapshot, to_svg(sketch, fmt::format("{} at t = {:.6g} s", report.problem, x.t)));
  report.files.push_back(o.snapshot);
}

// Those of --at, else some that are evenly spaced.
std::vector<double> profile_times(const RunOptions& o, double t0, double t_end) {
  constexpr int usual_profiles = 5;
  std::vector<double> times = o.times.listed();
  if (!o.times.at.empty()) return times;
  for (int k = static_cast<int>(times.size()) + 1; k <= usual_profiles; ++k)
    times.push_back(t0 + (t_end - t0) * k / usual_profiles);
  return times;
}

}  // namespace

std::span<const std::string> names_of(const RunOptions& o) {
  const LoadedScene* scene = o.target.scene();
  return scene ? std::span<const std::string>(scene->coordinates) : std::span<const std::string>();
}

void check_run_outputs(const RunOptions& o, const CatalogProblem& p, const Method& method) {
  using Kind = OutputName::Kind;
  check_outputs({{"-o", o.csv},
                 {"-o", o.output},
                 {"--figure", o.figure, Kind::figure},
                 {"--space-time", o.space_time, Kind::figure},
                 {"--profiles", o.profiles, Kind::figure},
                 {"--forces", o.forces},
                 {"--force-figure", o.force_figure, Kind::figure},
                 {"--snapshot", o.snapshot, Kind::svg},
                 {"--animate", o.animate},
                 {"--report", o.page},
                 {"--tries", o.tries},
                 {"--dump-file", o.dump_file}});
  check_snapshot(o, p);
  check_pages(o);
  check_space_time(o);
  check_tries(o, method);
  components_of(o, p.problem);
}

void write_run_outputs(const RunOptions& o, const CatalogProblem& p, const Trajectory& trajectory,
                       const LevelHistory* levels, const ContactRecord* forces, RunReport& report,
                       Console& io) {
  if (!o.csv.empty()) {
    CsvOptions options{names_of(o), components_of(o, p.problem)};
    if (p.problem.q0.size() != p.problem.u0.size()) options.velocities = p.problem.velocities;
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
    written.figure(o.figure, panels, io);
  }
  if (!o.space_time.empty()) {
    const Panel panel = space_time_panel(trajectory, p.problem.system.get(), parse_wave_quantity(o.quantity),
                                         title, labels_of(o.target, p.problem));
    written.figure(o.space_time, {&panel, 1}, io);
  }
  if (!o.profiles.empty()) {
    const Panel panel = profile_panel(trajectory, p.problem.system.get(), parse_wave_quantity(o.quantity),
                                      profile_times(o, p.problem.t0, report.result.final.t), title,
                                      labels_of(o.target, p.problem));
    written.figure(o.profiles, {&panel, 1}, io);
  }
  if (forces && !o.force_figure.empty()) {
    const Panel panel = force_panel(*forces, title);
    written.figure(o.force_figure, {&panel, 1}, io);
  }
  if (forces && !o.forces.empty()) {
    write_contacts(o.forces, *forces);
    report.files.push_back(o.forces);
  }
  report.files.insert(report.files.end(), written.files.begin(), written.files.end());
  report.trouble = written.trouble;
  write_snapshot(o, report);
  write_pages(o, p, trajectory, report);
}

std::optional<ContactRecord> record_of(const RunOptions& o, const Problem& problem) {
  if (o.forces.empty() && o.force_figure.empty() && o.contacts.empty()) return {};
  if (o.forces.empty() && o.force_figure.empty())
    fail("--contacts chooses what --forces and --force-figure show: give a file with one of them");
  const Chain* chain = as_chain(problem.system.get());
  if (!chain)
    fail("{}: forces of contacts are recorded of chains of beads, and this problem is none",
         o.forces.empty() ? "--force-figure" : "--forces");
  ContactRecord record(problem, parse_contacts(o.contacts, *chain, "--contacts"), o.times.record(o.every));
  if (!o.force_figure.empty()) force_panel(record, "");  // whether they can be drawn is said before the run
  return record;
}

}  // namespace saltus::cli
