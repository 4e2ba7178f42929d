// The one timeless contact problem, posed by steps, stages, projections and impacts alike:
//
//     y = G P + c,    −y_i ∈ N_{C_i}(P_i)   for every block i.
//
// One merit function serves every solver and every test: natural_residual.
#pragma once
#include <vector>

#include "saltus/contact/delassus.hpp"
#include "saltus/core/types.hpp"
#include "saltus/law/law.hpp"

namespace saltus {

struct ContactProblem {
  Delassus G;
  std::vector<double> c;         ///< free value of y: velocity without impulses, plus E γ⁻
  std::vector<const Law*> laws;  ///< one per block
  double dt = 1;                 ///< scales limits that are forces into impulses; 1 when P are forces
  double rounding = 0;  ///< of c, where it is a small difference of large numbers: no violation of a law

  int blocks() const { return static_cast<int>(laws.size()); }
  int rows() const { return static_cast<int>(c.size()); }
};

/// max_i |P_i − prox_{C_i}(P_i − ρ_i y_i)| / ρ_i, divided by max(|c|, trace(G_ii) |P_i|): the largest
/// violation of the laws, as a velocity relative to the velocities at play. Zero exactly at a solution; ρ_i =
/// 1 / trace(G_ii). NaN when anything in the problem or in P is not finite. Impulses count as a scale up to a
/// hundred times the free velocities max |c| and no further (strain.hpp): those of contacts that contradict
/// each other grow without bound, and would make any violation look small.
double natural_residual(const ContactProblem& problem, In P);
/// The same for a y already computed; `worst` (may be null) receives the block with the largest violation.
double natural_residual(const ContactProblem& problem, const double* P, const double* y,
                        int* worst = nullptr);

/// The velocity that natural_residual is relative to.
double velocity_scale(const ContactProblem& problem, const double* P);

/// The prox step of block i: 1 / trace(G_ii), or 1 where the block is zero.
double prox_step(const ContactProblem& problem, int i);

}  // namespace saltus
