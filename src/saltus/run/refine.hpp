// Equal steps that are halved until the end of the run stands still: a tolerance for methods that have no
// estimate of their own error. Trial runs with steps h, h/2, h/4, … show nothing; the differences of their
// final states tell the error of the last one,
//
//     |x_h − x| ≈ d/(r − 1),   d = |x_h − x_2h|,   r = |x_2h − x_4h|/d,
//
// r being 2^p for a method of order p; where it is no such number the error is taken to be d.
#pragma once
#include "saltus/run/family_rules.hpp"

namespace saltus {

struct Refinement {
  double rtol = 1e-6, atol = 0;
  double first = 0.1;      ///< the step of the first run
  double most_work = 1e8;  ///< of all trials: evaluations times coordinates
};
struct Refined {
  double h = 0;             ///< of the last trial
  double error = infinity;  ///< of its final state, in parts of the tolerance; infinite: nothing is known
};
/// The work of the trials is added to the statistics of `context`.
Refined refine(const Problem& problem, const Method& method, const Refinement& wanted,
               const RunContext& context);

/// "about 4 digits of the final state are good", or that none is.
std::string digits_text(const Refined& refined, double rtol);

}  // namespace saltus
