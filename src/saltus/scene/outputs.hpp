// What a scene asks for: files (`record`) and measures.
#pragma once
#include "saltus/scene/compiler.hpp"

namespace saltus {

/// Names of files that the scene has written, in the order of the fields.
std::vector<const Word*> recorded_files(const Scene& scene);
std::string leaves_folder_text(const std::string& name);
inline constexpr std::string_view overwrites_scene_text =
    "this is the scene itself, which would be overwritten";

/// Names of files that stay in the folder of the run, of the right kind, each used once, none the scene's own
/// `file`, all by their text; components that are there.
void check_record(SceneCompiler& compiler, std::span<const std::string> coordinates, const Problem& problem,
                  const std::string& file);

/// Formulas of quantities that the problem has, of dimensions that fit together. Returns their units, one
/// each;
/// "" where it is not known or the measure is a pure number.
std::vector<std::string> check_measures(SceneCompiler& compiler, std::span<const FieldDescription> parameters,
                                        std::span<const std::string> coordinates,
                                        std::span<const std::string> velocities,
                                        const CatalogProblem& problem);

}  // namespace saltus
