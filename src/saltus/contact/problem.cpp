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
      problem, [&](int i) { return detail::step_of(trace(i)); }, trace, P, y, worst);
}

double natural_residual(const ContactProblem& problem, In P) {
  if (P.size() != problem.rows()) fail("the contact problem has {} rows, P has {}", problem.rows(), P.size());
  std::vector<double> y(problem.c.size());
  if (!y.empty()) detail::evaluate(problem, P.data(), y.data());
  return natural_residual(problem, P.data(), y.data());
}

}  // namespace saltus
