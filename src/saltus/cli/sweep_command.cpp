#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/sweep_ranks.hpp"
#include "saltus/cli/sweep_report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/core/threads/thread_executor.hpp"
#include "saltus/figure/reduction_figure.hpp"
#include "saltus/figure/sweep_figure.hpp"
#include "saltus/study/file/sweep_journal.hpp"
#include "saltus/study/rank_link.hpp"

namespace saltus::cli {
namespace {

constexpr std::size_t most_in_memory = 1'000'000;

std::string journal_file(const SweepOptions& o) {
  return o.output + ".journal";
}

// The journal beside the table; rows of a sweep without a table stay in memory.
std::unique_ptr<RowStore> open_rows(const SweepOptions& o, const SweepPoints& points, std::size_t measures,
                                    Console& io) {
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
    io.err << "saltus: no journal '" << journal_file(o) << "': the sweep starts at its beginning\n";
  return std::make_unique<SweepJournal>(
      journal_file(o), o.identity(points), count, measures,
      o.resume && there ? SweepJournal::Start::resume : SweepJournal::Start::fresh);
}

void compute(const SweepOptions& o, const SweepPoints& points, const Measures& measures, RowStore& rows,
             RankGuard& guard, Console& io) {
  constexpr double usual_lines = 10;  // seconds
  const auto total = static_cast<double>(rows.points());
  ProgressBar bar(static_cast<double>(rows.count()) / total, io.progress);
  ProgressLines lines(rows.count(), rows.points(), ranks && o.progress == 0 ? usual_lines : o.progress,
                      ranks ? fmt::format(", {} ranks", ranks->size()) : "");
  const auto finished = [&] {
    bar.show(static_cast<double>(rows.count()) / total);
    lines.show(rows.count());
  };
  if (ranks) return lead_ranks(o, points, measures, rows, finished, guard, io);
  const ThreadExecutor threads(o.threads);
  SweepControl control;
  control.executor = &threads;
  control.interrupt = &io.interrupted;
  control.estimate = o.estimates();
  control.finished = finished;
  const bool with_parameters = measures.use_parameters();
  sweep(
      points, measures, [&](const Settings& point) { return o.make_case(point, with_parameters); }, rows,
      control);
}

// The table first: the journal goes only when everything in it is safe.
void write_files(SweepReport& x, Console& io) {
  const SweepOptions& o = x.options;
  if (!o.output.empty()) {
    OutputFile table(o.output);
    write_sweep_csv(x.points, x.measures.list(), x.rows, [&](std::string_view text) { table.write(text); });
    table.commit();
    x.written.files.push_back(o.output);
    if (x.missing() == 0) std::filesystem::remove(journal_file(o));
  }
  if (x.summary && !o.reduced.empty()) {
    write_file(o.reduced, reduced_csv(x.summary->result, x.measures.list(), x.summary->asked));
    x.written.files.push_back(o.reduced);
  }
  if (o.figure.empty()) return;
  const auto units = o.units(x.points, x.measures);
  x.written.figure(o.figure,
                   x.summary ? reduction_panels(x.summary->result, x.measures.list(), x.summary->asked,
                                                o.target.target, units)
                             : sweep_panels(x.points, x.measures.list(), x.rows, o.target.target, units),
                   io);
}

// Refused before the runs, not after.
void check_output(const SweepOptions& o, const SweepPoints& points, const Reduction& asked,
                  std::size_t measures) {
  check_outputs(
      {{"-o", o.output}, {"--reduced", o.reduced}, {"--figure", o.figure, OutputName::Kind::figure}});
  if (o.reduce.empty()) {
    if (!o.by.empty())
      fail("--by {}: what of each group? Name it by --reduce, as --reduce mean", o.by.front());
    if (!o.reduced.empty()) fail("--reduced {}: there is nothing to write without --reduce", o.reduced);
    if (!o.figure.empty()) check_sweep_panels(points);
  } else {
    const SweepGroups refused_if_unknown(points, o.by);
    if (!o.figure.empty()) check_reduction_panels(asked, o.by.size(), measures);
  }
}

// Whether the points of a group are independent samples: not where the same samples are run at several values
// of something else.
bool independent(const SweepPoints& points, std::span<const std::string> by) {
  if (!points.samples || points.samples->kind() != Samples::Kind::random) return false;
  if (points.table && points.table->size() > 1) return false;
  return std::all_of(points.axes.begin(), points.axes.end(), [&](const SweepAxis& a) {
    return a.size() == 1 || std::find(by.begin(), by.end(), a.name) != by.end();
  });
}

int execute(const SweepOptions& o, Console& io) {
  io.json = o.json;
  if (ranks && ranks->rank() > 0) return follow_rank(o, io);
  RankGuard guard;
  const auto parameters = o.target.entry().resolve(o.target.settings());
  const SweepPoints points = o.make_points(parameters);
  const Measures measures = o.make_measures(parameters);
  const Reduction asked = parse_reduction(o.reduce);
  check_output(o, points, asked, measures.list().size());
  const auto rows = open_rows(o, points, measures.list().size(), io);
  compute(o, points, measures, *rows, guard, io);
  SweepReport report{o, points, measures, *rows, parameters};
  if (!o.reduce.empty())
    report.summary = SweepSummary{asked, reduce(points, *rows, asked, o.by), independent(points, o.by)};
  write_files(report, io);
  if (o.json)
    report.print_json(io.out);
  else
    report.print_text(io.out);
  report.print_trouble(io.err);
  return rows->failed() + report.missing() == 0 && report.written.trouble.empty() ? success : unfinished;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* c = app.add_subcommand("sweep", "run a family of problems in parallel and tabulate measures");
  options->add_to(*c);
  c->callback([options, &action] { action = [options](Console& io) { return execute(*options, io); }; });
}

}  // namespace saltus::cli
