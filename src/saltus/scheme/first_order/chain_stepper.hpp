// Runge–Kutta steps of chains, solved for the stage positions alone. Eliminating velocities from a method
// with tableau A, b leaves, per stage i,
//
//     y:  X_i = x + h c_i w + Σ_j (h² (A²)_ij g(X_j) + h a_ij s(X_j))
//     x:  X_i = x + h c_i v + Σ_j h² (A²)_ij g(X_j, V_j),    V = A⁻¹ (X − x)/h stage by stage
//
// and the end x₁ = x + h w + Σ_j (h² (bᵀA)_j g_j + h b_j s_j), w₁ = w + h Σ_j b_j g_j. N unknowns per stage
// instead of 2N. Newton's matrix is tridiagonal with one m×m block per bead, m stages; it is assembled and
// eliminated in one sweep over the contacts, O(N), nothing stored but what the way back needs. Local forces
// may have a tableau of their own (the additive θ-method). A first stage that is the start itself is no
// unknown.
//
// The tailored schemes apply such a method to the chain without its damping; the error of the method is the
// damping. `Velocity` says how the physical velocity u of a State comes from the variable w (State::aux):
//
//     plain    u = w                                                  formulation x
//     damped   u = w + s(x)                                           formulation y (10)
//     theta    u = w + (γ/2) g(x)                                     (43)
//     irk      u = w + (γ/2) g(x) + (γ²/8) Dg(x) w                    (69), (72); start by (71), (73)
//
// Only beads that move, or could within the step, are solved for: an impact on a long chain at rest costs
// what its front has passed.
#pragma once
#include <functional>
#include <memory>

#include "saltus/chain/chain.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

/// The method for one step size. A, b: contacts and positions; Ak, bk: local forces.
struct ChainMethod {
  enum class Velocity : std::uint8_t { plain, damped, theta, irk };
  Eigen::MatrixXd A, Ak;
  Vec b, bk;
  int order = 0;
};

/// Whether the first stage is the start itself.
bool starts_explicitly(const ChainMethod& method);
ChainMethod chain_method(const Tableau& tableau, int order);
/// (34): X₁ = X₀ + h(θV₁ + (1−θ)V₀), contacts with θ on the new, local forces with 1 − μ on the new position.
ChainMethod additive_theta(double theta, double mu);

/// `method(h)` is called when the step size changes; γ is that of the tailored schemes. Throws Error for
/// tableaus that are explicit or have more than four implicit stages.
std::unique_ptr<Stepper> make_chain_stepper(const Chain& chain, ChainMethod::Velocity velocity, double gamma,
                                            std::function<ChainMethod(double h)> method, double tolerance);

}  // namespace saltus
