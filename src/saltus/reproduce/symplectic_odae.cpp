#include "saltus/reproduce/symplectic_odae.hpp"

#include <cmath>

#include "saltus/catalog/coordinate_units.hpp"
#include "saltus/core/error.hpp"
#include "saltus/odae/natural_limit.hpp"
#include "saltus/reference/extrapolated_reference.hpp"
#include "saltus/reference/odae_reference.hpp"
#include "saltus/scheme/symplectic/symplectic_euler_stepper.hpp"

namespace saltus::symplectic_odae {
namespace {

using Composition = SymplecticEuler::Composition;

SymplecticEuler euler(EulerVariant variant) {
  SymplecticEuler s;
  s.variant = variant;
  return s;
}
SymplecticEuler composed(Composition c) {
  SymplecticEuler s;
  s.composition = c;
  return s;
}

std::shared_ptr<const OdaeSystem> system_of(const CatalogProblem& p) {
  return std::dynamic_pointer_cast<const OdaeSystem>(p.problem.system);
}

// Which half of the state a figure shows
using Part = Vec State::*;
struct End {
  Vec y, z;
  const Vec& of(Part part) const { return part == &State::q ? y : z; }
};
End end_of(const Reference& reference, double t) {
  End e;
  reference.state(t, Side::right, e.y, e.z);
  return e;
}

State final_of(const CatalogProblem& p, const SymplecticEuler& scheme, std::int64_t n) {
  const double h = (p.problem.t_end - p.problem.t0) / static_cast<double>(n);
  const RunResult r = run(p.problem, {scheme, FixedSteps{h}, AutomaticSolver{}});
  if (r.status != RunStatus::finished) fail("symplectic-euler: {}", r.message);
  return r.final;
}

double last_slope(const std::vector<double>& e) {
  return std::log2(e[e.size() - 2] / e.back());
}

// One figure: the error at t = 1 in y or in z over h, natural and true with α = ½.
void global_errors(Findings& out, const std::string& item, const std::string& problem, Part part,
                   const char* what) {
  const CatalogProblem p = make_problem(problem, {}, 1);
  const auto limit = std::make_shared<NaturalLimit>(system_of(p), 0.5);
  const End exact = end_of(*p.reference, 1);
  const End other = end_of(ExtrapolatedReference(limit, 0, p.problem.q0, p.problem.u0, 1), 1);
  const double gap = (other.of(part) - exact.of(part)).norm();

  std::vector<double> h, natural, consistent, to_limit;
  std::vector<std::string> rows;
  for (std::int64_t n = 20; n <= 20480; n *= 2) {
    const State a = final_of(p, euler(EulerVariant::natural), n),
                b = final_of(p, euler(EulerVariant::consistent), n);
    h.push_back(1.0 / static_cast<double>(n));
    natural.push_back((a.*part - exact.of(part)).norm());
    to_limit.push_back((a.*part - other.of(part)).norm());
    consistent.push_back((b.*part - exact.of(part)).norm());
    rows.push_back(fmt::format("{},{},{},{}", h.back(), natural.back(), consistent.back(), to_limit.back()));
  }
  out.csv(item, "h,natural,true,natural_to_its_limit", rows);
  const CoordinateUnits units = coordinate_units(problem, 1, 1);
  Panel panel{"h [s]",
              fmt::format("|{0}(1) - {0}_N| [{1}]", what, (part == &State::q ? units.q : units.u).front()),
              fmt::format("{}, alpha = 1/2", problem),
              true,
              {}};
  panel.curves = {points("natural", h, natural, 0), points("true", h, consistent, 1),
                  points("natural, from its own limit", h, to_limit, 2),
                  slope_line(h.back(), h.front(), h[3], consistent[3], 1)};
  out.figure(item, {&panel, 1});

  out.claim(
      "true converges with order 1 (Theorem 3.2)", std::abs(last_slope(consistent) - 1) < 0.1,
      fmt::format("{:.3f}, error {:.3g} at h = {:.3g}", last_slope(consistent), consistent.back(), h.back()));
  out.claim(
      "natural does not converge to the solution (Theorem 3.1)",
      std::abs(last_slope(natural)) < 0.1 && natural.back() > 0.9 * gap,
      fmt::format("slope {:.3f}, error {:.4g} at h = {:.3g}", last_slope(natural), natural.back(), h.back()));
  out.claim("natural converges with order 1 to the solution of the inconsistent equations of section 3.4",
            std::abs(last_slope(to_limit) - 1) < 0.1,
            fmt::format("{:.3f}; they end {:.4g} away from the solution", last_slope(to_limit), gap));
}

void figure_1(Findings& out) {
  global_errors(out, "fig-4.1", "odae-exponential", &State::q, "y");
}
void figure_2(Findings& out) {
  global_errors(out, "fig-4.2", "odae-exponential", &State::u, "z");
}
void figure_3(Findings& out) {
  global_errors(out, "fig-4.3", "cubic-slide", &State::q, "y");
}
void figure_4(Findings& out) {
  global_errors(out, "fig-4.4", "cubic-slide", &State::u, "z");
}

// true(h/2), then true-conjugate(h/2); each keeps guesses of its own
State with_conjugate(const CatalogProblem& p, int n) {
  const double h = (p.problem.t_end - p.problem.t0) / n;
  SymplecticEulerStepper one(system_of(p), euler(EulerVariant::consistent)),
      two(system_of(p), euler(EulerVariant::consistent_conjugate));
  State x = one.start(p.problem.t0, p.problem.q0, p.problem.u0), half = x, next = x;
  Vec guesses = x.aux;
  for (int k = 0; k < n; ++k) {
    if (one.step(x, h / 2, half).status != StepStatus::ok) fail("true: the step from t = {} failed", x.t);
    std::swap(half.aux, guesses);
    if (two.step(half, h / 2, next).status != StepStatus::ok) fail("true-conjugate: t = {} failed", half.t);
    std::swap(next.aux, guesses);
    std::swap(x, next);
  }
  return x;
}

void composition(Findings& out) {
  struct Row {
    const char* name;
    Composition composition;
    int order, first, colour;
  };
  const Row rows[] = {{"strang", Composition::strang, 2, 40, 1},
                      {"yoshida4", Composition::yoshida4, 4, 20, 2},
                      {"suzuki4", Composition::suzuki4, 4, 10, 3}};
  std::vector<std::string> csv;
  std::vector<Panel> panels;
  for (const char* problem : {"odae-exponential", "cubic-slide", "polar-bead"}) {
    const CatalogProblem p = make_problem(problem);
    const double end = p.problem.t_end;
    const End exact = end_of(*p.reference, end);
    Panel panel{"h [s]", "error in y at the end [SI units]", problem, true, {}};
    const auto measure = [&](const char* name, int first, int colour, auto&& solve) {
      std::vector<double> h, e;
      for (int n = first; n <= 8 * first; n *= 2) {
        h.push_back(end / n), e.push_back((solve(n).q - exact.y).norm());
        csv.push_back(fmt::format("{},{},{},{}", problem, name, h.back(), e.back()));
      }
      panel.curves.push_back(points(fmt::format("{} ({:.2f})", name, last_slope(e)), h, e, colour));
      return last_slope(e);
    };
    const double conjugate =
        measure("true, then true-conjugate", 400, 0, [&](int n) { return with_conjugate(p, n); });
    if (std::string_view(problem) == "odae-exponential")
      out.refuted("the method composed with its conjugate is of order 2 (a reading of section 5)",
                  std::abs(conjugate - 2) < 0.1, fmt::format("{:.2f} on (4.1), r is nonlinear", conjugate));
    if (std::string_view(problem) == "polar-bead")
      out.claim("where r is affine the conjugate is the adjoint, and that composition is of order 2",
                std::abs(conjugate - 2) < 0.1, fmt::format("{:.2f} on polar-bead", conjugate));
    for (const Row& r : rows) {
      const double slope =
          measure(r.name, r.first, r.colour, [&](int n) { return final_of(p, composed(r.composition), n); });
      out.claim(
          fmt::format("{}: composed with the true adjoint, {} is of order {}", problem, r.name, r.order),
          std::abs(slope - r.order) < 0.1, fmt::format("{:.2f}", slope));
    }
    panels.push_back(std::move(panel));
  }
  out.csv("composition", "problem,method,h,error_y", csv);
  out.figure("composition", panels);
}

double first_of(const Trajectory& path, EventKind kind) {
  for (const Event& e : path.events())
    if (e.kind == kind) return e.t;
  return std::nan("");
}

// The first time at which a multiplier of the held mass turns negative.
double sign_change(EulerVariant variant, int which, std::int64_t n) {
  const CatalogProblem held = make_problem("cubic-slide", {{"c", "0"}}, 1.2);
  double when = std::nan("");
  run(held.problem, {euler(variant), FixedSteps{1.2 / static_cast<double>(n)}, AutomaticSolver{}},
      [&](const Segment& s) {
        if (std::isnan(when) && s.end.aux[which] < 0) when = s.end.t;
      });
  return when;
}

void inequalities(Findings& out) {
  const CatalogProblem p = make_problem("cubic-slide", {{"preset", "frictionless"}}, 2);
  const double exact = static_cast<const OdaeReference&>(*p.reference).events().at(0).t;
  std::vector<double> h, stepped, located;
  std::vector<std::string> rows;
  for (double n = 100; n < 13000; n *= 1.5) {
    const double step = 2 / std::floor(n);
    Trajectory a, b;
    run(p.problem, {euler(EulerVariant::consistent), FixedSteps{step}, AutomaticSolver{}}, a.sink());
    run(p.problem, {composed(Composition::strang), EventLocation{step}, AutomaticSolver{}}, b.sink());
    h.push_back(step);
    stepped.push_back(std::abs(first_of(a, EventKind::open) - exact));
    located.push_back(std::abs(first_of(b, EventKind::open) - exact));
    rows.push_back(fmt::format("{},{},{}", h.back(), stepped.back(), located.back()));
  }
  out.csv("inequalities", "h,time_stepping,located_strang", rows);
  Panel panel{"h [s]", "error of the detachment time [s]", "frictionless cubic slide", true, {}};
  panel.curves = {points("time stepping", h, stepped, 0), points("located, strang", h, located, 1),
                  slope_line(h.back(), h.front(), h[0], stepped[0], 1),
                  slope_line(h.back(), h.front(), h[0], located[0], 2)};
  out.figure("inequalities", {&panel, 1});
  double worst = 0;
  for (std::size_t i = 0; i < h.size(); ++i) worst = std::max(worst, stepped[i] / h[i]);
  out.claim("time stepping: the detachment time is right to some steps (order 1, to the grid)", worst < 3,
            fmt::format("off by {:.2f} h at most, exact {:.6f}", worst, exact));
  const double slope = fitted_order(std::span(h).first(6), std::span(located).first(6));
  out.claim("located with strang inside: order 2", std::abs(slope - 2) < 0.1, fmt::format("{:.2f}", slope));
  const double whole = sign_change(EulerVariant::consistent, 2, 4000);
  out.claim("the sign of the whole multiplier, true's, tells the detachment", std::abs(whole - exact) < 1e-3,
            fmt::format("{:.4f} at h = 3e-4", whole));
  out.refuted("the sign of natural's Psi1 tells it",
              std::abs(sign_change(EulerVariant::natural, 2, 4000) - exact) < 1e-3,
              fmt::format("{:.4f}", sign_change(EulerVariant::natural, 2, 4000)));
  out.refuted("the sign of Psi0 tells it",
              std::abs(sign_change(EulerVariant::consistent, 1, 4000) - exact) < 1e-3,
              fmt::format("{:.4f}", sign_change(EulerVariant::consistent, 1, 4000)));
}

}  // namespace

std::vector<Study> studies() {
  const std::string paper = "symplectic-odae";
  return {
      {paper, "fig-4.1", "(4.1), error in y: natural and true symplectic Euler", figure_1},
      {paper, "fig-4.2", "(4.1), error in z", figure_2},
      {paper, "fig-4.3", "(4.2), mass on a cubic with friction, error in y", figure_3},
      {paper, "fig-4.4", "(4.2), error in z", figure_4},
      {paper, "composition", "higher order by composition: with the adjoint, not the conjugate", composition},
      {paper, "inequalities", "detachment: time stepping, located events, and signs that mislead",
       inequalities}};
}

}  // namespace saltus::symplectic_odae
