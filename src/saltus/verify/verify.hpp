// Re-checks a run from what was recorded of it, with code that shares nothing with the schemes and drivers
// but the equations of the system: the trajectory is put into
//
//     M(q) u̇ = f(t, q, u) + W λ,   q̇ = u,   −y ∈ N_C(λ),
//
// and what is missing is measured: between events as a force, for the best λ that the laws admit there; at
// events as an impulse and as a restitution. See docs/explanation/verify.md.
#pragma once
#include "saltus/verify/verification.hpp"

namespace saltus {

/// Throws Error when the trajectory is not of such a system.
Verification verify(const Trajectory& trajectory, const Problem& problem, const Claims& claims,
                    const VerifyOptions& options = {});

}  // namespace saltus
