// A family of runs reduced to statistics of its measures, of all points or of groups of them. Values are
// taken in the order of the points, whatever the order in which they were computed.
#pragma once
#include "saltus/study/measure.hpp"
#include "saltus/study/row_store.hpp"
#include "saltus/study/sweep_groups.hpp"

namespace saltus {

struct ReducedMeasure {
  std::vector<Summary> groups;
  /// Mean of the error bars in each group, which bounds the error of its mean as far as they bound theirs;
  /// NaN without bars.
  std::vector<double> bars;
  std::size_t without_digits = 0;  ///< values of which not one digit is known; they are counted like others
};

struct ReducedSweep {
  SweepGroups groups;
  std::vector<std::size_t> points, finished;  ///< of each group: rows that are there, and those with values
  std::vector<ReducedMeasure> measures;
};
/// Of the rows that are there. Needs 30 bytes of memory for a point.
ReducedSweep reduce(const SweepPoints& points, const RowStore& rows, const Reduction& asked,
                    std::span<const std::string> by);

/// One line per measure and group as CSV: the group, counts, what was asked for.
std::string reduced_csv(const ReducedSweep& reduced, std::span<const Measure> measures,
                        const Reduction& asked);

}  // namespace saltus
