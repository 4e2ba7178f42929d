// Bars of measures: those of the quantities in a formula, carried through it.
#pragma once
#include "saltus/study/measure.hpp"
#include "saltus/study/run_difference.hpp"

namespace saltus {

/// One per measure; zero for counts that agree and other numbers without an error, NaN where there is no
/// digit. `sizes`: what a bar is to be compared with, |value| unless that is small beside what it is made of.
struct MeasureBars {
  std::vector<double> bars, sizes;
};
MeasureBars measure_bars(const Measures& measures, const Problem& problem, const RunDifference& difference,
                         std::span<const double> observed, std::span<const double> other);

}  // namespace saltus
