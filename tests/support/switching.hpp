// Runs with stepping switching, and what the tests ask of them.
#pragma once
#include "saltus/catalog/problems.hpp"
#include "saltus/catalog/switching_problems.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus::testing {

inline SwitchingSteps switching(double h_min, double h_max, double atol, int order = 0) {
  SwitchingSteps s;
  s.h_min = h_min, s.h = h_max, s.atol = atol, s.order = static_cast<SwitchingSteps::Order>(order);
  return s;
}

struct SwitchingRun {
  RunResult result;
  Trajectory path;
  std::vector<int> order;  // of each accepted step

  double h(int i) const { return path.t(i + 1) - path.t(i); }
  std::vector<Event> events_of(EventKind kind) const {
    std::vector<Event> out;
    for (const Event& e : path.events())
      if (e.kind == kind) out.push_back(e);
    return out;
  }
};

inline SwitchingRun run_switching(const Problem& problem, const SwitchingSteps& stepping,
                                  const SolverSpec& solver = AutomaticSolver{}) {
  SwitchingRun out;
  out.result = run(problem, {MoreauMidpoint{}, stepping, solver}, [&](const Segment& s) {
    out.path(s);
    out.order.push_back(s.report.order);
  });
  return out;
}

}  // namespace saltus::testing
