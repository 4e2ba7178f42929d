#include "saltus/study/knob.hpp"

#include "saltus/core/error.hpp"
#include "saltus/run/compatibility.hpp"

namespace saltus {

std::string_view to_string(Knob knob) {
  constexpr std::string_view names[] = {"h", "tol", "rtol"};
  return names[static_cast<std::size_t>(knob)];
}

Method with_knob(Method method, Knob knob, double value) {
  if (knob == Knob::step) {
    if (std::holds_alternative<ToleranceSteps>(method.stepping))
      fail(
          "a run by tolerance has no step: give tolerances (--rtol), or name a scheme (--scheme "
          "moreau-jean)");
    method.stepping = with_step(method.stepping, value);
    return method;
  }
  if (knob == Knob::rtol) {
    const auto* tolerance = std::get_if<ToleranceSteps>(&method.stepping);
    if (!tolerance) fail("rtol needs stepping tolerance, not {}", to_text(method.stepping));
    Method out = by_tolerance(value, tolerance->atol);  // its scheme follows from the tolerance
    std::get<ToleranceSteps>(out.stepping).h = tolerance->h;
    out.solver = method.solver;
    if (family_of(method.scheme) != Family::mechanical) out.scheme = method.scheme;
    check(out.stepping);
    return out;
  }
  auto* adaptive = std::get_if<AdaptiveSteps>(&method.stepping);
  if (!adaptive) fail("a tolerance needs stepping adaptive, not {}", to_text(method.stepping));
  check_pair(method.scheme, method.stepping);
  adaptive->atol = value;
  check(method.stepping);
  return method;
}

}  // namespace saltus
