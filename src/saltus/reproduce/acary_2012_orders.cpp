// Figures 4, 5 and Theorem 1: orders of event capturing over T = 5.
#include <algorithm>
#include <cmath>

#include "saltus/catalog/bead_on_sphere.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reproduce/acary_2012.hpp"
#include "saltus/run/event_capturing.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::acary_2012 {
namespace {

constexpr double rounding = 1e-12;  // errors below are rounding, not the method's

// ---- Figures 4 and 5 ----

struct Orders {
  std::string tableau, example;
  int p = 0;
  std::vector<double> h, error;
  double slope = 0;
};

Method capturing(const std::string& tableau, double C = 0.01) {
  EventCapturing stepping;
  stepping.C = C;
  return {runge_kutta(tableau), stepping, AutomaticSolver{}};
}

double fitted_above_rounding(std::span<const double> h, std::span<const double> error) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < h.size(); ++i)
    if (error[i] > rounding) x.push_back(h[i]), y.push_back(error[i]);
  return fitted_order(x, y);
}

Orders measure(const std::string& tableau, const Example& example) {
  static constexpr int coarse[] = {53, 76, 107, 151, 211, 305, 431},
                       fine[] = {211, 305, 431, 611, 863, 1223, 1709};
  Orders out{tableau, example.name, order(find_tableau(tableau)), {}, {}, 0};
  const auto table =
      convergence(example.problem, capturing(tableau), steps(out.p <= 2 ? fine : coarse), {}, {false, 1e-9});
  for (const auto& row : table.rows) out.h.push_back(row.h), out.error.push_back(row.error.q_sup);
  out.slope = fitted_above_rounding(out.h, out.error);
  return out;
}

Panel orders_panel(std::span<const Orders> all, const std::string& title) {
  Panel panel{"h [s]", "error q_sup [m]", title, true, {}};
  int colour = 0;
  for (const auto& o : all)
    panel.curves.push_back(points(std::isfinite(o.slope) ? fmt::format("{} ({:.2f})", o.tableau, o.slope)
                                                         : fmt::format("{} (rounding)", o.tableau),
                                  o.h, o.error, colour++));
  return panel;
}

std::string slopes(std::span<const Orders> all) {
  std::string out;
  for (const auto& o : all) out += fmt::format("{}{:.2f} ({})", out.empty() ? "" : ", ", o.slope, o.tableau);
  return out;
}

std::vector<Orders> measure_all(std::span<const std::string> tableaus, const Example& example) {
  std::vector<Orders> out;
  for (const auto& t : tableaus) out.push_back(measure(t, example));
  return out;
}

void write_orders(Findings& out, const std::string& name, std::span<const std::vector<Orders>> series) {
  std::vector<std::string> rows;
  for (const auto& s : series)
    for (const auto& o : s)
      for (std::size_t i = 0; i < o.h.size(); ++i)
        rows.push_back(fmt::format("{},{},{},{},{}", o.example, o.tableau, o.p, o.h[i], o.error[i]));
  out.csv(name, "example,tableau,order,h,q_sup", rows);
}

bool at_least(std::span<const Orders> all, double extra) {
  return std::all_of(all.begin(), all.end(), [&](const auto& o) { return o.slope >= o.p + extra; });
}
bool within(std::span<const Orders> all, double low, double high) {
  return std::all_of(all.begin(), all.end(),
                     [&](const auto& o) { return o.slope >= o.p + low && o.slope <= o.p + high; });
}

void event_capturing_figure(Findings& out, const std::string& name, std::span<const std::string> tableaus) {
  const std::vector<Orders> series[] = {measure_all(tableaus, oscillator('a')),
                                        measure_all(tableaus, oscillator('b')),
                                        measure_all(tableaus, ball())};
  write_orders(out, name, series);
  const std::string title = "event capturing, C = 0.01 (fitted order): ";
  out.figure(name, std::array{orders_panel(series[0], title + "oscillator a"),
                              orders_panel(series[1], title + "oscillator b, impacts accumulate"),
                              orders_panel(series[2], title + "ball, impacts accumulate")});
  out.claim("order p on the oscillator", within(series[0], -0.35, 0.35), slopes(series[0]));
  out.claim("order p on the oscillator with accumulating impacts too", within(series[1], -0.35, 0.35),
            slopes(series[1]));
  std::vector<Orders> higher;  // without those whose error is rounding at every step: they have no order
  for (const auto& o : series[2])
    if (o.p >= 2 && std::isfinite(o.slope)) higher.push_back(o);
  out.refuted("order p, no more, on the ball (p >= 2)", within(higher, -0.35, 0.35), slopes(higher));
  out.claim(
      "instead p + 1 on the ball: parabolas are integrated exactly, only the critical steps C h^(p+1) err",
      higher.size() >= 2 && at_least(higher, 0.65), slopes(higher));
  if (series[2].front().p == 1)
    out.claim("order 1 on the ball for Euler, which does not integrate parabolas exactly",
              within({&series[2].front(), 1}, -0.35, 0.35), fmt::format("{:.2f}", series[2].front().slope));
}

// ---- Theorem 1 ----

