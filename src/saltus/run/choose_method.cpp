#include "saltus/run/choose_method.hpp"

#include "saltus/core/error.hpp"
#include "saltus/run/compatibility.hpp"

namespace saltus {

bool sets_step(const std::string& stepping) {
  for (const auto& [key, value] : split_spec(stepping).settings)
    if (key == "h" || key == "h_max") return true;
  return false;
}

Method choose_method(const Method& usual, const MethodTexts& given) {
  Method m = usual;
  if (!given.scheme.empty()) m.scheme = parse_spec<SchemeSpec>(given.scheme, "scheme");
  const auto searches = [](const Stepping& s) { return std::holds_alternative<SwitchingSteps>(s); };
  // the step of another stepping means the same, unless the one is a step and the other the largest of many
  if (given.stepping.empty() && !searches(m.stepping)) m.stepping = fitting_stepping(m.scheme, m.stepping);
  if (!given.solver.empty()) m.solver = parse_spec<SolverSpec>(given.solver, "solver");
  if (!given.stepping.empty()) {
    m.stepping = parse_spec<Stepping>(given.stepping, "stepping");
    // the problem's usual step, unless the one is a step and the other the largest of many
    if (!sets_step(given.stepping) && searches(usual.stepping) == searches(m.stepping))
      m.stepping = with_step(m.stepping, step_of(usual.stepping));
    if (searches(m.stepping) && !searches(usual.stepping) && given.scheme.empty() &&
        family_of(m.scheme) == Family::mechanical)
      m.scheme = MoreauMidpoint{};
  }
  if (!given.h.empty()) {
    if (sets_step(given.stepping))
      fail("the step is given twice: --h {} and --stepping {}", given.h, given.stepping);
    m.stepping = with_step(m.stepping, parse_number(given.h, "h"));
  }
  return m;
}

}  // namespace saltus
