// Figures of a file of results.
#pragma once
#include "saltus/figure/figure.hpp"
#include "saltus/result/result.hpp"

namespace saltus {

/// `what`: names with commas between: history (q and u over time), phase (u over q), energy, events (a strip
/// of when each contact did what), modes (a bar while a contact is closed or sticks). Throws Error for an
/// unknown name, a component that is not there, or a figure with nothing in it.
std::vector<Panel> result_panels(const Result& result, const std::string& what,
                                 std::span<const int> components = {}, const CoordinateLabels& labels = {});

}  // namespace saltus
