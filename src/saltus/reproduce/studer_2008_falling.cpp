// Figures 9 and 10: the falling mass through its accumulation of impacts.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/studer_2008.hpp"

namespace saltus::studer_2008 {
namespace {

constexpr double accumulation = 0.6769509168983044;  // t1 (1 + e)/(1 − e)

SwitchingRun falling(Substeps substeps, SwitchingSteps::Restitution restitution, double t_end,
                     double atol = 1e-8) {
  SwitchingSteps s = switching(1e-5, 0.05, atol);
  s.substeps = substeps, s.restitution = restitution;
  return run_switching(make_problem("falling-mass", {}, t_end).problem, s);
}

double mean_step(const SwitchingRun& r, double from) {
  int n = 0;
  for (int i = 0; i < r.path.size(); ++i) n += r.path.t(i) > from;
  return (r.path.t(r.path.size() - 1) - from) / std::max(n, 1);
}
double largest_step(const SwitchingRun& r, double from) {
  double h = 0;
  for (int i = 1; i < r.path.size(); ++i)
    if (r.path.t(i - 1) > from) h = std::max(h, r.path.t(i) - r.path.t(i - 1));
  return h;
}
void write_path(Findings& out, const std::string& name, const SwitchingRun& r) {
  std::vector<std::string> rows;
  for (int i = 0; i + 1 < r.path.size(); ++i)
    rows.push_back(fmt::format("{},{},{},{},{}", r.path.t(i), r.path.t(i + 1) - r.path.t(i), r.order[i],
                               r.path.q(i)[0], r.path.u(i)[0]));
  out.csv(name, "t,h,order,z,u", rows);
}

}  // namespace

void figure_9(Findings& out) {
  const SwitchingRun r = falling(Substeps::all, SwitchingSteps::Restitution::always, 0.9);
  write_path(out, "fig-9", r);
  Panel steps{time_label, "h [s]", "substeps 1, 2, 3, ...: step size", false, {r.step_sizes("")}};
  Panel speed{time_label, "velocity [m/s]", "after the accumulation", false, {}};
  Curve c{"", fmt::format("lines lw 1 lc rgb '{}'", colours[1]), {}, {}};
  double largest = 0;
  for (int i = 0; i < r.path.size(); ++i)
    if (r.path.t(i) > 0.75) {
      c.x.push_back(r.path.t(i)), c.y.push_back(r.path.u(i)[0]);
      largest = std::max(largest, std::abs(r.path.u(i)[0]));
    }
  speed.curves.push_back(std::move(c));
  out.figure("fig-9", std::array{steps, speed});
  const double mean = mean_step(r, 0.75),
               rest = mean_step(falling(Substeps::odd, SwitchingSteps::Restitution::always, 0.9), 0.75);
  out.claim(
      "after the accumulation the step does not grow: velocity oscillates at the level of the tolerance",
      mean < 2e-4 && largest > 1e-10,
      fmt::format("mean step {:.1e} for t > 0.75, |u| up to {:.1e}", mean, largest));
  out.claim("odd substeps cure it", rest > 100 * mean, fmt::format("mean step {:.1e}", rest));
  const double cured = mean_step(falling(Substeps::all, SwitchingSteps::Restitution::impacts, 0.9), 0.75);
  out.claim("so does restitution at impacts only (Saltus' default), even with substeps 1, 2, 3, ...",
            cured > 100 * mean, fmt::format("mean step {:.1e}", cured));
}

void figure_10(Findings& out) {
  const SwitchingRun r = falling(Substeps::odd, SwitchingSteps::Restitution::always, 1.2);
  write_path(out, "fig-10", r);
  out.figure("fig-10",
             std::array{Panel{time_label, "h [s]", "odd substeps: step size", false, {r.step_sizes("")}},
                        Panel{time_label, "order [1]", "rows of the tableau", false, {r.orders("")}},
                        Panel{time_label,
                              "z [m]",
                              "",
                              false,
                              {over_time(r.path, "z", 2, [&](int i) { return r.path.q(i)[0]; })}},
                        Panel{time_label, "u [m/s]", "", false, {over_time(r.path, "u", 3, [&](int i) {
                                return r.path.u(i)[0];
                              })}}});
  out.claim("the step grows again after the accumulation", largest_step(r, accumulation) > 0.0499,
            fmt::format("largest step {:.3f} = h_max", largest_step(r, accumulation)));
  bool two = true;
  int flights = 0;
  for (int i = 0; i + 1 < r.path.size(); ++i)
    if (r.path.t(i) < 0.5 && r.path.t(i + 1) - r.path.t(i) > 1e-4) two = two && r.order[i] == 2, ++flights;
  out.claim("order 2 in flight, where the parabola is exact", two && flights > 20,
            fmt::format("{} steps longer than 1e-4", flights));
  std::vector<double> hits;
  for (const Event& e : r.path.events())
    if (e.from == Mode::open) hits.push_back(0.5 * (e.t_before + e.t));
  const double t1 = std::sqrt(2 * 0.07 / 9.81);
  double off = 0, t = t1;
  for (int k = 0; k < 10; ++k) {
    if (k > 0) t += 2 * t1 * std::pow(0.7, k);
    off = std::max(off, static_cast<std::size_t>(k) < hits.size() ? std::abs(hits[k] - t) : infinity);
  }
  out.claim("the first ten impacts are within 10 minimal steps of the exact ones", off < 1e-4,
            fmt::format("largest error {:.1e}", off));
  out.claim("infinitely many impacts end after finitely many", hits.size() > 20 && hits.size() < 40,
            fmt::format("{} impacts resolved, the last at {:.5f}; exact accumulation {:.5f}", hits.size(),
                        hits.back(), accumulation));
}

}  // namespace saltus::studer_2008
