#include "saltus/cli/coordinate_labels.hpp"

#include "saltus/catalog/coordinate_units.hpp"
#include "saltus/core/error.hpp"

namespace saltus::cli {
namespace {

CoordinateLabels of_scene(const LoadedScene& scene, int n) {
  if (scene.scene.chain)
    return {{},
            std::vector<std::string>(static_cast<std::size_t>(n), "m"),
            std::vector<std::string>(static_cast<std::size_t>(n), "m/s"),
            {}};
  return {scene.coordinates, scene.units, scene.rate_units, scene.velocities};
}

CoordinateLabels of_catalog(const std::string& problem, int nq, int nu) {
  CoordinateUnits units = coordinate_units(problem, nq, nu);
  return {{}, std::move(units.q), std::move(units.u), {}};
}

}  // namespace

CoordinateLabels labels_of(const TargetOptions& target, const Problem& problem) {
  if (const LoadedScene* scene = target.scene()) return of_scene(*scene, static_cast<int>(problem.q0.size()));
  return of_catalog(target.entry().name, static_cast<int>(problem.q0.size()),
                    static_cast<int>(problem.u0.size()));
}

CoordinateLabels labels_of(const Result& r) {
  if (r.info.scene.empty()) return of_catalog(r.info.problem, r.trajectory.nq(), r.trajectory.nu());
  CoordinateLabels labels;
  try {
    const auto changes = lines_of(r.info.changes);
    labels = of_scene(*load_scene_text(r.info.scene, r.info.problem, changes), r.trajectory.nq());
  } catch (const Error&) {  // an older version's scene: the file has the names, not the units
  }
  labels.names = lines_of(r.info.coordinates);
  return labels;
}

}  // namespace saltus::cli
