// V. Acary, Higher order event capturing time-stepping schemes for nonsmooth multibody systems with
// unilateral constraints and impacts, Appl. Numer. Math. 62 (2012) 1259–1275,
// doi:10.1016/j.apnum.2012.06.026.
//
// The paper's examples: the ball (f = −2, ρ = 1/2, q0 = 1, impacts accumulate at t = 3) and a linear
// oscillator, whose parameters it does not give; here they are the presets acary-a (five impacts, no rest),
// acary-b (accumulation) and acary-c (accumulation and release) of the catalog. T = 5 throughout. Step counts
// avoid grids aligned with impacts.
#pragma once
#include "saltus/catalog/catalog.hpp"
#include "saltus/reproduce/reproduce.hpp"

namespace saltus::acary_2012 {

std::vector<Study> studies();

// acary_2012_moreau.cpp
void figure_2(Findings& out);
// acary_2012_orders.cpp
void figure_4(Findings& out);
void figure_5(Findings& out);
void theorem_1(Findings& out);
// acary_2012_work.cpp
void figure_3(Findings& out);
// acary_2012_local.cpp
void local_errors(Findings& out);
void lemma_1(Findings& out);
// acary_2012_propositions.cpp
void propositions(Findings& out);

/// An example of the paper with its name: "ball", "oscillator a", "oscillator b", "oscillator c".
struct Example {
  std::string name;
  CatalogProblem problem;
};
Example ball();
Example oscillator(char preset);
/// Steps T/N.
std::vector<double> steps(std::span<const int> counts, double t_end = 5);
/// c h^order through the point (h, e), as a grey line over the range of h.
Curve slope_line(double h0, double h1, double through_h, double through_e, int order);
inline constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#56b4e9", "#e69f00", "#000000", "#999999"};
Curve points(std::string title, std::span<const double> x, std::span<const double> y, int colour);

}  // namespace saltus::acary_2012
