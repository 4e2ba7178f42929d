// What a run leaves in files while it goes on: results, checkpoints, a contact problem.
#pragma once
#include <memory>
#include <optional>

#include "saltus/cli/report.hpp"
#include "saltus/cli/sample_times.hpp"
#include "saltus/cli/target.hpp"
#include "saltus/result/checkpoint.hpp"
#include "saltus/result/result.hpp"
#include "saltus/study/tightening.hpp"

namespace saltus::cli {

struct RunOptions {
  TargetOptions target;
  std::string h, output, csv, figure, snapshot, animate, page, dump_at, dump_file, space_time, quantity = "u",
                                                                                               components;
  std::string forces, force_figure, contacts, profiles;  // of chains
  std::string tries;                                     // --tries FILE: all tries of stepping switching
  std::string trust;                                     // --trust energy=…,penetration=…,drift=…
  bool json = false, no_error = false, no_estimate = false;
  std::optional<Method> tightened;  // a run again, with another tolerance than the one asked for
  Tightening tightening;
  std::shared_ptr<CompanionRun> companion;  // of the run before
  int digits = 0;                           // --digits: tighten the tolerance until there are so many
  int threads = -1;  // --threads: of the run itself; 0: as many as there are cores, −1: not given, one
  int every = 1;
  std::string every_text;             // --every: that number, or a time
  SampleTimes times;                  // --at, and --every with a time
  double dense_megabytes = 256;       // --dense: of polynomials between samples, in memory and in the file
  std::string checkpoint;             // --checkpoint every=N[,file=NAME]
  std::optional<SavedRun> from;       // resume: where the run stood
  std::optional<Extension> extended;  // resume --t-end
  std::string from_file;              // and in which file: it is written on unless --checkpoint is given
};

/// Of dense output that is kept.
inline std::int64_t dense_bytes(const RunOptions& o) {
  return static_cast<std::int64_t>(o.dense_megabytes * 1e6);
}

/// What a file of results tells about the run.
ResultInfo result_info(const RunOptions& o, const CatalogProblem& p, const RunReport& report);

/// Whether two names are of one file.
bool same_file(const std::string& a, const std::string& b);

/// How a checkpoint names the run's file of results: by its name alone where it lies beside the checkpoint,
/// else from the root.
std::string name_for_checkpoint(const std::string& output, const std::string& checkpoint);
/// The file that a checkpoint names.
std::string named_by_checkpoint(const std::string& output, const std::string& checkpoint);
/// Throws Error unless resume may write to the file without the user naming it: a checkpoint, which may come
/// from anywhere, chooses files of results in its own folder only.
void check_named_by_checkpoint(const std::string& output, const std::string& checkpoint);

/// Writes the contact problem of the step that contains a time; of the failed step when a run ends in it.
class ContactDump {
 public:
  ContactDump(const RunOptions& o, const CatalogProblem& p, const Method& method);
  Sink around(Sink sink);
  void finish(RunReport& report);

 private:
  void write(const State& x, double h);
  const Problem& p_;
  const Method& method_;
  double at_ = 0;
  std::string file_;
  bool done_ = false;
};

/// -o FILE.h5: the run is written while it goes on. With --no-error and without figures nothing is kept in
/// memory then, so that it does not grow with the run. A run that is resumed goes on with its file.
class ResultStream {
 public:
  ResultStream(const RunOptions& o, const CatalogProblem& p, const RunReport& report,
               std::atomic<bool>& interruption);
  bool only() const { return only_; }
  Sink around(Sink sink);
  Checkpoints around(const Checkpoints& points);
  void finish(const RunOptions& o, RunReport& report);

 private:
  void write(const Segment& s);
  std::unique_ptr<ResultWriter> writer_;
  std::atomic<bool>& interrupted_;
  bool only_ = false;
  std::string trouble_;  // the file cannot be written any more: the run is to end
};

/// --checkpoint every=N[,file=NAME] of run, and what resume was given.
class CheckpointFile {
 public:
  CheckpointFile(const RunOptions& o, const CatalogProblem& p, const RunReport& report);
  const Checkpoints& points() const { return points_; }
  void finish(RunReport& report) const;

 private:
  Checkpoints points_;
  std::string file_;
  SavedRun run_;
};

}  // namespace saltus::cli
