// Impulses far above what the free velocities ask for. Next to them any violation of a law is small, so a
// residual relative to them says nothing: a press that closes on a floor with a body between has "solutions"
// of 1e12 in which the body goes through. Beyond a hundred times the free velocities max |c| impulses
// therefore do not count as a scale any more. Two things remain to be allowed for:
//
//   rounding   of G P, at best 2⁻⁵³ Σ_j |W_i||Z_j||P_j|: heavy bodies on light ones, long stacks. Eight of
//              these are no violation, as long as they are below 1e-6 of the free velocities: beyond, nothing
//              is left that could tell a solution from a contradiction.
//   absorption P − ρ y is P where P is 1e16 times larger: y would not be seen at all. The prox equation holds
//              for all ρ > 0 or none, so a larger one, with which ρ max |c| is |P|, is taken.
#pragma once
#include "saltus/contact/solver.hpp"

namespace saltus::detail {

inline constexpr double most_leverage = 100;

/// max |c|, and what impulses with fixed limits (relays, actuators) move: these cannot grow without bound.
double free_velocity(const ContactProblem& problem, const double* P);

/// natural_residual where impulses are that large. `worst` may be null.
double strained_residual(const ContactProblem& problem, const double* P, const double* y, int* worst);

/// After a solver failed: does this direction of impulses, which moves nothing, say that contacts contradict
/// each other? Fills contradictory, worst_block and rival_block of the report.
/// `moved` is scratch memory.
void find_contradiction(const ContactProblem& problem, const double* z, std::vector<double>& moved,
                        SolveReport& report);

}  // namespace saltus::detail
