// The options that name what is run and how, shared by run and converge.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "saltus/catalog/catalog.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::cli {

struct TargetOptions {
  std::string target;
  std::vector<std::string> parameters, sets;
  std::string scheme, stepping, solver, t_end, rtol, atol;
  bool accept_penetration = false;
  std::string scene_text;  ///< of a scene that is not read from its file again

  void add_to(CLI::App& app, bool with_scheme);
  Settings settings() const;         ///< -p name=value
  const LoadedScene* scene() const;  ///< null for a problem of the catalog
  const CatalogEntry& entry() const;
  CatalogProblem problem() const;
  /// The problem's default method with what the user chose; `h` empty keeps the step.
  Method method(const CatalogProblem& problem, const std::string& h) const;
  /// The same for a run: by tolerance where neither the user nor a scene chose.
  Method run_method(const CatalogProblem& problem, const std::string& h) const;

 private:
  mutable std::shared_ptr<const LoadedScene> loaded_;  // read once
};

/// "a,b,c" or "a:b:n" (n values from a to b, equal ratios); throws Error naming `field`.
std::vector<double> parse_steps(const std::string& text, std::string_view field);

}  // namespace saltus::cli
