// Files of results: info, export, compare, plot.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/components.hpp"
#include "saltus/cli/coordinate_labels.hpp"
#include "saltus/cli/recorded_problem.hpp"
#include "saltus/cli/run_files.hpp"
#include "saltus/cli/sample_report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/figure/result_figure.hpp"
#include "saltus/figure/together.hpp"
#include "saltus/reference/own_reference.hpp"
#include "saltus/result/csv.hpp"
#include "saltus/result/distance.hpp"
#include "saltus/result/result.hpp"
#include "saltus/result/vtu.hpp"

namespace saltus::cli {
namespace {

struct Options {
  std::string file, other, to = "csv", output, what = "history", components;
  std::vector<std::string> files;  // of plot
  bool json = false;
  std::string every;
  SampleTimes times;
};

Json info_json(const ResultSummary& r, const std::string& file) {
  const auto& i = r.info;
  const auto if_any = [&](double x) { return r.samples > 0 ? number(x) : Json(); };
  return {{"file", file},
          {"layout", i.layout},
          {"version", i.version},
          {"problem", i.problem},
          {"settings", i.settings},
          {"method", {{"scheme", i.scheme}, {"stepping", i.stepping}, {"solver", i.solver}}},
          {"status", i.status},
          {"complete", r.complete},
          {"message", i.message},
          {"state_hash", i.state_hash},
          {"t", {if_any(r.t_first), if_any(r.t_last)}},
          {"t_end", number(i.t_end)},
          {"every", i.every},
          {"samples", r.samples},
          {"nq", r.nq},
          {"nu", r.nu},
          {"multipliers", r.multipliers},
          {"dense", {{"pieces", r.pieces}, {"until", number(r.dense_until)}}},
          {"events", r.events},
          {"contacts", r.contacts},
          {"energy", {if_any(r.energy_first), if_any(r.energy_last)}},
          {"contact_residual", number(r.contact_residual)}};
}

std::string info_text(const ResultSummary& r, const std::string& file) {
  const auto& i = r.info;
  std::string settings = i.settings;
  std::replace(settings.begin(), settings.end(), '\n', ' ');
  std::string out = fmt::format("{}: layout {}, saltus {}\n", file, i.layout, i.version);
  out += fmt::format("problem   {}  {}\n", i.problem, settings);
  out += fmt::format("method    {}; {}; {}\n", i.scheme, i.stepping, i.solver);
  out += r.complete ? fmt::format("status    {}: {}\n", i.status, i.message)
                    : "status    not closed: still running, or killed; this is what its last flush left\n";
  if (r.samples == 0) return out + "samples   none\n";
  out += fmt::format("samples   {} from t = {:.9g} to {:.9g} (of {:.9g}), {} coordinates, {} velocities{}\n",
                     r.samples, r.t_first, r.t_last, i.t_end, r.nq, r.nu,
                     i.every > 1 ? fmt::format("; one in {} steps and both sides of events", i.every) : "");
  if (r.pieces > 0)
    out += fmt::format(
        "dense     {} polynomials between samples{}\n", r.pieces,
        r.dense_until < infinity
            ? fmt::format(", up to t = {:.9g} only: their limit was reached (--dense)", r.dense_until)
            : "");
  std::string events;
  for (const auto& [kind, n] : r.events)
    events += fmt::format("{}{} {}", events.empty() ? "" : ", ", n, kind);
  out += fmt::format("events    {}\n", events.empty() ? "none" : events);
  if (std::isfinite(r.energy_first))
    out += fmt::format("energy    {:.8g} -> {:.8g}\n", r.energy_first, r.energy_last);
  out += fmt::format("residual  contact {:.1e}\n", r.contact_residual);
  if (!i.state_hash.empty()) out += fmt::format("hash      {} (of the last state)\n", i.state_hash);
  return out;
}

int info(const Options& o, Console& io) {
  io.json = o.json;
  o.times.check();
  const ResultSummary r = read_result_summary(o.file);
  std::optional<Trajectory> samples;
  std::string note;
  if (o.times.any()) {
    const Result all = read_result(o.file);
    samples = o.times.of(all.trajectory), note = samples_note(all.trajectory);
  }
  if (o.json) {
    Json out = info_json(r, o.file);
    if (samples) out["at"] = samples_json(*samples), out["at_note"] = note;
    io.out << json_text(out) << "\n";
  } else {
    io.out << info_text(r, o.file);
    if (samples) io.out << samples_text(*samples);
    if (!note.empty()) io.out << "warning   " << note << "\n";
  }
  return success;
}

std::string without_extension(const std::string& file) {
  return std::filesystem::path(file).replace_extension().string();
}

void say_how(const Result& r, Console& io) {
  if (const std::string note = samples_note(r.trajectory); !note.empty())
    io.out << "warning   " << note << "\n";
}

int export_vtu(const Options& o, const Result& r, const std::string& name, Console& io) {
  VtuOptions options;
  SampleTimes times = o.times;
  if (!o.every.empty()) options.every = steps_a_sample(o.every, times);
  Result chosen;
  if (times.any()) {
    chosen.trajectory = times.of(r.trajectory);
    options.every = 1;
  }
  std::string out = o.output.empty() ? name : o.output;
  if (out.ends_with(".pvd")) out.erase(out.size() - 4);
  const VtuReport report =
      write_vtu(out, times.any() ? chosen : r, *recorded_problem(r.info).problem.system, options);
  io.out << fmt::format("wrote     {} and {} frames in {}\n", report.pvd, report.frames, report.folder);
  if (times.any()) say_how(r, io);
  if (report.every > 1) io.out << fmt::format("          one frame in {} samples (--every)\n", report.every);
  if (report.lost > 0)
    io.out << fmt::format(
        "          {} acts of contacts that were open again at their frame are not drawn; record more "
        "samples\n",
        report.lost);
  return success;
}

int export_file(const Options& o, Console& io) {
  if (o.to != "csv" && o.to != "vtu") fail("--to {}: not one of csv, vtu", o.to);
  const Result r = read_result(o.file);
  const std::string name = without_extension(o.file);
  SampleTimes times = o.times;
  if (o.to == "csv" && !o.every.empty() && steps_a_sample(o.every, times) > 0 && !times.any())
    fail("--every {} is for --to vtu; a time between rows has a unit, as 0.1s", o.every);
  times.check();
  if (o.to == "vtu") return export_vtu(o, r, name, io);
  const std::string out = o.output.empty() ? name + ".csv" : o.output;
  if (same_file(out, o.file)) fail("-o {} is the file that is read", out);
  const auto names = lines_of(r.info.coordinates);
  const auto name_of = [&](std::uint64_t id) { return r.name(id); };
  if (times.any())
    write_csv(out, times.of(r.trajectory), {names, {}, {}, name_of}), say_how(r, io);
  else
    write_csv(out, r.trajectory, {names, {}, r.levels, name_of});
  io.out << "wrote     " << out << "\n";
  return success;
}

/// Distances of a file from the solution of its own problem: the system solved far below.
int compare_with_reference(const Options& o, Console& io) {
  const Result r = read_result(o.file);
  Problem p = recorded_problem(r.info).problem;
  if (r.trajectory.size() < 2) fail("{}: fewer than two samples have no distance", o.file);
  p.t_end = r.trajectory.t(r.trajectory.size() - 1);
  RunControl control;
  control.interrupt = &io.interrupted;
  const OwnReference own = own_reference(p, control);
  const TrajectoryError e = compare(r.trajectory, *own.reference);
  if (o.json) {
    io.out << json_text(Json{{"files", {o.file}},
                             {"reference", own.kind},
                             {"reference_error", number(own.error)},
                             {"distance", error_json(e)}})
           << "\n";
    return success;
  }
  io.out << fmt::format("{}: distances from the reference, {}, itself good to about {:.0e} in q\n", o.file,
                        own.kind, own.error)
         << error_text(e);
  return success;
}

int compare_files(const Options& o, Console& io) {
  io.json = o.json;
  if (o.other.empty()) return compare_with_reference(o, io);
  const Result a = read_result(o.file), b = read_result(o.other);
  const TrajectoryError e = distance(a.trajectory, b.trajectory);
  const bool same = a.complete && b.complete && a.info.state_hash == b.info.state_hash;
  if (o.json) {
    io.out << json_text(
                  Json{{"files", {o.file, o.other}}, {"distance", error_json(e)}, {"same_final_bits", same}})
           << "\n";
    return success;
  }
  io.out << fmt::format("{} and {}: distances, over the time that both have\n", o.file, o.other)
         << error_text(e) << "last state: " << (same ? "the same bits" : "not the same bits") << "\n";
  return success;
}

std::vector<Panel> panels_of(const Options& o, const std::string& file) {
  const Result r = read_result(file);
  return result_panels(r, o.what,
                       parse_components(o.components, lines_of(r.info.coordinates),
                                        std::max(r.trajectory.nq(), r.trajectory.nu())),
                       labels_of(r));
}

// Files by their names without folder and ending where these differ.
std::vector<std::string> short_names(const std::vector<std::string>& files) {
  std::vector<std::string> out;
  for (const auto& file : files) out.push_back(std::filesystem::path(file).stem().string());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (std::count(out.begin(), out.end(), out[i]) > 1) return files;
  return out;
}

int plot(const Options& o, Console& io) {
  const std::string out = o.output.empty() ? without_extension(o.files[0]) + ".svg" : o.output;
  for (const auto& file : o.files)
    if (same_file(out, file)) fail("-o {} is the file that is read", out);
  check_figure_file(out, "-o");
  std::vector<std::vector<Panel>> runs;
  for (const auto& file : o.files) runs.push_back(panels_of(o, file));
  const auto panels = runs.size() == 1 ? runs[0] : together(short_names(o.files), std::move(runs));
  if (const auto trouble = draw(out, panels); !trouble.empty()) fail("{}", trouble);
  io.out << "wrote     " << out << "\n";
  return success;
}

CLI::App* add(CLI::App& app, Action& action, const std::shared_ptr<Options>& options, const char* name,
              const char* help, int (*act)(const Options&, Console&)) {
  CLI::App* c = app.add_subcommand(name, help);
  c->add_option("FILE", options->file, "a file of results (saltus run … -o FILE.h5)")->required();
  c->callback(
      [options, &action, act] { action = [options, act](Console& io) { return act(*options, io); }; });
  return c;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* c = add(app, action, o, "info", "say what a file of results holds", info);
  c->add_option("--at", o->times.at, "and states at these times, as 0.5,1.2,events");
  c->add_flag("--json", o->json, "print one JSON object");
}

void add_export(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* c = add(app, action, o, "export", "write a file of results in another format", export_file);
  c->add_option("--to", o->to, "csv (default), or vtu: moving pictures for ParaView (.pvd)");
  c->add_option("--every", o->every,
                "a time, as 0.1s: rows or frames at such times; vtu also: samples per frame (default: at "
                "most 1000 frames)");
  c->add_option("--at", o->times.at, "rows or frames at these times, as 0.5,1.2,events");
  c->add_option("-o,--output", o->output, "where to; beside FILE by default");
}

void add_compare(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* c = add(app, action, o, "compare", "distances of two results in the norms of bounded variation",
                    compare_files);
  c->add_option("OTHER", o->other,
                "another one; without it, the solution of FILE's own problem, computed far below");
  c->add_flag("--json", o->json, "print one JSON object");
}

void add_plot(CLI::App& app, Action& action) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("plot", "draw files of results, several of them in one figure");
  c->add_option("FILE", o->files, "files of results (saltus run … -o FILE.h5)")->required();
  c->callback([o, &action] { action = [o](Console& io) { return plot(*o, io); }; });
  c->add_option("--what", o->what, "history (default), phase, energy, events, modes; several with commas");
  c->add_option("--components", o->components,
                "of history and phase: 0,5,10, or names of a scene (default: the first)");
  c->add_option("-o,--output", o->output, "the figure (.svg or .png); FILE.svg of the first by default");
}

}  // namespace saltus::cli
