#include "saltus/scene/outputs.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/contact_record.hpp"
#include "saltus/study/measure.hpp"

namespace saltus {
namespace {

// Names of files are judged by their text here. Where links lead is asked where files are written (cli).
std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> out;
  for (std::size_t end; !name.empty(); name.remove_prefix(std::min(end + 1, name.size()))) {
    end = std::min(name.find('/'), name.size());
    if (const auto part = name.substr(0, end); !part.empty() && part != ".") out.push_back(part);
  }
  return out;
}

bool leaves_folder(std::string_view name) {
  const auto parts = parts_of(name);
  return name.starts_with('/') || std::find(parts.begin(), parts.end(), "..") != parts.end();
}

bool same_file(std::string_view a, std::string_view b) {
  return a.starts_with('/') == b.starts_with('/') && parts_of(a) == parts_of(b);
}

bool ends_in(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](auto e) { return name.ends_with(e); });
}

// final.NAME, max.NAME', argmin.abs_NAME, energy.final, t_end, parameters.
std::optional<Dimension> dimension_of_quantity(SceneCompiler& c, const std::string& name) {
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

// Of a chain, where units are known although its coordinates have no names.
std::optional<Dimension> dimension_of_chain(const Chain& chain, const std::string& name, bool index) {
  const Dimension speed = length_dimension / time_dimension;
  const auto dot = name.find('.');
  const std::string_view head = std::string_view(name).substr(0, dot);
  std::string_view tail =
      dot == std::string::npos ? std::string_view() : std::string_view(name).substr(dot + 1);
  if (name == "arrival" || (head.starts_with("arg") && !tail.empty())) return time_dimension;
  if (name == "front.speed") return chain.data().radius.size() > 0 ? speed : Dimension{} / time_dimension;
  if (head != "final" && head != "max" && head != "min") return {};
  if (tail.starts_with("abs_")) tail.remove_prefix(4);
  if (tail == "force") return energy_dimension / length_dimension;
  if (tail == "overlap" || (tail == "q" && index) || (tail == "q" && head != "final"))
    return length_dimension;
  if (tail == "u") return speed;
  return {};
}

void check_contacts(SceneCompiler& c, const Problem& problem) {
  const SceneRecord& record = c.scene().record;
  if (!record.contacts.list.empty() && !record.forces.given())
    return c.complain(record.contacts.list[0], "give the file for their forces: record.forces");
  if (!record.forces.given()) return;
  if (!c.scene().chain && !as_chain(problem.system.get()))
    return c.complain(record.forces,
                      "forces of contacts are recorded of chains of beads, and the scene has none");
  const Chain* chain = as_chain(problem.system.get());
  if (chain)
    for (const Word& w : record.contacts.list) try {
        parse_contacts(w.text, *chain, "contact");
      } catch (const Error& e) {
        c.complain(w, e.what());
      }
}

}  // namespace

std::vector<const Word*> recorded_files(const Scene& scene) {
  std::vector<const Word*> out;
  for (const Word* w : {&scene.record.results, &scene.record.csv, &scene.record.figure, &scene.record.forces})
    if (w->given()) out.push_back(w);
  return out;
}

std::string leaves_folder_text(const std::string& name) {
  return fmt::format("'{}' leaves the folder of the run: give a path in or below it", name);
}

void check_record(SceneCompiler& c, std::span<const std::string> coordinates, const Problem& problem,
                  const std::string& file) {
  const SceneRecord& record = c.scene().record;
  const auto words = recorded_files(c.scene());
  for (const Word* w : words) {
    if (leaves_folder(w->text))
      c.complain(*w, leaves_folder_text(w->text));
    else if (same_file(w->text, file))
      c.complain(*w, std::string(overwrites_scene_text));
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
  check_contacts(c, problem);
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

std::vector<std::string> check_measures(SceneCompiler& c, std::span<const FieldDescription> parameters,
                                        std::span<const std::string> coordinates,
                                        std::span<const std::string> velocities,
                                        const CatalogProblem& problem) {
  std::vector<std::string> units;
  for (const auto& [name, place, f] : c.scene().measure.list) try {
      units.emplace_back();
      if (!f.given()) continue;  // reported already
      const Expression formula = Expression::parse(f.text);
      if (is_given_up(c, formula)) continue;
      const Measures measures({{name, formula}}, parameters, coordinates, velocities);
      if (problem.problem.system) measures.check(problem);
      std::vector<double> work;
      if (formula.variables().empty() && !std::isfinite(formula.evaluate<double>({}, work)))
        fail("this is not a finite number: '{}'", f.text);
      if (c.units() == SceneCompiler::Units::none) continue;
      std::vector<std::optional<Dimension>> dimensions;
      const Chain* chain = as_chain(problem.problem.system.get());
      for (const auto& v : formula.variables()) {
        auto d = v.index ? std::nullopt : dimension_of_quantity(c, v.name);
        if (chain && !d) d = dimension_of_chain(*chain, v.name, v.index.has_value());
        dimensions.push_back(d);
      }
      if (const auto d = dimension_of(formula, dimensions, true); d && !d->is_number())
        units.back() = to_string(*d);
    } catch (const Error& e) {
      c.complain(f, e.what());
    }
  return units;
}

}  // namespace saltus
