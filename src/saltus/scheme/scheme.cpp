#include "saltus/scheme/scheme.hpp"

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

const System& mechanical(const DynamicSystem& system) {
  return static_cast<const System&>(system);
}

std::unique_ptr<Stepper> make(const MoreauJean& s, const DynamicSystem& system, const SolverSpec& solver) {
  return std::make_unique<MoreauJeanStepper>(mechanical(system), s, solver);
}
std::unique_ptr<Stepper> make(const MoreauMidpoint& s, const DynamicSystem& system,
                              const SolverSpec& solver) {
  return std::make_unique<MoreauMidpointStepper>(mechanical(system), s, solver);
}
std::unique_ptr<Stepper> make(const MoreauProjected& s, const DynamicSystem& system,
                              const SolverSpec& solver) {
  return std::make_unique<MoreauProjectedStepper>(mechanical(system), s, solver);
}
std::unique_ptr<Stepper> make(const RungeKutta&, const DynamicSystem&, const SolverSpec&) {
  fail("scheme runge-kutta integrates between events: use it with stepping event-capturing");
}

}  // namespace

Family family_of(const SchemeSpec&) {
  return Family::mechanical;
}

std::vector<std::string> schemes_for(Family family) {
  std::vector<std::string> out;
  for_each_alternative<SchemeSpec>([&]<class S>(const S& s) {
    if (family_of(s) == family) out.emplace_back(S::name);
  });
  return out;
}

std::unique_ptr<Stepper> make_stepper(const SchemeSpec& scheme, const DynamicSystem& system,
                                      const SolverSpec& solver) {
  check(scheme);
  if (family_of(scheme) != system.family())
    fail("scheme {} is for {} systems, this one is {}; schemes that fit: {}", to_text(scheme),
         to_string(family_of(scheme)), to_string(system.family()),
         fmt::join(schemes_for(system.family()), ", "));
  return std::visit([&](const auto& s) { return make(s, system, solver); }, scheme);
}

}  // namespace saltus
