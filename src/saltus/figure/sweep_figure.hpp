// The picture of a sweep.
#pragma once
#include "saltus/figure/figure.hpp"
#include "saltus/study/sweep.hpp"

namespace saltus {

/// One panel per measure: over one axis, or over two as a family of curves (up to eight) or a map of colours;
/// points of a table or samples of one parameter as dots. `parameters` of the problem have the units of the
/// axes. Throws Error as check_sweep_panels.
std::vector<Panel> sweep_panels(const SweepPoints& points, std::span<const Measure> measures,
                                const RowStore& rows, const std::string& title,
                                std::span<const FieldDescription> parameters = {});
/// Before the runs: throws Error when more parameters vary than a picture can show.
void check_sweep_panels(const SweepPoints& points);

}  // namespace saltus
