// A run for the page: the report of `saltus run --json`, and arrays of curves and frames.
#pragma once
#include <functional>

#include "lab_case.hpp"
#include "saltus/picture/curves.hpp"
#include "saltus/picture/motion.hpp"

namespace saltus::web {

struct LabRun {
  Json report;
  Curves curves;
  MovingPicture motion;
};

using Progress = std::function<void(double)>;

/// Throws Error, or SceneError, for bad input.
LabRun run_case(const Json& request, const Progress& progress);
/// Samples that somebody else computed, as a file of results has them: t, q and u one after the other, and of
/// each piece of dense output its start, length, end and coefficients. Events are in the request: [[t, kind,
/// energy loss or null], …].
struct Samples {
  std::span<const double> t, q, u, dense;
};
LabRun show_samples(const Json& request, const Samples& given);
/// Errors over steps or tolerances with fitted orders, of schemes or of runs by tolerance. A scene is
/// compared with its own run at a tighter tolerance.
Json converge_case(const Json& request, const Progress& progress);

}  // namespace saltus::web
