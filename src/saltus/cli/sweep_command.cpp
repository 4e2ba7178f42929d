#include <cmath>
#include <filesystem>
#include <iostream>

#include "saltus/cli/accuracy_report.hpp"
#include "saltus/cli/commands.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/study_output.hpp"
#include "saltus/cli/target.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/core/threads/thread_executor.hpp"
#include "saltus/figure/sweep_figure.hpp"
#include "saltus/scene/document.hpp"
#include "saltus/study/file/sweep_journal.hpp"
#include "saltus/study/sweep.hpp"

namespace saltus::cli {
namespace {

struct SweepOptions {
  TargetOptions target;
  std::vector<std::string> over, measures;
  std::string h, output, figure;
  int threads = 0;
  bool json = false, resume = false, no_estimate = false;
};

// The option of the program that has the name of an axis; null: it is a parameter or a field.
std::string* option_named(SweepOptions& o, std::string_view name) {
  const std::pair<std::string_view, std::string*> options[] = {
      {"h", &o.h},
      {"t_end", &o.target.t_end},
      {"scheme", &o.target.scheme},
      {"stepping", &o.target.stepping},
      {"solver", &o.target.solver},
      {"rtol", &o.target.rtol},
      {"atol", &o.target.atol},
  };
  for (const auto& [known, text] : options)
    if (known == name) return text;
  return nullptr;
}

bool is_method_field(std::string_view name) {
  return name.starts_with("scheme.") || name.starts_with("stepping.") || name.starts_with("solver.");
}

// A field of the scene file, as --set names it: a path, or a section that is no parameter.
bool is_scene_field(std::string_view name) {
  return name.find('.') != std::string_view::npos && !is_method_field(name);
}

// A point as if the user had typed it: parameters as -p, fields of a scene as --set, the others as the
// options of their name.
MeasuredCase make_case(const SweepOptions& all, const Settings& point) {
  SweepOptions o = all;
  Settings fields;
  for (const auto& [name, value] : point) {
    if (std::string* option = option_named(o, name))
      *option = value;
    else if (is_method_field(name))
      fields.emplace_back(name, value);
    else if (is_scene_field(name))
      o.target.set(name, value);
    else
      o.target.parameters.push_back(name + "=" + value);
  }
  const TargetOptions& target = o.target;
  MeasuredCase c{target.problem(), {}, target.entry().resolve(target.settings())};
  c.method = target.run_method(c.problem, o.h);
  for (const auto& [name, value] : fields) set_method_field(c.method, name, value);
  return c;
}

// A field that the scene does not have is wrong at every point. One value may be out of range and its row
// says so; what neither the first nor the last value can set is refused.
void check_field(const SweepOptions& o, const SweepAxis& axis) {
  for (const std::string& given : o.target.sets)
    if (given.starts_with(axis.name + "="))
      fail("'{}' is given twice: --set {} and --over {}", axis.name, given, axis.name);
  const auto try_value = [&](const std::string& value) {
    TargetOptions target = o.target;
    target.set(axis.name, value);
    target.scene();
  };
  try {
    try_value(axis.values.front());
  } catch (const Error&) {
    if (axis.values.size() == 1) throw;
    try_value(axis.values.back());
  }
}

// What is wrong with every point is bad input, not a row with a message.
void check_axes(const SweepOptions& o, std::span<const SweepAxis> axes,
                std::span<const FieldDescription> parameters) {
  const Settings fixed = o.target.settings();
  SweepOptions given = o;
  std::vector<std::string> known = {"h", "t_end", "scheme", "stepping", "solver", "rtol", "atol", "preset"};
  for (const auto& p : parameters) known.push_back(p.name);
  for (const auto& axis : axes) {
    const std::string& name = axis.name;
    for (const auto& [key, value] : fixed)
      if (key == name) fail("'{}' is given twice: -p {}={} and --over {}", name, key, value, name);
    const std::string* option = option_named(given, name);
    if (option && !option->empty()) fail("'{}' is given twice: {} and --over {}", name, *option, name);
    if (name == "h" && sets_usual_step(o.target.stepping))
      fail("the step is given twice: --over h and --stepping {}", o.target.stepping);
    if (name.find('.') == std::string::npos && std::find(known.begin(), known.end(), name) == known.end())
      fail("--over {}: {} has no such parameter{}; known: {}, scheme.NAME, stepping.NAME, solver.NAME{}",
           name, o.target.target, suggestion(name, known), fmt::join(known, ", "),
           o.target.scene() ? ", and fields of the scene by their path (coordinates.x.start)" : "");
    if (is_scene_field(name)) check_field(o, axis);
  }
}

std::string identity_of(const SweepOptions& o) {
  const auto& t = o.target;
  return fmt::format(
      "saltus {} sweep {} {} {} scheme={} stepping={} solver={} t_end={} h={} rtol={} atol={} estimate={} "
      "penetration={} "
      "over {} measure {}",
      SALTUS_VERSION, t.target, fmt::join(t.parameters, " "), fmt::join(t.sets, " "), t.scheme, t.stepping,
      t.solver, t.t_end, o.h, t.rtol, t.atol, !o.no_estimate, t.accept_penetration, fmt::join(o.over, " | "),
      fmt::join(o.measures, " | "));
}

struct Outcome {
  std::vector<SweepAxis> axes;
  std::vector<SweepRow> rows;
  std::size_t failed = 0, missing = 0;
  Written written;
};

Json to_json(const SweepOptions& o, const Outcome& x, const std::vector<FieldDescription>& parameters,
             std::span<const Measure> measures) {
  Json axes = Json::array(), rows = Json::array(), names = Json::array();
  for (const auto& a : x.axes) axes.push_back({{"name", a.name}, {"values", a.values}});
  for (const auto& m : measures) names.push_back({{"name", m.name}, {"formula", m.formula.text()}});
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    const SweepRow& row = x.rows[i];
    if (row.status == SweepRow::Status::missing) continue;
    Json point = Json::object(), values = Json::object(), errors = Json::object();
    for (const auto& [name, value] : sweep_point(x.axes, i)) point[name] = value;
    for (std::size_t k = 0; k < measures.size(); ++k)
      values[measures[k].name] = row.values.empty() ? Json(nullptr) : number(row.values[k]);
    for (std::size_t k = 0; k < row.errors.size(); ++k) errors[measures[k].name] = number(row.errors[k]);
    rows.push_back({{"point", std::move(point)},
                    {"measures", std::move(values)},
                    {"status", to_string(row.status)},
                    {"message", row.message}});
    if (!row.errors.empty()) rows.back()["error_estimate"] = std::move(errors);
  }
  Json out = {{"problem", o.target.target},
              {"parameters", parameters_json(parameters)},
              {"over", std::move(axes)},
              {"measures", std::move(names)},
              {"status", x.missing  ? "interrupted"
                         : x.failed ? "failed"
                                    : "finished"},
              {"failed", x.failed},
              {"missing", x.missing},
              {"rows", std::move(rows)}};
  for (const auto& a : x.axes) out["parameters"].erase(a.name);  // they vary
  if (!x.written.files.empty()) out["files"] = x.written.files;
  if (!x.written.trouble.empty()) out["trouble"] = x.written.trouble;
  return out;
}

std::string to_text(const SweepOptions& o, const Outcome& x, std::span<const Measure> measures) {
  constexpr std::size_t shown = 25;
  std::string out = fmt::format("{}: {} points\n", o.target.target, x.rows.size());
  for (const auto& a : x.axes) out += fmt::format(" {:>16}", a.name);
  const bool bars =
      std::any_of(x.rows.begin(), x.rows.end(), [](const SweepRow& r) { return !r.errors.empty(); });
  for (const auto& m : measures) out += fmt::format(" {:>{}}", m.name, bars ? 24 : 18);
  out += "\n";
  std::size_t lines = 0;
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    const SweepRow& row = x.rows[i];
    if (row.status == SweepRow::Status::missing || ++lines > shown) continue;
    for (const auto& [name, value] : sweep_point(x.axes, i)) out += fmt::format(" {:>16}", value);
    for (std::size_t k = 0; k < row.values.size(); ++k)
      out += row.errors.empty() ? fmt::format(" {:>18.10g}", row.values[k])
                                : fmt::format(" {:>24}", with_bar(row.values[k], row.errors[k]));
    if (row.status == SweepRow::Status::failed)
      out += "  failed: " + row.message.substr(0, row.message.find('\n'));
    out += "\n";
  }
  if (lines > shown) out += fmt::format("… and {} more (-o FILE.csv writes all)\n", lines - shown);
  for (const auto& f : x.written.files) out += fmt::format("wrote {}\n", f);
  return out;
}

