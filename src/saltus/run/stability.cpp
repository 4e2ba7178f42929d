#include "saltus/run/stability.hpp"

#include "saltus/core/error.hpp"
#include "saltus/scheme/symplectic/vibration.hpp"

namespace saltus {
namespace {

constexpr double far_below = 100;  // the largest step: control that must stay there asks for another scheme

}  // namespace

void refuse_unstable_step(const Problem& p, const Method& method) {
  const auto* switching = std::get_if<SwitchingSteps>(&method.stepping);
  const double limit = smooth_motion(method.scheme).stable_up_to,
               h = switching ? switching->h_min : step_of(method.stepping);
  const bool controlled = std::holds_alternative<AdaptiveSteps>(method.stepping);
  if (limit == infinity) return;
  const double omega = fastest_vibration(static_cast<const System&>(*p.system), p.t0, p.q0, p.u0);
  if (h * omega <= (controlled ? far_below : 1) * limit * (1 + 1e-6)) return;
  fail(
      "step {} = {:.3g} is too long for {}, which is explicit in the positions: the fastest vibration of the "
      "start has omega = {:.3g}, and steps above {:.2f}/omega = {:.3g} multiply it{}; try {}{:.1e}, or an "
      "implicit scheme (--scheme generalized-alpha or moreau-jean)",
      switching ? "h_min" : "h", h, name_of(method.scheme), omega, limit, limit / omega,
      controlled ? ", so that no step could be longer than that" : "", switching ? "h_min=" : "--h ",
      0.5 * limit / omega);
}

}  // namespace saltus
