// What the page asks for, as a problem and a method: a scene in text or a problem of the catalog, with
// changes.
#pragma once
#include <optional>

#include "saltus/cli/json.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::web {

using cli::Json;

/// Fields of a request: scene (text), file (its name), or problem (of the catalog); sets (a list of
/// path=value), settings (a map), t_end, scheme, stepping, solver, h, rtol, atol (texts).
class LabCase {
 public:
  explicit LabCase(const Json& request);

  const LoadedScene* scene() const { return scene_.get(); }
  const CatalogEntry& entry() const { return scene_ ? scene_->entry : *entry_; }
  const CatalogProblem& problem() const { return problem_; }
  const Drawing* drawing() const { return drawing_.get(); }
  std::vector<FieldDescription> parameters() const { return entry().resolve(settings_); }
  std::vector<std::string> coordinates() const {
    return scene_ ? scene_->coordinates : std::vector<std::string>{};
  }
  std::vector<std::string> velocities() const {
    return scene_ ? scene_->velocities : std::vector<std::string>{};
  }
  /// Units of coordinates and velocities; empty where nobody knows any.
  struct Units {
    std::vector<std::string> q, u;
  };
  Units units() const;
  /// As `saltus run` chooses it: by tolerance where nobody chose.
  Method run_method() const;
  /// A method with steps, for studies.
  Method method(const std::string& scheme, const std::string& h) const;
  const MethodTexts& chosen() const { return chosen_; }

 private:
  std::shared_ptr<const LoadedScene> scene_;
  const CatalogEntry* entry_ = nullptr;
  Settings settings_;
  MethodTexts chosen_;
  CatalogProblem problem_;
  std::shared_ptr<const Drawing> drawing_;
};

}  // namespace saltus::web
