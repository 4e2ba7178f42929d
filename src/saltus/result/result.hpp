// Results in files: HDF5, written while the run goes on, in constant memory, and read back.
// The layout, which other programs may rely on, is described in docs/reference/results.md.
#pragma once
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/run/checkpoint.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/scheme/generalized_alpha/alpha_levels.hpp"

namespace saltus {

/// What a file says about its run, as attributes of its root.
struct ResultInfo {
  std::string problem, settings;  ///< the catalog's name, and "name=value" by line
  std::string scheme, stepping, solver;
  std::string scene;  ///< the text of the scene file; empty when there was none
  /// What makes the problem again: parameters as they were given, and changes to the scene, by line
  std::string given, changes;
  std::string coordinates;  ///< their names, by line; empty when they have none
  double t0 = 0, t_end = 0;
  std::int64_t every = 1;  ///< so many steps per sample; events always keep both their sides
  /// Of methods with dense output: with the polynomials between samples, so many bytes of them at most
  std::int64_t dense_bytes = 0;
  /// Appending: the end that the file has so far, when the run now goes on beyond it; not in the file
  double extends = std::numeric_limits<double>::quiet_NaN();
  bool levels = false;  ///< of generalized-α: with accelerations and multipliers
  // written at the end
  std::string status = "running", message, state_hash;
  std::string version;             ///< of the program
  double stepped_from = infinity;  ///< see RunResult
  int layout = 1;
};

/// 64-bit FNV-1a of all bits of a state, as 16 hex digits: equal hashes, equal states.
std::string state_hash(const State& state);

/// A sink that writes; the file appears, or is replaced, with the first step. Memory does not depend on the
/// length of the run: rows are collected by chunks and sums are kept for contacts only. At least every
/// `flush_seconds` all that is there goes to the disk; a process that is killed leaves a file that opens up
/// to there.
class ResultWriter {
 public:
  enum class Opening : std::uint8_t { create, append };  ///< append: to the file of a run that is resumed
  /// Throws Error when the file cannot be written. The problem must outlive the writer.
  ResultWriter(const std::string& file, const Problem& problem, const ResultInfo& info,
               Opening opening = Opening::create);
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  void operator()(const Segment& segment);
  /// The last state if thinning left it out, status, message and hash; closes the file.
  void finish(const RunResult& result);
  void flush();
  /// For checkpoints (Checkpoints::with): how far the file was written. Cuts off what an appended one has
  /// beyond.
  void memory(Memory& m);
  double flush_seconds = 5;

 private:
  struct Impl;
  bool append_ = false;
  const Problem& problem_;
  std::unique_ptr<Impl> impl_;
};

/// A file in memory. Samples that were not thinned are the run's own, bit by bit.
struct Result {
  ResultInfo info;
  Trajectory trajectory;
  std::vector<double> energy, contact_residual, min_gap;  ///< by sample
  std::vector<AlphaLevels> levels;  ///< by sample, impulses since the last one; empty for other schemes
  std::map<std::uint64_t, std::string> names;          ///< of contacts that did something
  bool complete = false;                               ///< false: the run was killed
  std::optional<Ledger> ledger;                        ///< energies only; of files that were closed
  std::optional<double> energy_initial, energy_final;  ///< as the run told them; of files that were closed
  std::vector<std::string> warnings;                   ///< of files that were closed
  RunStats stats;  ///< what a file has of them; zeros of a file that was not closed

  std::string name(std::uint64_t contact) const;
};
/// Throws Error naming the file and the field that is missing or wrong.
Result read_result(const std::string& file);
ResultInfo read_result_info(const std::string& file);

/// What a file holds, read without its trajectory: in constant memory.
struct ResultSummary {
  ResultInfo info;
  bool complete = false;
  std::size_t samples = 0, contacts = 0;
  int nq = 0, nu = 0, multipliers = 0;
  std::size_t pieces = 0;         ///< of dense output
  double dense_until = infinity;  ///< finite: the limit of dense output was reached there
  double t_first = 0, t_last = 0, energy_first = 0, energy_last = 0;
  double contact_residual = 0;                 ///< the largest
  std::map<std::string, std::int64_t> events;  ///< how many, by kind
};
ResultSummary read_result_summary(const std::string& file);

/// Lists in ResultInfo are texts with a line for each entry.
std::vector<std::string> lines_of(const std::string& text);
std::string as_lines(std::span<const std::string> list);

/// Whether a name ends in .h5 or .hdf5.
bool is_result_name(const std::string& file);

}  // namespace saltus
