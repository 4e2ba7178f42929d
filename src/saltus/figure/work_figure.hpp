// The picture of work against precision.
#pragma once
#include "saltus/figure/figure.hpp"
#include "saltus/study/work_precision.hpp"

namespace saltus {

/// Errors over work, one curve per table: q and u over force evaluations, and q over CPU seconds.
std::vector<Panel> work_panels(std::span<const WorkTable> tables, const std::string& title);

}  // namespace saltus
