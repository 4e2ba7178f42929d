#include "saltus/run/method.hpp"

namespace saltus {

template Fields fields_of(Stepping&);
template Stepping parse_spec(std::string_view, std::string_view);
template std::string to_text(const Stepping&);
template void check(const Stepping&);
template void set_field(Stepping&, std::string_view, std::string_view);

Method by_tolerance(double rtol, double atol) {
  constexpr double tight = 2e-3;  // from here on the pair of order 8 is cheaper, and as accurate
  ToleranceSteps stepping;
  stepping.rtol = rtol, stepping.atol = atol;
  return {runge_kutta(rtol > tight ? "herk-5" : "dop-8"), stepping, AutomaticSolver{}};
}

double step_of(const Stepping& stepping) {
  if (const auto* adaptive = std::get_if<AdaptiveSteps>(&stepping); adaptive && adaptive->h == 0)
    return adaptive->h0;
  return std::visit([](const auto& s) { return s.h; }, stepping);
}

Stepping with_step(Stepping stepping, double h) {
  std::visit([h](auto& s) { s.h = h; }, stepping);
  check(stepping);
  return stepping;
}

Stepping with_usual_step(Stepping stepping, double h) {
  auto* adaptive = std::get_if<AdaptiveSteps>(&stepping);
  if (!adaptive) return with_step(stepping, h);
  adaptive->h0 = h;
  check(stepping);
  return stepping;
}

std::string_view name_of(const SchemeSpec& scheme) {
  return std::visit([](const auto& s) { return s.name; }, scheme);
}

std::string_view name_of(const Stepping& stepping) {
  return std::visit([](const auto& s) { return s.name; }, stepping);
}

}  // namespace saltus
