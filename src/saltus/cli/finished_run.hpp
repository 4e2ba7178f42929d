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
  struct Residual {
    int sample = 0;
    double value = 0;
  };
  GrowingNumbers gap;              ///< the smallest of the contacts, by sample
  std::vector<Residual> residual;  ///< of the contact problem, where it is not zero
  /// Of samples with events, and of those that a step without length joins. Impulses of others have their
  /// time.
  std::vector<Until> until;

  /// A sink that keeps each `every`-th sample in the trajectory and notes what all segments say.
  Sink sink(Trajectory& trajectory, int every);

 private:
  void note(const Segment& s, const Trajectory& trajectory);
  double worst_ = 0, least_ = infinity;
};

/// Keeps each `every`-th sample and the last one, and all events.
Sink thinned(Trajectory& trajectory, int every);

struct FinishedRun {
  CatalogProblem problem;
  std::unique_ptr<Trajectory> trajectory;
  RunReport report;  ///< points to the two above
  SampleNotes notes;
  ResultInfo info;  ///< as a file of results tells about the run
  bool success = false;
};

}  // namespace saltus::cli