// Errors of one macro step that starts on the exact solution 0.37 h before the first impact of oscillator a.
Orders local_errors_of_a_macro_step(const std::string& tableau) {
  const Example a = oscillator('a');
  const double impact = a.problem.reference->breaks(0, 5).front();
  Orders out{tableau, "oscillator a, one step", order(find_tableau(tableau)), {}, {}, 0};
  Vec q, u, exact_u;
  for (int j = 0; j < 7; ++j) {
    const double h = 0.3 * std::pow(2.0, -0.5 * j);
    Problem p = a.problem.problem;
    p.t0 = impact - 0.37 * h, p.t_end = p.t0 + h;
    a.problem.reference->state(p.t0, Side::right, p.q0, p.u0);
    Method m = capturing(tableau);
    m.stepping = with_step(m.stepping, h);
    const RunResult r = run(p, m);
    a.problem.reference->state(p.t_end, Side::right, q, exact_u);
    out.h.push_back(h),
        out.error.push_back(r.status == RunStatus::finished ? (r.final.q - q).lpNorm<Eigen::Infinity>()
                                                            : infinity);
  }
  out.slope = fitted_above_rounding(out.h, out.error);
  return out;
}

// A critical step in proportion to c h^power instead of h^(p+1).
Orders with_critical_step(const std::string& tableau, const Example& example, int power, double c) {
  Orders out{tableau,
             fmt::format("{}, critical step ~ h^{}", example.name, power),
             order(find_tableau(tableau)),
             {},
             {},
             0};
  for (int N : {53, 76, 107, 151, 211, 305, 431, 601}) {
    const double h[] = {5.0 / N};
    const auto table = convergence(example.problem, capturing(tableau, c * std::pow(h[0], power - out.p - 1)),
                                   h, {}, {false, 1e-9});
    out.h.push_back(table.rows[0].h), out.error.push_back(table.rows[0].error.q_sup);
  }
  out.slope = fitted_above_rounding(out.h, out.error);
  return out;
}

// The bead slides from the top of the sphere and leaves it; errors at T = 0.8, in flight.
Orders bead_orders(const std::string& tableau) {
  const BeadOnSphere bead;
  const Vec exact = bead.flight(0.8);
  Orders out{tableau, "bead on a sphere", order(find_tableau(tableau)), {}, {}, 0};
  for (int N : {28, 40, 56, 80, 113}) {
    Method m = capturing(tableau);
    m.stepping = with_step(m.stepping, 0.8 / N);
    const RunResult r = run(bead.problem(0.8), m);
    out.h.push_back(0.8 / N);
    out.error.push_back(
        r.status == RunStatus::finished ? (r.final.q - exact.head(2)).lpNorm<Eigen::Infinity>() : infinity);
  }
  out.slope = fitted_above_rounding(out.h, out.error);
  return out;
}

std::string worst(std::span<const Orders> all) {
  const auto w = std::min_element(all.begin(), all.end(),
                                  [](const auto& a, const auto& b) { return a.slope - a.p < b.slope - b.p; });
  return fmt::format("{} methods, the lowest {:.2f} for {}", all.size(), w->slope, w->tableau);
}

}  // namespace

void figure_4(Findings& out) {
  static const std::string tableaus[] = {"lobatto-iiia-2", "radau-iia-3", "lobatto-iiia-4", "radau-iia-5",
                                         "lobatto-iiia-6"};
  event_capturing_figure(out, "fig-4", tableaus);
}

void figure_5(Findings& out) {
  static const std::string tableaus[] = {"herk-1", "herk-2", "herk-3", "herk-4", "herk-5"};
  event_capturing_figure(out, "fig-5", tableaus);
}

void theorem_1(Findings& out) {
  std::vector<std::string> names;
  for (auto n : tableau_names())
    if (n != "dop-8") names.emplace_back(n);  // its errors are rounding at these steps
  std::vector<std::vector<Orders>> series(4);
  series[0] = measure_all(names, oscillator('c'));
  for (const char* t : {"radau-iia-3", "herk-4", "radau-iia-5"}) {
    series[1].push_back(local_errors_of_a_macro_step(t));
    series[2].push_back(bead_orders(t));
  }
  const Example c = oscillator('c');
  series[3] = {with_critical_step("radau-iia-5", c, 2, 1), with_critical_step("radau-iia-5", c, 5, 100),
               with_critical_step("radau-iia-5", c, 6, 0.01)};
  write_orders(out, "theorem-1", series);
  std::vector<Orders> shown;
  for (const auto& o : series[0])
    for (const char* t : {"herk-2", "radau-iia-3", "herk-4", "radau-iia-5", "gauss-6"})
      if (o.tableau == t) shown.push_back(o);
  Panel lengths{"h [s]", "error q_sup [m]", "radau-iia-5, other lengths of the critical step", true, {}};
  int colour = 0;
  for (const auto& o : series[3])
    lengths.curves.push_back(
        points(fmt::format("{} ({:.2f})", o.example.substr(14), o.slope), o.h, o.error, colour++));
  out.figure("theorem-1",
             std::array{orders_panel(shown, "oscillator c: accumulation, rest and release"),
                        orders_panel(series[2], "bead leaves a sphere (G not constant)"), lengths});

  out.claim("(67): the error of q after one macro step with an impact is O(h^(p+1))",
            at_least(series[1], 0.7), slopes(series[1]));
  out.claim(
      "global order p through accumulation, rest and release (every tableau there is, slope >= p - 0.3)",
      at_least(series[0], -0.3), worst(series[0]));
  out.claim("global order p where G varies (bead on a sphere, with the curvature term that (62)-(64) omit)",
            at_least(series[2], -0.3), slopes(series[2]));
  out.claim("a critical step longer than O(h^p) costs the order: h^2 with radau-iia-5 gives about 2",
            std::abs(series[3][0].slope - 2) < 0.6, fmt::format("{:.2f}", series[3][0].slope));
  out.claim("for the global order alone C h^p would do, events being few: h^5 with radau-iia-5 keeps 5",
            series[3][1].slope > 4.6,
            fmt::format("{:.2f} (with h^6 {:.2f})", series[3][1].slope, series[3][2].slope));
}

}  // namespace saltus::acary_2012
