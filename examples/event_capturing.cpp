// Higher order through infinitely many impacts: an oscillator that bounces to rest at its wall and is pulled
// off again, by a method of order five. docs/explanation/event-capturing.md.
#include <cmath>

#include <fmt/core.h>

#include "saltus/catalog/problems.hpp"
#include "saltus/run/trajectory.hpp"

using namespace saltus;

int main() {
  ImpactOscillator oscillator;
  oscillator.set_preset("acary-c");
  const CatalogProblem problem = oscillator.build(5);

  const double rest = 2.6892849489097;  // of the exact solution
  double h = 0.0467, coarse = 0, fine = 0, late = 0;
  for (double* error : {&coarse, &fine}) {
    const Method method{.scheme = runge_kutta("radau-iia-5"), .stepping = EventCapturing{.h = h, .C = 0.01}};
    Trajectory path;
    const RunResult result = run(problem.problem, method, path.sink());
    if (result.status != RunStatus::finished || result.accumulations.empty()) {
      fmt::print(stderr, "{}\n", result.message);
      return 1;
    }
    *error = compare(path, *problem.reference, {.hausdorff = false}).q_sup;
    const Accumulation& zeno = result.accumulations[0];
    fmt::print("h = {:.4f}: {} impacts, then rest at t = {:.10f}; largest error of q {:.1e}\n", h,
               zeno.impacts, zeno.t, *error);
    late = zeno.t - rest;
    h /= 2;
  }
  fmt::print("order {:.2f}\n", std::log2(coarse / fine));
  return std::log2(coarse / fine) > 4.5 && fine < 1e-9 && std::abs(late) < 1e-8 ? 0 : 1;
}
