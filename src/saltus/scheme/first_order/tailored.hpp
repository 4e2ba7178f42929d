// What the tailored schemes need of a system, and where they are stable.
#pragma once
#include "saltus/scheme/first_order/first_order_schemes.hpp"
#include "saltus/system/first_order.hpp"
#include "saltus/system/viscoelastic.hpp"

namespace saltus {

/// The system behind one of first order; throws Error where there is none that schemes for positions can
/// take.
const ViscoelasticSystem& newtonian_of(std::string_view scheme, const FirstOrderSystem& system);

/// γ of the damping that the scheme makes: that of the contacts, or of a system without damping the scheme's
/// own. Throws Error: no γ that is the same in all contacts, or two of them.
double tailored_gamma(const KkTheta& options, const FirstOrderSystem& system);
double tailored_gamma(const KkIrk& options, const FirstOrderSystem& system);

/// kk-theta with steps h on local forces of stiffness κ per mass is stable where κ γ (γ − 2 λ h) ≤ 4: the
/// eigenvalues of X₁ = X₀ + h(θV₁ + (1−θ)V₀), V₁ = V₀ − hκ((1−μ)X₁ + μX₀) have modulus ≤ 1 iff
/// h²κ (2θ−1)(2μ−1) ≤ 4. What stands on the left at a state; contacts are not counted.
double local_growth(const KkTheta& options, const FirstOrderSystem& system, double t, In q, double h);

}  // namespace saltus