void compute(const SweepOptions& o, const Measures& measures, const std::string& journal_file, Outcome& x) {
  std::optional<SweepJournal> journal;
  if (!o.output.empty()) journal.emplace(journal_file, identity_of(o), x.rows);
  ProgressBar bar;
  const auto total = static_cast<double>(x.rows.size());
  double done = static_cast<double>(std::count_if(
      x.rows.begin(), x.rows.end(), [](const SweepRow& r) { return r.status != SweepRow::Status::missing; }));
  const ThreadExecutor threads(o.threads);
  SweepControl control;
  control.executor = &threads;
  control.interrupt = &interrupted;
  const LoadedScene* scene = o.target.scene();
  control.estimate = !o.no_estimate && !(scene && !scene->scene.run.estimate);
  control.finished = [&](std::size_t index, const SweepRow& row) {
    if (journal) journal->add(index, row);
    bar.show(++done / total);
  };
  sweep(
      x.axes, measures, [&](const Settings& point) { return make_case(o, point); }, x.rows, control);
}

// Of what a figure shows: parameters know their units, fields of the scene have those of the file, and
// measures of the scene those of their formulas.
std::vector<FieldDescription> units_of(const SweepOptions& o, const Outcome& x, const Measures& measures) {
  std::vector<FieldDescription> out = o.target.entry().parameters;
  if (const LoadedScene* scene = o.target.scene(); scene && o.measures.empty())
    for (std::size_t k = 0; k < scene->measure_units.size(); ++k) {
      FieldDescription field;
      field.name = measures.list()[k].name, field.unit = scene->measure_units[k];
      out.push_back(std::move(field));
    }
  for (const auto& axis : x.axes)
    if (const LoadedScene* scene = o.target.scene(); scene && is_scene_field(axis.name)) {
      FieldDescription field;
      field.name = axis.name, field.unit = unit_in_scene(scene->text, axis.name);
      out.push_back(std::move(field));
    }
  return out;
}

