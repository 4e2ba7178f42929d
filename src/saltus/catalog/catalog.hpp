// The library of named problems with parameters and references, shared by the command line, the tests, the
// benchmarks and the documentation.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saltus/core/fields.hpp"
#include "saltus/reference/reference.hpp"
#include "saltus/run/run.hpp"

namespace saltus {

struct CatalogProblem {
  Problem problem;
  Method method;                               ///< a sensible default among methods with steps
  std::shared_ptr<const Reference> reference;  ///< null where none is known
  std::string reference_kind;                  ///< "closed form", "piecewise exact", "Taylor series", …
  bool method_named = false;  ///< by a scene: its runs use it; others are by tolerance unless told otherwise
};

/// name = value pairs as a user gives them; `preset` is one of them and is applied first.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct CatalogEntry {
  std::string name, summary;
  std::vector<FieldDescription> parameters;
  std::vector<std::string> presets;
  double t_end = 1;  ///< default
  /// Throws Error naming the parameter, its value and what is allowed.
  std::function<CatalogProblem(const Settings& settings, std::optional<double> t_end)> make;
  /// The parameters after applying the settings.
  std::function<std::vector<FieldDescription>(const Settings& settings)> resolve;
};

const std::vector<CatalogEntry>& catalog();
const CatalogEntry& find_problem(std::string_view name);  ///< throws Error with the known names
CatalogProblem make_problem(std::string_view name, const Settings& settings = {},
                            std::optional<double> t_end = {});

/// An entry from a parameter struct P with name, summary, t_end, fields(), build(t_end), and optionally
/// presets() with a member set_preset(name), and usual_end() where the end depends on the parameters.
template <class P>
CatalogEntry catalog_entry() {
  CatalogEntry e;
  e.name = P::name;
  e.summary = P::summary;
  e.parameters = describe(P{});
  e.t_end = P::t_end;
  if constexpr (requires { P::presets(); }) e.presets = P::presets();
  const auto configure = [known = e.presets](const Settings& settings) {
    P p;
    for (const auto& [key, value] : settings)
      if (key == "preset") {
        if constexpr (requires(std::string_view name) { p.set_preset(name); }) {
          if (!p.set_preset(value))
            fail("{} has no preset '{}'{}; known: {}", P::name, value, suggestion(value, known),
                 fmt::join(known, ", "));
        } else {
          fail("{} has no presets", P::name);
        }
      }
    for (const auto& [key, value] : settings)
      if (key != "preset") set_field(p, key, value);
    check(p);
    return p;
  };
  e.make = [configure](const Settings& settings, std::optional<double> t_end) {
    const P p = configure(settings);
    double usual = P::t_end;
    if constexpr (requires { p.usual_end(); }) usual = p.usual_end();
    const double end = t_end.value_or(usual);
    if (!std::isfinite(end)) fail("end time t_end = {} is not a finite number", end);
    if (end < 0) fail("end time t_end = {} lies before the start time t0 = 0", end);
    return p.build(end);
  };
  e.resolve = [configure](const Settings& settings) { return describe(configure(settings)); };
  return e;
}

}  // namespace saltus
