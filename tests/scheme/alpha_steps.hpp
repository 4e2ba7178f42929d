// Equal steps of generalized-α, each of which must succeed.
#pragma once
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/scheme/scheme.hpp"

namespace saltus::testing {

inline State go(const System& system, const Vec& q, const Vec& u, double h, double t_end,
                const GeneralizedAlpha& options = {}) {
  const auto stepper = make_stepper(options, system, AutomaticSolver{});
  State x = stepper->start(0, q, u), next = x;
  for (int k = 0, n = static_cast<int>(std::lround(t_end / h)); k < n; ++k) {
    const StepReport report = stepper->step(x, h, next);
    EXPECT_EQ(report.status, StepStatus::ok) << to_string(report.status) << " at t = " << x.t;
    if (report.status != StepStatus::ok) break;
    std::swap(x, next);
  }
  return x;
}

}  // namespace saltus::testing
