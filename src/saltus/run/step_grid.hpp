// Equal steps between two times.
#pragma once
#include <cstdint>

namespace saltus {

/// How many steps of at most h, N = ⌈(t_end − t0)/h⌉; throws Error when h is not positive or the count is
/// absurd.
std::int64_t step_count(double t0, double t_end, double h);

/// Equal steps of a stretch between two breakpoints: all but the last land on t0 + k h.
struct StepGrid {
  double t0, t_end, h;
  std::int64_t n;
  StepGrid(double a, double b, double step) : t0(a), t_end(b), n(step_count(a, b, step)) {
    h = n > 0 ? (b - a) / static_cast<double>(n) : step;
  }
  double time(std::int64_t k) const { return k == n ? t_end : t0 + h * static_cast<double>(k); }
};

}  // namespace saltus
