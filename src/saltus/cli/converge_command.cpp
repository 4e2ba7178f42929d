#include <CLI/CLI.hpp>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/study_output.hpp"
#include "saltus/core/error.hpp"
#include "saltus/figure/convergence_figure.hpp"

namespace saltus::cli {
namespace {

std::string csv_of(const std::vector<ConvergenceTable>& tables) {
  std::string out = fmt::format("scheme,{}", to_string(tables.front().knob));
  for (const auto& n : norm_names()) out += fmt::format(",{}", n.name);
  out += ",force_evaluations,cpu_seconds\n";
  for (const auto& t : tables)
    for (const auto& row : t.rows) {
      out += fmt::format("\"{}\",{}", saltus::to_text(t.method.scheme), row.h);
      for (const auto& n : norm_names()) out += fmt::format(",{}", row.error.*n.member);
      out += fmt::format(",{},{}\n", row.stats.force_evaluations, row.stats.cpu_seconds);
    }
  return out;
}

// One job per scheme with the steps, and one with the tolerances.
std::vector<StudyJob> jobs_of(const StudyOptions& o, const StudyReference& reference) {
  if (o.h.empty() && (o.rtol.empty() || !o.schemes.empty() || !o.stepping.empty()))
    fail("give the steps: --h h1,h2,… or --h first:last:count; or tolerances, --rtol");
  if (!o.h.empty() && sets_step(o.stepping))
    fail("the step is given twice: --h {} and --stepping {}", o.h, o.stepping);
  std::vector<StudyJob> jobs;
  if (!o.h.empty())
    for (const auto& scheme : o.schemes.empty() ? std::vector<std::string>{""} : o.schemes)
      jobs.push_back(reference.job(o, scheme, Knob::step, parse_steps(o.h, "--h")));
  for (auto& job : reference.tolerance_jobs(o)) jobs.push_back(std::move(job));
  return jobs;
}

std::vector<ConvergenceTable> tables_of(const std::vector<StudyJob>& jobs, Console& io) {
  auto tables = tables_of<ConvergenceTable>(
      jobs, io,
      [](const StudyJob& j) {
        return ConvergenceTable{j.method, {}, {}, j.knob};
      },
      [](const StudyJob& j, std::span<const double> value, const RunControl& control) {
        return convergence(j.problem, j.method, value, control, {}, j.knob).rows.front();
      });
  for (auto& t : tables) fit_orders(t);
  return tables;
}

int execute(const StudyOptions& given, Console& io) {
  StudyOptions o = given;
  io.json = o.json;
  o.take_methods();
  const CatalogEntry& entry = o.target.entry();
  const auto parameters = entry.resolve(o.target.settings());
  check_outputs({{"-o", o.output}, {"--figure", o.figure, OutputName::Kind::figure}});
  const StudyReference reference(o, io);
  const auto tables = tables_of(jobs_of(o, reference), io);
  const Written written =
      write_files(o, csv_of(tables), convergence_panels(tables, entry.name + ": error (fitted order)"), io);
  Json out = to_json(entry.name, parameters, tables.front());
  std::string text;
  for (const auto& t : tables) {
    if (tables.size() > 1) out["tables"].push_back(to_json(entry.name, parameters, t));
    text += to_text(entry.name, t) + "\n";
  }
  reference.describe(out);
  text += reference.text(smallest_error(tables));
  return finish(o, std::move(out), text, written, all_finished(tables), io);
}

}  // namespace

void add_converge(CLI::App& app, Action& action) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* c =
      app.add_subcommand("converge", "errors in all norms over steps or tolerances, with fitted orders");
  options->add_to(*c);
  c->callback([options, &action] { action = [options](Console& io) { return execute(*options, io); }; });
}

}  // namespace saltus::cli
