#include "saltus/scene/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "saltus/core/error.hpp"
#include "saltus/study/measure.hpp"

namespace saltus {
namespace {

namespace fs = std::filesystem;

fs::path resolved(const std::string& name) {
  std::error_code trouble;
  const fs::path out = fs::weakly_canonical(fs::absolute(name, trouble), trouble);
  return trouble ? fs::path(name) : out;
}

// By its parts, and by where links lead.
bool leaves_folder(const std::string& name) {
  const fs::path p(name);
  if (p.is_absolute() || std::find(p.begin(), p.end(), "..") != p.end()) return true;
  fs::path part;  // a link that leads nowhere yet is followed when it is written
  std::error_code trouble;
  for (const auto& next : p)
    if (fs::is_symlink(part /= next, trouble) && !fs::exists(part, trouble)) return true;
  const fs::path here = resolved("."), there = resolved(name);
  return std::mismatch(here.begin(), here.end(), there.begin(), there.end()).first != here.end();
}

bool ends_in(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](auto e) { return name.ends_with(e); });
}

// final.NAME, max.NAME', argmin.abs_NAME, energy.final, t_end, parameters.
std::optional<Dimension> dimension_of_quantity(const SceneCompiler& c, const std::string& name) {
  const auto dot = name.find('.');
  std::string_view head(name), tail;
  if (dot != std::string::npos) head = head.substr(0, dot), tail = std::string_view(name).substr(dot + 1);
  if (tail.empty()) return name == "h" || name == "t_end" ? time_dimension : c.dimension(name);
  if (head == "energy") return energy_dimension;
  if (head.starts_with("arg") || name == "final.t") return time_dimension;
  if (tail.starts_with("abs_")) tail.remove_prefix(4);
  if (head == "final" || head == "max" || head == "min" || head == "p") return c.dimension(tail);
  return {};
}

bool is_given_up(const SceneCompiler& c, const Expression& formula) {
  return std::any_of(formula.variables().begin(), formula.variables().end(), [&](const auto& v) {
    const auto dot = v.name.find('.');
    return c.is_given_up(v.name) ||
           (dot != std::string::npos && c.is_given_up(std::string_view(v.name).substr(dot + 1)));
  });
}

}  // namespace

void check_record(SceneCompiler& c, std::span<const std::string> coordinates, const Problem& problem,
                  const std::string& file) {
  const SceneRecord& record = c.scene().record;
  const Word* words[] = {&record.results, &record.csv, &record.figure};
  for (const Word* w : words) {
    if (!w->given()) continue;
    if (leaves_folder(w->text))
      c.complain(*w, fmt::format("'{}' leaves the folder of the run: give a path in or below it", w->text));
    else if (resolved(w->text) == resolved(file))
      c.complain(*w, "this is the scene itself, which would be overwritten");
    for (const Word* other : words)
      if (other < w && other->text == w->text)
        c.complain(*w, fmt::format("{} has the same name", other->path));
  }
  const auto want = [&](const Word& w, std::initializer_list<std::string_view> endings,
                        std::string_view text) {
    if (w.given() && !ends_in(w.text, endings)) c.complain(w, std::string(text));
  };
  want(record.figure, {".svg", ".png"}, "a figure's name ends in .svg or .png");
  want(record.results, {".h5", ".hdf5"}, "a name of results ends in .h5 or .hdf5");
  if (record.csv.given() && ends_in(record.csv.text, {".h5", ".hdf5", ".svg", ".png"}))
    c.complain(record.csv, "this is a name for another kind of file; those of tables end in .csv, say");
  for (const Word& w : record.what.list) {
    if (!coordinates.empty()) {
      c.find(c.coordinates(), "coordinate", w.text, w.place, w.path);
    } else if (const auto n = problem.q0.size();
               n > 0) {  // a ready system alone: its components have numbers
      int k = -1;
      const auto [end, trouble] = std::from_chars(w.text.data(), w.text.data() + w.text.size(), k);
      if (trouble != std::errc() || end != w.text.data() + w.text.size() || k < 0 || k >= n)
        c.complain(w, fmt::format("found '{}', expected a number of a component, 0 to {}", w.text, n - 1));
    }
  }
}

void check_measures(SceneCompiler& c, std::span<const FieldDescription> parameters,
                    std::span<const std::string> coordinates, std::span<const std::string> velocities,
                    const CatalogProblem& problem) {
  for (const auto& [name, place, f] : c.scene().measure.list) try {
      if (!f.given()) continue;  // told already
      const Expression formula = Expression::parse(f.text);
      if (is_given_up(c, formula)) continue;
      const Measures measures({{name, formula}}, parameters, coordinates, velocities);
      if (problem.problem.system) measures.check(problem);
      std::vector<double> work;
      if (formula.variables().empty() && !std::isfinite(formula.evaluate<double>({}, work)))
        fail("this is not a finite number: '{}'", f.text);
      if (c.units() == SceneCompiler::Units::none) continue;
      std::vector<std::optional<Dimension>> dimensions;
      for (const auto& v : formula.variables())
        dimensions.push_back(v.index ? std::nullopt : dimension_of_quantity(c, v.name));
      dimension_of(formula, dimensions, true);
    } catch (const Error& e) {
      c.complain(f, e.what());
    }
}

}  // namespace saltus
