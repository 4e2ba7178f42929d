#include "saltus/odae/odae_system.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/system/check.hpp"

namespace saltus {

double OdaeSystem::energy(double, In, In, Workspace&) const {
  return std::nan("");
}

bool OdaeSystem::has_unilateral() const {
  const auto& list = constraints();
  return std::any_of(list.begin(), list.end(), [](const OdaeConstraint& c) { return c.unilateral; });
}

void check_sizes(const OdaeSystem& system, double t0, double t_end, In y0, In z0) {
  check_times(t0, t_end);
  check_sizes(system.ny(), system.nz(), y0, z0);
  for (const auto& c : system.constraints())
    if (!(c.e >= 0 && c.e <= 1)) fail("constraint {}: e = {} is not allowed: [0, 1]", c.name, c.e);
  Vec v(system.ny()), f(system.nz()), g(system.m());
  const auto work = system.make_workspace();
  system.velocity(t0, y0, z0, v, *work);
  system.force(t0, y0, z0, f, *work);
  system.gap(t0, y0, g, *work);
  const auto check = [](const char* what, const Vec& x) {
    for (int i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i])) fail("{}[{}] at the start is {}, not a finite number", what, i, x[i]);
  };
  check("v", v), check("f", f), check("g", g);
}

}  // namespace saltus
