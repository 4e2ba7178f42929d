// The tableau (42)–(47) and Figure 5: what extrapolation does to a contact that stays closed.
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/studer_2008.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/scheme/moreau/extrapolation_stepper.hpp"
#include "saltus/scheme/moreau/moreau_midpoint_stepper.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus::studer_2008 {
namespace {

std::string row(const std::vector<double>& values) {
  std::string out;
  for (double x : values) out += fmt::format("{}{:.6g}", out.empty() ? "" : ", ", x);
  return out;
}

// T_ij/γ of a contact that is closed in every substep: T_i1 = (−e)^{n_i}.
std::vector<std::vector<double>> closed_contact(double e, Substeps sequence, int rows) {
  std::vector<double> first;
  std::vector<int> n;
  for (int i = 1; i <= rows; ++i) {
    n.push_back(substep_count(sequence, i));
    first.push_back(std::pow(-e, n.back()));
  }
  return neville(first, n);
}

// The same by the scheme itself: a mass that a strong force presses on the floor, with a velocity left over.
std::vector<double> by_the_scheme(double e, Substeps sequence, int rows) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.f = Vec::Constant(1, -1e6);
  d.contacts.push_back({"mass/floor", Unilateral{e}, {{{0, 1.0}}}, 0, 0});
  const LinearSystem system(std::move(d));
  Extrapolation options;
  options.substeps = sequence, options.order = rows;
  ExtrapolationStepper stepper(
      std::make_unique<MoreauMidpointStepper>(system, MoreauMidpoint{}, AutomaticSolver{}), system, options);
  stepper.set_closed_rule({true, 0});  // restitution in every substep, as (45) says
  State x0 = stepper.start(0, Vec::Constant(1, -1.0), Vec::Constant(1, -1.0)), x1 = x0;
  x0.contacts.closed.push_back({0, 0, 1, true, false, Mode::closed});
  x0.contacts.impulse = {1.0};
  StepReport report;
  stepper.extrapolate(x0, 1e-3, x1, report);
  std::vector<double> diagonal;
  for (int i = 1; i <= stepper.tableau().rows(); ++i) diagonal.push_back(-stepper.tableau()(i, i)[1]);
  return diagonal;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double d = a.size() == b.size() ? 0 : infinity;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) d = std::max(d, std::abs(a[i] - b[i]));
  return d;
}
std::vector<double> diagonal(const std::vector<std::vector<double>>& t) {
  std::vector<double> out;
  for (const auto& r : t) out.push_back(r.back());
  return out;
}

}  // namespace

void tableau(Findings& out) {
  const double first[] = {0, 0.375, 0.65625};
  const int n[] = {1, 2, 4};
  const auto t = neville(first, n);  // y' = 3x² by Euler's explicit method
  const double exact[] = {0, 0.375, 0.75, 0.65625, 0.9375, 1};
  double off = 0;
  int k = 0;
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < t.size(); ++i)
    for (std::size_t j = 0; j < t[i].size(); ++j) {
      off = std::max(off, std::abs(t[i][j] - exact[k++]));
      rows.push_back(fmt::format("y'=3x^2,{},{},{}", i + 1, j + 1, t[i][j]));
    }
  out.claim("(44): the tableau of y' = 3x^2 is the printed one, and T33 = 1 is exact", off < 1e-14,
            row(t.back()));
  double difference = 0;
  for (const Substeps sequence : {Substeps::all, Substeps::odd}) {
    const auto table = closed_contact(0.7, sequence, 4);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        rows.push_back(fmt::format("{} substeps e=0.7,{},{},{}", substep_names[static_cast<int>(sequence)],
                                   i + 1, j + 1, table[i][j]));
    difference = std::max(difference, distance(diagonal(table), by_the_scheme(0.7, sequence, 4)));
  }
  out.csv("tableau", "case,i,j,T", rows);
  const auto all = closed_contact(0.7, Substeps::all, 4);
  out.claim("(46), (47): with 1, 2, 3, 4 substeps and e = 0.7 the velocity grows to 9.27 times itself",
            std::abs(all[3][3] - 9.268233333333333) < 1e-12, row(all.back()));
  out.claim("Moreau's scheme on a closed contact makes these tableaus", difference < 1e-11,
            fmt::format("largest difference {:.1e}", difference));
}

void figure_5(Findings& out) {
  std::vector<std::string> rows;
  Panel panels[] = {{"restitution coefficient [1]", "T_ii / gamma [1]", "substeps 1, 2, 3, 4", false, {}},
                    {"restitution coefficient [1]", "T_ii / gamma [1]", "substeps 1, 3, 5, 7", false, {}}};
  double all_largest = 0, odd_largest = 0, odd_at_one = 0, off = 0;
  bool shrinks_always = true;
  for (const Substeps sequence : {Substeps::all, Substeps::odd}) {
    const int which = sequence == Substeps::all ? 0 : 1;
    for (int i = 1; i <= 4; ++i)
      panels[which].curves.push_back(
          {fmt::format("T{}{}", i, i), fmt::format("lines lw 1.8 lc rgb '{}'", colours[i - 1]), {}, {}});
    for (int k = 0; k <= 200; ++k) {
      const double e = k / 200.0;
      const auto table = closed_contact(e, sequence, 10);
      for (int i = 1; i <= 4; ++i) {
        const double T = table[i - 1].back();
        panels[which].curves[i - 1].x.push_back(e), panels[which].curves[i - 1].y.push_back(T);
        rows.push_back(fmt::format("{},{},{},{}", substep_names[static_cast<int>(sequence)], e, i, T));
        if (which == 0) all_largest = std::max(all_largest, std::abs(T));
      }
      if (which == 0) {
        off = std::max(off, std::abs(table[1][1] - (e + 2 * e * e)));
        continue;
      }
      for (const auto& r : table) {
        if (k < 200)
          odd_largest = std::max(odd_largest, std::abs(r.back()));
        else
          odd_at_one = std::max(odd_at_one, std::abs(std::abs(r.back()) - 1));
        for (std::size_t j = 1; j < r.size(); ++j)
          if (k > 0 && k < 200 && r[j - 1] * r[0] > 0)
            shrinks_always = shrinks_always && std::abs(r[j]) < std::abs(r[j - 1]);
      }
    }
  }
  out.csv("fig-5", "substeps,e,i,T_ii", rows);
  out.figure("fig-5", panels);
  out.claim("substeps 1, 2, 3, 4 let the velocity grow: T22 = e + 2e^2 passes 1 at e = 1/2",
            all_largest > 20 && off < 1e-12, fmt::format("largest |T_ii| {:.3g} for i <= 4", all_largest));
  out.claim("substeps 1, 3, 5, ... keep |T_ii| < 1 for e < 1 (i <= 10)", odd_largest < 1,
            fmt::format("largest |T_ii| {:.4f} for e <= 0.995", odd_largest));
  out.claim("and |T_ii| = 1 at e = 1", odd_at_one < 1e-6, fmt::format("off by {:.1e}", odd_at_one));
  out.refuted("Sect. 8.2: entries of equal sign make |T_i,j+1| < |T_i,j|", shrinks_always,
              "e = 0.1: T21 = -0.001, T22 = 0.0485; only the conclusion on T_ii holds");
}

}  // namespace saltus::studer_2008
