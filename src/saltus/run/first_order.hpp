// Runs of first-order systems: equal steps, or steps by an estimate of the error of y (the embedded method
// where the scheme has one, else one step against two of half the length; safety factor 0.9 alpha). A step of
// equal length whose stages could not be solved is cut into 2, 4, … 64 equal parts before the run gives up;
// the result counts how often (stats.rejected) and its message says so.
#pragma once
#include "saltus/run/checkpoint.hpp"

namespace saltus {

RunResult run_first_order(const Problem& problem, const Method& method, const Sink& sink,
                          const RunControl& control, const Checkpoints& points = {});

}  // namespace saltus
