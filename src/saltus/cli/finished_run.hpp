// A run as a value: for callers in the same process, who want its arrays and not a report.
#pragma once
#include <memory>

#include "saltus/cli/report.hpp"
#include "saltus/result/result.hpp"
#include "saltus/run/sample_notes.hpp"

namespace saltus::cli {

struct FinishedRun {
  CatalogProblem problem;
  std::unique_ptr<Trajectory> trajectory;
  RunReport report;  ///< points to the two above
  SampleNotes notes;
  ResultInfo info;  ///< as a file of results tells about the run
  bool success = false;
};

}  // namespace saltus::cli
