#include "saltus/cli/played_file.hpp"

#include "saltus/cli/html_page.hpp"
#include "saltus/cli/recorded_problem.hpp"
#include "saltus/cli/target.hpp"
#include "saltus/result/result.hpp"
#include "saltus/study/error_estimate.hpp"

namespace saltus::cli {
namespace {

Json events_json(const Result& r) {
  Json out = Json::array();
  for (const Event& e : r.trajectory.events())
    out.push_back({{"t", number(e.t)},
                   {"contact", r.name(e.contact)},
                   {"kind", to_string(e.kind)},
                   {"impulse", numbers(e.impulse)},
                   {"u_minus", numbers(e.u_minus)},
                   {"u_plus", numbers(e.u_plus)},
                   {"energy_loss", number(e.energy_loss)}});
  return out;
}

std::string page_of_result(const std::string& file) {
  const Result r = read_result(file);
  const CatalogProblem p = recorded_problem(r.info);
  std::shared_ptr<const Drawing> drawing;
  if (!r.info.scene.empty())
    drawing =
        load_scene_text(r.info.scene, r.info.problem, lines_of(r.info.changes))->drawing(settings_of(r.info));
  PlayedRun run{r.info.problem, fmt::format("{}; {}; {}", r.info.scheme, r.info.stepping, r.info.status),
                p.problem,      r.trajectory,
                drawing.get(),  events_json(r)};
  return html_page(run);
}

std::string page_of_scene(const std::string& file) {
  TargetOptions target;
  target.target = file;
  if (file.find('/') == std::string::npos && file.find(".y") == std::string::npos)
    target.target = "./" + file;
  const CatalogProblem p = target.problem();
  const LoadedScene& scene = *target.scene();
  RunReport report;
  report.problem = scene.scene.title.given() ? scene.scene.title.text : scene.entry.name;
  report.parameters = scene.entry.parameters;
  report.coordinates = scene.coordinates, report.velocities = scene.velocities;
  report.method = target.run_method(p, "");
  Trajectory trajectory;
  const Measures none({}, report.parameters);
  run_with_estimate(none, {p, report.method, report.parameters}, {}, report.result, report.estimate,
                    trajectory.sink());
  const State& final = report.result.final;
  if (trajectory.size() == 0) trajectory.add(final.t, final.q, final.u);
  report.system = as_mechanical(p.problem.system.get());
  report.dynamics = p.problem.system.get();
  report.trajectory = &trajectory;
  const auto drawing = scene.drawing({});
  Json events = to_json(report)["events"];
  PlayedRun run{report.problem, to_text(report.method.stepping),
                p.problem,      trajectory,
                drawing.get(),  std::move(events),
                &report};
  return html_page(run);
}

}  // namespace

std::string page_of_file(const std::string& file) {
  return is_result_name(file) ? page_of_result(file) : page_of_scene(file);
}

}  // namespace saltus::cli
