// Small helpers for makers: numbers as text, and sections that are left out when they are empty.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <string>
#include <vector>

namespace saltus::mechanisms {

/// Few digits: a scene that a person may read. A sign that would follow an operator gets brackets.
inline std::string num(double x) {
  return x < 0 ? fmt::format("({:.6g})", x) : fmt::format("{:.6g}", x);
}
inline std::string value(double x) {
  return fmt::format("{:.6g}", x);
}
/// The number that a scene written with `num` or `value` really has.
inline double rounded(double x) {
  return std::stod(fmt::format("{:.6g}", x));
}

/// "name:\n  line\n  line\n", or nothing.
inline std::string section(const std::string& name, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  return fmt::format("{}:\n  {}\n", name, fmt::join(lines, "\n  "));
}
/// "name: a + b", or nothing.
inline std::string sum(const std::string& name, const std::vector<std::string>& terms) {
  if (terms.empty()) return {};
  return fmt::format("{}: {}\n", name, fmt::join(terms, " + "));
}

}  // namespace saltus::mechanisms