// The table first: the journal goes only when everything in it is safe.
void write_files(const SweepOptions& o, const Measures& measures, const std::string& journal_file,
                 Outcome& x) {
  if (!o.output.empty()) {
    write_file(o.output, sweep_csv(x.axes, measures.list(), x.rows));
    x.written.files.push_back(o.output);
    if (x.missing == 0) std::filesystem::remove(journal_file);
  }
  if (!o.figure.empty())
    x.written.figure(
        o.figure, sweep_panels(x.axes, measures.list(), x.rows, o.target.target, units_of(o, x, measures)));
}

int execute(const SweepOptions& o) {
  json_wanted = o.json;
  Outcome x;
  const auto parameters = o.target.entry().resolve(o.target.settings());
  for (const auto& text : o.over) x.axes.push_back(parse_axis(text));
  check_axes(o, x.axes, parameters);
  std::vector<Measure> list;
  std::vector<std::string> texts = o.measures;
  const LoadedScene* scene = o.target.scene();
  if (scene && texts.empty()) texts = scene->measures;
  if (texts.empty()) fail("--measure is missing: what should the table hold?");
  for (const auto& text : texts) list.push_back(parse_measure(text));
  const std::vector<std::string> none;
  const Measures measures(std::move(list), parameters, scene ? scene->coordinates : none,
                          scene ? scene->velocities : none);
  x.rows.resize(point_count(x.axes));
  check_outputs({{"-o", o.output}, {"--figure", o.figure, OutputName::Kind::figure}});
  if (!o.figure.empty())
    sweep_panels(x.axes, measures.list(), x.rows, "");  // refused before the runs, not after
  if (o.resume && o.output.empty()) fail("--resume needs -o FILE.csv: the journal lies beside it");

  const std::string journal_file = o.output + ".journal";
  if (!o.output.empty() && std::filesystem::exists(journal_file)) {
    if (!o.resume)
      fail(
          "'{}' holds rows of a sweep that was interrupted: --resume goes on with it; remove it to start "
          "afresh",
          journal_file);
    x.rows = read_journal(journal_file, identity_of(o), x.rows.size(), measures.list().size());
  } else if (o.resume) {
    std::cerr << "saltus: no journal '" << journal_file << "': the sweep starts at its beginning\n";
  }
  compute(o, measures, journal_file, x);
  for (const auto& row : x.rows) {
    x.failed += row.status == SweepRow::Status::failed;
    x.missing += row.status == SweepRow::Status::missing;
  }
  write_files(o, measures, journal_file, x);
  if (o.json)
    std::cout << json_text(to_json(o, x, parameters, measures.list())) << "\n";
  else
    std::cout << to_text(o, x, measures.list());
  for (std::size_t i = 0; i < x.rows.size() && x.failed > 0; ++i) {
    if (x.rows[i].status != SweepRow::Status::failed) continue;
    std::string place;
    for (const auto& [name, value] : sweep_point(x.axes, i))
      place += fmt::format("{}{}={}", place.empty() ? "" : " ", name, value);
    std::cerr << fmt::format("saltus: {} of {} points failed; the first, {}: {}\n", x.failed, x.rows.size(),
                             place, x.rows[i].message);
    break;
  }
  if (x.missing > 0)
    std::cerr << fmt::format("saltus: interrupted, {} of {} points are missing{}\n", x.missing, x.rows.size(),
                             o.output.empty() ? "" : "; the same command with --resume goes on");
  return x.failed + x.missing == 0 && x.written.trouble.empty() ? success : unfinished;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* c = app.add_subcommand("sweep", "run a family of problems in parallel and tabulate measures");
  options->target.add_to(*c, true);
  c->add_option("--h", options->h, "step size");
  c->add_option(
       "--over", options->over,
       "NAME=first:last:count, NAME=log:first:last:count or NAME=list:v1,v2,…; NAME is a parameter, "
       "h, t_end, rtol, atol, scheme, stepping, solver, a field as scheme.theta, or a field of a scene as "
       "coordinates.z.start; repeat for a product")
      ->required()
      ->allow_extra_args(false);
  c->add_option(
       "--measure", options->measures,
       "a formula or NAME=formula of final.q[i], max.abs_u[i], energy.final, events.impact, error.q_sup, …; "
       "those of a scene file by default")
      ->allow_extra_args(false);
  c->add_option("--threads", options->threads, "how many runs at a time, default: all cores")
      ->check(CLI::Range(1, 1024));
  c->add_option("-o,--output", options->output,
                "write the table as CSV, with a journal beside it until it is complete");
  c->add_flag("--no-estimate", options->no_estimate, "no error bars of runs by tolerance, in half the time");
  c->add_flag("--resume", options->resume, "go on with the journal of an interrupted sweep");
  c->add_option("--figure", options->figure, "measures over one or two parameters (.svg or .png)");
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, &action] { action = [options] { return execute(*options); }; });
}

}  // namespace saltus::cli
