// Whether steps are short enough for an explicit tableau. A vibration q ~ e^{λt} of the system is multiplied
// by R(hλ) in each step, R the stability function; where |R| > 1 what rounding leaves of it grows until it is
// all there is. λ is that of the fastest motion about a state: the largest eigenvalues of ∂a/∂q and ∂a/∂u, by
// power iteration.
#pragma once
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"

namespace saltus {

/// What a run says whose steps turn out to be too long: the step, and the largest stable one.
inline constexpr const char* unstable_steps =
    "the explicit tableau is unstable with steps of {:.3g}: a vibration grows from step to step; stable "
    "steps "
    "are below {:.2g}: use a smaller step (--h), or an implicit tableau such as radau-iia-5";

struct ExplicitLimit {
  std::complex<double> rate = 0;  ///< λ
  double growth = 0;              ///< ln |R(hλ)| of one step, beyond that of the motion itself
  double step = infinity;         ///< steps below it are stable
};
/// The limit that one motion e^{λt} sets to a tableau, seen from steps h.
ExplicitLimit explicit_limit(const Tableau& tableau, std::complex<double> rate, double h);
/// The strictest limit of the motion about (t, q, u) with the joints of the system, all its contacts open.
ExplicitLimit explicit_limit(const Tableau& tableau, const System& system, double t, const Vec& q,
                             const Vec& u, double h);
/// Throws Error where the rounding of the start would outgrow the motion within the run, of `steps` steps.
void check_explicit_steps(const Tableau& tableau, const System& system, double t, const Vec& q, const Vec& u,
                          double h, std::int64_t steps);

}  // namespace saltus
