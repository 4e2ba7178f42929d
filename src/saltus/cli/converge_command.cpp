#include "saltus/cli/commands.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/study_output.hpp"
#include "saltus/core/error.hpp"
#include "saltus/figure/convergence_figure.hpp"

namespace saltus::cli {
namespace {

std::string csv_of(const std::vector<ConvergenceTable>& tables) {
  std::string out = "scheme,h";
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

int execute(const StudyOptions& o) {
  json_wanted = o.json;
  const CatalogEntry& entry = o.target.entry();
  const auto parameters = entry.resolve(o.target.settings());
  check_outputs({{"-o", o.output}, {"--figure", o.figure, OutputName::Kind::figure}});
  const CatalogProblem p = problem_with_reference(o);
  if (o.h.empty()) fail("give the steps: --h h1,h2,… or --h first:last:count");
  const auto steps = parse_steps(o.h, "--h");
  if (sets_step(o.target.stepping))
    fail("the step is given twice: --h {} and --stepping {}", o.h, o.target.stepping);
  std::vector<Method> methods;
  for (const auto& scheme : o.schemes.empty() ? std::vector<std::string>{""} : o.schemes) {
    TargetOptions one = o.target;
    one.scheme = scheme;
    methods.push_back(one.method(p, ""));
  }
  std::vector<ConvergenceTable> tables;
  {
    ProgressBar bar;
    RunControl control;
    control.interrupt = &interrupted;
    const double total = static_cast<double>(methods.size() * steps.size());
    for (const auto& m : methods) {
      tables.push_back({m, {}, {}});
      // run by run, so that the bar moves and an interrupt keeps the rows that are done
      std::vector<double> done;
      for (double h : steps) {
        if (interrupted) break;
        done.push_back(h);
        bar.show((static_cast<double>(tables.size() - 1) * static_cast<double>(steps.size()) +
                  static_cast<double>(done.size() - 1)) /
                 total);
        tables.back().rows.push_back(convergence(p, m, {&done.back(), 1}, control).rows.front());
      }
      fit_orders(tables.back());
    }
  }
  const Written written = write_files(
      o, csv_of(tables), convergence_panels(tables, entry.name + ": error over step size (fitted order)"));
  Json out = to_json(entry.name, parameters, tables.front());
  std::string text;
  for (const auto& t : tables) {
    if (tables.size() > 1) out["tables"].push_back(to_json(entry.name, parameters, t));
    text += to_text(entry.name, t) + "\n";
  }
  return finish(o, std::move(out), text, written, all_finished(tables));
}

}  // namespace

void add_converge(CLI::App& app, Action& action) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* c = app.add_subcommand("converge", "errors in all norms over step sizes, with fitted orders");
  options->add_to(*c);
  c->callback([options, &action] { action = [options] { return execute(*options); }; });
}

}  // namespace saltus::cli
