// What converge and work-precision have in common: methods compared on one problem, tables printed or as
// JSON, a CSV file and a figure.
#pragma once
#include "saltus/cli/report.hpp"
#include "saltus/cli/target.hpp"
#include "saltus/figure/figure.hpp"

namespace saltus::cli {

struct StudyOptions {
  TargetOptions target;
  std::vector<std::string> schemes;
  std::string h, output, figure;
  bool json = false;

  void add_to(CLI::App& app);
};

/// The problem of a study of errors. Throws Error when there is no reference up to its end.
CatalogProblem problem_with_reference(const StudyOptions& o);

/// What a command wrote, and why a figure is missing.
struct Written {
  std::vector<std::string> files;
  std::string trouble;

  /// Draws, and adds the file to the list; says on stderr why it could not.
  void figure(const std::string& file, std::span<const Panel> panels);
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
Written write_files(const StudyOptions& o, const std::string& csv, std::span<const Panel> panels);

/// Prints one of the two and returns the exit code: not that of success when a run or a figure is missing.
int finish(const StudyOptions& o, Json json, const std::string& text, const Written& written,
           bool all_finished);

template <class Table>
bool all_finished(const std::vector<Table>& tables) {
  for (const auto& t : tables)
    for (const auto& row : t.rows)
      if (row.status != RunStatus::finished) return false;
  return true;
}

}  // namespace saltus::cli
