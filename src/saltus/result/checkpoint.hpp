// Where a run stands, in a text file: numbers in hexadecimal, so that every bit survives, and a checksum at
// its end. It is replaced as a whole: a process that dies while it writes, or finds the disk full, leaves the
// one before.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "saltus/run/checkpoint.hpp"

namespace saltus {

/// All that `saltus resume` needs: the run as the user asked for it, and where it stands.
struct SavedRun {
  std::string problem;               ///< of the catalog, or the name of the scene file
  std::string scene;                 ///< its text; empty for problems of the catalog
  std::vector<std::string> changes;  ///< to the scene, path.to.field=value
  std::vector<std::pair<std::string, std::string>> settings;
  std::string scheme, stepping, solver;  ///< complete, as to_text() gives them
  double t_end = 0;
  std::vector<double> ends;  ///< of the run before it was extended: breakpoints
  bool accept_penetration = false;
  std::int64_t every_steps = 0;  ///< between checkpoints
  /// the file of results that is written along, if any: its name where it lies beside the checkpoint, else
  /// from the root
  std::string output;
  bool no_error = false;          ///< nothing is kept in memory for a comparison
  std::string csv;                ///< a CSV file that the run was to write at its end
  std::int64_t output_every = 1;  ///< steps per sample in it
  Checkpoint at;
};

/// Throws Error when the file cannot be written.
void save_checkpoint(const std::string& file, const SavedRun& run);
/// Throws Error naming the file and what is wrong: damage, another version, numbers that no run leaves.
SavedRun load_checkpoint(const std::string& file);

}  // namespace saltus
