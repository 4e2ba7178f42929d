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
#include "saltus/reproduce/drawing.hpp"
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
// acary_2012_comparison.cpp
void comparison(Findings& out);
// acary_2012_projection.cpp
void projection(Findings& out);
// acary_2012_index_2.cpp
void index_2(Findings& out);
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

}  // namespace saltus::acary_2012
