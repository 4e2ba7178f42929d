// Names and units of coordinates, as figures write them: of a scene, or of a problem of the catalog.
#pragma once
#include "saltus/cli/target.hpp"
#include "saltus/figure/figure.hpp"
#include "saltus/result/result.hpp"

namespace saltus::cli {

CoordinateLabels labels_of(const TargetOptions& target, const Problem& problem);
/// Of a file of results; the scene in it is read again for its units.
CoordinateLabels labels_of(const Result& result);

}  // namespace saltus::cli
