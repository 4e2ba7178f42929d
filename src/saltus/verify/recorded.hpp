// What is recorded of a run of any family fits together: begin and end, energies of samples, the sum of the
// ledger.
#pragma once
#include "saltus/verify/verification.hpp"

namespace saltus {

/// Ends where they are said to be; the start may be off, by the displacement `moved`, by `reach` of the sizes
/// of coordinates and velocities.
void check_ends(const Trajectory& x, const Problem& problem, const Claims& claims, const Vec& moved,
                const Vec& size, const Vec& speed, double reach, Verification& out);
/// Samples are finite, and have the energies that are recorded for them.
void check_energies(const Trajectory& x, const DynamicSystem& system, const Claims& claims,
                    Verification& out);
/// `scale`: of the energies that moved.
void check_ledger_sum(const Ledger& ledger, double scale, double energy_start, double energy_end,
                      Verification& out);

}  // namespace saltus
