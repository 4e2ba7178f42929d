// Explicit Runge–Kutta steps on formulation y of a chain, with the forces of the stages as the only stage
// vectors:
//
//     X_i = x + h c_i w + Σ_{j<i} (h² (A²)_ij g_j + h a_ij s_j),   g_j = g(X_j), s_j = s(X_j)
//
// Where s = γ g (Kuwabara and Kono, one γ, no local forces) that is one vector of N numbers per stage instead
// of the 2N of a general method. Beads are treated in blocks that stay in the nearest cache, contacts without
// a branch and several at a time. g and s at the end are the first stage of the next step; they travel with
// the state: aux = (w, g) or (w, g, s). With an embedded method (estimate_error) it is the scheme for chains
// that are not stiff. Only beads that move are treated (front.hpp): a stage reaches one bead further than the
// one before.
#pragma once
#include <memory>

#include "saltus/chain/chain.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

/// For explicit tableaus and chains in formulation y.
std::unique_ptr<Stepper> make_explicit_chain(const Chain& chain, const Tableau& tableau);

}  // namespace saltus
