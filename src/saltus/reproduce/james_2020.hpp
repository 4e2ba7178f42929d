// G. James, K. Vorotnikov, B. Brogliato, Kuwabara–Kono numerical dissipation: a new method to simulate
// granular matter, IMA J. Appl. Math. 85 (2020) 27–66, doi:10.1093/imamat/hxz034; hal-01878973.
//
// Figure 1 is a drawing. Every other figure, Table 1, the statement on A-stability, Theorem 1, the modified
// equation (40) and the numbers of the text are run again. The exact solutions are those of the catalog,
// extrapolated to rounding.
#pragma once
#include <map>

#include "saltus/catalog/catalog.hpp"
#include "saltus/chain/chain.hpp"
#include "saltus/reproduce/drawing.hpp"
#include "saltus/reproduce/reproduce.hpp"

namespace saltus::james_2020 {

std::vector<Study> studies();

// james_2020_orders.cpp
void figure_2(Findings& out);
void figure_3(Findings& out);
void figure_6(Findings& out);
// james_2020_cradle.cpp
void figure_4(Findings& out);
void figure_5(Findings& out);
// james_2020_waves.cpp
void figure_7(Findings& out);
void table_1(Findings& out);
void figure_8(Findings& out);
void figure_9(Findings& out);
// james_2020_damping.cpp
void figure_10(Findings& out);
void figure_11(Findings& out);
// james_2020_stability.cpp
void a_stability(Findings& out);
// james_2020_model.cpp
void equation_9(Findings& out);
void cradle_times(Findings& out);
void transmitted_force(Findings& out);
// james_2020_theory.cpp
void theorem_1(Findings& out);
void modified_equation(Findings& out);
void tuning(Findings& out);

/// The six methods by the paper's letters: "CN x", "CN y", "GL x", "GL y", "theta", "IRK".
struct PaperMethod {
  const char* name;
  SchemeSpec scheme;
  Formulation formulation;
};
PaperMethod named(std::string_view name);

/// A chain of the catalog with its exact states on a grid; errors of many methods against them.
class Comparison {
 public:
  Comparison(std::string problem, Settings settings, double t_end, double h);

  struct Errors {
    double x = 0, v = 0;
    double largest() const { return std::max(x, v); }
  };
  /// sup over beads and grid. Throws Error when the run does not finish or a step had to be cut.
  Errors errors(std::string_view method, Trajectory* path = nullptr) const;
  const Trajectory& exact() const { return exact_; }
  double largest_x() const;

 private:
  CatalogProblem make(Formulation formulation) const;

  std::string problem_;
  Settings settings_;
  double t_end_, h_;
  Trajectory exact_;
};

/// (t, value) of one component.
Curve history(const Trajectory& path, std::string title, const std::string& style, int bead, bool velocity);
std::string text(double x);

}  // namespace saltus::james_2020
