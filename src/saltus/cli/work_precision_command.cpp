#include <CLI/CLI.hpp>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/study_output.hpp"
#include "saltus/core/error.hpp"
#include "saltus/figure/work_figure.hpp"
#include "saltus/run/compatibility.hpp"

namespace saltus::cli {
namespace {

struct WorkCommand : StudyOptions {
  std::string tol;
};

// One job per scheme and list. Steps are used with the stepping as in converge, absolute tolerances with
// adaptive steps (no largest step limits them unless the user sets one), relative ones with runs by
// tolerance; Runge–Kutta methods take steps only.
std::vector<StudyJob> jobs_of(const WorkCommand& o, const StudyReference& reference) {
  const bool adaptive = split_spec(o.stepping).name == AdaptiveSteps::name;
  const bool schemes = !o.schemes.empty() || !o.stepping.empty();
  if (o.h.empty() && o.tol.empty() && (o.rtol.empty() || schemes))
    fail("give steps (--h), tolerances of adaptive steps (--tol) or of runs by tolerance (--rtol)");
  if (o.h.empty() && !adaptive && !o.stepping.empty())
    fail("--tol needs stepping adaptive, not {}", o.stepping);
  if (!o.h.empty() && sets_step(o.stepping) && (o.tol.empty() || !adaptive))
    fail("the step is given twice: --h {} and --stepping {}", o.h, o.stepping);
  const auto steps = o.h.empty() ? std::vector<double>{} : parse_steps(o.h, "--h");
  const auto tolerances = o.tol.empty() ? std::vector<double>{} : parse_tolerances(o.tol, "--tol");

  std::vector<StudyJob> jobs;
  for (const auto& scheme : o.schemes.empty() ? std::vector<std::string>{""} : o.schemes) {
    StudyOptions one = static_cast<const StudyOptions&>(o);
    if (!steps.empty()) {
      if (adaptive && !tolerances.empty()) one.stepping.clear();
      jobs.push_back(reference.job(one, scheme, Knob::step, steps));
    }
    if (!tolerances.empty()) {
      one.stepping = adaptive ? o.stepping : std::string(AdaptiveSteps::name);
      const SchemeSpec used =
          scheme.empty() ? reference.problem().method.scheme : parse_spec<SchemeSpec>(scheme, "scheme");
      if (!steps.empty() && !goes_with(used, AdaptiveSteps{})) continue;
      jobs.push_back(reference.job(one, scheme, Knob::tolerance, tolerances));
    }
  }
  for (auto& job : reference.tolerance_jobs(o)) jobs.push_back(std::move(job));
  return jobs;
}

std::string csv_of(const std::vector<WorkTable>& tables) {
  std::string out = "scheme,stepping,knob,value";
  for (const auto& n : work_norms()) out += fmt::format(",{}", n.name);
  out += ",force_evaluations,cpu_seconds,steps,rejected\n";
  for (const auto& t : tables)
    for (const auto& row : t.rows) {
      out += fmt::format("\"{}\",\"{}\",{},{}", to_text(t.method.scheme),
                         std::visit([](const auto& s) { return s.name; }, t.method.stepping),
                         to_string(t.knob), row.value);
      for (const auto& n : work_norms()) out += fmt::format(",{}", row.error.*n.member);
      out += fmt::format(",{},{},{},{}\n", row.stats.force_evaluations, row.stats.cpu_seconds,
                         row.stats.steps, row.stats.rejected);
    }
  return out;
}

Json to_json(const WorkTable& t) {
  Json rows = Json::array();
  for (const auto& row : t.rows) {
    Json error = Json::object();
    for (const auto& n : work_norms()) error[std::string(n.name)] = number(row.error.*n.member);
    rows.push_back({{std::string(to_string(t.knob)), number(row.value)},
                    {"status", saltus::to_string(row.status)},
                    {"message", row.message},
                    {"error", std::move(error)},
                    {"force_evaluations", row.stats.force_evaluations},
                    {"cpu_seconds", number(row.stats.cpu_seconds)},
                    {"steps", row.stats.steps},
                    {"rejected", row.stats.rejected}});
  }
  return {{"scheme", to_text(t.method.scheme)},
          {"stepping", to_text(t.method.stepping)},
          {"knob", to_string(t.knob)},
          {"rows", std::move(rows)}};
}

std::string to_text(const std::string& problem, const WorkTable& t) {
  std::string out = fmt::format("{}: {}\n{:>12} {:>10} {:>11}", problem, label(t.method), to_string(t.knob),
                                "forces", "CPU");
  for (const auto& n : work_norms()) out += fmt::format(" {:>12}", n.name);
  out += "\n";
  for (const auto& row : t.rows) {
    out += fmt::format("{:>12.5g} {:>10} {:>8.4g} ms", row.value, row.stats.force_evaluations,
                       1e3 * row.stats.cpu_seconds);
    for (const auto& n : work_norms()) out += fmt::format(" {:>12.3e}", row.error.*n.member);
    out += "\n";
    if (row.status != RunStatus::finished)
      out += fmt::format("             {}: {}\n", saltus::to_string(row.status), row.message);
  }
  return out;
}

std::vector<WorkTable> work_tables_of(const std::vector<StudyJob>& jobs, Console& io) {
  return tables_of<WorkTable>(
      jobs, io,
      [](const StudyJob& j) {
        return WorkTable{j.method, j.knob, {}};
      },
      [](const StudyJob& j, std::span<const double> value, const RunControl& control) {
        return work_precision(j.problem, j.method, j.knob, value, control).rows.front();
      });
}

int execute(const WorkCommand& given, Console& io) {
  WorkCommand o = given;
  io.json = o.json;
  o.take_methods();
  const CatalogEntry& entry = o.target.entry();
  const auto parameters = entry.resolve(o.target.settings());
  check_outputs({{"-o", o.output}, {"--figure", o.figure, OutputName::Kind::figure}});
  const StudyReference reference(o, io);
  const auto tables = work_tables_of(jobs_of(o, reference), io);
  const Written written =
      write_files(o, csv_of(tables), work_panels(tables, entry.name + ": error over work"), io);
  Json out = {
      {"problem", entry.name}, {"parameters", parameters_json(parameters)}, {"tables", Json::array()}};
  std::string text;
  for (const auto& t : tables) out["tables"].push_back(to_json(t)), text += to_text(entry.name, t) + "\n";
  reference.describe(out);
  text += reference.text(smallest_error(tables));
  return finish(o, std::move(out), text, written, all_finished(tables), io);
}

}  // namespace

void add_work_precision(CLI::App& app, Action& action) {
  auto options = std::make_shared<WorkCommand>();
  CLI::App* c = app.add_subcommand("work-precision",
                                   "errors over force evaluations and CPU time, one curve per method");
  options->add_to(*c);
  c->add_option("--tol", options->tol, "tolerances of adaptive steps, written like --h");
  c->callback([options, &action] { action = [options](Console& io) { return execute(*options, io); }; });
}

}  // namespace saltus::cli
