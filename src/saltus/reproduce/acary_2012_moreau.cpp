// Figure 2: orders of Moreau's scheme over T = 5.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/acary_2012.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::acary_2012 {
namespace {

struct MoreauSeries {
  std::string name;
  ConvergenceTable table;
};

std::string values(std::span<const MoreauSeries> all,
                   const std::function<double(const MoreauSeries&)>& value) {
  std::string out;
  for (const auto& s : all) out += fmt::format("{}{:.2f} ({})", out.empty() ? "" : ", ", value(s), s.name);
  return out;
}

bool all_in(std::span<const MoreauSeries> all, double low, double high,
            const std::function<double(const MoreauSeries&)>& value) {
  return std::all_of(all.begin(), all.end(),
                     [&](const auto& s) { return value(s) >= low && value(s) <= high; });
}

// The slope once errors are divided by log(1/h): about log(1/h) bounces each shift the time by O(h).
double order_without_logarithm(const ConvergenceTable& table) {
  std::vector<double> h, e;
  for (const auto& row : table.rows)
    h.push_back(row.h), e.push_back(row.error.u_hausdorff / std::log(1 / row.h));
  return fitted_order(h, e);
}

Panel norms_panel(const MoreauSeries& s) {
  Panel panel{
      "h [s]", "error [SI units]", fmt::format("Moreau's scheme (16), gamma = 1: {}", s.name), true, {}};
  std::vector<double> h, e;
  for (const auto& row : s.table.rows) h.push_back(row.h);
  int colour = 0;
  for (const auto& norm : norm_names()) {
    if (norm.name == "q_l1" || norm.name == "q_l2" || norm.name == "q_final") continue;
    e.clear();
    for (const auto& row : s.table.rows) e.push_back(row.error.*norm.member);
    panel.curves.push_back(
        points(fmt::format("{} ({:.2f})", norm.name, s.table.order.*norm.member), h, e, colour++));
  }
  panel.curves.push_back(
      slope_line(h.front(), h.back(), h.front(), 0.4 * s.table.rows.front().error.q_sup, 1));
  return panel;
}

}  // namespace

void figure_2(Findings& out) {
  static constexpr int counts[] = {101,  142,  200,  281,  396,  556,  783,  1101,
                                   1549, 2179, 3066, 4313, 6067, 8535, 12007};
  std::vector<MoreauSeries> all;
  for (const Example& e : {ball(), oscillator('a')})
    for (double theta : {1.0, 0.5})
      all.push_back(
          {fmt::format("{} theta {}", e.name, theta),
           convergence(e.problem, {MoreauJean{theta, 1}, FixedSteps{}, AutomaticSolver{}}, steps(counts))});
  std::vector<std::string> rows;
  for (const auto& s : all)
    for (const auto& row : s.table.rows) {
      std::string line = fmt::format("{},{}", s.name, row.h);
      for (const auto& n : norm_names()) line += fmt::format(",{}", row.error.*n.member);
      rows.push_back(line);
    }
  std::string header = "example,h";
  for (const auto& n : norm_names()) header += fmt::format(",{}", n.name);
  out.csv("fig-2", header, rows);
  out.figure("fig-2", std::array{norms_panel(all[0]), norms_panel(all[2])});

  const auto order_in = [](double TrajectoryError::*norm) {
    return [norm](const MoreauSeries& s) { return s.table.order.*norm; };
  };
  const auto l1 = order_in(&TrajectoryError::u_l1), haus = order_in(&TrajectoryError::u_hausdorff);
  const auto sup = order_in(&TrajectoryError::u_sup), l2 = order_in(&TrajectoryError::u_l2),
             q = order_in(&TrajectoryError::q_sup);
  const std::span<const MoreauSeries> balls(all.data(), 2), oscillators(all.data() + 2, 2);
  out.claim("order of u in L1 is about 1 (0.8 to 1.15)", all_in(all, 0.8, 1.15, l1), values(all, l1));
  out.claim("order of u in the Hausdorff distance is about 1 (0.8 to 1.15) on the oscillator",
            all_in(oscillators, 0.8, 1.15, haus), values(oscillators, haus));
  const auto cleaned = [](const MoreauSeries& s) { return order_without_logarithm(s.table); };
  out.claim("the same on the ball up to log(1/h): its accumulating impacts each shift time by O(h)",
            all_in(balls, 0.65, 1.15, haus) && all_in(balls, 0.8, 1.15, cleaned),
            fmt::format("{}; of error / log(1/h) {}", values(balls, haus), values(balls, cleaned)));
  out.claim("order of u in L2 is about 1/2 (0.25 to 0.85; the paper gives no number)",
            all_in(all, 0.25, 0.85, l2), values(all, l2));
  const auto largest = [](const MoreauSeries& s) {
    double e = 0;
    for (std::size_t i = s.table.rows.size() - 5; i < s.table.rows.size(); ++i)
      e = std::max(e, s.table.rows[i].error.u_sup);
    return e;
  };
  out.claim(
      "u does not converge uniformly (order below 0.35, largest error at the five finest steps above 0.5)",
      all_in(all, -0.6, 0.35, sup) && all_in(all, 0.5, 100, largest),
      fmt::format("orders {}; errors {}", values(all, sup), values(all, largest)));
  out.claim("q converges uniformly with order about 1 (0.85 to 1.2)", all_in(all, 0.85, 1.2, q),
            values(all, q));
}

}  // namespace saltus::acary_2012
