#include "saltus/run/odae_landing.hpp"

#include <algorithm>

#include "saltus/linalg/loops.hpp"

namespace saltus {

bool lacks_friction(const CheckedOdae& system, int constraint, double t, In y, In before, In after) {
  const double none = 1e-9 * std::max(before.lpNorm<Eigen::Infinity>(), after.lpNorm<Eigen::Infinity>());
  return system.landing_slip(constraint, t, y, before) > none ||
         system.landing_slip(constraint, t, y, after) > none;
}

std::string landing_without_friction(const CheckedOdae& system, const State& x0, const State& x1) {
  constexpr double force = 4;
  for (int i = 0; i < system.m(); ++i) {
    if (!system.constraints()[i].unilateral) continue;
    const auto id = system.contact_id(i);
    const auto *before = x0.contacts.find(id), *now = x1.contacts.find(id);
    if (!now || (before && before->resting)) continue;
    if (now->resting && x1.contacts.impulse[now->offset] <= force * x1.contacts.step * x1.aux[i]) continue;
    if (lacks_friction(system, i, x1.t, x1.q, x0.u, x1.u)) return landing_message(system, i, x1.t);
  }
  return {};
}

std::string landing_message(const OdaeSystem& system, int constraint, double t) {
  return fmt::format(
      "at t = {:.9g}: contact {} gets an impact while it slides, and impacts of symplectic-euler have no "
      "friction; "
      "use a scheme of Moreau's (--scheme moreau-jean), or mu = 0 at this contact",
      t, system.constraints()[constraint].name);
}

}  // namespace saltus
