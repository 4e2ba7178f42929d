#include "saltus/reproduce/acary_2012.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus::acary_2012 {

std::vector<Study> studies() {
  const std::string paper = "acary-2012";
  return {{paper, "fig-2", "orders of Moreau's scheme in four norms", figure_2},
          {paper, "fig-3", "work against precision: adaptive (58)-(61) and constant steps", figure_3},
          {paper, "fig-4", "orders of event capturing around implicit Runge-Kutta methods", figure_4},
          {paper, "fig-5", "orders of event capturing around half-explicit Runge-Kutta methods", figure_5},
          {paper, "local-errors",
           "errors of one step of Moreau's scheme over an impact of the ball, (25)-(27)", local_errors},
          {paper, "lemma-1", "the quadrature bound (28) and its constant", lemma_1},
          {paper, "propositions", "local orders of Moreau's scheme, Propositions 1 to 3", propositions},
          {paper, "theorem-1", "order p with a critical step C h^(p+1), with accumulation and release",
           theorem_1}};
}

Example ball() {
  return {"ball", make_problem("bouncing-ball", {}, 5.0)};
}

Example oscillator(char preset) {
  return {fmt::format("oscillator {}", preset),
          make_problem("impact-oscillator", {{"preset", fmt::format("acary-{}", preset)}}, 5.0)};
}

std::vector<double> steps(std::span<const int> counts, double t_end) {
  std::vector<double> h;
  for (int n : counts) h.push_back(t_end / n);
  return h;
}

Curve slope_line(double h0, double h1, double through_h, double through_e, int order) {
  const auto at = [&](double h) { return through_e * std::pow(h / through_h, order); };
  return {fmt::format("slope {}", order), "lines lw 1 dt 2 lc rgb '#999999'", {h0, h1}, {at(h0), at(h1)}};
}

Curve points(std::string title, std::span<const double> x, std::span<const double> y, int colour) {
  Curve c{std::move(title),
          fmt::format("linespoints pt 7 ps 0.6 lw 1.5 lc rgb '{}'", colours[colour % 8]),
          {},
          {}};
  for (std::size_t i = 0; i < x.size(); ++i)
    if (y[i] > 0 && std::isfinite(y[i])) c.x.push_back(x[i]), c.y.push_back(y[i]);
  return c;
}

}  // namespace saltus::acary_2012
