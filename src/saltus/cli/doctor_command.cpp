#include <CLI/CLI.hpp>
#include <cmath>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/core/plain_text.hpp"
#include "saltus/figure/gnuplot.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::cli {
namespace {

struct Check {
  std::string name;
  bool ok;
  std::string detail;
};

Check check_ball() {
  const CatalogProblem p = make_problem("bouncing-ball");
  Trajectory trajectory;
  Method m = p.method;
  m.stepping = FixedSteps{5.0 / 3170};
  const RunResult r = run(p.problem, m, trajectory.sink());
  const TrajectoryError e = compare(trajectory, *p.reference);
  const bool ok = r.status == RunStatus::finished && e.q_sup < 5e-3 && e.u_hausdorff < 2e-2;
  return {"bouncing ball through its accumulation", ok,
          fmt::format("q error {:.1e}, graph error {:.1e}", e.q_sup, e.u_hausdorff)};
}

Check check_friction() {
  const CatalogProblem p = make_problem("sliding-block");
  const RunResult r = run(p.problem, p.method);
  return {"block sticks on the incline", r.status == RunStatus::finished && std::abs(r.final.u[0]) < 1e-14,
          fmt::format("velocity {:.1e}", r.final.u[0])};
}

Check check_column() {
  const CatalogProblem p = make_problem("ball-column", {{"n", "100"}}, 0.1);
  const RunResult r = run(p.problem, p.method);
  return {"column of 100 balls at rest",
          r.status == RunStatus::finished && r.final.u.lpNorm<Eigen::Infinity>() < 1e-12,
          fmt::format("largest velocity {:.1e}", r.final.u.lpNorm<Eigen::Infinity>())};
}

Check check_pendulum() {
  const CatalogProblem p = make_problem("pendulum");
  Trajectory trajectory;
  const RunResult r = run(p.problem, p.method, trajectory.sink());
  const TrajectoryError e = compare(trajectory, *p.reference, {false, 1e-9});
  return {"pendulum with joints", r.status == RunStatus::finished && e.q_sup < 5e-2,
          fmt::format("q error {:.1e}", e.q_sup)};
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

int execute(bool json, Console& io) {
  io.json = json;
  const Picture answer = run_gnuplot("set print '-'\nprint GPVAL_VERSION\n");
  const std::vector<std::pair<std::string, std::string>> versions = {
      {"saltus", SALTUS_VERSION},
      {"build", SALTUS_BUILD_TYPE},
      {"compiler", compiler()},
#ifdef SALTUS_SAME_BITS
      {"functions", "musl's: the same bits on every machine and in the browser"},
#else
      {"functions",
       "this system's: last digits may differ from other machines' (musl-dev was not installed)"},
#endif
      {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"CLI11", CLI11_VERSION},
      {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                    NLOHMANN_JSON_VERSION_PATCH)},
      {"gnuplot", answer.trouble.empty() ? fmt::format("found, version {}", plain_text(answer.bytes.substr(
                                                                                0, answer.bytes.find('\n'))))
                                         : answer.trouble}};
  const Check checks[] = {check_ball(), check_friction(), check_column(), check_pendulum()};
  bool ok = true;
  Json out = {{"versions", Json::object()}, {"checks", Json::array()}};
  for (const auto& [name, version] : versions) {
    out["versions"][name] = version;
    if (!json) io.out << fmt::format("{:<14} {}\n", name, version);
  }
  for (const auto& c : checks) {
    ok = ok && c.ok;
    out["checks"].push_back({{"name", c.name}, {"ok", c.ok}, {"detail", c.detail}});
    if (!json) io.out << fmt::format("{:<14} {} ({})\n", c.ok ? "ok" : "FAILED", c.name, c.detail);
  }
  if (json) io.out << json_text(out) << "\n";
  return ok ? success : unfinished;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* c = app.add_subcommand("doctor", "versions, libraries, and a self-check of a second");
  c->add_flag("--json", *json, "print one JSON object");
  c->callback([json, &action] { action = [json](Console& io) { return execute(*json, io); }; });
}

}  // namespace saltus::cli
