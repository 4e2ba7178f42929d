// O. Brüls, V. Acary, A. Cardona, On the constraints formulation in the nonsmooth generalized-α method, in:
// Advanced Topics in Nonsmooth Dynamics, Springer 2018, 335–374.
//
// Data that the paper does not give (restitution in 6.1, gravity and mass matrix in 6.2, horizon, mass matrix
// and tolerance in 6.3) were inferred from its figures and numbers; docs/reference/reproduce-bruls-2018.md
// lists them.
#pragma once
#include <functional>

#include "saltus/catalog/flexible_problems.hpp"
#include "saltus/reproduce/drawing.hpp"
#include "saltus/reproduce/reproduce.hpp"
#include "saltus/scheme/generalized_alpha/generalized_alpha.hpp"

namespace saltus {
class GeneralizedAlphaStepper;
}

namespace saltus::bruls_2018 {

std::vector<Study> studies();

// bruls_2018_smooth.cpp
void figure_2(Findings& out);
void figure_3(Findings& out);
// bruls_2018_bouncing.cpp
void figure_5(Findings& out);
void figure_6(Findings& out);
void figure_7(Findings& out);
void figure_8(Findings& out);
void inactive_rows(Findings& out);
// bruls_2018_flexible.cpp
void figure_10(Findings& out);
void figure_11(Findings& out);
void figure_12(Findings& out);
// bruls_2018_bar.cpp
void bar(Findings& out);

GeneralizedAlpha method(GeneralizedAlpha::Levels levels, double rho_inf);

/// One step: the stepper that made it (multipliers), the states, the report, and the system.
struct Moment {
  const GeneralizedAlphaStepper& stepper;
  const State& begin;
  const State& end;
  const StepReport& report;
  const System& system;

  double energy() const { return energy_of(system, end.t, end.q, end.u); }
};

/// Fixed steps to t_end; throws Error when a step fails.
void walk(const Problem& problem, const GeneralizedAlpha& options, double h, double t_end,
          const std::function<void(const Moment&)>& look);

inline Curve line(std::string title, int colour, double width = 1.3) {
  return {std::move(title), fmt::format("lines lw {} lc rgb '{}'", width, colours[colour % 8]), {}, {}};
}
inline Curve dots(std::string title, int colour) {
  return {std::move(title), fmt::format("points pt 7 ps 0.35 lc rgb '{}'", colours[colour % 8]), {}, {}};
}
inline void put(Curve& c, double x, double y) {
  c.x.push_back(x), c.y.push_back(y);
}

/// The part of a curve between two times.
inline Curve part(const Curve& c, double from, double to) {
  Curve out{c.title, c.style, {}, {}};
  for (std::size_t i = 0; i < c.x.size(); ++i)
    if (c.x[i] >= from && c.x[i] <= to) put(out, c.x[i], c.y[i]);
  return out;
}

}  // namespace saltus::bruls_2018
