// Generalized-α on three levels: CPU time per step, on the problems of peers/siconos_bar.cpp and
// siconos_pendulum.cpp.
//   saltus_alpha case=bar ne=200 h=2e-3 T=2 newton=coupled levels=pva reps=10
//   saltus_alpha case=pendulum e=0.8 h=1e-3 T=1.5 reps=20
//   saltus_alpha case=beam ne=64 h=1e-5 T=0.01
#include <cmath>

#include "peers/bench.hpp"
#include "saltus/catalog/flexible_problems.hpp"
#include "saltus/run/run.hpp"

using namespace saltus;

namespace {

CatalogProblem problem(const std::string& name, const bench::Args& A, double T) {
  if (name == "bar") {
    ElasticBar bar;
    bar.n = static_cast<int>(A.integer("ne", 200));
    bar.mass = MassKind::consistent;  // as the peer
    bar.d0 = A.num("d0", bar.d0);
    return bar.build(T);
  }
  if (name == "beam") {
    FlexiblePendulum beam;
    beam.n = static_cast<int>(A.integer("ne", 4));
    return beam.build(T);
  }
  BouncingPendulum pendulum;
  pendulum.e = A.num("e", 0.8);
  return pendulum.build(T);
}

}  // namespace

int main(int argc, char** argv) try {
  const bench::Args A(argc, argv);
  const std::string name = A.str("case", "bar");
  const bool bar = name == "bar";
  const double h = A.num("h", bar ? 2e-3 : 1e-3), T = A.num("T", bar ? 2 : 1.5);
  const CatalogProblem p = problem(name, A, T);
  GeneralizedAlpha scheme;
  set_field(scheme, "levels", A.str("levels", "pva"));
  set_field(scheme, "newton", A.str("newton", "coupled"));
  if (name == "beam") scheme.tolerance = 1e-6;
  const Method m{scheme, FixedSteps{h}, AutomaticSolver{}};
  RunResult r = run(p.problem, m);  // warm
  const bench::Snap begin = bench::snap();
  long steps = 0;
  const long reps = A.integer("reps", 5);
  for (long k = 0; k < reps; ++k) r = run(p.problem, m), steps += r.stats.steps;
  const double us = 1e6 * (bench::snap().user - begin.user) / static_cast<double>(steps);
  bench::Line L;
  L.str("case", name).str("status", std::string(to_string(r.status))).integer("steps", r.stats.steps);
  L.num("us_per_step", us);
  L.num("newton_mean", static_cast<double>(r.stats.newton_iterations) / static_cast<double>(r.stats.steps));
  L.num("energy_ratio", r.energy_final / r.energy_initial).num("penetration", r.residuals.gap);
  L.num("theta", r.final.q[r.final.q.size() - 1]);
  L.print();
  return r.status == RunStatus::finished ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
