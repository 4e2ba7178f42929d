#include "saltus/run/method.hpp"

namespace saltus {

double step_of(const Stepping& stepping) {
  return std::visit([](const auto& s) { return s.h; }, stepping);
}

Stepping with_step(Stepping stepping, double h) {
  std::visit([h](auto& s) { s.h = h; }, stepping);
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
