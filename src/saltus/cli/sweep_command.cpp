#include <filesystem>
#include <iostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/sweep_report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/core/threads/thread_executor.hpp"
#include "saltus/figure/sweep_figure.hpp"
#include "saltus/study/file/sweep_journal.hpp"

namespace saltus::cli {
namespace {

constexpr std::size_t most_in_memory = 1'000'000;

std::string journal_file(const SweepOptions& o) {
  return o.output + ".journal";
}

// The journal beside the table; rows of a sweep without a table stay in memory.
std::unique_ptr<RowStore> open_rows(const SweepOptions& o, const SweepPoints& points, std::size_t measures) {
  const std::size_t count = points.count();
  if (o.output.empty()) {
    if (o.resume) fail("--resume needs -o FILE.csv: the journal lies beside it");
    if (count > most_in_memory)
      fail("{} points without a table: more than {} need -o FILE.csv, whose journal keeps their rows", count,
           most_in_memory);
    return std::make_unique<MemoryRows>(count, measures);
  }
  const bool there = std::filesystem::exists(journal_file(o));
  if (o.resume && !there)
    std::cerr << "saltus: no journal '" << journal_file(o) << "': the sweep starts at its beginning\n";
  return std::make_unique<SweepJournal>(
      journal_file(o), o.identity(points), count, measures,
      o.resume && there ? SweepJournal::Start::resume : SweepJournal::Start::fresh);
}

void compute(const SweepOptions& o, const SweepPoints& points, const Measures& measures, RowStore& rows) {
  const auto total = static_cast<double>(rows.points());
  ProgressBar bar(static_cast<double>(rows.count()) / total);
  const ThreadExecutor threads(o.threads);
  SweepControl control;
  control.executor = &threads;
  control.interrupt = &interrupted;
  control.estimate = o.estimates();
  control.finished = [&] { bar.show(static_cast<double>(rows.count()) / total); };
  sweep(
      points, measures, [&](const Settings& point) { return o.make_case(point); }, rows, control);
}

// The table first: the journal goes only when everything in it is safe.
void write_files(SweepReport& x) {
  const SweepOptions& o = x.options;
  if (!o.output.empty()) {
    OutputFile table(o.output);
    write_sweep_csv(x.points, x.measures.list(), x.rows, [&](std::string_view text) { table.write(text); });
    table.commit();
    x.written.files.push_back(o.output);
    if (x.missing() == 0) std::filesystem::remove(journal_file(o));
  }
  if (!o.figure.empty())
    x.written.figure(o.figure, sweep_panels(x.points, x.measures.list(), x.rows, o.target.target,
                                            o.units(x.points, x.measures)));
}

int execute(const SweepOptions& o) {
  json_wanted = o.json;
  const auto parameters = o.target.entry().resolve(o.target.settings());
  const SweepPoints points = o.make_points(parameters);
  const Measures measures = o.make_measures(parameters);
  check_outputs({{"-o", o.output}, {"--figure", o.figure, OutputName::Kind::figure}});
  if (!o.figure.empty()) check_sweep_panels(points);  // refused before the runs, not after
  const auto rows = open_rows(o, points, measures.list().size());
  compute(o, points, measures, *rows);
  SweepReport report{o, points, measures, *rows, parameters};
  write_files(report);
  if (o.json)
    report.print_json(std::cout);
  else
    report.print_text(std::cout);
  report.print_trouble(std::cerr);
  return rows->failed() + report.missing() == 0 && report.written.trouble.empty() ? success : unfinished;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* c = app.add_subcommand("sweep", "run a family of problems in parallel and tabulate measures");
  options->add_to(*c);
  c->callback([options, &action] { action = [options] { return execute(*options); }; });
}

}  // namespace saltus::cli
