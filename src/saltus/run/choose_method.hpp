// A method from what a user says about it, on the command line or in a scene, and the problem's usual one.
#pragma once
#include "saltus/run/method.hpp"
#include "saltus/run/problem.hpp"

namespace saltus {

/// Texts "name:key=value,…"; empty where nothing is given.
struct MethodTexts {
  std::string scheme, stepping, solver, h;
  std::string rtol = {}, atol = {};  ///< a run by tolerance, which chooses scheme and steps
};
/// What is left open is the usual method's, or what goes with the rest: a Runge–Kutta scheme comes with event
/// capturing, stepping switching with the midpoint rule. Throws Error.
Method choose_method(const Method& usual, const MethodTexts& given);

/// The method of a run for which nobody names a scheme, a stepping, a step or a tolerance: by tolerance where
/// that serves the system, else the usual one.
Method unnamed_method(const Method& usual, const Problem& problem);

/// Whether the text of a stepping sets its own step, or the largest of its steps.
bool sets_step(const std::string& stepping);
/// Whether it sets what --h sets: the first of adaptive steps, else the same.
bool sets_usual_step(const std::string& stepping);

}  // namespace saltus
