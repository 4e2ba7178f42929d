// The picture of a convergence study.
#pragma once
#include "saltus/figure/figure.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus {

/// Errors over steps in every norm, one panel.
std::vector<Panel> convergence_panels(std::span<const ConvergenceTable> tables, const std::string& title);

}  // namespace saltus
