// What steps say beside states and events, by sample of a trajectory; and trajectories with a part of the
// samples.
#pragma once
#include <vector>

#include "saltus/run/trajectory.hpp"

namespace saltus {

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
  void keep(const Segment& s, Trajectory& trajectory);
  void note(const Segment& s, const Trajectory& trajectory);
  double worst_ = 0, least_ = infinity;
};

/// Keeps each `every`-th sample and the last one, and all events.
Sink thinned(Trajectory& trajectory, int every);

}  // namespace saltus
