#include "saltus/run/file/contact_dump.hpp"

#include "saltus/core/error.hpp"

namespace saltus {

std::optional<FrictionProblem> contact_problem_of_step(const Problem& problem, const Method& method,
                                                       const State& x, double h) {
  if (std::holds_alternative<EventCapturing>(method.stepping) ||
      std::holds_alternative<ToleranceSteps>(method.stepping))
    fail(
        "event capturing poses contact problems at impacts only; dump the problem of a time-stepping scheme "
        "(--scheme moreau-jean, --stepping fixed)");
  const auto stepper = make_stepper(method.scheme, *problem.system, method.solver);
  State next = stepper->start(problem.t0, problem.q0, problem.u0);
  stepper->step(x, h, next);
  const ContactProblem* posed = stepper->contact_problem();
  if (!posed) return std::nullopt;
  FrictionProblem file = to_friction_problem(*posed, fmt::format("t={:.9g}", x.t));
  const auto found = stepper->contact_impulses();
  file.solution = PosedFriction(file).on_file_rows(Eigen::Map<const Vec>(found.data(), std::ssize(found)));
  return file;
}

}  // namespace saltus
