#include "saltus/run/choose_method.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/run/compatibility.hpp"

namespace saltus {

bool sets_step(const std::string& stepping) {
  for (const auto& [key, value] : split_spec(stepping).settings)
    if (key == "h" || key == "h_max") return true;
  return false;
}

bool sets_usual_step(const std::string& stepping) {
  const SpecText spec = split_spec(stepping);
  if (spec.name != AdaptiveSteps::name) return sets_step(stepping);
  return std::any_of(spec.settings.begin(), spec.settings.end(),
                     [](const auto& s) { return s.first == "h0"; });
}

namespace {

// Systems that are not mechanical have methods of their own, see tolerance_families.hpp.
SchemeSpec scheme_by_tolerance(Family family, double rtol) {
  if (family == Family::first_order) return rk("herk-4");
  if (family == Family::odae) return SymplecticEuler{.composition = SymplecticEuler::Composition::suzuki4};
  return by_tolerance(rtol).scheme;
}

Method choose_tolerance(const Method& usual, const MethodTexts& given) {
  for (const auto& [name, text] :
       {std::pair{"scheme", &given.scheme}, {"stepping", &given.stepping}, {"h", &given.h}})
    if (!text->empty())
      fail(
          "a run by tolerance chooses its scheme and its steps: leave out either {} ({}) or the "
          "tolerance (rtol, atol, digits)",
          name, *text);
  ToleranceSteps t;
  if (const auto* known = std::get_if<ToleranceSteps>(&usual.stepping)) t = *known;
  if (!given.rtol.empty()) set_field(t, "rtol", given.rtol);
  if (!given.atol.empty()) set_field(t, "atol", given.atol);
  check(t);
  Method m = by_tolerance(t.rtol, t.atol);
  m.scheme = scheme_by_tolerance(family_of(usual.scheme), t.rtol);
  m.solver = given.solver.empty() ? usual.solver : parse_spec<SolverSpec>(given.solver, "solver");
  return m;
}

}  // namespace

Method unnamed_method(const Method& usual, const Problem& problem) {
  if (problem.penetration == Penetration::accept) return usual;  // events begin outside of contacts
  return choose_tolerance(usual, {.scheme = {}, .stepping = {}, .solver = {}, .h = {}});
}

Method choose_method(const Method& usual, const MethodTexts& given) {
  if (!given.rtol.empty() || !given.atol.empty()) return choose_tolerance(usual, given);
  Method m = usual;
  if (!given.scheme.empty()) m.scheme = parse_spec<SchemeSpec>(given.scheme, "scheme");
  const auto searches = [](const Stepping& s) {
    return std::holds_alternative<SwitchingSteps>(s) || std::holds_alternative<ToleranceSteps>(s);
  };
  // the step of another stepping means the same, unless the one is a step and the other the largest of many
  if (given.stepping.empty() && !searches(m.stepping)) m.stepping = fitting_stepping(m.scheme, m.stepping);
  if (!given.solver.empty()) m.solver = parse_spec<SolverSpec>(given.solver, "solver");
  if (!given.stepping.empty()) {
    m.stepping = parse_spec<Stepping>(given.stepping, "stepping");
    // the problem's usual step, unless the one is a step and the other the largest of many
    if (!sets_usual_step(given.stepping) && searches(usual.stepping) == searches(m.stepping) &&
        step_of(usual.stepping) > 0)
      m.stepping = with_usual_step(m.stepping, step_of(usual.stepping));
    if (const auto* t = std::get_if<ToleranceSteps>(&m.stepping); t && given.scheme.empty())
      m.scheme = scheme_by_tolerance(family_of(usual.scheme), t->rtol);
    if (std::holds_alternative<SwitchingSteps>(m.stepping) && !searches(usual.stepping) &&
        given.scheme.empty() && family_of(m.scheme) == Family::mechanical)
      m.scheme = MoreauMidpoint{};
  }
  if (!given.h.empty()) {
    if (sets_usual_step(given.stepping))
      fail("the step is given twice: --h {} and --stepping {}", given.h, given.stepping);
    m.stepping = with_usual_step(m.stepping, parse_number(given.h, "h"));
  }
  return m;
}

}  // namespace saltus
