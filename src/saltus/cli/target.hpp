// The options that name what is run and how, shared by run and converge.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/catalog/catalog.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/scene/load.hpp"

namespace CLI {
class App;
}

namespace saltus::cli {

struct TargetOptions {
  std::string target;
  std::vector<std::string> parameters, sets;
  std::string scheme, stepping, solver, t_end, rtol, atol;
  bool accept_penetration = false;
  std::vector<double> breakpoints;  ///< more than those of the problem
  std::string scene_text;           ///< of a scene that is not read from its file again

  void add_to(CLI::App& app, bool with_scheme);
  /// Empty for `usual`: the problem's own.
  std::string named_scheme() const { return scheme == "usual" ? std::string() : scheme; }
  Settings settings() const;         ///< -p name=value
  const LoadedScene* scene() const;  ///< null for a problem of the catalog
  const CatalogEntry& entry() const;
  CatalogProblem problem() const;
  /// The same target with another scheme (empty: the usual one) and stepping; a scene is built for it.
  TargetOptions with_method(const std::string& other_scheme, const std::string& other_stepping) const;
  /// Sets one more field of the scene; a plain number has the unit of the number in the file, as with -p.
  /// Throws Error for a problem of the catalog.
  void set(const std::string& path, const std::string& value);
  /// The problem's default method with what the user chose; `h` empty keeps the step.
  Method method(const CatalogProblem& problem, const std::string& h) const;
  /// The same for a run: by tolerance where neither the user nor a scene chose.
  Method run_method(const CatalogProblem& problem, const std::string& h) const;

 private:
  mutable std::shared_ptr<const LoadedScene> loaded_;  // read once
};

/// A time in seconds from "3", "3 s", "20ms", "2 min", "1h"; throws Error naming `field`.
double parse_time(const std::string& text, std::string_view field);

/// Steps in seconds, "a,b,c" or "a:b:n" (n values from a to b, equal ratios); throws Error naming `field`.
std::vector<double> parse_steps(const std::string& text, std::string_view field);
/// Tolerances, written in the same way, without units.
std::vector<double> parse_tolerances(const std::string& text, std::string_view field);

}  // namespace saltus::cli
