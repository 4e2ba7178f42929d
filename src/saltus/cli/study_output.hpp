// What converge and work-precision have in common: methods compared on one problem, tables printed or as
// JSON, a CSV file and a figure.
#pragma once
#include "saltus/cli/report.hpp"
#include "saltus/cli/target.hpp"
#include "saltus/study/figure.hpp"

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

/// Draws, and adds the file to the list; says on stderr why it could not.
void draw_into(const std::string& file, std::span<const Panel> panels, std::vector<std::string>& files);

/// CSV and figure, those that were asked for; returns what was written.
std::vector<std::string> write_files(const StudyOptions& o, const std::string& csv,
                                     std::span<const Panel> panels);

/// Prints one of the two and returns the exit code.
int finish(const StudyOptions& o, Json json, const std::string& text, const std::vector<std::string>& files,
           bool all_finished);

template <class Table>
bool all_finished(const std::vector<Table>& tables) {
  for (const auto& t : tables)
    for (const auto& row : t.rows)
      if (row.status != RunStatus::finished) return false;
  return true;
}

}  // namespace saltus::cli
