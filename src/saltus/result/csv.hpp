// A run as CSV: a row for each sample.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "saltus/run/trajectory.hpp"
#include "saltus/scheme/generalized_alpha/alpha_levels.hpp"

namespace saltus {

/// Levels of generalized-α beside a trajectory, one entry for each of its samples. Impulses are summed up
/// since the sample before, so that thinning loses none.
class LevelHistory {
 public:
  LevelHistory(const System& system, const Trajectory& trajectory)
      : system_(system), trajectory_(trajectory) {}
  /// Hands segments to a sink that fills the trajectory.
  Sink around(Sink sink);
  void keep(const State& x);
  const std::vector<AlphaLevels>& list() const { return list_; }

 private:
  void add(const ContactMemory& memory);
  const System& system_;
  const Trajectory& trajectory_;
  std::vector<AlphaLevels> list_;
  std::vector<AlphaLevels::OfContact> sums_;  // since the last sample
};

struct CsvOptions {
  std::span<const std::string> names =
      {};                            ///< of coordinates: columns NAME and NAME'; q0, u0 where there are none
  std::vector<int> components = {};  ///< of q, u and accelerations; all when empty
  std::span<const AlphaLevels> levels = {};  ///< of generalized-α, one for each sample
  std::function<std::string(std::uint64_t)> contact_name = {};
  std::span<const std::string> velocities = {};  ///< names where they are not rates of the coordinates
};

/// t, q…, u… row by row, multipliers of ODAEs, levels. Throws Error when the file cannot be written; what
/// stood there then stays.
void write_csv(const std::string& file, const Trajectory& trajectory, const CsvOptions& options = {});

}  // namespace saltus
