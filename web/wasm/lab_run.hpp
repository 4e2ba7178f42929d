// A run for the page: the report of `saltus run --json`, and arrays of curves and frames.
#pragma once
#include <functional>

#include "lab_case.hpp"
#include "lab_samples.hpp"
#include "saltus/picture/contact_curves.hpp"
#include "saltus/picture/curves.hpp"
#include "saltus/picture/motion.hpp"

namespace saltus::web {

struct LabRun {
  Json report;
  Curves curves;
  std::vector<NamedCurve> more;  ///< over the same samples: the ledger, forces
  MovingPicture motion;
  int forces_left_out = 0;
};

using Progress = std::function<void(double)>;

/// Throws Error, or SceneError, for bad input.
LabRun run_case(const Json& request, const Progress& progress);
LabRun show_samples(const Json& request, const Samples& given);
/// Errors over steps or tolerances with fitted orders, of schemes or of runs by tolerance. A scene is
/// compared with its own run at a tighter tolerance.
Json converge_case(const Json& request, const Progress& progress);

}  // namespace saltus::web
