#include "saltus/contact/problem.hpp"

#include "saltus/contact/kernels.hpp"
#include "saltus/core/error.hpp"

namespace saltus {

double prox_step(const ContactProblem& problem, int i) {
  return detail::step_of(detail::trace_of(problem.G, i));
}

double natural_residual(const ContactProblem& problem, const double* P, const double* y, int* worst) {
  const auto trace = [&](int i) { return detail::trace_of(problem.G, i); };
  return detail::residual(
      problem, [&](int i) { return detail::step_of(trace(i)); }, trace, [](int) {}, P, y, worst);
}

double natural_residual(const ContactProblem& problem, In P) {
  if (P.size() != problem.rows()) fail("the contact problem has {} rows, P has {}", problem.rows(), P.size());
  std::vector<double> y(problem.c.size());
  if (!y.empty()) detail::evaluate(problem, P.data(), y.data());
  return natural_residual(problem, P.data(), y.data());
}

double velocity_scale(const ContactProblem& problem, const double* P) {
  const double free = detail::free_velocity(problem, P);
  double pressed = free;
  for (int i = 0; i < problem.blocks(); ++i) {
    const double trace = detail::trace_of(problem.G, i);
    for (int k = problem.G.offset(i); k < problem.G.offset(i + 1); ++k)
      pressed = std::max(pressed, std::abs(P[k]) * trace);
  }
  return free > 0 ? std::min(pressed, detail::most_leverage * free) : pressed;
}

}  // namespace saltus
