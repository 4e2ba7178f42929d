// A run as a value: for callers in the same process, who want its arrays and not a report.
#pragma once
#include <memory>
#include <vector>

#include "saltus/cli/report.hpp"
#include "saltus/result/result.hpp"

namespace saltus::cli {

/// What the steps said that ended in each sample: what a file of results has beside states and events.
struct SampleNotes {
  struct Until {
    int sample = 0;  ///< up to this one there are so many
    std::size_t events = 0, atoms = 0;
  };
  std::vector<double> residual, gap;  ///< of contacts, by sample
  std::vector<Until> until;           ///< where the counts change

  /// Passes segments on to the trajectory's sink and notes what they say.
  Sink around(Sink sink, const Trajectory& trajectory);
};

struct FinishedRun {
  CatalogProblem problem;
  std::unique_ptr<Trajectory> trajectory;
  RunReport report;  ///< points to the two above
  SampleNotes notes;
  ResultInfo info;  ///< as a file of results tells about the run
  bool success = false;
};

}  // namespace saltus::cli
