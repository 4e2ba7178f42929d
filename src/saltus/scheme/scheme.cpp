#include "saltus/scheme/scheme.hpp"

#include "saltus/core/error.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

template Fields fields_of(SchemeSpec&);
template SchemeSpec parse_spec(std::string_view, std::string_view);
template std::string to_text(const SchemeSpec&);
template void check(const SchemeSpec&);
template void set_field(SchemeSpec&, std::string_view, std::string_view);

Family family_of(const SchemeSpec& scheme) {
  return std::visit([]<class S>(const S&) { return S::family; }, scheme);
}

SmoothMotion smooth_motion(const SchemeSpec& scheme) {
  return std::visit([](const auto& s) { return s.smooth(); }, scheme);
}

bool fits(const SchemeSpec& scheme, const DynamicSystem& system) {
  const Family family = family_of(scheme);
  return family == system.family() || (family == Family::odae && system.family() == Family::mechanical);
}

std::vector<std::string> schemes_for(Family family) {
  std::vector<std::string> out;
  for_each_alternative<SchemeSpec>([&]<class S>(const S& s) {
    if (family_of(s) == family) out.emplace_back(S::name);
  });
  return out;
}

void check_family(const SchemeSpec& scheme, const DynamicSystem& system) {
  if (fits(scheme, system)) return;
  fail("scheme {} is for {} systems, this one is {}; schemes that fit: {}", to_text(scheme),
       to_string(family_of(scheme)), to_string(system.family()),
       fmt::join(schemes_for(system.family()), ", "));
}

const System& mechanical(const DynamicSystem& system) {
  if (const System* m = as_mechanical(&system)) return *m;
  fail("this scheme is for {} systems, this one is {}; schemes that fit: {}", to_string(Family::mechanical),
       to_string(system.family()), fmt::join(schemes_for(system.family()), ", "));
}

std::unique_ptr<Stepper> make_stepper(const SchemeSpec& scheme, const DynamicSystem& system,
                                      const SolverSpec& solver) {
  check(scheme);
  check_family(scheme, system);
  return std::visit([&](const auto& s) { return build_stepper(s, system, solver); }, scheme);
}

}  // namespace saltus
