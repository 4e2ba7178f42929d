#include "saltus/study/work_precision.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// The least of several runs without output and ledger: what is left is the method.
double cpu_seconds(const Problem& problem, const Method& method, const RunControl& control, double at_least) {
  RunControl quiet;
  quiet.interrupt = control.interrupt, quiet.books = false;
  double best = infinity, total = 0;
  for (int i = 0; i < 10000 && total < at_least; ++i) {
    const RunResult r = run(problem, method, {}, quiet);
    if (r.status != RunStatus::finished) break;
    best = std::min(best, r.stats.cpu_seconds), total += r.stats.cpu_seconds;
  }
  return best;
}

WorkRow measure(const CatalogProblem& problem, const Method& method, const RunControl& control,
                const WorkOptions& options) {
  Trajectory trajectory;
  trajectory.keep_impulses = false;
  const RunResult result = run(problem.problem, method, trajectory.sink(), control);
  WorkRow row;
  row.stats = result.stats, row.status = result.status, row.message = result.message;
  if (result.status == RunStatus::finished && trajectory.size() > 0) {
    row.error = compare(trajectory, *problem.reference, options.compare);
    if (options.measure_cpu) {
      const double s = cpu_seconds(problem.problem, method, control, options.cpu_seconds);
      if (std::isfinite(s)) row.stats.cpu_seconds = s;
    }
  } else {
    for (const auto& n : norm_names()) row.error.*n.member = std::nan("");
  }
  return row;
}

struct Line {
  double slope = 0, offset = 0;  // log work = offset + slope · log error
  double low = infinity, high = 0;
};

bool usable(double error) {
  return error > 0 && std::isfinite(error);
}

Line fit(const WorkTable& table, double TrajectoryError::*norm) {
  Line line;
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& row : table.rows) {
    const double e = row.error.*norm;
    if (!usable(e) || row.stats.force_evaluations < 1) continue;
    const double x = std::log(e), y = std::log(static_cast<double>(row.stats.force_evaluations));
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    line.low = std::min(line.low, e), line.high = std::max(line.high, e);
  }
  const double spread = n * sxx - sx * sx;
  if (n < 2 || !(spread > 0)) return {};
  line.slope = (n * sxy - sx * sy) / spread;
  line.offset = (sy - line.slope * sx) / n;
  return line;
}

}  // namespace

std::string label(const Method& method) {
  if (std::holds_alternative<ToleranceSteps>(method.stepping)) return "by tolerance";
  const auto stepping = std::visit([](const auto& s) { return s.name; }, method.stepping);
  return fmt::format("{}, {}", to_text(method.scheme), stepping);
}

std::string short_label(const Method& method) {
  if (std::holds_alternative<ToleranceSteps>(method.stepping)) return "by tolerance";
  if (const auto* rk = std::get_if<RungeKutta>(&method.scheme)) return rk->table().name;
  std::string out = std::visit(
      [](const auto& scheme) {
        std::string text(scheme.name);
        const auto now = describe(SchemeSpec(scheme)),
                   usual = describe(SchemeSpec(std::decay_t<decltype(scheme)>{}));
        for (std::size_t i = 0; i < now.size(); ++i)
          if (now[i].value != usual[i].value) text += fmt::format(" {}={}", now[i].name, now[i].value);
        return text;
      },
      method.scheme);
  return std::holds_alternative<AdaptiveSteps>(method.stepping) ? out + ", adaptive" : out;
}

std::span<const NormName> work_norms() {
  static constexpr NormName names[] = {{"q_sup", &TrajectoryError::q_sup},
                                       {"q_l1", &TrajectoryError::q_l1},
                                       {"u_l1", &TrajectoryError::u_l1},
                                       {"u_hausdorff", &TrajectoryError::u_hausdorff}};
  return names;
}

WorkTable work_precision(const CatalogProblem& problem, const Method& method, Knob knob,
                         std::span<const double> values, const RunControl& control,
                         const WorkOptions& options) {
  if (!problem.reference) fail("this problem has no reference solution to measure errors against");
  WorkTable table{method, knob, {}};
  for (double value : values) {
    table.rows.push_back(measure(problem, with_knob(method, knob, value), control, options));
    table.rows.back().value = value;
    if (table.rows.back().status == RunStatus::interrupted) break;
  }
  return table;
}

double work_ratio(const WorkTable& a, const WorkTable& b, double TrajectoryError::*norm) {
  const Line line = fit(b, norm);
  double sum = 0, n = 0;
  for (const auto& row : a.rows) {
    const double e = row.error.*norm;
    if (!usable(e) || e < line.low || e > line.high || row.stats.force_evaluations < 1) continue;
    sum +=
        line.offset + line.slope * std::log(e) - std::log(static_cast<double>(row.stats.force_evaluations));
    n += 1;
  }
  return n > 0 ? std::exp(sum / n) : std::nan("");
}

}  // namespace saltus
