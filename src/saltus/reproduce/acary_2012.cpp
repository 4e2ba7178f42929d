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
           theorem_1},
          {paper, "comparison", "Remark 5: event capturing against the extrapolated scheme of studer-2008",
           comparison},
          {paper, "projection", "Remark 4: positions projected by (19), on small and large columns of balls",
           projection},
          {paper, "index-2", "the outlook: Runge-Kutta on the index-2 form, and whether its order is reduced",
           index_2}};
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

}  // namespace saltus::acary_2012
