// What the tests of event capturing share: the paper's examples, methods by name, the error of a run.
#pragma once
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <string>

#include "saltus/reference/reference.hpp"
#include "saltus/study/convergence.hpp"
#include "support/problems.hpp"

namespace saltus::testing {

/// Tableaus by their names in the reference values.
inline const std::map<std::string, std::string> tableau_of = {{"RadauIIA3", "radau-iia-3"},
                                                              {"RadauIIA5", "radau-iia-5"},
                                                              {"LobattoIIIA2", "lobatto-iiia-2"},
                                                              {"LobattoIIIA4", "lobatto-iiia-4"},
                                                              {"LobattoIIIA6", "lobatto-iiia-6"},
                                                              {"HERK1", "herk-1"},
                                                              {"HERK2", "herk-2"},
                                                              {"HERK3", "herk-3"},
                                                              {"HERK4", "herk-4"},
                                                              {"HERK5", "herk-5"}};

inline CatalogProblem example(const std::string& name, double t_end = 5) {
  if (name == "ball") return make_problem("bouncing-ball", {}, t_end);
  return make_problem("impact-oscillator",
                      {{"preset", fmt::format("acary-{}", static_cast<char>(std::tolower(name[3])))}}, t_end);
}
inline Method capturing(const std::string& tableau, double h, double C) {
  EventCapturing stepping;
  stepping.h = h, stepping.C = C;
  return {runge_kutta(tableau), stepping, AutomaticSolver{}};
}
inline double q_error(const CatalogProblem& p, const Method& m) {
  Trajectory t;
  const RunResult r = run(p.problem, m, t.sink());
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  return compare(t, *p.reference, {false, 1e-9}).q_sup;
}

}  // namespace saltus::testing
