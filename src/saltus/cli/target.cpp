#include "saltus/cli/target.hpp"

#include <CLI/CLI.hpp>
#include <cmath>

#include "saltus/cli/given_target.hpp"
#include "saltus/cli/recorded_files.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/scene/document.hpp"
#include "saltus/scene/file/load_file.hpp"
#include "saltus/scene/units.hpp"

namespace saltus::cli {

void TargetOptions::add_to(CLI::App& app, bool with_scheme) {
  app.add_option("TARGET", target, "a problem of the catalog (saltus list problems) or a scene file (.yaml)")
      ->required();
  app.add_option("-p,--param", parameters, "a parameter of the problem, name=value; preset=NAME first")
      ->allow_extra_args(false);
  app.add_option("--set", sets, "a field of a scene file, path.to.field=value")->allow_extra_args(false);
  if (with_scheme)
    app.add_option("--scheme", scheme,
                   "NAME[:key=value,…] (saltus list schemes), or usual: the problem's own method with steps");
  app.add_option("--stepping", stepping, "NAME[:key=value,…], default fixed");
  app.add_option(
      "--rtol", rtol,
      "run by tolerance, relative to the size of each coordinate; instead of --scheme, --stepping and --h");
  app.add_option("--atol", atol, "absolute tolerance, added to it (0)");
  app.add_option("--solver", solver, "NAME[:key=value,…] (saltus list solvers)");
  app.add_option("--t-end", t_end, "end time, in seconds or with a unit: 3, 20ms, 2min, 1h");
  app.add_flag("--accept-penetration", accept_penetration,
               "take a penetrating start as closed contacts instead of refusing it");
}

Settings TargetOptions::settings() const {
  Settings out;
  for (const auto& text : parameters) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) fail("-p {}: parameters are written name=value", text);
    const std::string key = text.substr(0, equals);
    for (const auto& [k, v] : out)
      if (k == key) fail("-p {}: '{}' is given twice", text, key);
    out.emplace_back(key, text.substr(equals + 1));
  }
  return out;
}

const LoadedScene* TargetOptions::scene() const {
  const auto given = given_target(target);
  const bool looks_like_file =
      target.find('/') != std::string::npos || target.find(".y") != std::string::npos;
  if (given ? given->entry.has_value() : !looks_like_file) {
    if (!sets.empty()) fail("--set {}: only scene files have fields to set; problems have -p", sets[0]);
    return nullptr;
  }
  if (!loaded_) {
    const MethodTexts chosen{named_scheme(), stepping, solver, {}, rtol, atol};
    if (!scene_text.empty())
      loaded_ = load_scene_text(scene_text, given ? given->file : target, sets, chosen);
    else if (given)
      loaded_ = given->scene(sets, chosen);
    else
      loaded_ = load_scene(target, sets, chosen);
    check_recorded_files(*loaded_);
  }
  return loaded_.get();
}

TargetOptions TargetOptions::with_method(const std::string& other_scheme,
                                         const std::string& other_stepping) const {
  TargetOptions out = *this;
  const bool same = other_scheme == scheme && other_stepping == stepping;
  if (const LoadedScene* known = scene(); known && !same) out.scene_text = known->text, out.loaded_.reset();
  out.scheme = other_scheme, out.stepping = other_stepping;
  return out;
}

void TargetOptions::set(const std::string& path, const std::string& value) {
  const LoadedScene* known = scene();
  if (!known) fail("{}: only scene files have such fields; problems of the catalog have parameters", path);
  scene_text = known->text;  // the file is not read again
  const auto number = parse_unit_number(value);
  const std::string unit = number && !number->has_unit ? unit_in_scene(scene_text, path) : std::string();
  sets.push_back(fmt::format("{}={}{}{}", path, value, unit.empty() ? "" : " ", unit));
  loaded_.reset();
}

const CatalogEntry& TargetOptions::entry() const {
  const LoadedScene* s = scene();
  if (s) return s->entry;
  const auto given = given_target(target);
  return given ? *given->entry : find_problem(target);
}

CatalogProblem TargetOptions::problem() const {
  std::optional<double> end;
  if (!t_end.empty()) end = parse_time(t_end, "t_end");
  CatalogProblem p = entry().make(settings(), end);
  if (accept_penetration) p.problem.penetration = Penetration::accept;
  p.problem.breakpoints.insert(p.problem.breakpoints.end(), breakpoints.begin(), breakpoints.end());
  return p;
}

Method TargetOptions::method(const CatalogProblem& problem, const std::string& h) const {
  if (scheme != named_scheme() && !(rtol + atol).empty())
    fail("--scheme {} is the problem's own method with steps: leave out either it or the tolerance", scheme);
  const std::string step = h.empty() ? h : number_text(parse_time(h, "h"));
  return choose_method(problem.method, {named_scheme(), stepping, solver, step, rtol, atol});
}

Method TargetOptions::run_method(const CatalogProblem& problem, const std::string& h) const {
  const bool chosen = !(scheme + stepping + h + rtol + atol).empty();
  if (chosen || problem.method_named) return method(problem, h);
  Method out = unnamed_method(problem.method, problem.problem);
  if (!solver.empty()) out.solver = parse_spec<SolverSpec>(solver, "solver");
  return out;
}

double parse_time(const std::string& text, std::string_view field) {
  if (!has_unit(text)) return parse_number(text, field);
  const auto time = [&] {
    try {
      return parse_unit_number(text);
    } catch (const Error& e) {
      fail("{} = {}: {}", field, text, e.what());
    }
  }();
  if (!time || !(time->dimension == time_dimension))
    fail("{} = {} is not a time: give seconds, or a unit of time as s, ms, us, min, h", field, text);
  return time->value;
}

namespace {

using Reader = double (*)(const std::string& text, std::string_view field);

std::vector<double> parse_values(const std::string& text, std::string_view field, std::string_view what,
                                 Reader read) {
  std::vector<std::string> parts(1);
  const bool ratio = text.find(':') != std::string::npos;
  for (char c : text) {
    if (c == (ratio ? ':' : ','))
      parts.emplace_back();
    else
      parts.back() += c;
  }
  std::vector<double> out;
  if (ratio) {
    if (parts.size() != 3) fail("{} = '{}': a series is written first:last:count", field, text);
    const double a = read(parts[0], field), b = read(parts[1], field);
    const std::int64_t n = parse_integer(parts[2], field);
    if (!(a > 0 && b > 0) || n < 2 || n > 10000)
      fail("{} = '{}': needs first, last > 0 and 2 to 10000 values", field, text);
    for (std::int64_t i = 0; i < n; ++i)
      out.push_back(a * std::pow(b / a, static_cast<double>(i) / static_cast<double>(n - 1)));
  } else {
    for (const auto& p : parts) out.push_back(read(p, field));
  }
  for (double x : out)
    if (!(x > 0) || !std::isfinite(x))
      fail("{} = {} is not allowed: {} must be a finite number > 0", field, x, what);
  return out;
}

}  // namespace

std::vector<double> parse_steps(const std::string& text, std::string_view field) {
  return parse_values(text, field, "a step", parse_time);
}

std::vector<double> parse_tolerances(const std::string& text, std::string_view field) {
  return parse_values(text, field, "a tolerance",
                      [](const std::string& x, std::string_view f) { return parse_number(x, f); });
}

}  // namespace saltus::cli
