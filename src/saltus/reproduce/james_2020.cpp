#include "saltus/reproduce/james_2020.hpp"

#include "saltus/core/error.hpp"
#include "saltus/run/step_grid.hpp"

namespace saltus::james_2020 {

std::vector<Study> studies() {
  const std::string paper = "james-2020";
  return {
      {paper, "fig-2", "orders with contacts that break: the trimer after an impact", figure_2},
      {paper, "fig-3", "orders while all contacts stay closed", figure_3},
      {paper, "fig-4", "Newton's cradle, stiff: displacements by the additive theta method", figure_4},
      {paper, "fig-5", "Newton's cradle, soft, over 48 periods", figure_5},
      {paper, "fig-6", "orders of the tailored schemes with damping gamma = h", figure_6},
      {paper, "fig-7", "a solitary wave in a dimer chain", figure_7},
      {paper, "table-1", "errors and execution times on the dimer chain", table_1},
      {paper, "fig-8", "a solitary wave in a chain of equal beads", figure_8},
      {paper, "fig-9", "ejection velocity over the mass ratio", figure_9},
      {paper, "fig-10", "IRK against Gauss-Legendre over the damping", figure_10},
      {paper, "fig-11", "theta against Crank-Nicolson over the damping", figure_11},
      {paper, "a-stability", "the tailored two-stage method (64)-(66), (75)", a_stability},
      {paper, "eq-9", "restitution and damping of three materials (8), (9)", equation_9},
      {paper, "times", "collision time and period of Newton's cradle (section 3.2)", cradle_times},
      {paper, "transmitted", "the force that a dimer chain transmits (section 4.1)", transmitted_force},
      {paper, "theorem-1", "bounds and rate of the theta method with gamma in proportion to h", theorem_1},
      {paper, "modified-equation", "numerical damping as the modified equation predicts it (40)",
       modified_equation},
      {paper, "tuning", "local and contact damping tuned apart (40)", tuning}};
}

PaperMethod named(std::string_view name) {
  static const PaperMethod all[] = {
      {"CN x", CrankNicolson{}, Formulation::x}, {"CN y", CrankNicolson{}, Formulation::y},
      {"GL x", Gauss2{}, Formulation::x},        {"GL y", Gauss2{}, Formulation::y},
      {"theta", KkTheta{}, Formulation::y},      {"IRK", KkIrk{}, Formulation::y}};
  for (const PaperMethod& n : all)
    if (name == n.name) return n;
  fail("no method '{}'", name);
}

CatalogProblem Comparison::make(Formulation formulation) const {
  Settings s = settings_;
  s.emplace_back("formulation", formulation_names[static_cast<int>(formulation)]);
  return make_problem(problem_, s, t_end_);
}

Comparison::Comparison(std::string problem, Settings settings, double t_end, double h)
    : problem_(std::move(problem)), settings_(std::move(settings)), t_end_(t_end), h_(h) {
  const CatalogProblem p = make(Formulation::y);
  const std::int64_t n = step_count(0, t_end, h);
  Vec q, u;
  for (std::int64_t k = 0; k <= n; ++k) {
    const double t = k == n ? t_end : t_end * static_cast<double>(k) / static_cast<double>(n);
    p.reference->state(t, Side::right, q, u);
    exact_.add(t, q, u);
  }
}

Comparison::Errors Comparison::errors(std::string_view method, Trajectory* path) const {
  const PaperMethod m = named(method);
  const CatalogProblem p = make(m.formulation);
  Errors out;
  int k = 0;
  if (path) path->add(0, p.problem.q0, p.problem.u0);
  const RunResult r = run(p.problem, {m.scheme, FixedSteps{h_}, AutomaticSolver{}}, [&](const Segment& s) {
    ++k;
    out.x = std::max(out.x, (s.end.q - exact_.q(k)).lpNorm<Eigen::Infinity>());
    out.v = std::max(out.v, (s.end.u - exact_.u(k)).lpNorm<Eigen::Infinity>());
    if (path) path->add(s.end.t, s.end.q, s.end.u);
  });
  if (r.status != RunStatus::finished || r.stats.rejected > 0) fail("{}, h = {}: {}", m.name, h_, r.message);
  return out;
}

double Comparison::largest_x() const {
  double most = 0;
  for (int k = 0; k < exact_.size(); ++k) most = std::max(most, exact_.q(k).lpNorm<Eigen::Infinity>());
  return most;
}

Curve history(const Trajectory& path, std::string title, const std::string& style, int bead, bool velocity) {
  Curve c{std::move(title), style, {}, {}};
  for (int k = 0; k < path.size(); ++k)
    c.x.push_back(path.t(k)), c.y.push_back(velocity ? path.u(k)[bead] : path.q(k)[bead]);
  return c;
}

std::string text(double x) {
  return fmt::format("{}", x);
}

}  // namespace saltus::james_2020
