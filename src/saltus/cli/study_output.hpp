// What converge and work-precision have in common: methods compared on one problem, tables printed or as
// JSON, a CSV file and a figure.
#pragma once
#include "saltus/cli/commands.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/cli/target.hpp"
#include "saltus/figure/figure.hpp"
#include "saltus/study/knob.hpp"

namespace saltus::cli {

struct StudyOptions {
  TargetOptions target;
  std::vector<std::string> schemes;
  std::string h, stepping, rtol, atol, output, figure;  ///< rtol: a list, of runs by tolerance
  bool json = false;

  void add_to(CLI::App& app);
  /// --stepping is of the schemes, --rtol and --atol are of runs by tolerance beside theirs: the target
  /// itself, which the reference solves, has none of them.
  void take_methods();
};

/// A method on its problem and the values of what varies.
struct StudyJob {
  CatalogProblem problem;
  Method method;
  Knob knob = Knob::step;
  std::vector<double> values;
};

/// What errors of a target are measured against: the solution that its problem knows or, where there is none
/// up to its end, the system itself solved far below the errors that are measured.
class StudyReference {
 public:
  StudyReference(const StudyOptions& o, const Console& io);
  const CatalogProblem& problem() const { return problem_; }
  /// The target by one scheme (empty: the usual one).
  StudyJob job(const StudyOptions& o, const std::string& scheme, Knob knob, std::vector<double> values) const;
  /// By tolerance, one job when --rtol lists tolerances.
  std::vector<StudyJob> tolerance_jobs(const StudyOptions& o) const;
  /// Keys `reference`, and `reference_error` where it is an estimate.
  void describe(Json& out) const;
  /// A line; with a warning when the smallest error is not 1000 times that of the reference.
  std::string text(double smallest_error) const;

 private:
  CatalogProblem problem_;
  double error_ = 0;
  std::string note_;  // why errors may not tend to zero
};

/// What a command wrote, and why a figure is missing.
struct Written {
  std::vector<std::string> files;
  std::string trouble;

  /// Draws, and adds the file to the list; says why it could not.
  void figure(const std::string& file, std::span<const Panel> panels, Console& io);
};

/// A file that a command is going to write, with the option that named it.
struct OutputName {
  std::string_view option;
  const std::string& file;
  enum class Kind : std::uint8_t { data, figure, svg } kind = Kind::data;
};
/// Before the work begins: throws Error where a file cannot be written, a figure has another ending than
/// .svg or .png, or two are the same file. Empty names are not written.
void check_outputs(std::initializer_list<OutputName> names);

/// CSV and figure, those that were asked for.
Written write_files(const StudyOptions& o, const std::string& csv, std::span<const Panel> panels, Console& io);

/// Prints one of the two and returns the exit code: not that of success when a run or a figure is missing.
int finish(const StudyOptions& o, Json json, const std::string& text, const Written& written,
           bool all_finished, Console& io);

/// Each job run value by value, so that the bar moves and an interrupt keeps the rows that are done: `begin`
/// makes the table of a job, `run` adds the row of one value to it.
template <class Table, class Begin, class Run>
std::vector<Table> tables_of(const std::vector<StudyJob>& jobs, Console& io, Begin&& begin, Run&& run) {
  std::vector<Table> tables;
  ProgressBar bar(0, io.progress);
  RunControl control;
  control.interrupt = &io.interrupted;
  double total = 0, done = 0;
  for (const auto& j : jobs) total += static_cast<double>(j.values.size());
  for (const auto& j : jobs) {
    tables.push_back(begin(j));
    for (const double& value : j.values) {
      if (io.interrupted) break;
      bar.show(done++ / total);
      tables.back().rows.push_back(run(j, std::span(&value, 1), control));
    }
  }
  return tables;
}

/// The smallest error in q, sup norm, of the runs that finished; infinite without any.
template <class Table>
double smallest_error(const std::vector<Table>& tables) {
  double out = infinity;
  for (const auto& t : tables)
    for (const auto& row : t.rows)
      if (row.status == RunStatus::finished) out = std::min(out, row.error.q_sup);
  return out;
}

template <class Table>
bool all_finished(const std::vector<Table>& tables) {
  for (const auto& t : tables)
    for (const auto& row : t.rows)
      if (row.status != RunStatus::finished) return false;
  return true;
}

}  // namespace saltus::cli
