// A scene by tolerance, for impacts.py: states at equal parts of its time, each by a run of its own, and the
// least CPU time of repeated runs without output, ledger and error bar.
//   saltus_impacts scene=ball.yaml rtol=1e-8 samples=5 reps=5
#include "peers/bench.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/scene/file/load_file.hpp"

using namespace saltus;

namespace {

// A function of its own: profilers find it by its name.
[[gnu::noinline]] RunResult measured(const Problem& problem, const Method& method) {
  RunControl control;
  control.books = false;
  return run(problem, method, {}, control);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Args A(argc, argv);
  const std::string rtol = A.str("rtol", "1e-8");
  CatalogProblem scene = load_scene(A.str("scene", ""))->entry.make({}, {});
  const Method method =
      choose_method(scene.method, {.scheme = {}, .stepping = {}, .solver = {}, .h = {}, .rtol = rtol});
  const double begin = scene.problem.t0, end = scene.problem.t_end;
  std::vector<double> samples;
  RunResult result;
  const long parts = A.integer("samples", 5);
  for (long k = 1; k <= parts; ++k) {
    scene.problem.t_end = k == parts ? end : begin + (end - begin) * double(k) / double(parts);
    result = measured(scene.problem, method);
    for (const Vec* x : {&result.final.q, &result.final.u})
      samples.insert(samples.end(), x->begin(), x->end());
  }
  bench::Line L;
  L.str("status", result.status == RunStatus::finished ? "finished" : "failed")
      .str("message", result.message);
  L.integer("steps", long(result.stats.steps)).integer("rejected", long(result.stats.rejected));
  L.integer("evaluations", long(result.stats.force_evaluations)).numbers("samples", samples);
  if (const long reps = A.integer("reps", 5); reps > 0)
    L.num("seconds", bench::least_time([&] { measured(scene.problem, method); }, reps));
  L.print();
}
