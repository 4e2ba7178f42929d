// What physics says of a finished run. Each judge measures a violation, relative to the scales of the scene,
// so that 0 is right. Three kinds of tolerance:
//
//   exact      holds at every step size: rounding, and the tolerance of an iteration.
//   settling   holds exactly as soon as steps are fine enough. What is above the tolerance is measured again
//              with steps of h/4, h/16 and h/64, and must fall below it.
//   vanishing  an error of the discretisation, O(h) at least. What is above the threshold is measured again
//              with the same steps, and must go away. No constant has to be guessed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mechanisms/trace.hpp"

namespace saltus::mechanisms {

enum class Kind { exact, settling, vanishing };

struct Judge {
  const char* name;
  Kind kind;
  double tolerance;  ///< exact, settling: the largest violation; vanishing: what is not worth a second look
  double (*measure)(const Case&, const Trace&);
};

/// The judges for a case and a method; `convergence` is apart (consensus.hpp), as it needs other runs.
std::vector<Judge> judges_for(const Case& c, const Method& method);

// One function each.
double measure_finite(const Case&, const Trace&);           // number of values that are not finite
double measure_end(const Case&, const Trace&);              // distance of the last time to t_end
double measure_energy(const Case&, const Trace&);           // growth above the least energy so far
double measure_energy_of_pairs(const Case&, const Trace&);  // the same where an impact takes two steps
double measure_momentum(const Case&, const Trace&);         // Σ m u against the start and the constant force
double measure_restitution(const Case&, const Trace&);  // |γ⁺ + e γ⁻|/|γ⁻| of contacts with an impulse
double measure_cone(const Case&, const Trace&);         // P_N < 0, |P_T| > μ P_N, forces beyond fixed limits
double measure_slip(const Case&, const Trace&);         // friction that pushes along with the slip
double measure_penetration(const Case&, const Trace&);  // −g
double measure_joints(const Case&, const Trace&);       // |g| of joints and constraints
double measure_known_velocity(const Case&, const Trace&);
double measure_known_position(const Case&, const Trace&);

}  // namespace saltus::mechanisms
