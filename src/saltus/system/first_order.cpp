#include "saltus/system/first_order.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/system/check.hpp"

namespace saltus {

double FirstOrderSystem::energy(double, In, In, Workspace&) const {
  return std::nan("");
}

void check_start(const FirstOrderSystem& system, double t0, double t_end, In q0, In u0) {
  check_times(t0, t_end);
  check_sizes(system.nq(), system.nu(), q0, u0);
  Vec y(system.size()), f(system.size());
  system.pack(t0, q0, u0, y);
  system.rhs(t0, y, f, *system.make_workspace());
  for (int i = 0; i < f.size(); ++i)
    if (!std::isfinite(f[i]))
      fail("the rate of {} at the start is {}, not a finite number", system.component_name(i), f[i]);
}

}  // namespace saltus
