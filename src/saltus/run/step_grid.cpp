#include "saltus/run/step_grid.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {

std::int64_t step_count(double t0, double t_end, double h) {
  if (!(h > 0) || !std::isfinite(h)) fail("step h = {} is not allowed: h must be a finite number > 0", h);
  const double count = std::ceil((t_end - t0) / h * (1 - 1e-12));
  if (!(count < 1e15))
    fail("step h = {} needs {:.3g} steps to reach t_end = {}: choose a larger one", h, count, t_end);
  return static_cast<std::int64_t>(count);
}

}  // namespace saltus
