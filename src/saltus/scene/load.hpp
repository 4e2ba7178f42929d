// A scene file as a problem: everything that accepts a problem of the catalog accepts a scene.
#pragma once
#include <memory>
#include <span>

#include "saltus/catalog/catalog.hpp"
#include "saltus/picture/drawing.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/scene/scene.hpp"

namespace saltus {

struct LoadedScene {
  std::string file, text;
  Scene scene;                           ///< with what --set changed
  std::vector<std::string> coordinates;  ///< their names
  std::vector<std::string> units,
      rate_units;                          ///< of coordinates and their rates: "m", "m/s"; "" when not known
  std::vector<std::string> velocities;     ///< those with a name of their own (of an overdetermined DAE)
  CatalogEntry entry;                      ///< named after the file
  std::vector<std::string> measures;       ///< "NAME = FORMULA"
  std::vector<std::string> measure_units;  ///< "m"; "" when not known or a pure number
  /// The picture of its formulas with these parameters; null where it draws nothing.
  std::function<std::shared_ptr<const Drawing>(const Settings& settings)> drawing;
};

/// Reads and checks all of the text; `file` is for messages. What `chosen` has of a method comes before the
/// scene's own, which then only has to be a method, not one that fits. Throws SceneError with all that is
/// wrong.
std::shared_ptr<const LoadedScene> load_scene_text(std::string_view text, const std::string& file,
                                                   std::span<const std::string> sets = {},
                                                   const MethodTexts& chosen = {});
/// What is wrong with the text, in its order; empty: load_scene_text accepts it.
std::vector<Complaint> scene_complaints(std::string_view text, const std::string& file,
                                        std::span<const std::string> sets = {});

}  // namespace saltus
