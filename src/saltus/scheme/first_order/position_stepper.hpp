// The steps of chain_stepper.hpp for any mechanical system of constant mass whose forces are those of
// positions and the rate of such (system/viscoelastic.hpp), M q̈ = G(t, q) + d/dt S(q), solved for the stage
// positions alone:
//
//     M X_i = M (x + h c_i w) + Σ_j (h² (A²)_ij C(X_j) + h² (A Ak)_ij L(t_j, X_j) + h a_ij S(X_j))
//
// C are the elastic forces of the compliant contacts, L = G − C the others (springs, weight, loads), which
// may have a tableau of their own (34); where there are no such contacts, C = G. S stands in formulation y
// and not in the tailored schemes: the error of these is the damping. Velocities as there, with M⁻¹G for g.
//
// Newton's matrix M ⊗ 1 − Σ … keeps the pattern of M and ∂G/∂q: cost is linear in the bodies of chains and
// trees. Whether another solution of the stages exists is not examined.
#pragma once
#include <functional>
#include <memory>

#include "saltus/scheme/first_order/chain_stepper.hpp"
#include "saltus/system/viscoelastic.hpp"

namespace saltus {

/// Implicit methods only.
std::unique_ptr<Stepper> make_position_stepper(const ViscoelasticSystem& system,
                                               ChainMethod::Velocity velocity, double gamma,
                                               std::function<ChainMethod(double h)> method, double tolerance);

}  // namespace saltus
