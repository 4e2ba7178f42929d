#include "saltus/contact/solver.hpp"

#include "saltus/contact/solvers.hpp"

namespace saltus {
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

}  // namespace

std::unique_ptr<ContactSolver> make_contact_solver(const SolverSpec& spec) {
  check(spec);
  return std::visit([](const auto& s) { return make(s); }, spec);
}

}  // namespace saltus
