// The picture of a sweep.
#pragma once
#include "saltus/figure/figure.hpp"
#include "saltus/study/sweep.hpp"

namespace saltus {

/// One panel per measure: over one axis, or over two as a family of curves (up to eight) or a map of colours.
/// Throws Error for more axes with several values. `parameters` of the problem have the units of the axes.
std::vector<Panel> sweep_panels(std::span<const SweepAxis> axes, std::span<const Measure> measures,
                                std::span<const SweepRow> rows, const std::string& title,
                                std::span<const FieldDescription> parameters = {});

}  // namespace saltus
