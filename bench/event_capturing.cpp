// What accuracy costs: an oscillator driven against a wall, 57 impacts that do not weaken, and the ball
// through its accumulation. Arguments and output are those of peers/cvode_impacts.cpp.
//   saltus_accuracy case=oscillator tableau=herk-5 h=0.05 C=0.01 reps=20
//   saltus_accuracy case=oscillator tableau=moreau-jean h=1e-4
//   saltus_accuracy case=ball tableau=radau-iia-5 h=0.05
// The error is the largest error of q over the run's own grid. The whole driver is timed, with a trajectory
// that keeps every sample; comparing with the reference is not. Best of `reps` runs, each repeated for at
// least 20 ms.
#include <algorithm>

#include "peers/bench.hpp"
#include "saltus/catalog/problems.hpp"
#include "saltus/run/trajectory.hpp"

using namespace saltus;

namespace {

ImpactOscillator driven_oscillator() {
  ImpactOscillator o;
  o.m = 1, o.c = 0.2, o.k = 10, o.B = 5, o.Omega = 6, o.e = 0.8, o.q0 = 1;
  return o;
}

Method method(const std::string& name, double h, double C) {
  if (name == "moreau-jean") return {MoreauJean{}, FixedSteps{h}, AutomaticSolver{}};
  EventCapturing stepping;
  stepping.h = h, stepping.C = C;
  return {runge_kutta(name), stepping, AutomaticSolver{}};
}

}  // namespace

int main(int argc, char** argv) try {
  const bench::Args A(argc, argv);
  const std::string name = A.str("case", "oscillator"), tableau = A.str("tableau", "herk-5");
  const double h = A.num("h", 0.05), C = A.num("C", 0.01), T = A.num("T", name == "ball" ? 5 : 60);
  const bool ball = name == "ball";
  const CatalogProblem p = ball ? BouncingBall{}.build(T) : driven_oscillator().build(T);
  const Method m = method(tableau, h, C);

  Trajectory path;
  const RunResult first = run(p.problem, m, path.sink());
  const TrajectoryError error = compare(path, *p.reference, {.hausdorff = false});
  double best = infinity;
  for (long k = 0; k < A.integer("reps", 3); ++k) {
    const bench::Snap begin = bench::snap();
    long runs = 0;
    double used = 0;
    do {
      Trajectory again;
      again.keep_impulses = false;
      run(p.problem, m, again.sink());
      ++runs, used = bench::snap().user - begin.user;
    } while (used < 0.02);
    best = std::min(best, used / static_cast<double>(runs));
  }
  const auto impacts = std::count_if(path.events().begin(), path.events().end(),
                                     [](const Event& e) { return e.kind == EventKind::impact; });
  bench::Line L;
  L.str("case", name).str("peer", "saltus").str("method", tableau).num("h", h);
  if (tableau != "moreau-jean") L.num("C", C);
  L.num("T", T).str("status", std::string(to_string(first.status))).num("t_end", first.final.t);
  L.num("error", error.q_sup).num("error_end", error.q_final).num("us_per_run", 1e6 * best);
  L.integer("impacts", impacts)
      .integer("steps", first.stats.steps)
      .integer("evaluations", first.stats.force_evaluations);
  if (!first.accumulations.empty())
    L.num("accumulation", first.accumulations[0].t).num("accumulation_bound", first.accumulations[0].bound);
  L.print();
  return first.status == RunStatus::finished ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
