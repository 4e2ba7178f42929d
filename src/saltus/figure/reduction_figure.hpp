// Pictures of a reduced sweep.
#pragma once
#include "saltus/figure/figure.hpp"
#include "saltus/study/sweep_reduction.hpp"

namespace saltus {

/// Without groups, the histograms. By one parameter, curves of mean (with bars of one standard deviation),
/// smallest, largest and quantiles. By two, a map of colours of each. `parameters` have the units.
std::vector<Panel> reduction_panels(const ReducedSweep& reduced, std::span<const Measure> measures,
                                    const Reduction& asked, const std::string& title,
                                    std::span<const FieldDescription> parameters = {});
/// Before the runs: throws Error where there would be nothing to draw.
void check_reduction_panels(const Reduction& asked, std::size_t by, std::size_t measures);

}  // namespace saltus
