// The methods a mechanism is tried with: every scheme with every stepping, the other solvers, and random
// options.
#pragma once
#include <string>
#include <vector>

#include "mechanisms/mechanism.hpp"
#include "saltus/run/run.hpp"

namespace saltus::mechanisms {

struct Named {
  Method method;
  std::string scheme, stepping, solver;  ///< names
};
std::string text_of(const Method& method);  ///< as options of `saltus run`

std::vector<Named> methods_for(const Mechanism& m, Family family);

/// The same method, so much finer: steps are divided by `factor`, tolerances on errors of one step by its
/// square.
Method refined(Method method, double factor);

/// What the others are compared with: Moreau–Jean, Gauss' method for systems of first order, Strang's
/// composition with located events for ODAEs; with step h.
Method reference_method(Family family, double h);

/// Gaps and joints hold on the level of positions, to the tolerance of an iteration.
bool on_positions(const Method& method);

}  // namespace saltus::mechanisms
