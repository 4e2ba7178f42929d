#include "saltus/scheme/runge_kutta/runge_kutta.hpp"

#include "saltus/core/error.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

RungeKutta runge_kutta(std::string_view tableau) {
  RungeKutta out;
  find_tableau(tableau);  // throws with the known names
  set_field(out, "tableau", tableau);
  return out;
}

std::unique_ptr<Stepper> build_stepper(const RungeKutta&, const DynamicSystem&, const SolverSpec&) {
  fail("scheme runge-kutta integrates between events: use it with stepping event-capturing");
}

}  // namespace saltus
