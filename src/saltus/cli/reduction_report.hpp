// What `saltus sweep --reduce` prints.
#pragma once
#include "saltus/cli/json.hpp"
#include "saltus/study/sweep_reduction.hpp"

namespace saltus::cli {

/// A reduced sweep with what was asked for.
struct SweepSummary {
  Reduction asked;
  ReducedSweep result;
  bool random = false;  ///< points are independent samples: means have a standard error

  Json by_json() const;
  Json measure_json(std::size_t measure, const std::string& name) const;
  std::string text(std::span<const Measure> measures) const;
};

}  // namespace saltus::cli
