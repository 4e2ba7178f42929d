// A study varies a method and tabulates: here the error against the step or the tolerance, with fitted
// orders.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/catalog/catalog.hpp"
#include "saltus/study/knob.hpp"

namespace saltus {

struct ConvergenceRow {
  double h = 0;  ///< as used: (t_end − t0)/N; or the value of another knob
  TrajectoryError error;
  RunStats stats;
  RunStatus status = RunStatus::finished;
  std::string message;
  std::vector<std::string> warnings;
};

struct ConvergenceTable {
  Method method;
  std::vector<ConvergenceRow> rows;
  TrajectoryError
      order;  ///< least-squares slopes of log(error) over log(h), norm by norm; NaN below two points
  Knob knob = Knob::step;
};

/// One run per step size, or per value of another knob. Throws Error when the problem has no reference.
ConvergenceTable convergence(const CatalogProblem& problem, const Method& method, std::span<const double> h,
                             const RunControl& control = {}, const CompareOptions& options = {},
                             Knob knob = Knob::step);

/// Fills table.order from its rows.
void fit_orders(ConvergenceTable& table);
/// Least-squares slope of log(error) over log(h); points whose error is zero or not finite are left out.
double fitted_order(std::span<const double> h, std::span<const double> error);

/// The norms by name, in the order reports list them.
struct NormName {
  std::string_view name;
  double TrajectoryError::*member;
};
std::span<const NormName> norm_names();

}  // namespace saltus
