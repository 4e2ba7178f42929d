// Figures 4 and 5: Newton's cradle by the additive θ-method, h = 0.5.
#include <array>
#include <cmath>

#include "saltus/catalog/coordinate_units.hpp"
#include "saltus/figure/space_time.hpp"
#include "saltus/reproduce/james_2020.hpp"

namespace saltus::james_2020 {
namespace {

constexpr double cradle_step = 0.5;

double last_deflection(const Trajectory& path, double until) {
  double most = 0;
  for (int k = 0; k < path.size() && path.t(k) <= until; ++k) most = std::max(most, path.q(k)[path.nq() - 1]);
  return most;
}
// Largest distance between two beads at sample k
double spread(const Trajectory& path, int k) {
  return path.q(k).maxCoeff() - path.q(k).minCoeff();
}

}  // namespace

void figure_4(Findings& out) {
  const Comparison c("newtons-cradle", {{"preset", "fig-4"}}, 300, cradle_step);
  Trajectory theta;
  c.errors("theta", &theta);
  Panel panel{
      time_label, "displacement [m]", "k = 13.115: exact (blue), theta method with h = 0.5 (red)", false, {}};
  for (int bead = 0; bead < 10; ++bead) {
    panel.curves.push_back(history(c.exact(), "", "lines lw 1 lc rgb '#0072b2'", bead, false));
    panel.curves.push_back(history(theta, "", "lines lw 1 dt 2 lc rgb '#d55e00'", bead, false));
  }
  out.figure("fig-4", std::array{panel});
  std::vector<std::string> rows;
  for (int k = 0; k < theta.size(); ++k)
    for (int n = 0; n < 10; ++n)
      rows.push_back(fmt::format("{},{},{},{}", theta.t(k), n + 1, c.exact().q(k)[n], theta.q(k)[n]));
  out.csv("fig-4", "t,bead,exact,theta", rows);
  const double exact = last_deflection(c.exact(), 40), got = last_deflection(theta, 40);
  out.claim("an error close to 7 % on the first maximal deflection of the last bead",
            std::abs(got / exact - 1.07) < 0.01,
            fmt::format("{:.5f} against {:.5f}: {:.1f} % of the exact one, {:.1f} % of theta's", got, exact,
                        100 * (got / exact - 1), 100 * (1 - exact / got)));
  const double early = spread(theta, 40), late = spread(theta, theta.size() - 1);
  out.claim("after the transient the beads swing almost together", late < 0.1 * early,
            fmt::format("distance of the outermost beads {:.3f} at t = 20, {:.4f} at t = 300", early, late));
}

void figure_5(Findings& out) {
  const Comparison c("newtons-cradle", {{"preset", "fig-5"}}, 3000, cradle_step);
  Trajectory theta;
  const auto e = c.errors("theta", &theta);
  const CoordinateUnits units = coordinate_units("newtons-cradle", theta.nq(), theta.nu());
  const CoordinateLabels labels{{}, units.q, units.u};
  // with the two zooms of the paper's insets: before the beads swing together, and at the end
  std::vector<Panel> panels;
  const auto add = [&](const char* what, TimeWindow window) {
    for (const auto& [path, name] :
         {std::pair{&c.exact(), "exact"}, std::pair{&std::as_const(theta), "theta, h = 0.5"}})
      panels.push_back(
          space_time_panel(*path, WaveQuantity::q, fmt::format("{}, {}", name, what), window, labels));
  };
  add("all", {0, 3000}), add("transient", {0, 200}), add("long times", {2800, 3000});
  out.figure("fig-5", panels);
  std::vector<std::string> rows;
  for (int k = 0; k < theta.size(); ++k)
    rows.push_back(fmt::format("{},{},{}", theta.t(k),
                               (theta.q(k) - c.exact().q(k)).lpNorm<Eigen::Infinity>(),
                               (theta.u(k) - c.exact().u(k)).lpNorm<Eigen::Infinity>()));
  out.csv("fig-5", "t,error_x,error_v", rows);
  out.claim(
      "sup errors over 48 periods: 0.155 in x and 0.0475 in v",
      std::abs(e.x - 0.155) < 5e-4 && std::abs(e.v - 0.0475) < 5e-5,
      fmt::format(
          "{:.6f} and {:.7f} (k = 1; the text could be read as k = 13.115, which gives 0.2155 and 0.1033)",
          e.x, e.v));
  out.claim("relative to the largest values, around 5 %", e.x / c.largest_x() < 0.055 && e.v < 0.055,
            fmt::format("{:.1f} % and {:.1f} %", 100 * e.x / c.largest_x(), 100 * e.v));
  const int last = theta.size() - 1;
  out.claim("the beads end up swinging almost in phase with almost equal amplitudes",
            spread(theta, last) < 0.15,
            fmt::format("distance of the outermost beads at t = 3000: {:.4f}, exact {:.4f}",
                        spread(theta, last), spread(c.exact(), last)));
}

}  // namespace saltus::james_2020
