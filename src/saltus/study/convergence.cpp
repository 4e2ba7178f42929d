#include "saltus/study/convergence.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/step_grid.hpp"

namespace saltus {

std::span<const NormName> norm_names() {
  static constexpr NormName names[] = {
      {"q_sup", &TrajectoryError::q_sup}, {"q_l1", &TrajectoryError::q_l1},
      {"q_l2", &TrajectoryError::q_l2},   {"q_final", &TrajectoryError::q_final},
      {"u_l1", &TrajectoryError::u_l1},   {"u_l2", &TrajectoryError::u_l2},
      {"u_sup", &TrajectoryError::u_sup}, {"u_hausdorff", &TrajectoryError::u_hausdorff}};
  return names;
}

double fitted_order(std::span<const double> h, std::span<const double> error) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (!(error[i] > 0) || !std::isfinite(error[i])) continue;
    const double x = std::log(h[i]), y = std::log(error[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double spread = n * sxx - sx * sx;
  return n >= 2 && spread > 0 ? (n * sxy - sx * sy) / spread : std::nan("");
}

void fit_orders(ConvergenceTable& table) {
  std::vector<double> h, e;
  for (const auto& row : table.rows) h.push_back(row.h);
  for (const auto& n : norm_names()) {
    e.clear();
    for (const auto& row : table.rows) e.push_back(row.error.*n.member);
    table.order.*n.member = fitted_order(h, e);
  }
}

ConvergenceTable convergence(const CatalogProblem& problem, const Method& method,
                             std::span<const double> steps, const RunControl& control,
                             const CompareOptions& options, Knob knob) {
  if (!problem.reference) fail("this problem has no reference solution to converge to");
  ConvergenceTable table{method, {}, {}, knob};
  for (double h : steps) {
    const Method m = with_knob(method, knob, h);
    Trajectory trajectory;
    trajectory.keep_impulses = false;
    const RunResult result = run(problem.problem, m, trajectory.sink(), control);
    ConvergenceRow row;
    const double span = problem.problem.t_end - problem.problem.t0;
    const std::int64_t count =
        knob == Knob::step ? step_count(problem.problem.t0, problem.problem.t_end, h) : 0;
    row.h = count > 0 ? span / static_cast<double>(count) : h;
    row.stats = result.stats, row.status = result.status, row.message = result.message;
    row.warnings = result.warnings;
    if (result.status == RunStatus::finished && trajectory.size() > 0) {
      row.error = compare(trajectory, *problem.reference, options);
    } else {
      for (const auto& n : norm_names()) row.error.*n.member = std::nan("");
    }
    table.rows.push_back(std::move(row));
    if (result.status == RunStatus::interrupted) break;
  }
  fit_orders(table);
  return table;
}

}  // namespace saltus
