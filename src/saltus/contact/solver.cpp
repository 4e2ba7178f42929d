#include "saltus/contact/solver.hpp"

#include <algorithm>

#include "saltus/contact/solvers.hpp"

namespace saltus {

template Fields fields_of(SolverSpec&);
template SolverSpec parse_spec(std::string_view, std::string_view);
template std::string to_text(const SolverSpec&);
template void check(const SolverSpec&);
template void set_field(SolverSpec&, std::string_view, std::string_view);
namespace {

std::unique_ptr<ContactSolver> make(const AutomaticSolver& spec) {
  return std::make_unique<detail::AutomaticContactSolver>(spec);
}
std::unique_ptr<ContactSolver> make(const Pjor& spec) {
  return std::make_unique<detail::PjorSolver>(spec);
}
std::unique_ptr<ContactSolver> make(const Psor& spec) {
  return std::make_unique<detail::PsorSolver>(spec);
}
std::unique_ptr<ContactSolver> make(const SemismoothNewton& spec) {
  return std::make_unique<detail::NewtonSolver>(spec);
}
std::unique_ptr<ContactSolver> make(const Lemke& spec) {
  return std::make_unique<detail::LemkeSolver>(spec);
}
std::unique_ptr<ContactSolver> make(const InteriorPoint& spec) {
  return std::make_unique<detail::InteriorPointSolver>(spec);
}

class Solver final : public ContactSolver {
 public:
  Solver(std::unique_ptr<ContactSolver> inner, double tolerance)
      : inner_(std::move(inner)), tolerance_(tolerance) {}
  SolveReport solve(ContactProblem& problem, Out P) override {
    const bool guessed = !P.isZero(0);
    SolveReport report;
    if (is_one_normal(problem) && detail::solve_trivial(problem, P, tolerance_, report) && report.solved)
      return report;
    report = inner_->solve(problem, P);
    if (report.solved || std::isnan(report.residual)) return report;
    if (guessed && is_strained(problem, P.data())) {
      P.setZero();
      const int iterations = report.iterations;
      report = inner_->solve(problem, P);
      report.iterations += iterations;
    }
    if (!report.solved) explain(problem, P.data(), report);
    return report;
  }

 private:
  // One contact without friction: every solver has the same closed form.
  static bool is_one_normal(const ContactProblem& problem) {
    return problem.rows() == 1 && problem.blocks() == 1 &&
           std::holds_alternative<Unilateral>(*problem.laws[0]);
  }
  // Where the impulses that were left say nothing, sweeps may: those of contacts that contradict each other
  // grow by the same amount with every one.
  void explain(ContactProblem& problem, const double* P, SolveReport& report) {
    constexpr int first = 1000, more = 500, most_blocks = 500;
    detail::find_contradiction(problem, P, moved_, report);
    if (report.contradictory || report.immovable || problem.blocks() > most_blocks) return;
    steps_.update(problem);
    sweeps_.prepare(problem, steps_, 1);
    z_.setZero(problem.rows());
    sweeps_.begin(z_.data());
    for (int k = 0; k < first; ++k) sweeps_.sweep(problem, steps_, z_.data());
    sweeps_.end(z_.data());
    before_ = z_;
    for (int k = 0; k < more; ++k) sweeps_.sweep(problem, steps_, z_.data());
    sweeps_.end(z_.data());
    z_ -= before_;
    if (z_.allFinite()) detail::find_contradiction(problem, z_.data(), moved_, report);
  }
  static bool is_strained(const ContactProblem& problem, const double* P) {
    double pressed = 0;
    for (int i = 0; i < problem.blocks(); ++i)
      for (int k = problem.G.offset(i); k < problem.G.offset(i + 1); ++k)
        pressed = std::max(pressed, std::abs(P[k]) * detail::trace_of(problem.G, i));
    return pressed > detail::most_leverage * detail::free_velocity(problem, P);
  }
  std::unique_ptr<ContactSolver> inner_;
  double tolerance_;
  detail::Steps steps_;
  detail::Sweeps sweeps_;
  Vec z_, before_;
  std::vector<double> moved_;
};

}  // namespace

SolverSpec to_rounding(SolverSpec spec) {
  if (auto* s = std::get_if<AutomaticSolver>(&spec))
    s->tolerance = std::min(s->tolerance, AutomaticSolver{}.tolerance);
  return spec;
}

std::unique_ptr<ContactSolver> make_contact_solver(const SolverSpec& spec) {
  check(spec);
  return std::visit(
      [](const auto& s) -> std::unique_ptr<ContactSolver> {
        return std::make_unique<Solver>(make(s), s.tolerance);
      },
      spec);
}

}  // namespace saltus
