// Two beads that collide under law (1), f = k (d₊^{3/2} + γ d/dt d₊^β): restitution and duration as functions
// of one number (James, Vorotnikov, Brogliato, (5)–(9)),
//
//     γ̃ = γ V^{1/5} (k/m)^{2/5} for β = 3/2,    m = m₁m₂/(m₁ + m₂),
//     ζ'' = −ζ₊^{3/2} − β γ̃ ζ₊^{β−1} ζ',  ζ(0) = 0,  ζ'(0) = 1,    e = |ζ'(τ_c)|,
//
// times in units T = (m/k)^{2/5} V^{−1/5}, lengths in T V. With ζ = s², dτ = 2s dσ the equations are
// polynomial and need no care at the ends of contact.
#pragma once
#include <vector>

namespace saltus {

struct BeadCollision {
  double e = 1;         ///< restitution
  double duration = 0;  ///< τ_c; infinite when the beads never separate (β = 1, γ̃ above 1.13)
  double depth = 0;     ///< largest ζ
  double time_of_depth = 0;
  double force = 0;  ///< largest of the contact, damping included, in units of k (T V)^{3/2} = m V/T
};
/// Throws Error for γ̃ < 0, β outside of [1, 50], and damping so strong that the collision cannot be followed
/// (γ̃ above some 1000 for β = 3/2).
BeadCollision collide(double gamma_tilde, double beta = 1.5);

double restitution_of(double gamma_tilde, double beta = 1.5);
double duration_of(double gamma_tilde, double beta = 1.5);
/// The γ̃ with restitution e, 0 < e ≤ 1: the inverse of restitution_of, to 1e-12. Throws Error, within a
/// second or so, where e is too small to be reached; the message has what can be.
double gamma_of(double e, double beta = 1.5);

/// γ̃ = γ (V T)^{β − 3/2}/T of two beads that approach with velocity V.
double gamma_tilde_of(double gamma, double k, double m1, double m2, double velocity, double beta = 1.5);
/// T = (m/k)^{2/5} V^{−1/5}
double collision_time_unit(double k, double m1, double m2, double velocity);
/// lim (1 − e)/γ̃ for γ̃ → 0: (4β/5)(5/4)^{2β/5} B(2β/5, 3/2); its inverse is the 0.578 of (9) for β = 3/2.
double restitution_slope(double beta = 1.5);

struct RestitutionRow {
  double gamma_tilde = 0, e = 1, duration = 0;
};
/// n values of γ̃, equally spaced from a to b.
std::vector<RestitutionRow> restitution_table(double a, double b, int n, double beta = 1.5);

}  // namespace saltus
