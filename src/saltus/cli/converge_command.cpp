#include <iostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/progress.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/cli/target.hpp"
#include "saltus/core/error.hpp"
#include "saltus/study/figure.hpp"

namespace saltus::cli {
namespace {

struct ConvergeOptions {
  TargetOptions target;
  std::vector<std::string> schemes;
  std::string h, output, figure;
  bool json = false;
};

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

int execute(const ConvergeOptions& o) {
  json_wanted = o.json;
  const CatalogEntry& entry = o.target.entry();
  const auto parameters = entry.resolve(o.target.settings());
  const CatalogProblem p = o.target.problem();
  const auto steps = parse_steps(o.h, "--h");
  if (sets_step(o.target.stepping))
    fail("the step is given twice: --h {} and --stepping {}", o.h, o.target.stepping);
  if (!p.reference)
    fail("{} has no reference solution with these parameters: nothing to converge to", entry.name);
  if (p.problem.t_end > p.reference->valid_until())
    fail("the reference of {} is good up to t = {:.6g} only; choose a smaller --t-end", entry.name,
         p.reference->valid_until());

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
  std::vector<std::string> files;
  if (!o.output.empty()) write_text(o.output, csv_of(tables)), files.push_back(o.output);
  if (!o.figure.empty()) {
    const auto trouble =
        draw(o.figure, convergence_panels(tables, entry.name + ": error over step size (fitted order)"));
    if (trouble.empty())
      files.push_back(o.figure);
    else
      std::cerr << "saltus: " << trouble << "\n";
  }
  bool ok = true;
  for (const auto& t : tables)
    for (const auto& row : t.rows) ok = ok && row.status == RunStatus::finished;
  if (o.json) {
    Json out = to_json(entry.name, parameters, tables.front());
    if (tables.size() > 1) {
      out["tables"] = Json::array();
      for (const auto& t : tables) out["tables"].push_back(to_json(entry.name, parameters, t));
    }
    if (!files.empty()) out["files"] = files;
    std::cout << out.dump(2) << "\n";
  } else {
    for (const auto& t : tables) std::cout << to_text(entry.name, t) << "\n";
    for (const auto& f : files) std::cout << "wrote " << f << "\n";
  }
  return ok && !interrupted ? success : unfinished;
}

}  // namespace

void add_converge(CLI::App& app, Action& action) {
  auto options = std::make_shared<ConvergeOptions>();
  CLI::App* c = app.add_subcommand("converge", "errors in all norms over step sizes, with fitted orders");
  options->target.add_to(*c, false);
  c->add_option("--scheme", options->schemes, "NAME[:key=value,…]; repeat to compare several")
      ->allow_extra_args(false);
  c->add_option("--h", options->h, "steps: h1,h2,… or first:last:count (equal ratios)")->required();
  c->add_option("-o,--output", options->output, "write the table as CSV");
  c->add_option("--figure", options->figure, "log-log figure (.svg or .png)");
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, &action] { action = [options] { return execute(*options); }; });
}

}  // namespace saltus::cli
