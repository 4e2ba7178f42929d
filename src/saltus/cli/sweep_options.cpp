#include "saltus/cli/sweep_options.hpp"

#include <CLI/CLI.hpp>

#include "saltus/core/checksum.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/input_file.hpp"
#include "saltus/scene/document.hpp"

namespace saltus::cli {
namespace {

constexpr std::size_t largest_table = 2'000'000'000;  // bytes

// The option of the program that has the name of a parameter; null: it is a parameter or a field.
std::string* option_named(TargetOptions& target, std::string& h, std::string_view name) {
  const std::pair<std::string_view, std::string*> options[] = {
      {"h", &h},
      {"t_end", &target.t_end},
      {"scheme", &target.scheme},
      {"stepping", &target.stepping},
      {"solver", &target.solver},
      {"rtol", &target.rtol},
      {"atol", &target.atol},
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

// A field that the scene does not have is wrong at every point. One value may be out of range and its row
// says so; what neither the first nor the last value can set is refused.
void check_field(const SweepOptions& o, const std::string& name, const std::string& source,
                 const std::string& first, const std::string& last) {
  for (const std::string& given : o.target.sets)
    if (given.starts_with(name + "="))
      fail("'{}' is given twice: --set {} and {} {}", name, given, source, name);
  const auto try_value = [&](const std::string& value) {
    TargetOptions target = o.target;
    target.set(name, value);
    target.scene();
  };
  try {
    try_value(first);
  } catch (const Error&) {
    if (first == last) throw;
    try_value(last);
  }
}

// What is wrong with every point is bad input, not a row with a message.
void check_points(const SweepOptions& o, const SweepPoints& points,
                  std::span<const FieldDescription> parameters) {
  const Settings fixed = o.target.settings(), first = points.point(0),
                 last = points.point(points.count() - 1);
  TargetOptions target = o.target;
  std::string h = o.h;
  std::vector<std::string> known = {"h", "t_end", "scheme", "stepping", "solver", "rtol", "atol", "preset"};
  for (const auto& p : parameters) known.push_back(p.name);
  for (std::size_t k = 0; k < first.size(); ++k) {
    const std::string& name = first[k].first;
    const bool axis = k < points.axes.size(),
               column = !axis && points.table && k < points.axes.size() + points.table->names().size();
    const std::string source = axis ? "--over" : column ? o.over_file + ", column" : "--sample";
    for (const auto& [key, value] : fixed)
      if (key == name) fail("'{}' is given twice: -p {}={} and {} {}", name, key, value, source, name);
    const std::string* option = option_named(target, h, name);
    if (option && !option->empty()) fail("'{}' is given twice: {} and {} {}", name, *option, source, name);
    if (name == "h" && sets_usual_step(o.target.stepping))
      fail("the step is given twice: {} h and --stepping {}", source, o.target.stepping);
    if (name.find('.') == std::string::npos && std::find(known.begin(), known.end(), name) == known.end())
      fail("{} {}: {} has no such parameter{}; known: {}, scheme.NAME, stepping.NAME, solver.NAME{}", source,
           name, o.target.target, suggestion(name, known), fmt::join(known, ", "),
           o.target.scene() ? ", and fields of the scene by their path (coordinates.x.start)" : "");
    if (is_scene_field(name)) check_field(o, name, source, first[k].second, last[k].second);
  }
}

}  // namespace

void SweepOptions::add_to(CLI::App& app) {
  target.add_to(app, true);
  app.add_option("--h", h, "step size");
  app.add_option(
         "--over", over,
         "NAME=first:last:count, NAME=log:first:last:count or NAME=list:v1,v2,…; NAME is a parameter, "
         "h, t_end, rtol, atol, scheme, stepping, solver, a field as scheme.theta, or a field of a scene as "
         "coordinates.z.start; repeat for a product")
      ->allow_extra_args(false);
  app.add_option("--over-file", over_file,
                 "points from a CSV file: its first line has such NAMEs, each further one a point");
  app.add_option(
         "--sample", sample,
         "NAME=uniform(a, b), loguniform(a, b), normal(m, s[, a, b]), lognormal(m, s), triangular(a, c, b), "
         "integer(a, b) or choice(v, w, …), with --points and --seed; repeat for several parameters")
      ->allow_extra_args(false);
  app.add_option("--points", points, "how many samples");
  app.add_option("--seed", seed, "of the samples, a whole number: the same seed gives the same points");
  app.add_option("--sampling", sampling,
                 "random (default), or sobol: low discrepancy, scrambled by the seed");
  app.add_option("--measure", measures,
                 "a formula or NAME=formula of final.q[i], max.abs_u[i], energy.final, events.impact, "
                 "error.q_sup, …; "
                 "those of a scene file by default")
      ->allow_extra_args(false);
  app.add_option(
         "--reduce", reduce,
         "instead of all rows: mean, sd, min, max, quantile=P:…, histogram=BINS[:LOW:HIGH], or summary; "
         "separated by commas")
      ->allow_extra_args(false);
  app.add_option("--by", by,
                 "reduce in groups: NAME of what varies, NAME=BINS for intervals; twice for a map over two")
      ->allow_extra_args(false);
  app.add_option("--reduced", reduced, "write what --reduce gives as CSV");
  app.add_option("--threads", threads,
                 "how many runs at a time, default: all cores; of each rank under MPI, default: 1")
      ->check(CLI::Range(1, 1024));
  app.add_option("-o,--output", output,
                 "write the table as CSV, with a journal beside it until it is complete");
  app.add_flag("--no-estimate", no_estimate, "no error bars of runs by tolerance, in half the time");
  app.add_flag("--resume", resume, "go on with the journal of an interrupted sweep");
  app.add_option("--figure", figure,
                 "measures over one or two parameters, or what --reduce gives (.svg or .png)");
  app.add_option("--progress", progress,
                 "a line about points done and time left every so many seconds; under MPI by default 10")
      ->check(CLI::Range(0.0, 1e9));
  app.add_flag("--json", json, "print one JSON object");
}

MeasuredCase SweepOptions::make_case(const Settings& point, bool with_parameters) const {
  TargetOptions one = target;
  std::string step = h;
  Settings fields;
  for (const auto& [name, value] : point) {
    if (std::string* option = option_named(one, step, name))
      *option = value;
    else if (is_method_field(name))
      fields.emplace_back(name, value);
    else if (is_scene_field(name))
      one.set(name, value);
    else
      one.parameters.push_back(name + "=" + value);
  }
  MeasuredCase c{one.problem(), {}, {}};
  if (with_parameters) c.parameters = one.entry().resolve(one.settings());
  c.method = one.run_method(c.problem, step);
  for (const auto& [name, value] : fields) set_method_field(c.method, name, value);
  return c;
}

SweepPoints SweepOptions::make_points(std::span<const FieldDescription> parameters) const {
  SweepPoints out;
  for (const auto& text : over) out.axes.push_back(parse_axis(text));
  if (!over_file.empty()) out.table.emplace(read_file(over_file, largest_table), over_file);
  std::vector<SampledParameter> sampled;
  for (const auto& text : sample) sampled.push_back(parse_sample(text));
  if (sampled.empty()) {
    for (const auto& [option, text] :
         {std::pair{"--points", &points}, {"--seed", &seed}, {"--sampling", &sampling}})
      if (!text->empty()) fail("{} {}: there are no samples; name a distribution by --sample", option, *text);
  } else {
    if (points.empty()) fail("--sample {}: how many? Give --points 1000", sampled.front().name);
    const std::int64_t n = parse_integer(points, "--points");
    if (n < 1 || static_cast<std::size_t>(n) > largest_sweep)
      fail("--points {}: allowed are 1 to {}", points, largest_sweep);
    std::optional<std::uint64_t> start;
    if (!seed.empty()) {
      const std::int64_t s = parse_integer(seed, "--seed");
      if (s < 0) fail("--seed {}: a seed is a whole number from 0 on", seed);
      start = static_cast<std::uint64_t>(s);
    }
    out.samples.emplace(std::move(sampled), static_cast<std::size_t>(n),
                        parse_sampling(sampling.empty() ? "random" : sampling), start);
  }
  out.count();
  check_points(*this, out, parameters);
  return out;
}

Measures SweepOptions::make_measures(std::span<const FieldDescription> parameters) const {
  std::vector<Measure> list;
  std::vector<std::string> texts = measures;
  const LoadedScene* scene = target.scene();
  if (scene && texts.empty()) texts = scene->measures;
  if (texts.empty()) fail("--measure is missing: what should the table hold?");
  for (const auto& text : texts) list.push_back(parse_measure(text));
  const std::vector<std::string> none;
  return {std::move(list), parameters, scene ? scene->coordinates : none, scene ? scene->velocities : none};
}

std::string SweepOptions::run_identity() const {
  const auto& t = target;
  std::string out = fmt::format(
      "saltus {} sweep {} {} {} scheme={} stepping={} solver={} t_end={} h={} rtol={} atol={} estimate={} "
      "penetration={} measure {}",
      SALTUS_VERSION, t.target, fmt::join(t.parameters, " "), fmt::join(t.sets, " "), t.scheme, t.stepping,
      t.solver, t.t_end, h, t.rtol, t.atol, !no_estimate, t.accept_penetration, fmt::join(measures, " | "));
  if (const LoadedScene* scene = t.scene()) out += fmt::format(" scene {:016x}", checksum(scene->text));
  return out;
}

std::string SweepOptions::identity(const SweepPoints& all) const {
  std::string out = fmt::format("{} over {}", run_identity(), fmt::join(over, " | "));
  if (all.table) out += fmt::format(" over-file {} {:016x}", over_file, all.table->checksum());
  if (all.samples)
    out += fmt::format(" sample {} points={} seed={} sampling={}", fmt::join(sample, " | "), points, seed,
                       to_string(all.samples->kind()));
  return out;
}

bool SweepOptions::estimates() const {
  const LoadedScene* scene = target.scene();
  return !no_estimate && !(scene && !scene->scene.run.estimate);
}

std::vector<FieldDescription> SweepOptions::units(const SweepPoints& shown, const Measures& measured) const {
  std::vector<FieldDescription> out = target.entry().parameters;
  const LoadedScene* scene = target.scene();
  if (!scene) return out;
  const auto add = [&](const std::string& name, const std::string& unit) {
    FieldDescription field;
    field.name = name, field.unit = unit;
    out.push_back(std::move(field));
  };
  if (measures.empty())
    for (std::size_t k = 0; k < scene->measure_units.size(); ++k)
      add(measured.list()[k].name, scene->measure_units[k]);
  for (const auto& name : shown.names())
    if (is_scene_field(name)) add(name, unit_in_scene(scene->text, name));
  return out;
}

}  // namespace saltus::cli
