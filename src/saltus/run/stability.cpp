#include "saltus/run/stability.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scheme/symplectic/vibration.hpp"

namespace saltus {
namespace {

constexpr double far_below = 100;  // the largest step: control that must stay there asks for another scheme

// The longest stable step. Moreau's midpoint rule takes damping from the velocity at the start of the step:
// on q̈ = −ω²q − δq̇ it has the determinant 1 − hδ and the trace 2 − hδ − h²ω², stable for h²ω²/2 + hδ < 2.
double longest_step(const FastMode& mode, double limit, bool damping_too) {
  if (!damping_too || mode.damping == 0) return mode.omega > 0 ? limit / mode.omega : infinity;
  return 4 / (mode.damping + std::sqrt(mode.damping * mode.damping + 4 * mode.omega * mode.omega));
}

}  // namespace

void refuse_unstable_step(const Problem& p, const Method& method) {
  const auto* switching = std::get_if<SwitchingSteps>(&method.stepping);
  const SmoothMotion scheme = smooth_motion(method.scheme);
  const double limit = scheme.stable_up_to, h = switching ? switching->h_min : step_of(method.stepping);
  const bool controlled = std::holds_alternative<AdaptiveSteps>(method.stepping);
  if (limit == infinity) return;
  double stable = infinity;
  FastMode worst;
  for (const FastMode& mode : fast_modes(static_cast<const System&>(*p.system), p.t0, p.q0, p.u0))
    if (const double longest = longest_step(mode, limit, scheme.explicit_damping); longest < stable)
      stable = longest, worst = mode;
  if (h <= (controlled ? far_below : 1) * stable * (1 + 1e-6)) return;
  const bool damped = scheme.explicit_damping && worst.damping > worst.omega;
  fail(
      "step {} = {:.3g} is too long for {}, which is explicit in the positions{}: the fastest {} of the "
      "start has {} = {:.3g}, and steps above {:.2f}/{} = {:.3g} multiply it{}; try {}{:.1e}, or an "
      "implicit scheme (--scheme generalized-alpha or moreau-jean)",
      switching ? "h_min" : "h", h, name_of(method.scheme), scheme.explicit_damping ? " and in damping" : "",
      damped ? "damped motion" : "vibration", damped ? "the rate delta" : "omega",
      damped ? worst.damping : worst.omega, stable * (damped ? worst.damping : worst.omega),
      damped ? "delta" : "omega", stable, controlled ? ", so that no step could be longer than that" : "",
      switching ? "h_min=" : "--h ", 0.5 * stable);
}

}  // namespace saltus
