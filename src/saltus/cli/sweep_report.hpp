// What `saltus sweep` prints.
#pragma once
#include <iosfwd>

#include "saltus/cli/reduction_report.hpp"
#include "saltus/cli/study_output.hpp"
#include "saltus/cli/sweep_options.hpp"

namespace saltus::cli {

struct SweepReport {
  const SweepOptions& options;
  const SweepPoints& points;
  const Measures& measures;
  const RowStore& rows;
  const std::vector<FieldDescription>& parameters;
  std::optional<SweepSummary> summary = {};  ///< instead of the rows
  Written written = {};

  std::size_t missing() const { return rows.points() - rows.count(); }
  void print_json(std::ostream& out) const;
  /// The first rows, or the summary, and the files that were written.
  void print_text(std::ostream& out) const;
  /// What failed and what is missing; nothing when all is well.
  void print_trouble(std::ostream& out) const;
};

}  // namespace saltus::cli
