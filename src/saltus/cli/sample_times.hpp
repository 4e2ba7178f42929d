// --at and --every: states at times that the user chooses, from the dense output of a trajectory.
#pragma once
#include <string>

#include "saltus/run/contact_record.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus::cli {

/// "0.5,1.2,events" and "0.1 s".
struct SampleTimes {
  std::string at, every;

  bool any() const { return !at.empty() || !every.empty(); }
  /// Throws Error before a run, not after it.
  void check() const;
  /// The states at those times in increasing order: two samples at one time where the velocity jumps.
  Trajectory of(const Trajectory& trajectory) const;
  /// The same times for what is recorded while a run goes on; those of events are not known then.
  RecordTimes record(int every_steps) const;
  /// Those of --at; empty when there are none.
  std::vector<double> listed() const;
};

/// --every of run: so many steps per sample ("10"), or a time ("0.1 s"), which goes to `times`.
int steps_a_sample(const std::string& every, SampleTimes& times);

/// How they were obtained, for methods without dense output; else empty.
std::string samples_note(const Trajectory& trajectory);

}  // namespace saltus::cli
