// A program on the library without its shell (SALTUS_SHELL=OFF): a scene from text, its run, frames with
// contacts, a sweep. That it links shows that nothing of these needs files or threads.
#include <cmath>
#include <cstdio>
#include <string>

#include "saltus/run/frames.hpp"
#include "saltus/run/run.hpp"
#include "saltus/scene/load.hpp"
#include "saltus/study/convergence.hpp"
#include "saltus/study/sweep.hpp"

using namespace saltus;

namespace {

const std::string scene_text =
    "saltus: 1\n"
    "parameters: {e: 0.5}\n"
    "materials: {default: {e_n: e, mu: 0.3}}\n"
    "bodies: {ball: {shape: disk, radius: 0.1, mass: 1, position: [0, 1]}}\n"
    "walls: {floor: {normal: [0, 1]}}\n"
    "record: {results: ball.h5}\n"
    "run: {t_end: 2, h: 1e-3}\n";

int failures = 0;
void expect(bool good, const char* what) {
  if (good) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

void run_a_scene() {
  const auto scene = load_scene_text(scene_text, "ball.yaml");
  const CatalogProblem p = scene->entry.make({}, {});
  Trajectory trajectory;
  const RunResult result = run(p.problem, p.method, trajectory.sink());
  expect(result.status == RunStatus::finished, "the scene runs to its end");
  expect(result.stats.cpu_seconds > 0, "the run takes time");
  RunFrames frames(as_mechanical(p.problem.system.get()), trajectory);
  std::size_t acts = 0;
  double since = trajectory.t(0);
  for (int i = 0; i < trajectory.size(); i += 50) {
    acts += frames.at(i, since).contacts.size();
    since = trajectory.t(i);
  }
  expect(acts > 0, "the frames show the contact");
}

void tell_what_is_wrong() {
  const auto list = scene_complaints("saltus: 1\nrun: {tend: 2}\n", "bad.yaml");
  expect(!list.empty() && list[0].place.line > 0, "complaints have places");
}

void study_a_problem() {
  const CatalogEntry& entry = find_problem("bouncing-ball");
  const SweepPoints points{{parse_axis("e=0:0.9:4")}};
  std::vector<Measure> list;
  list.push_back(parse_measure("energy.final"));
  const Measures measures(std::move(list), entry.parameters);
  MemoryRows rows(points.count(), 1);
  sweep(
      points, measures,
      [&](const Settings& point) {
        MeasuredCase c{entry.make(point, {}), {}, entry.resolve(point)};
        c.method = c.problem.method;
        return c;
      },
      rows);
  expect(rows.count() == 4 && rows.failed() == 0, "the sweep runs");
  const CatalogProblem p = entry.make({}, {});
  const double h[] = {0.02, 0.01, 0.005};
  expect(std::isfinite(convergence(p, p.method, h).order.q_l1), "orders are fitted");
}

}  // namespace

int main() {
  try {
    run_a_scene();
    tell_what_is_wrong();
    study_a_problem();
  } catch (const std::exception& e) {
    std::printf("failed: %s\n", e.what());
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
